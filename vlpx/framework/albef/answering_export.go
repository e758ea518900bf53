package albef

import (
	_ "embed"
	"fmt"
	"strings"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// AnsweringSettings are the sizes of a model for visual question answering: ALBEF's, without the shared embedding, and the decoder's.
type AnsweringSettings struct {
	ModelType string `json:"model_type"` // "albef_vqa"
	ImageRes  int    `json:"image_res"`  // pixels a side
	Vision    ViT    `json:"vision_config"`
	BERT      BERT   `json:"bert_config"`
	Decoder   BERT   `json:"decoder_config"` // whose layers all attend to the question
	Answer    int    `json:"max_answer_tokens"`
}

//go:embed answering.md
var answeringUse string

// Export implements framework.Exported.
func (m Answering) Export() framework.Export {
	of := m.ALBEF.settings()
	decoder := of.BERT
	decoder.Layers, decoder.Fusion, decoder.EncoderWidth = m.Layers, 0, of.BERT.Width
	e := m.ALBEF.Export()
	e.Torch = "" // it writes answers
	e.Settings = AnsweringSettings{"albef_vqa", of.ImageRes, of.Vision, of.BERT, decoder, m.Tokens}
	e.Table = weights.Join(weights.VQA(framework.Model), weights.Table{Rest: framework.Model})
	e.Use = strings.TrimSpace(answeringUse)
	e.Architecture = append(e.Architecture,
		[2]string{"answer decoder", fmt.Sprintf("layers %d, answers of at most %d tokens", m.Layers, m.Tokens)})
	return e
}
