package field

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Telling hears what the parts of one step tell by names of their own while its graph is built, and knows what they may ask.
type Telling struct {
	relation *Relation
	asked    bool
	ended    bool
	all      []heard
}

// heard is a number of the step, with who tells it.
type heard struct {
	Number
	sum, of *Node
	by      string
	times   map[string]bool // the occasions on which the part told it
}

// Relation is what the data knows of the pairs of a mini-batch, exactly: 1 or 0, [batch, batch], images in rows and captions in columns.
// Where a model sees images alone it is of these, which belong together where they are of one class. The own pairs are on the diagonal, and
// hold.
type Relation struct {
	Holds *Node // 1 where the caption is true of the image
	Known *Node // 1 where it is known whether it is; Holds is 0 elsewhere
}

// NewTelling begins to hear a step. Its parts can ask for the relation where the step reads Truth and Known.
func NewTelling(in Nodes) *Telling {
	t := &Telling{}
	if in[Truth] != nil && in[Known] != nil {
		t.relation = &Relation{Holds: in[Truth], Known: in[Known]}
	}
	return t
}

// End stops hearing: what is built from then on, such as the same losses once more after the update, tells nothing.
func (t *Telling) End() { t.ended = true }

// Asked tells whether a part asked for the relation, or would have had it been known.
func (t *Telling) Asked() bool { return t.asked }

// Numbers are what was told, without their sums, and the part that tells each.
func (t *Telling) Numbers() (numbers Numbers, by []string) {
	for _, n := range t.all {
		numbers, by = append(numbers, n.Number), append(by, n.by)
	}
	return numbers, by
}

// Sums are those of the numbers, Sum and then Of, [numbers, 2]; nil where none was told.
func (t *Telling) Sums() *Node {
	var rows []*Node
	for _, n := range t.all {
		rows = append(rows, Stack([]*Node{n.sum, n.of}, 0))
	}
	if len(rows) == 0 {
		return nil
	}
	return Stack(rows, 0)
}

// By is what a part tells by, described as in "the contrast main.Debiased".
func (t *Telling) By(part string) Teller { return Teller{to: t, part: part} }

// Teller is how a part of a method, or a framework, tells numbers of a mini-batch by names of its own. They go to curves, figures, tables
// and reports. The zero Teller has nobody who listens, as outside of training. What is told has no influence on training, and no gradient.
type Teller struct {
	to       *Telling
	part     string
	occasion string
}

// For is the Teller of another part of the same step.
func (t Teller) For(part string) Teller { return Teller{to: t.to, part: part} }

// On is the same part's on one of several occasions in a step, such as each kind of anchors, on which it tells the same numbers: they are
// taken together.
func (t Teller) On(occasion string) Teller {
	t.occasion = occasion
	return t
}

// Tell tells a scalar. Over an epoch it is the mean over the steps.
func (t Teller) Tell(name string, value *Node) { t.TellMean(name, "", value, nil) }

// TellShare tells what share of a whole a part is, in per cent. Both are summed over all their elements, so that masks can be told as they
// are: for which share of the negatives a method takes to be false, tell what it takes and the negatives, 1 or 0 each. Over an epoch it is
// the share of all mini-batches together.
func (t Teller) TellShare(name string, part, whole *Node) {
	if t.to != nil && whole == nil {
		exceptions.Panicf("%s tells a share called %q of nothing: the whole is nil", t.part, name)
	}
	t.TellMean(name, Percent, part, whole)
}

// TellMean tells a sum over another, both over all elements, in a unit such as "nats"; it may be empty. With Percent it is told times 100.
// of may be nil for a scalar, of which the mean over the steps is told.
func (t Teller) TellMean(name, unit string, sum, of *Node) {
	if t.to == nil || t.to.ended {
		return
	}
	switch {
	case strings.TrimSpace(name) == "" || strings.TrimSpace(name) != name:
		exceptions.Panicf("%s tells a number called %q; give it a name without space around it", t.part, name)
	case sum == nil:
		exceptions.Panicf("%s tells %q, and there is no number: it is nil", t.part, name)
	case of == nil && !sum.IsScalar():
		exceptions.Panicf("%s tells %q of shape %s; tell a scalar, such as its ReduceAllMean, or two sums by TellMean or TellShare", t.part,
			name, sum.Shape())
	}
	n := heard{Number: Number{Name: name, Unit: unit}, sum: total(sum), by: t.part, times: map[string]bool{t.occasion: true}}
	if of == nil {
		n.of = OnesLike(n.sum)
	} else {
		n.of = total(of)
	}
	for k := range t.to.all {
		if earlier := &t.to.all[k]; earlier.Name == name {
			earlier.join(n, t.occasion)
			return
		}
	}
	t.to.all = append(t.to.all, n)
}

// join takes in what the same part tells on another occasion; it panics where another one tells it, or the part twice on one.
func (n *heard) join(other heard, occasion string) {
	switch {
	case n.by != other.by:
		exceptions.Panicf("%s and %s both tell %q; name it otherwise in one", n.by, other.by, n.Name)
	case n.times[occasion]:
		exceptions.Panicf("%s tells %q twice in one step; name one otherwise", n.by, n.Name)
	case n.Unit != other.Unit:
		exceptions.Panicf("%s tells %q in %q and in %q; take one unit", n.by, n.Name, n.Unit, other.Unit)
	}
	n.times[occasion] = true
	n.sum, n.of = Add(n.sum, other.sum), Add(n.of, other.of)
}

// total is the sum over all elements of numbers or of a mask.
func total(x *Node) *Node { return ReduceAllSum(StopGradient(ConvertDType(x, dtypes.Float32))) }

// Truth is the exact relation of the mini-batch; nil where the data does not know it, or nobody listens: then do not tell what needs it. A
// training run whose parts ask for it has it wherever the data does, and needs no declaration. It is meant for counting alone. A part that
// trains by it says so by a method Reads with [Truth], so that it is refused where nothing is known.
func (t Teller) Truth() *Relation {
	if t.to == nil {
		return nil
	}
	t.to.asked = true
	return t.to.relation
}

// Part describes a part for messages, by what it is and its type.
func Part(what string, part any) string { return fmt.Sprintf("the %s %T", what, part) }
