package negative

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// HNNCE is DiHT's contrast HN-NCE: in an anchor's denominator the harder negatives weigh more (Radenovic et al., 2023;
// METHODS.md 6). Its loss is the sum of the two directions, not their mean: Alpha 1 and Beta 0 give InfoNCE twice.
type HNNCE struct {
	// Alpha scales the own pair in the denominator, above 0 and up to 1; there is no default.
	Alpha float64
	// Beta is the concentration of the weights on the hard negatives; 0 weighs all alike.
	Beta float64
	// WeightGradient lets gradient flow through the weights, too, instead of taking them for constants.
	WeightGradient bool
}

// Validate reports which value is out of its range.
func (h HNNCE) Validate() error {
	if !(h.Alpha > 0 && h.Alpha <= 1 && h.Beta >= 0) {
		return fmt.Errorf("negative: HN-NCE with Alpha %g and Beta %g; take Alpha above 0 and up to 1, and Beta of at least 0",
			h.Alpha, h.Beta)
	}
	return nil
}

// ITC implements Contrast. The similarities it returns are without the weights.
func (h HNNCE) ITC(f Features) Contrasted {
	i2t := objective.Similarities(f.Image, f.Text, f.Temperature)
	t2i := Transpose(i2t, 0, 1)
	image, text := f.leaveBoth(i2t, t2i)
	return Contrasted{Loss: Add(h.direction(image), h.direction(text)), I2T: i2t, T2I: t2i}
}

// ListsNegatives implements Listing.
func (HNNCE) ListsNegatives() {}

// direction is the loss of one side's anchors. A weight in a sum of exponentials is its logarithm added to the exponent, and
// Alpha, which InfoNCE with such logits would have in its numerator as well, is taken off again.
func (h HNNCE) direction(logits *Node) *Node {
	batch := logits.Shape().Dim(0)
	weights := AddScalar(LogSoftmax(objective.MaskDiagonal(MulScalar(logits, h.Beta)), -1), math.Log(float64(batch-1)))
	if !h.WeightGradient {
		weights = StopGradient(weights)
	}
	own := Diagonal(logits.Graph(), batch)
	weighted := Add(logits, Where(own, ConstAs(logits, math.Log(h.Alpha)), weights))
	return AddScalar(objective.CrossEntropy(weighted, objective.OneHotTargets(logits)), math.Log(h.Alpha))
}

// DiHT weighs the harder negatives more (Radenovic et al., 2023; METHODS.md 6), on ALBEF's uniform mini-batches, matching
// and masking, without momentum.
func DiHT() Method {
	return Method{
		Name:     "DiHT",
		Batches:  Uniform{},
		Contrast: HNNCE{Alpha: 1, Beta: 0.25, WeightGradient: true},
		Matching: Sampled{},
		Masking:  0.15,
	}
}

var diHT = Entry{
	Name:    "DiHT",
	Aliases: []string{"HN-NCE"},
	Source:  "Radenovic et al., 2023; METHODS.md 6",
	What:    "harder negatives weigh more",
	At:      func(Sizes) Method { return DiHT() },
}
