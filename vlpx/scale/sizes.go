package scale

import (
	"cmp"
	"math"
)

// Resolved is the scale with absolute sizes: every field that is 0 for what others give has that value. Runs are made of it, so that two
// ways to say the same sizes come to the same run. A resolved scale resolves to itself.
func (s Scale) Resolved() Scale {
	s.Heads = cmp.Or(s.Heads, divisor(s.Width, s.HeadWidth))
	s.MLP = cmp.Or(s.MLP, times(s.MLPTimes, s.Width))
	s.TextWidth = cmp.Or(s.TextWidth, s.Width)
	if s.TextWidth == s.Width {
		s.TextHeads, s.TextMLP = cmp.Or(s.TextHeads, s.Heads), cmp.Or(s.TextMLP, s.MLP)
	} else if s.Width > 0 && s.Heads > 0 {
		s.TextHeads = cmp.Or(s.TextHeads, divisor(s.TextWidth, s.Width/s.Heads))
		s.TextMLP = cmp.Or(s.TextMLP, times(float64(s.MLP)/float64(s.Width), s.TextWidth))
	}
	s.Positions = max(s.Positions, s.MaxLen)
	if s.Locked.Side == AllPatches && s.Patch > 0 {
		s.Locked.Side = s.Image / s.Patch
	}
	s.Scenes.Size = cmp.Or(s.Scenes.Size, s.Image)
	s.Scenes = s.Scenes.WithDefaults()

	s.SearchSpace = cmp.Or(s.SearchSpace, s.SearchBatches*s.BatchSize)
	s.GroupQueue = cmp.Or(s.GroupQueue, multiple(s.GroupBatches*s.BatchSize, s.SearchSpace))
	s.MomentumQueue = cmp.Or(s.MomentumQueue, s.QueueBatches*s.BatchSize)
	s.TuningQueue = cmp.Or(s.TuningQueue, multiple(s.MomentumQueue, cmp.Or(s.Tuning.BatchSize, s.BatchSize)))

	c := &s.Schedule
	c.Epochs = cmp.Or(c.Epochs, times(cmp.Or(s.CosineTimes, 1), s.past()+s.Epochs))
	if c.Smooth {
		c.Ramp = cmp.Or(c.Ramp, s.RampShare*float64(s.Epochs))
	}
	c.Rate = cmp.Or(c.Rate, s.RootRate*math.Sqrt(float64(s.BatchSize)))
	c.Warmup, c.Min = min(c.Warmup, c.Rate), min(c.Min, c.Rate)
	return s
}

// past is the epochs of the learning rate's fall that are over when a run starts: those of the warm start are, where the two share it.
func (s Scale) past() int {
	if s.pretrains().Rate > 0 || s.WarmCosine {
		return s.Schedule.Past
	}
	return s.Schedule.Past + s.WarmStart
}

// times is the whole number nearest to a multiple of a size.
func times(factor float64, size int) int { return int(math.Round(factor * float64(size))) }

// multiple is the multiple of a size that is nearest to n, and one at least; n where either is 0.
func multiple(n, of int) int {
	if n <= 0 || of <= 0 {
		return n
	}
	return max((n+of/2)/of, 1) * of
}

// divisor is the number of parts of a width, each of the same whole size, the nearest to each; 0 where either is 0.
func divisor(width, each int) int {
	if width <= 0 || each <= 0 {
		return 0
	}
	best, want := 1, float64(width)/float64(each)
	for k := 2; k <= width; k++ {
		if width%k == 0 && math.Abs(float64(k)-want) < math.Abs(float64(best)-want) {
			best = k
		}
	}
	return best
}
