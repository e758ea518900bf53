package negative

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
)

// Pruned is the contrast of SRCL's pilot experiment, ALBEF++: InfoNCE without the negatives that SRCL would give a weight below
// a threshold; all others weigh one (Jiang et al., 2023, section 4.3). Its loss is the sum of the two directions, not their
// mean: with a threshold of 0 it is InfoNCE's twice.
//
// An anchor's weights have a mean of one, so that a threshold below 1 leaves it some negatives. None is below exp(-d/t), where d
// is the distance between the anchor's highest and lowest cosine and t the temperature inside the similarity. Without one, as
// the paper prints it, the thresholds of 0.2 and 0.3 that it praises remove nothing on our data; see the artifact srcl/table1 and
// METHODS.md 5.
type Pruned struct {
	Weights   Regulated // how similarity makes weights
	Threshold float64   // from 0 to below 1
}

// ALBEFPlusPlus leaves out the negatives that SRCL would give a weight below 0.2, by a similarity with the temperature Sharp, over a run of
// so many epochs, and is SRCL in all else. It needs a frozen reference model.
func ALBEFPlusPlus(epochs int) Method {
	m := SRCL(epochs)
	m.Name, m.Contrast = "ALBEF++", Pruned{Weights: Regulated{Epochs: epochs, Temperature: Sharp}, Threshold: 0.2}
	return m
}

// NeedsReference implements Informed.
func (Pruned) NeedsReference() {}

// Validate reports which value is out of its range.
func (c Pruned) Validate() error {
	if !(c.Threshold >= 0 && c.Threshold < 1) {
		return fmt.Errorf("negative: negatives with a weight below %g removed; the mean weight is one, so take a threshold from 0 "+
			"to below 1",
			c.Threshold)
	}
	return c.Weights.Validate()
}

// ITC implements Contrast. The similarities it returns are of all pairs, removed or not, and so are the weights: SRCL's.
func (c Pruned) ITC(f Features) Contrasted {
	similar := c.Weights.similar(f)
	image, text := logWeights(similar), logWeights(Transpose(similar, 0, 1))
	contrasted := contrastWith(f, c.prune(image), c.prune(text))
	contrasted.Weights = Exp(image)
	return contrasted
}

// ListsNegatives implements Listing.
func (Pruned) ListsNegatives() {}

// prune turns logarithms of weights into zeros, the weight one, where they reach the threshold, and into the weight zero elsewhere.
func (c Pruned) prune(weights *Node) *Node {
	if c.Threshold == 0 {
		return ZerosLike(weights)
	}
	kept := GreaterOrEqual(weights, ConstAs(weights, math.Log(c.Threshold)))
	return Where(kept, ZerosLike(weights), ConstAs(weights, -1e30))
}

var albefPlusPlus = Entry{
	Name:      "ALBEF++",
	Source:    "SRCL, section 4.3; METHODS.md 5",
	What:      "negatives of a low weight are left out",
	At:        func(s Sizes) Method { return ALBEFPlusPlus(s.Epochs) },
	Reference: "InfoNCE",
}
