package scale

import (
	"vlpx.internal/vlpx/negative"
)

// Pretraining is that of a framework which has a stage of its own for it: the regime of Scale.WarmStart there.
type Pretraining struct {
	Rate      float64 // learning rate; 0 where the warm start shares the cosine of what goes on from it
	BatchSize int
}

// pretrains is the framework's own regime for it; zero where it has none.
func (s Scale) pretrains() Pretraining {
	if k := s.kind(); k.Pretraining != nil {
		return k.Pretraining(s)
	}
	return Pretraining{}
}

// WarmSeed is the seed of a model that runs of all seeds share.
const WarmSeed = 1

// Block is the scale of a seed, with its scenes where it has its own.
func (s Scale) Block(seed uint64) Scale {
	if s.BlockScenes {
		s.Scenes.Seed = seed
	}
	return s
}

// WarmSeed is the seed of the warm start: that of the scenes where each seed has its own.
func (s Scale) WarmSeed() uint64 {
	if s.BlockScenes {
		return s.Scenes.Seed
	}
	return WarmSeed
}

// WarmScale is the scale of the run that Scale.WarmStart asks for: it is the same for all methods, and for all noise and portions of the
// data, as the papers' pre-trained encoders are.
func (s Scale) WarmScale() Scale {
	switch p := s.pretrains(); {
	case p.Rate > 0:
		s.BatchSize, s.pretraining = p.BatchSize, true
		s.Linear(p.Rate)
	case !s.WarmCosine:
		s.Schedule.Epochs = s.Resolved().Schedule.Epochs
	}
	s.Epochs, s.WarmStart = s.WarmStart, 0
	s.Select, s.Patience, s.EMA, s.Optimiser.LoRA = "", 0, 0, 0
	s.CaptionNoise, s.Scenes.CaptionNoise, s.Portion = 0, 0, 0
	return s
}

// WarmMethod trains the warm start: InfoNCE on uniform mini-batches, or what the framework has for its pre-training.
func (s Scale) WarmMethod() negative.Method {
	m := negative.Plain()
	m.Name = "Warm start"
	if s.pretraining {
		m.Masking = s.Writing.Rate
	}
	return m
}
