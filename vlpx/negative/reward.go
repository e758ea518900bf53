package negative

import "strings"

// Objectives names some of ALBEF's losses.
type Objectives struct {
	ITC bool `json:",omitempty"`
	ITM bool `json:",omitempty"`
	MLM bool `json:",omitempty"`
}

// AllObjectives are the three losses.
func AllObjectives() Objectives { return Objectives{ITC: true, ITM: true, MLM: true} }

// String joins the names: "ITC + ITM".
func (o Objectives) String() string {
	var names []string
	for _, x := range []struct {
		in   bool
		name string
	}{{o.ITC, "ITC"}, {o.ITM, "ITM"}, {o.MLM, "MLM"}} {
		if x.in {
			names = append(names, x.name)
		}
	}
	return strings.Join(names, " + ")
}

// Rewarded is a Batches whose samplers learn from how much a step improved the model on its own mini-batch: the fall of some
// losses from before the update to after it, on the same images, captions, masks and ITM pairs, without dropout
// (METHODS.md 14.4). The step then makes one more forward pass and tells it in Observation.Improvement.
type Rewarded interface {
	Batches
	// Reward names the losses.
	Reward() Objectives
	// Ahead is how many mini-batches of an epoch may be built before the improvement of the one before them is known.
	Ahead(epoch int) int
}
