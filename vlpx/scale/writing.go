package scale

import (
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/train"
)

// Pretraining is that of a framework which has a stage of its own for it, such as UNITER: the regime of Scale.WarmStart there.
type Pretraining struct {
	Rate      float64 // learning rate; 0 where the warm start shares the cosine of what goes on from it
	BatchSize int
}

// uniter is UNITER at this scale, with all of its layers in the place of the text encoder's. Regions tells what it sees.
func (s Scale) uniter(vocab int) uniter.Model {
	return uniter.Model{
		Text: encoder.BERT{Vocab: vocab, Positions: s.Positions, Width: s.TextWidth, Heads: s.TextHeads, MLP: s.TextMLP,
			Layers: s.TextLayers, Dropout: s.Dropout, Recompute: s.Recompute},
		Half: s.Half, Margin: 0.2, Pretraining: s.pretraining,
	}
}

// likeUNITER changes a scale to what UNITER has as TAGS-DC fine-tunes it: a pre-training of its own, then a rate that rises over a tenth of
// the steps and falls in a line (METHODS.md 12.5); at the paper's scale the sizes of UNITER-base.
func (s *Scale) likeUNITER() {
	s.Fusion, s.MeanPool, s.Augment = 0, false, false
	s.Scenes.TrainCaptions = 0 // as many as Flickr30K has, by which written sentences are filtered
	s.Optimiser = train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-6, WeightDecay: 0.01, ClipNorm: 2}
	switch s.Name {
	case "tiny":
		s.TextLayers, s.Epochs, s.WarmStart, s.BatchSize = 1, 2, 1, 8
		s.Pretraining = Pretraining{Rate: 2e-3, BatchSize: 8}
	case "mini":
		s.TextLayers, s.BatchSize, s.Epochs, s.WarmStart = 3, 16, 1, 12
		s.Scenes.Train, s.Scenes.Val, s.Scenes.Test = 2000, 200, 200
		s.Pretraining = Pretraining{Rate: 1e-3, BatchSize: 32}
	case "small":
		s.TextLayers, s.BatchSize, s.Epochs, s.WarmStart = 6, 32, 3, 10
		s.Pretraining = Pretraining{Rate: 3e-4, BatchSize: 96}
	case "paper":
		full := uniter.Paper()
		s.TextLayers, s.Positions = full.Text.Layers, full.Text.Positions
		s.MaxLen, s.BatchSize, s.Epochs = 60, 8, 5
	}
	s.Linear(s.Schedule.Rate / 10)
	if s.Name == "paper" {
		s.Linear(5e-5)
	}
}

// linear gives a scale a learning rate that rises over the first tenth of the epochs and falls in a line to almost nothing.
func (s *Scale) Linear(rate float64) {
	s.Schedule, s.RampShare, s.CosineTimes = train.Schedule{Rate: rate, Min: 1e-8, Smooth: true, Linear: true}, 0.1, 0
}

// writes is what models are measured by that write.
func (s Scale) writes() eval.Tasks {
	if s.pretraining {
		return nil
	}
	w := s.Writing
	task := eval.Writing{Masks: w.Masks, Refills: w.Refills, Rate: w.Rate, Temperatures: []float64{w.Temperature}}
	for _, t := range []float64{0.5, 1, 1.5, 2} {
		if t != w.Temperature {
			task.Temperatures = append(task.Temperatures, t)
		}
	}
	if s.Name == "tiny" {
		task.Captions = 8
	}
	return eval.Tasks{task}
}
