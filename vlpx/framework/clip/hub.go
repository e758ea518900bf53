package clip

import (
	"errors"
	"math"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// hubConfig is the config.json of transformers' CLIPModel.
type hubConfig struct {
	Architectures []string  `json:"architectures"`
	ModelType     string    `json:"model_type"`
	Embed         int       `json:"projection_dim"`
	Scale         float64   `json:"logit_scale_init_value"` // log(1/tau) of a model that is trained from the beginning
	Type          string    `json:"torch_dtype"`
	Text          hubText   `json:"text_config"`
	Vision        hubVision `json:"vision_config"`
}

// hubTower is what both of its towers have.
type hubTower struct {
	ModelType  string  `json:"model_type"`
	Width      int     `json:"hidden_size"`
	MLP        int     `json:"intermediate_size"`
	Layers     int     `json:"num_hidden_layers"`
	Heads      int     `json:"num_attention_heads"`
	Activation string  `json:"hidden_act"`
	Epsilon    float64 `json:"layer_norm_eps"`
	Embed      int     `json:"projection_dim"`
}

type hubText struct {
	hubTower
	Vocab     int   `json:"vocab_size"`
	Positions int   `json:"max_position_embeddings"`
	Begin     int32 `json:"bos_token_id"`
	End       int32 `json:"eos_token_id"` // at whose first place the text is read
	Pad       int32 `json:"pad_token_id"`
}

type hubVision struct {
	hubTower
	Image    int `json:"image_size"`
	Patch    int `json:"patch_size"`
	Channels int `json:"num_channels"`
}

// largestID is an end token's id for which transformers reads a text at its largest id instead, as its first configurations have it.
const largestID = 2

// hubUse is how transformers compares an image with a text.
const hubUse = "```python\n" +
	`from transformers import AutoImageProcessor, AutoTokenizer, CLIPModel
from PIL import Image

folder = "."
model = CLIPModel.from_pretrained(folder).eval()
images = AutoImageProcessor.from_pretrained(folder)([Image.open("a.jpg").convert("RGB")], return_tensors="pt")
texts = AutoTokenizer.from_pretrained(folder)(["a man on a horse"], return_tensors="pt")
similarity = model(**images, input_ids=texts["input_ids"], attention_mask=texts["attention_mask"]).logits_per_image
` + "```\n\nvlpx starts from the model by `-weights model=model.safetensors`."

// Hub implements framework.OnHub: it is transformers' CLIPModel.
func (m Model) Hub(begin, end, pad int32) (framework.Hub, error) {
	v, t := m.Vision, m.Text
	switch {
	case m.resNet():
		return framework.Hub{}, errors.New("the image tower is a ResNet, and transformers' CLIP has a vision transformer alone")
	case !v.CLIP || v.Locked > 0 || v.EVA || v.Open:
		return framework.Hub{}, errors.New("the image tower is none of CLIP's, which transformers' CLIP has")
	case m.MeanPool:
		return framework.Hub{}, errors.New("an image is embedded by the mean of its tokens, by transformers' CLIP by the class token; " +
			"train with meanpool=false")
	case t.End == encoder.LastToken && end == largestID:
		return framework.Hub{}, errors.New("a text ends in the token of id 2, which stands for the largest id in transformers' CLIP; train " +
			"with another vocabulary")
	case t.End == "":
		end = largestID
	}
	tower := func(kind string, width, mlp, layers, heads int, a encoder.Activation) hubTower {
		activation := map[encoder.Activation]string{"": "gelu", encoder.Quick: "quick_gelu"}[a]
		return hubTower{kind, width, mlp, layers, heads, activation, v.Epsilon(), m.Embed}
	}
	temperature := m.Temperature
	if temperature == 0 {
		temperature = negative.PublishedTemperature
	}
	return framework.Hub{
		Class: "CLIPModel", Pipeline: "zero-shot-image-classification", Table: weights.HubCLIPModel(framework.Model), Use: hubUse,
		Settings: hubConfig{
			Architectures: []string{"CLIPModel"}, ModelType: "clip", Embed: m.Embed, Scale: math.Log(1 / temperature), Type: "float32",
			Text:   hubText{tower("clip_text_model", t.Width, t.MLP, t.Layers, t.Heads, t.Activation), t.Vocab, t.Positions, begin, end, pad},
			Vision: hubVision{tower("clip_vision_model", v.Width, v.MLP, v.Layers, v.Heads, v.Activation), v.Image, v.Patch, 3},
		},
	}, nil
}
