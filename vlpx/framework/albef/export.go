package albef

import (
	_ "embed"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Settings are the sizes of a model in the words of ALBEF's configuration and of Hugging Face's BERT, as exports have them.
type Settings struct {
	ModelType string `json:"model_type"` // "albef"
	ImageRes  int    `json:"image_res"`  // pixels a side
	EmbedDim  int    `json:"embed_dim"`  // of the shared embedding
	Vision    ViT    `json:"vision_config"`
	BERT      BERT   `json:"bert_config"`
	Pooling   string `json:"image_pooling"` // "class", as published: the image's embedding reads the class token; "mean" of all tokens
}

// ViT has the names of VisionTransformer's arguments in timm and ALBEF, and what these do not have.
type ViT struct {
	Image      int     `json:"img_size"`
	Patch      int     `json:"patch_size"`
	Width      int     `json:"embed_dim"`
	Layers     int     `json:"depth"`
	Heads      int     `json:"num_heads"`
	Ratio      float64 `json:"mlp_ratio"`
	Epsilon    float64 `json:"layer_norm_eps"`
	QKVBias    bool    `json:"qkv_bias"`
	Activation string  `json:"hidden_act"` // "gelu", or CLIP's "quick_gelu"
	// CLIP's transformer: patches have no bias, and tokens are normalised before the first layer, too
	CLIP   bool `json:"clip"`
	Locked int  `json:"locked_dim"` // width of the tokens of a frozen encoder that it reads in the place of pixels; 0 for none
}

// BERT has the names of ALBEF's config_bert.json.
type BERT struct {
	ModelType     string  `json:"model_type"`
	Activation    string  `json:"hidden_act"`
	Width         int     `json:"hidden_size"`
	Layers        int     `json:"num_hidden_layers"` // with the fusion layers
	Fusion        int     `json:"fusion_layer"`      // the first fusion layer, from 0
	EncoderWidth  int     `json:"encoder_width"`     // of the image's tokens
	Heads         int     `json:"num_attention_heads"`
	MLP           int     `json:"intermediate_size"`
	Vocab         int     `json:"vocab_size"`
	Positions     int     `json:"max_position_embeddings"`
	Types         int     `json:"type_vocab_size"`
	Epsilon       float64 `json:"layer_norm_eps"`
	Dropout       float64 `json:"hidden_dropout_prob"`
	AttentionDrop float64 `json:"attention_probs_dropout_prob"`
	Pad           int     `json:"pad_token_id"`
}

//go:embed use.md
var cardUse string

//go:embed model.py
var torch string

// meanPooled reports what MeanPool changes.
const meanPooled = " **One line differs from the published code**: the image's embedding reads the mean of the image's tokens,\n" +
	"`vision_proj(image_embeds.mean(1))`, not the class token's."

// Export implements framework.Exported.
func (a Model) Export() framework.Export {
	v, t := a.Vision, a.Text
	e := framework.Export{
		Settings: a.settings(), Table: weights.Join(weights.ALBEF(framework.Model), weights.Table{Rest: framework.Model}),
		Vocabulary: t.Vocab, Use: strings.TrimSpace(cardUse),
		Architecture: [][2]string{
			{"image encoder", fmt.Sprintf("layers %d, width %d, %d pixels in patches of %d", v.Layers, v.Width, v.Image, v.Patch)},
			{"text encoder", fmt.Sprintf("layers %d, fusion layers %d, width %d, %d tokens in the vocabulary", t.Layers, t.Fusion,
				t.Width, t.Vocab)},
		},
	}
	if a.MeanPool {
		e.Use += meanPooled
	}
	if !v.CLIP && v.Locked == 0 && v.Activation == "" {
		e.Torch = torch
	}
	return e
}

func (a Model) settings() Settings {
	v, t, pooling, activation := a.Vision, a.Text, "class", "gelu"
	if a.MeanPool {
		pooling = "mean"
	}
	if v.Activation == encoder.Quick {
		activation = "quick_gelu"
	}
	return Settings{
		ModelType: "albef", ImageRes: v.Image, EmbedDim: a.Embed, Pooling: pooling,
		Vision: ViT{v.Image, v.Patch, v.Width, v.Layers, v.Heads, float64(v.MLP) / float64(v.Width), v.Epsilon(), true, activation,
			v.CLIP, v.Locked},
		BERT: BERT{
			ModelType: "bert", Activation: "gelu", Width: t.Width, Layers: t.Layers + t.Fusion, Fusion: t.Layers, EncoderWidth: v.Width,
			Heads: t.Heads,
			MLP:   t.MLP, Vocab: t.Vocab, Positions: t.Positions, Types: max(t.Types, 2), Epsilon: 1e-12, Dropout: t.Dropout,
			AttentionDrop: t.Dropout,
		},
	}
}
