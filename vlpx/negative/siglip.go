package negative

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// SigLIP is the sigmoid contrast: each image with each text is a question of its own, whether they are a pair, without a softmax over the
// others (Zhai et al., 2023; METHODS.md 2.1). Its scale, which is one over a temperature, and its bias are learned with the model; the
// framework's temperature is left alone.
type SigLIP struct {
	Scale float64 // of the cosines at first, above 0; published: 10
	Bias  float64 // added to them at first; published: -10, as nearly all pairs are wrong
}

// Validate reports which value is out of its range.
func (c SigLIP) Validate() error {
	if !(c.Scale > 0) || math.IsInf(c.Scale, 0) || math.IsNaN(c.Bias) || math.IsInf(c.Bias, 0) {
		return fmt.Errorf("negative: SigLIP with a scale of %g and a bias of %g at first; take a scale above 0, such as the published "+
			"10 and -10", c.Scale, c.Bias)
	}
	return nil
}

// Names of SigLIP's variables.
const (
	logScale = "log_scale"
	bias     = "bias"
)

// Variables implements Trainable. Neither decays, as published.
func (c SigLIP) Variables(Start) []Variable {
	return []Variable{{Name: logScale, First: math.Log(c.Scale)}, {Name: bias, First: c.Bias}}
}

// ITC implements Contrast. The similarities it returns are scaled and without the bias, which is the same for all.
func (c SigLIP) ITC(f Features) Contrasted {
	scale, bias := Exp(f.Variable(logScale)), f.Variable(bias)
	f.Tell("SigLIP's scale", scale)
	f.Tell("SigLIP's bias", bias)
	i2t := Mul(objective.Cosines(f.Image, f.Text), scale)
	return Contrasted{Loss: objective.PairwiseSigmoid(Add(i2t, bias)), I2T: i2t, T2I: Transpose(i2t, 0, 1)}
}

var sigLIP = Entry{
	Name:    "SigLIP",
	Aliases: []string{"sigmoid"},
	Source:  "Zhai et al., 2023; METHODS.md 2.1",
	What:    "each image with each text is a question of its own",
	At:      func(Sizes) Method { return contrasting(SigLIP{Scale: 10, Bias: -10}) },
}
