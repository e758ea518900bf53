package negative

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/objective"
)

// Debiased is InfoNCE whose negatives are corrected for the false ones that are expected among them (Chuang et al., 2020; METHODS.md 2.2).
type Debiased struct {
	// Prior is the probability of a negative to be a false one, tau+, from 0 to below 1; published: 0.1, which is CIFAR-10's.
	Prior float64
}

// Validate reports which value is out of its range.
func (c Debiased) Validate() error {
	if !share(c.Prior) {
		return fmt.Errorf("negative: a debiased contrast with a Prior of %g; take a share from 0 to below 1", c.Prior)
	}
	return nil
}

// ITC implements Contrast. The similarities it returns are without the correction.
func (c Debiased) ITC(f Features) Contrasted {
	kinds := f.Anchors()
	var clamped []*Node
	loss := sides(kinds, func(a Anchors) *Node {
		logits := Div(a.Cosines, f.Temperature)
		own := a.Mean(logits, a.Positive)
		flat := func(x *Node) *Node { return Reshape(x, -1, x.Shape().Dim(-1)) }
		of, _, least := objective.Debiased(Reshape(own, -1), flat(logits), flat(f.Kept(a)), f.Temperature, c.Prior)
		clamped = append(clamped, numbers(least, logits))
		return of
	})
	all := Concatenate(clamped, 0)
	f.TellShare("clamped anchors", all, OnesLike(all))
	return f.contrasted(MulScalar(loss, 0.5), func(Anchors) *Node { return f.Temperature })
}

// ListsNegatives implements Listing.
func (Debiased) ListsNegatives() {}

var debiased = Entry{
	Name:    "Debiased",
	Aliases: []string{"DCL"},
	Source:  "Chuang et al., 2020; METHODS.md 2.2",
	What:    "InfoNCE corrected for the false negatives that are expected",
	At:      func(Sizes) Method { return contrasting(Debiased{Prior: 0.1}) },
}
