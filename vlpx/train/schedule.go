package train

import (
	"fmt"
	"math"
)

// Schedule is the learning rate: ALBEF's, a warm-up in steps of Unit iterations inside epoch 0, then a cosine that moves once an epoch
// (METHODS.md 1.2), or a Smooth one.
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
	// Smooth has the rate move at every iteration, as SimCLR and SogCLR have it (METHODS.md 7.1): from Warmup to Rate in a line over the
	// first Ramp epochs, then in a cosine to Min at the end of Epochs. Units and Unit are not used.
	Smooth bool    `json:",omitempty"`
	Ramp   float64 `json:",omitempty"`
	// Linear has a Smooth rate fall in a line in the place of the cosine, as UNITER and TAGS-DC have it (METHODS.md 12.5).
	Linear bool `json:",omitempty"`
}

// Validate says what is wrong with the settings.
func (s Schedule) Validate() error {
	switch {
	case !(s.Warmup >= 0 && s.Rate >= 0 && s.Min >= 0):
		return fmt.Errorf("train: learning rates %g, %g and %g (warm-up, main, least); none can be negative", s.Warmup, s.Rate, s.Min)
	case s.Units < 0 || s.Units > 0 && s.Unit < 1:
		return fmt.Errorf("train: a warm-up of %d steps of %d iterations; use at least 1 iteration a step, or 0 steps for none "+
			"(settings schedule.unit, schedule.units)",
			s.Units, s.Unit)
	case s.Epochs < 1:
		return fmt.Errorf("train: a cosine over %d epochs; use at least 1 (setting schedule.epochs)", s.Epochs)
	case s.Past < 0 || s.Past >= s.Epochs:
		return fmt.Errorf("train: %d epochs of a cosine over %d are past; some must be left", s.Past, s.Epochs)
	case s.Smooth && s.Units > 0 || !s.Smooth && s.Ramp != 0:
		return fmt.Errorf("train: a warm-up of %d steps and one over %g epochs; the first is for a rate that moves once an epoch, "+
			"the second for a smooth one",
			s.Units, s.Ramp)
	case s.Linear && !s.Smooth:
		return fmt.Errorf("train: a rate that falls in a line moves at every iteration; set schedule.smooth, too")
	case !(s.Ramp >= 0 && s.Ramp < float64(s.Epochs)):
		return fmt.Errorf("train: a warm-up over %g of %d epochs; some must be left for the cosine", s.Ramp, s.Epochs)
	}
	return nil
}

// At returns the learning rate for an iteration of an epoch, both counted from 0.
//
//   - steps: iterations of the epoch, at least 1; it matters to a Smooth schedule alone.
func (s Schedule) At(epoch, iteration, steps int) float64 {
	if s.Smooth {
		return s.smooth(float64(epoch+s.Past) + float64(iteration)/float64(steps))
	}
	rate := s.Rate
	if done := epoch + s.Past; done > 0 {
		rate = s.cosine(float64(done), float64(s.Epochs))
	}
	if epoch > 0 || s.Units == 0 || iteration/s.Unit >= s.Units {
		return rate
	}
	return s.Warmup + float64(iteration/s.Unit)*(rate-s.Warmup)/float64(s.Units)
}

// smooth is the rate after so many epochs.
func (s Schedule) smooth(done float64) float64 {
	if done < s.Ramp {
		return s.Warmup + (s.Rate-s.Warmup)*done/s.Ramp
	}
	if left := float64(s.Epochs) - s.Ramp; !s.Linear {
		return s.cosine(done-s.Ramp, left)
	} else {
		return max(s.Min, s.Rate*(1-(done-s.Ramp)/left))
	}
}

// cosine is the rate after so many epochs of a cosine over a number of them.
func (s Schedule) cosine(done, epochs float64) float64 {
	return s.Min + 0.5*(s.Rate-s.Min)*(1+math.Cos(math.Pi*done/epochs))
}
