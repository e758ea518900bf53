package negative

import (
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Consistency is GRIT-VLP's contrast: keys are detached, and each direction is also taught by the other's predictions
// (METHODS.md 3.1). The published code adds the consistency term; the paper writes a convex mix.
type Consistency struct {
	// Weight of the consistency term, 0.2 in the published code.
	Weight float64
	// Convex mixes (1-Weight) own + Weight consistency, as the paper has it, instead of adding.
	Convex bool `json:",omitempty"`
}

// ITC implements Contrast.
func (c Consistency) ITC(f Features) Contrasted {
	i2t := objective.Similarities(f.Image, StopGradient(f.Text), f.Temperature)
	t2i := objective.Similarities(f.Text, StopGradient(f.Image), f.Temperature)
	own := objective.Own(i2t)
	base := objective.ITC(i2t, t2i, own, own)
	cons := objective.ITC(i2t, t2i, Softmax(StopGradient(t2i), -1), Softmax(StopGradient(i2t), -1))
	if c.Convex {
		base = MulScalar(base, 1-c.Weight)
	}
	return Contrasted{Loss: Add(base, MulScalar(cons, c.Weight)), I2T: i2t, T2I: t2i}
}
