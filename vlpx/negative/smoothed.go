package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Smoothed is MAFA's contrast S-ITC: keys are detached, and a part of every anchor's target is spread over the whole
// mini-batch, the own pair included (METHODS.md 4.2). Epoch 0, whose mini-batches are random, is not smoothed.
type Smoothed struct {
	// Alpha is the part that is spread, 0.5 in the published code.
	Alpha float64
	// FirstEpoch smooths epoch 0, too, as the paper has it.
	FirstEpoch bool `json:",omitempty"`
}

// Softened implements Softening.
func (c Smoothed) Softened(alpha float64) Contrast {
	c.Alpha = alpha
	return c
}

// Validate reports whether Alpha is out of its range.
func (c Smoothed) Validate() error {
	if !(c.Alpha >= 0 && c.Alpha <= 1) {
		return fmt.Errorf("negative: smoothed: Alpha %g; it is a part, from 0 to 1", c.Alpha)
	}
	return nil
}

// ITC implements Contrast.
func (c Smoothed) ITC(f Features) Contrasted {
	i2t := objective.Similarities(f.Image, StopGradient(f.Text), f.Temperature)
	t2i := objective.Similarities(f.Text, StopGradient(f.Image), f.Temperature)
	i2tTargets, t2iTargets := f.Targets(i2t)
	uniform := DivScalar(OnesLike(i2t), float64(i2t.Shape().Dim(1)))
	alpha := MulScalar(MinScalar(Floor(f.Progress), 1), c.Alpha)
	if c.FirstEpoch {
		alpha = ConstAs(alpha, c.Alpha)
	}
	i2tTargets, t2iTargets = objective.Softened(i2tTargets, uniform, alpha), objective.Softened(t2iTargets, uniform, alpha)
	return Contrasted{Loss: f.Loss(i2t, t2i, i2tTargets, t2iTargets), I2T: i2t, T2I: t2i, Labels: i2tTargets}
}

// Connects implements Connecting.
func (Smoothed) Connects() {}

// ListsNegatives implements Listing.
func (Smoothed) ListsNegatives() {}

// SmoothedGRIT is GRIT-VLP with S-ITC in the place of its consistency loss: MAFA without connections, and the pre-training of its
// Con-D (MAFA, sections 4.1 and 4.2).
func SmoothedGRIT(searchSpace, queue int) Method {
	m := GRITVLP(searchSpace, queue)
	m.Name, m.Contrast = "S-ITC", Smoothed{Alpha: 0.5}
	return m
}

var sITC = Entry{
	Name:   "S-ITC",
	Source: "MAFA, section 4.2; METHODS.md 4.2",
	What:   "GRIT-VLP with smoothed labels in the place of consistency",
	At:     Sizes.smoothedGRIT,
}

var conD = Entry{
	Name:   "Con-D",
	Source: "MAFA, section 4.1; METHODS.md 4.1",
	What:   "S-ITC fine-tuned for retrieval: MAFA's discriminator of connections",
	At:     Sizes.smoothedGRIT,
	Tuned:  true,
}

func (s Sizes) smoothedGRIT() Method { return s.smoothed(SmoothedGRIT(s.SearchSpace, s.GroupQueue)) }

// smoothed is a method of S-ITC with the scale's alpha.
func (s Sizes) smoothed(m Method) Method {
	if s.Smoothing != 0 {
		m.Contrast = Smoothed{Alpha: s.Smoothing}
	}
	return m
}
