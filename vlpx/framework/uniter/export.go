package uniter

import (
	_ "embed"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Settings are the sizes of a model in the words of UNITER's configuration, which is Hugging Face's BERT's, and of its command line.
type Settings struct {
	ModelType     string  `json:"model_type"` // "uniter"
	Activation    string  `json:"hidden_act"`
	Width         int     `json:"hidden_size"`
	Layers        int     `json:"num_hidden_layers"`
	Heads         int     `json:"num_attention_heads"`
	MLP           int     `json:"intermediate_size"`
	Vocab         int     `json:"vocab_size"`
	Positions     int     `json:"max_position_embeddings"`
	Types         int     `json:"type_vocab_size"`
	Dropout       float64 `json:"hidden_dropout_prob"`
	AttentionDrop float64 `json:"attention_probs_dropout_prob"`
	Deviation     float64 `json:"initializer_range"` // of weights that other programs draw; none of these
	Features      int     `json:"img_dim"`
	Regions       int     `json:"max_bb"` // of an image
}

//go:embed use.md
var cardUse string

// pretrainedUse reports what is another class in pre-training.
const pretrainedUse = " It is of the first stage: take `UniterForPretraining` of `model.pretrain`, whose `itm_output`\n" +
	"matches and whose `cls` predicts masked words, and an `img_label_dim`."

// Export implements framework.Exported.
func (m Model) Export() framework.Export {
	t, r := m.Text, m.Regions
	table, use := weights.UNITERForRetrieval(framework.Model), strings.TrimSpace(cardUse)
	if m.Pretraining {
		table, use = weights.UNITER(framework.Model), use+pretrainedUse
	}
	return framework.Export{
		Settings: Settings{
			ModelType: "uniter", Activation: "gelu", Width: t.Width, Layers: t.Layers, Heads: t.Heads, MLP: t.MLP, Vocab: t.Vocab,
			Positions: t.Positions,
			Types:     max(t.Types, 2), Dropout: t.Dropout, AttentionDrop: t.Dropout, Deviation: 0.02, Features: r.Features,
			Regions: r.Count,
		},
		Table: weights.Join(table, weights.Table{Rest: framework.Model}), Vocabulary: t.Vocab, Use: use,
		Architecture: [][2]string{
			{"transformer", fmt.Sprintf("layers %d, width %d, %d tokens in the vocabulary", t.Layers, t.Width, t.Vocab)},
			{"regions", fmt.Sprintf("at most %d, of %d features", r.Count, r.Features)},
		},
	}
}
