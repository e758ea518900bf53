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
	i2tTargets, t2iTargets := f.Targets(i2t)
	base := f.Loss(i2t, t2i, i2tTargets, t2iTargets)
	soft := Softmax(StopGradient(t2i), -1)
	cons := f.Loss(i2t, t2i, soft, Softmax(StopGradient(i2t), -1))
	labels := i2tTargets
	if c.Convex {
		base, labels = MulScalar(base, 1-c.Weight), MulScalar(labels, 1-c.Weight)
	}
	labels = Add(labels, MulScalar(soft, c.Weight))
	return Contrasted{Loss: Add(base, MulScalar(cons, c.Weight)), I2T: i2t, T2I: t2i, Labels: labels}
}

// Connects implements Connecting.
func (Consistency) Connects() {}

// ListsNegatives implements Listing.
func (Consistency) ListsNegatives() {}

// Softened implements Softening.
func (c Consistency) Softened(alpha float64) Contrast {
	c.Weight = alpha
	return c
}
