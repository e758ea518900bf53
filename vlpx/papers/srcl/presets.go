package srcl

import (
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/scale"
)

// tuningTable prints the presets of fine-tuning beside SRCL's Table 5 and appendix E, whose learning rates are of the ViT and of the
// BERT. Ours have one rate.
func tuningTable(r *paper.Report) (tables.Table, error) {
	return paper.PresetsTable(r, []paper.Setting{
		{Name: "retrieval: learning rate (ViT/BERT)", Paper: "1e-5/2e-6", Of: func(s scale.Scale) any {
			return fmt.Sprintf("%g to %g", s.Tuning.Rate, s.Tuning.Min)
		}},
		{Name: "retrieval: batch size", Paper: "256", Of: func(s scale.Scale) any {
			if s.Tuning.BatchSize != 0 {
				return s.Tuning.BatchSize
			}
			return s.BatchSize
		}},
		{Name: "retrieval: epochs", Paper: "5", Of: func(s scale.Scale) any { return s.Tuning.Epochs }},
		{Name: "VQA: learning rate (ViT/BERT)", Paper: "2e-5/5e-6"},
		{Name: "VQA: batch size", Paper: "1024"},
		{Name: "VQA: epochs", Paper: "8"},
		{Name: "NLVR2: learning rate (ViT/BERT)", Paper: "5e-5/5e-6"},
		{Name: "NLVR2: batch size", Paper: "256"},
		{Name: "NLVR2: epochs", Paper: "15"},
		{Name: "optimiser", Paper: "AdamW, wd 0.05", Of: paper.AdamW},
		{Name: "learning rate schedule", Paper: "cosine", Of: func(scale.Scale) any { return "cosine" }},
	}), nil
}
