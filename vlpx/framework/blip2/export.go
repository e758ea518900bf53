package blip2

import (
	_ "embed"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Settings are the sizes of a model in the words of LAVIS's classes and of Hugging Face's BERT, as exports have them.
type Settings struct {
	ModelType string  `json:"model_type"` // "blip2"
	Image     int     `json:"img_size"`
	Queries   int     `json:"num_query_token"`
	Embed     int     `json:"embed_dim"` // of the shared embedding
	Smoothing float64 `json:"label_smoothing"`
	Vision    Vision  `json:"vision_config"`
	QFormer   QFormer `json:"qformer_config"`
}

// Vision has the names of VisionTransformer's arguments in LAVIS's eva_vit.py, and what these do not have.
type Vision struct {
	Image      int     `json:"img_size"`
	Patch      int     `json:"patch_size"`
	Width      int     `json:"embed_dim"`
	Layers     int     `json:"depth"`
	Heads      int     `json:"num_heads"`
	Ratio      float64 `json:"mlp_ratio"`
	Epsilon    float64 `json:"layer_norm_eps"`
	KeyBias    bool    `json:"key_bias"` // EVA has none
	Activation string  `json:"hidden_act"`
	CLIP       bool    `json:"clip"`       // CLIP's transformer: patches have no bias, and tokens are normalised before the first layer
	Locked     int     `json:"locked_dim"` // width of the tokens of a frozen encoder that stand in the place of pixels; 0 for none
}

// QFormer has the names of LAVIS's BertConfig.
type QFormer struct {
	Activation   string  `json:"hidden_act"`
	Width        int     `json:"hidden_size"`
	Layers       int     `json:"num_hidden_layers"`
	Heads        int     `json:"num_attention_heads"`
	MLP          int     `json:"intermediate_size"`
	Every        int     `json:"cross_attention_freq"`
	EncoderWidth int     `json:"encoder_width"` // of the image's tokens
	QueryLength  int     `json:"query_length"`
	Vocab        int     `json:"vocab_size"` // with [DEC]
	Positions    int     `json:"max_position_embeddings"`
	Epsilon      float64 `json:"layer_norm_eps"`
	Dropout      float64 `json:"hidden_dropout_prob"`
	Pad          int     `json:"pad_token_id"`
}

//go:embed use.md
var cardUse string

// Export implements framework.Exported.
func (m Model) Export() framework.Export {
	v, t, activation, seen := m.Vision, m.Text, "gelu", m.Vision.Width
	table := weights.BLIP2(framework.Model)
	if v.CLIP {
		table = weights.BLIP2WithCLIP(framework.Model)
	}
	if v.Activation == encoder.Quick {
		activation = "quick_gelu"
	}
	if v.Locked > 0 {
		seen = v.Locked
	}
	return framework.Export{
		Settings: Settings{
			ModelType: "blip2", Image: v.Image, Queries: t.Queries, Embed: m.Embed, Smoothing: m.Smoothing,
			Vision: Vision{v.Image, v.Patch, v.Width, v.Layers, v.Heads, float64(v.MLP) / float64(v.Width), v.Epsilon(), !v.EVA, activation,
				v.CLIP, v.Locked},
			QFormer: QFormer{Activation: "gelu", Width: t.Width, Layers: t.Layers, Heads: t.Heads, MLP: t.MLP, Every: t.Every,
				EncoderWidth: seen,
				QueryLength:  t.Queries, Vocab: t.Words(), Positions: t.Positions, Epsilon: 1e-12, Dropout: t.Dropout},
		},
		Table:      weights.Join(table, weights.Table{Rest: framework.Model}),
		Vocabulary: t.Vocab, Use: strings.TrimSpace(cardUse),
		Architecture: [][2]string{
			{"image encoder", fmt.Sprintf("layers %d, width %d, %d pixels in patches of %d", v.Layers, v.Width, v.Image, v.Patch)},
			{"Q-Former", fmt.Sprintf("layers %d, %d queries, width %d, %d tokens in the vocabulary", t.Layers, t.Queries,
				t.Width, t.Vocab)},
		},
	}
}
