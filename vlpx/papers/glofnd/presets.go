package glofnd

import (
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/scale"
)

// table4 has the hyper-parameters of both settings (GloFND, Table 4 and appendix D).
var table4 = paper.Artifact{
	ID:    "glofnd/table4",
	Title: "Hyper-parameters",
	Look:  "Where a preset departs from the paper's settings.",
	Note:  "Table 4 has those of CC3M; those of ImageNet100 stand in appendix D.1.",
	Table: hyperTable,
}

// hyperTable prints the presets of CLIP and of SimCLR beside the paper's.
func hyperTable(r *paper.Report) (tables.Table, error) {
	both := func(name, framework, paperHas string, of func(scale.Scale) any) paper.Setting {
		return paper.Setting{Name: name, Paper: paperHas, Framework: framework, Of: of}
	}
	rate := func(s scale.Scale) any { return fmt.Sprintf("%g to %g", s.Schedule.Rate, s.Schedule.Min) }
	return paper.PresetsTable(r, []paper.Setting{
		both("CLIP: optimiser", "clip", "AdamW(0.9, 0.999), eps 1e-8, wd 0.1", paper.AdamW),
		both("CLIP: learning rate", "clip", "1e-3, warm-up 10k steps, cosine", rate),
		both("CLIP: batch size", "clip", "1024", func(s scale.Scale) any { return s.BatchSize }),
		both("CLIP: epochs", "clip", "37", func(s scale.Scale) any { return s.Epochs + s.WarmStart }),
		both("CLIP: gamma, least", "clip", "0.2", func(s scale.Scale) any { return s.Global.Faded }),
		both("CLIP: gamma's decay, part of the epochs", "clip", "18/37", func(s scale.Scale) any { return s.Global.Fading }),
		both("CLIP: temperature (SogCLR)", "clip", "0.03", func(s scale.Scale) any { return s.Global.Temperature }),
		both("CLIP: rho (FastCLIP)", "clip", "6.5", func(s scale.Scale) any { return s.Global.Rho }),
		both("CLIP: learning rate of tau", "clip", "2e-4", func(s scale.Scale) any { return s.Optimiser.TemperatureRate }),
		both("CLIP: alpha", "clip", "5e-4 (SogCLR), 1e-3 (FastCLIP)", func(s scale.Scale) any { return s.Global.Alpha }),
		both("CLIP: start, part of the epochs", "clip", "15/37, 20/37", func(s scale.Scale) any { return s.Global.Begin }),
		both("SimCLR: optimiser", "simclr", "LARS, momentum 0.9, wd 1e-6", func(s scale.Scale) any {
			return fmt.Sprintf("LARS(%g), wd %g", s.LARS.Momentum, s.LARS.WeightDecay)
		}),
		both("SimCLR: learning rate", "simclr", "0.075 sqrt(batch), 10 epochs of warm-up, cosine", rate),
		both("SimCLR: batch size", "simclr", "128", func(s scale.Scale) any { return s.BatchSize }),
		both("SimCLR: epochs", "simclr", "200", func(s scale.Scale) any { return s.Epochs }),
		both("SimCLR: temperature", "simclr", "0.1", func(s scale.Scale) any { return s.Temperature }),
		both("SimCLR: gamma", "simclr", "0.9", func(s scale.Scale) any { return s.Global.Gamma }),
		both("SimCLR: alpha", "simclr", "0.01", func(s scale.Scale) any { return s.Global.Alpha }),
		both("SimCLR: start, part of the epochs", "simclr", "70/200", func(s scale.Scale) any { return s.Global.Begin }),
		both("thresholds: rate, betas", "simclr", "Adam 0.05 (0.9, 0.98)", func(scale.Scale) any { return "Adam 0.05 (0.9, 0.98)" }),
	}), nil
}
