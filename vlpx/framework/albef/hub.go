package albef

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// hubBERT is the config.json of transformers' BertModel.
type hubBERT struct {
	Architectures []string `json:"architectures"`
	ModelType     string   `json:"model_type"`
	Activation    string   `json:"hidden_act"`
	Width         int      `json:"hidden_size"`
	Layers        int      `json:"num_hidden_layers"`
	Heads         int      `json:"num_attention_heads"`
	MLP           int      `json:"intermediate_size"`
	Vocab         int      `json:"vocab_size"`
	Positions     int      `json:"max_position_embeddings"`
	Types         int      `json:"type_vocab_size"`
	Epsilon       float64  `json:"layer_norm_eps"`
	Dropout       float64  `json:"hidden_dropout_prob"`
	AttentionDrop float64  `json:"attention_probs_dropout_prob"`
	Pad           int32    `json:"pad_token_id"`
	Type          string   `json:"torch_dtype"`
}

// hubUse is how transformers reads a text.
const hubUse = "```python\n" +
	`from transformers import AutoTokenizer, BertModel

folder = "."
model = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
texts = AutoTokenizer.from_pretrained(folder)(["a man on a horse"], return_tensors="pt")
states = model(**texts).last_hidden_state  # [texts, tokens, width]; the first token's stands for the text
` + "```"

// Hub implements framework.OnHub: of the model, transformers has the layers that read text alone, as its BertModel.
func (a Model) Hub(_, _, pad int32) (framework.Hub, error) {
	t, all := a.Text, a.settings().BERT
	text := framework.Model + "/text"
	return framework.Hub{
		Class: "BertModel", Pipeline: "feature-extraction", Table: weights.HubBERT(text), Part: "text encoder",
		Has: func(variable string) bool {
			below, is := strings.CutPrefix(variable, text+"/")
			if layer := ofLayer.FindStringSubmatch(below); is && layer != nil {
				n, err := strconv.Atoi(layer[1])
				return err == nil && n < t.Layers
			}
			return is && strings.HasPrefix(below, "embeddings/")
		},
		Use: hubUse + fmt.Sprintf("\n\nvlpx starts from it by `-weights text=model.safetensors`, in a text encoder of %d layers, for text and "+
			"fusion.", t.Layers),
		Settings: hubBERT{
			Architectures: []string{"BertModel"}, ModelType: "bert", Activation: all.Activation, Width: t.Width, Layers: t.Layers,
			Heads: t.Heads, MLP: t.MLP, Vocab: t.Vocab, Positions: t.Positions, Types: all.Types, Epsilon: all.Epsilon, Dropout: t.Dropout,
			AttentionDrop: t.Dropout, Pad: pad, Type: "float32",
		},
	}, nil
}

// ofLayer finds the number of a layer of the text encoder.
var ofLayer = regexp.MustCompile(`^layer_(\d+)/`)
