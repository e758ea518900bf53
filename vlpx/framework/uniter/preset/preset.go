// Package preset has what scales and plans know of UNITER.
package preset

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// Framework is UNITER.
var Framework = plan.Framework{Kind: kind}

// kind is UNITER as TAGS-DC fine-tunes it: a pre-training of its own, then a rate that rises over a tenth of the steps and falls in a line
// (METHODS.md 12.5); at the paper's scale the sizes of UNITER-base.
var kind = scale.Kind{
	Name: "UNITER",
	What: "one transformer over tokens and regions (Chen et al., 2020)",
	Preset: func(s *scale.Scale) {
		s.MeanPool, s.Augment = false, false
		s.Scenes.TrainCaptions = 0 // as many as Flickr30K has, by which written sentences are filtered
		s.Optimiser = train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-6, WeightDecay: 0.01, ClipNorm: 2}
		s.Linear(s.Schedule.Rate / 10)
	},
	At: map[string]func(*scale.Scale){
		"tiny": func(s *scale.Scale) {
			s.TextLayers, s.Epochs, s.WarmStart, s.BatchSize = 1, 2, 1, 8
		},
		"mini": func(s *scale.Scale) {
			s.TextLayers, s.BatchSize, s.Epochs, s.WarmStart = 3, 16, 1, 12
			s.WarmCosine, s.Look = false, false // docs/CALIBRATION.md
			s.Scenes.Train, s.Scenes.Val, s.Scenes.Test = 2000, 200, 200
		},
		"small": func(s *scale.Scale) {
			s.TextLayers, s.BatchSize, s.Epochs, s.WarmStart = 6, 32, 3, 10
		},
		"paper": func(s *scale.Scale) {
			full := uniter.Paper()
			s.TextLayers, s.Positions = full.Text.Layers, full.Text.Positions
			s.MaxLen, s.BatchSize, s.Epochs = 60, 8, 5
			s.Linear(5e-5)
		},
	},
	Own: func(name string) any { return sizes[name] },
	Settings: []scale.Settable{
		{Name: "pretraining.rate", Unit: "a step", Says: "learning rate of the pre-training that stands in the warm start's place where " +
			"a framework has its own, as UNITER; 0 where the warm start shares the run's cosine"},
		{Name: "pretraining.batchsize", Unit: "pairs", Says: "mini-batch of the pre-training of pretraining.rate"},
	},
	Pretraining: func(s scale.Scale) scale.Pretraining { return scale.Own[Sizes](s).Pretraining },
	Tasks:       writes,
	// All of its layers stand in the place of the text encoder's. Regions reports what it sees.
	Build: func(s scale.Scale, vocab int) framework.Framework {
		return uniter.Model{
			Text: encoder.BERT{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Heads: s.TextHeads, MLP: s.TextMLP,
				Layers: s.TextLayers, Dropout: s.Dropout, Recompute: s.Recompute},
			Half: s.Half, Margin: 0.2, Pretraining: s.InPretraining(),
		}
	},
}

// Sizes are what UNITER has besides a scale's.
type Sizes struct{ Pretraining scale.Pretraining }

// sizes are those of the scales.
var sizes = map[string]Sizes{
	"tiny":  {scale.Pretraining{Rate: 2e-3, BatchSize: 8}},
	"mini":  {scale.Pretraining{Rate: 1e-3, BatchSize: 32}},
	"small": {scale.Pretraining{Rate: 3e-4, BatchSize: 96}},
}

// written is how many captions sentences are written for; all at a scale that is not here.
var written = map[string]int{"tiny": 8}

// writes is what models are measured by that write.
func writes(s scale.Scale) eval.Tasks {
	if s.InPretraining() {
		return nil
	}
	w := s.Writing
	task := eval.Writing{Masks: w.Masks, Refills: w.Refills, Rate: w.Rate, Temperatures: []float64{w.Temperature},
		Captions: written[s.Name]}
	for _, t := range []float64{0.5, 1, 1.5, 2} {
		if t != w.Temperature {
			task.Temperatures = append(task.Temperatures, t)
		}
	}
	return eval.Tasks{task}
}
