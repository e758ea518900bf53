package falcon

import (
	"cmp"
	"fmt"

	"vlpx.internal/tables"
	albef "vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/scale"
)

// hyperTable prints the presets beside FALCON's Table 5. What ALBEF's backbone is, FALCON does not print.
func hyperTable(r *paper.Report) (tables.Table, error) {
	return paper.PresetsTable(r, []paper.Setting{
		{Name: "image resolution", Paper: "256", Of: func(s scale.Scale) any { return s.Image }},
		{Name: "embedding dimension", Paper: "256", Of: func(s scale.Scale) any { return s.Embed }},
		{Name: "batch size", Paper: "96", Of: func(s scale.Scale) any { return s.BatchSize }},
		{Name: "masking probability", Paper: "0.5", Of: func(scale.Scale) any { return negative.GRITVLP(0, 0).Masking }},
		{Name: "search space size", Paper: "2400, 5664, 28320", Of: func(s scale.Scale) any { return s.SearchSpace }},
		{Name: "pre-training epochs", Paper: "20", Of: func(s scale.Scale) any { return s.Epochs }},
		{Name: "optimiser", Paper: "AdamW", Of: paper.AdamW},
		{Name: "learning rate", Paper: "scheduled",
			Of: func(s scale.Scale) any { return fmt.Sprintf("%g to %g", s.Schedule.Rate, s.Schedule.Min) }},
		{Name: "layers: vision, text, fusion", Paper: "ALBEF's: 12, 6, 6", Of: func(s scale.Scale) any {
			return fmt.Sprintf("%d, %d, %d", s.VisionLayers, s.TextLayers, scale.Own[albef.Sizes](s).Fusion)
		}},
		{Name: "width", Paper: "ALBEF's: 768", Of: func(s scale.Scale) any { return s.Width }},
		{Name: "first weights: vision", Paper: "ALBEF's: DeiT-B",
			Of: func(s scale.Scale) any { return cmp.Or(s.Starts().Vision, "drawn") }},
		{Name: "first weights: text", Paper: "ALBEF's: BERT-base",
			Of: func(s scale.Scale) any { return cmp.Or(s.Starts().Text, "drawn") }},
		{Name: "scheduler: quantiles M", Paper: "100", Of: func(s scale.Scale) any { return s.Scheduler.Quantiles }},
		{Name: "scheduler: hidden width", Paper: "256", Of: func(s scale.Scale) any { return s.Scheduler.Hidden }},
		{Name: "scheduler: residual blocks", Paper: "2", Of: func(s scale.Scale) any { return s.Scheduler.Blocks }},
		{Name: "scheduler: learning rate", Paper: "1e-4", Of: func(s scale.Scale) any { return s.Scheduler.Rate }},
		{Name: "scheduler: optimiser", Paper: "AdamW", Of: func(scale.Scale) any { return "AdamW(0.9, 0.999, wd 0.01)" }},
	}), nil
}
