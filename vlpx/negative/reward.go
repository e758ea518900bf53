package negative

import (
	"fmt"
	"slices"
	"strings"
)

// Loss names a loss of a framework.
type Loss string

// Losses of ALBEF; a framework that has no other than a contrastive one calls it ITC, too. ISTM, WoD and WoC are TAGS-DC's,
// ITG is BLIP-2's, LM a language model's, TA and NLVR those of reasoning over two images.
const (
	ITC  Loss = "ITC"  // image-text contrastive
	ITM  Loss = "ITM"  // image-text matching, on what exists: on retrieved negatives
	MLM  Loss = "MLM"  // masked language modelling
	ITG  Loss = "ITG"  // image-grounded text generation: each token of a caption by those before it and the image
	ISTM Loss = "ISTM" // image-text matching on written sentences
	WoD  Loss = "WoD"  // word discrimination
	WoC  Loss = "WoC"  // word correction
	LM   Loss = "LM"   // language modelling: each token by those before it
	TA   Loss = "TA"   // text assignment: to the left image, the right one, or neither
	NLVR Loss = "NLVR" // whether a statement about two images is true
	// Answers is that of the answers to a question about an image (visual question answering).
	Answers Loss = "VQA"
)

// Objectives names some losses, joined by "+" as in "ITC+ITM". The empty one stands for all that there are.
type Objectives string

// All are the objectives of all losses.
const All Objectives = ""

// Of are the objectives of some losses.
func Of(losses ...Loss) Objectives {
	var names []string
	for _, l := range losses {
		names = append(names, string(l))
	}
	return Objectives(strings.Join(names, "+"))
}

// Losses are the names in their order; none of all.
func (o Objectives) Losses() []Loss {
	var losses []Loss
	for name := range strings.SplitSeq(string(o), "+") {
		if name = strings.TrimSpace(name); name != "" {
			losses = append(losses, Loss(name))
		}
	}
	return losses
}

// Has reports whether a loss is among them.
func (o Objectives) Has(l Loss) bool { return o == "" || slices.Contains(o.Losses(), l) }

// String joins the names: "ITC + ITM".
func (o Objectives) String() string {
	return strings.ReplaceAll(string(Of(o.Losses()...)), "+", " + ")
}

// Rewarded is a Batches whose samplers learn from how much a step improved the model on its own mini-batch: the fall of some
// losses from before the update to after it, on the same images, captions, masks and ITM pairs, without dropout
// (METHODS.md 14.4). The step then makes one more forward pass and reports it in Observation.Improvement.
type Rewarded interface {
	Batches
	// Reward names the losses.
	Reward() Objectives
	// Ahead is how many mini-batches of an epoch may be built before the improvement of the one before them is known.
	Ahead(epoch int) int
}

// rewardable reports why the parts do not bear that a reward asks for losses twice a step.
func (m Method) rewardable() error {
	rewarded, ok := m.Batches.(Rewarded)
	if !ok {
		return nil
	}
	reward := rewarded.Reward()
	if _, stateful := m.Contrast.(Stateful); stateful && (reward.Has(ITC) || reward.Has(ITM)) {
		return fmt.Errorf("negative: a reward of %s with %T: its state would change by being asked twice a step; reward MLM alone",
			reward, m.Contrast)
	}
	if m.Positives != nil && (reward.Has(ITC) || reward.Has(ITM)) {
		return fmt.Errorf("negative: a reward of %s with %T: the update would change which pairs count as positives; reward MLM alone",
			reward, m.Positives)
	}
	return nil
}
