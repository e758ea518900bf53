package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Smoothed is MAFA's contrast S-ITC, without its connections: keys are detached, and a part of every anchor's target is
// spread over the whole mini-batch, the own pair included (METHODS.md 4.2). Epoch 0, whose mini-batches are random, is not
// smoothed.
type Smoothed struct {
	// Alpha is the part that is spread, 0.5 in the published code.
	Alpha float64
}

// Validate tells whether Alpha is out of its range.
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
	own := objective.Own(i2t)
	uniform := DivScalar(OnesLike(own), float64(own.Shape().Dim(1)))
	alpha := MulScalar(MinScalar(Floor(f.Progress), 1), c.Alpha)
	targets := objective.Softened(own, uniform, alpha)
	return Contrasted{Loss: objective.ITC(i2t, t2i, targets, targets), I2T: i2t, T2I: t2i}
}
