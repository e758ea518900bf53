package train

import (
	"fmt"
	"math"
)

// Schedule is ALBEF's learning rate: a warm-up in steps of Unit iterations inside epoch 0, then a cosine that moves once an
// epoch (METHODS.md 1.2).
type Schedule struct {
	Warmup float64 // rate at the first iteration (1e-5)
	Rate   float64 // rate after the warm-up (1e-4)
	Min    float64 // rate the cosine ends at (1e-5)
	Units  int     // steps of the warm-up (20), each of Unit iterations
	Unit   int     // iterations a step of the warm-up (100)
	Epochs int     // length of the cosine (30), whatever the number of epochs trained
	// Past is the epochs of the cosine that are over when the run starts: those of the run whose model it starts from, where the two
	// share one cosine.
	Past int `json:",omitempty"`
}

// Validate tells what is wrong with the settings.
func (s Schedule) Validate() error {
	switch {
	case !(s.Warmup >= 0 && s.Rate >= 0 && s.Min >= 0):
		return fmt.Errorf("train: learning rates %g, %g and %g (warm-up, main, least); none can be negative", s.Warmup, s.Rate, s.Min)
	case s.Units < 0 || s.Units > 0 && s.Unit < 1:
		return fmt.Errorf("train: a warm-up of %d steps of %d iterations; use at least 1 iteration a step, or 0 steps for none", s.Units, s.Unit)
	case s.Epochs < 1:
		return fmt.Errorf("train: a cosine over %d epochs; use at least 1", s.Epochs)
	case s.Past < 0 || s.Past >= s.Epochs:
		return fmt.Errorf("train: %d epochs of a cosine over %d are past; some must be left", s.Past, s.Epochs)
	}
	return nil
}

// At returns the learning rate for an iteration of an epoch, both counted from 0.
func (s Schedule) At(epoch, iteration int) float64 {
	rate := s.Rate
	if done := epoch + s.Past; done > 0 {
		rate = s.Min + 0.5*(s.Rate-s.Min)*(1+math.Cos(math.Pi*float64(done)/float64(s.Epochs)))
	}
	if epoch > 0 || s.Units == 0 || iteration/s.Unit >= s.Units {
		return rate
	}
	return s.Warmup + float64(iteration/s.Unit)*(rate-s.Warmup)/float64(s.Units)
}
