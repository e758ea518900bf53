package field

import (
	"fmt"
	"strings"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Reports hears what the parts of one step report by names of their own while its graph is built, and knows what they may ask.
type Reports struct {
	relation  *Relation
	requested bool
	ended     bool
	all       []heard
}

// heard is a number of the step, with who reports it.
type heard struct {
	Number
	sum, of *Node
	by      string
	times   map[string]bool // the occasions on which the part reported it
}

// Relation is what the data knows of the pairs of a mini-batch, exactly: 1 or 0, [batch, batch], images in rows and captions in columns.
// Where a model sees images alone it is of these, which belong together where they are of one class. The own pairs are on the diagonal, and
// hold.
type Relation struct {
	Holds *Node // 1 where the caption is true of the image
	Known *Node // 1 where it is known whether it is; Holds is 0 elsewhere
}

// NewReports begins to hear a step. Its parts can ask for the relation where the step reads Truth and Known.
func NewReports(in Nodes) *Reports {
	t := &Reports{}
	if in[Truth] != nil && in[Known] != nil {
		t.relation = &Relation{Holds: in[Truth], Known: in[Known]}
	}
	return t
}

// End stops hearing: what is built from then on, such as the same losses once more after the update, reports nothing.
func (t *Reports) End() { t.ended = true }

// RelationRequested reports whether a part requested the relation, or would have had it been known.
func (t *Reports) RelationRequested() bool { return t.requested }

// Numbers are what was reported, without their sums, and the part that reports each.
func (t *Reports) Numbers() (numbers Numbers, by []string) {
	for _, n := range t.all {
		numbers, by = append(numbers, n.Number), append(by, n.by)
	}
	return numbers, by
}

// Sums are those of the numbers, Sum and then Of, [numbers, 2]; nil where none was reported.
func (t *Reports) Sums() *Node {
	var rows []*Node
	for _, n := range t.all {
		rows = append(rows, Stack([]*Node{n.sum, n.of}, 0))
	}
	if len(rows) == 0 {
		return nil
	}
	return Stack(rows, 0)
}

// By is what a part reports by, described as in "the contrast main.Debiased".
func (t *Reports) By(part string) Reporter { return Reporter{to: t, part: part} }

// Reporter is how a part of a method, or a framework, reports numbers of a mini-batch by names of its own. They go to curves, figures,
// tables and reports. The zero Reporter has nobody who listens, as outside of training. What is reported has no influence on training,
// and no gradient.
type Reporter struct {
	to       *Reports
	part     string
	occasion string
}

// For is the Reporter of another part of the same step.
func (t Reporter) For(part string) Reporter { return Reporter{to: t.to, part: part} }

// On is the same part's on one of several occasions in a step, such as each kind of anchors, on which it reports the same numbers: they are
// taken together.
func (t Reporter) On(occasion string) Reporter {
	t.occasion = occasion
	return t
}

// Tell reports a scalar. Over an epoch it is the mean over the steps.
func (t Reporter) Tell(name string, value *Node) { t.TellMean(name, "", value, nil) }

// TellShare reports what share of a whole a part is, in per cent. Both are summed over all their elements, so that masks can be reported
// as they are: for which share of the negatives a method takes to be false, report what it takes and the negatives, 1 or 0 each. Over an
// epoch it is the share of all mini-batches together.
func (t Reporter) TellShare(name string, part, whole *Node) {
	if t.to != nil && whole == nil {
		exceptions.Panicf("%s reports a share called %q of nothing: the whole is nil", t.part, name)
	}
	t.TellMean(name, Percent, part, whole)
}

// TellMean reports a sum over another, both over all elements, in a unit such as "nats"; it may be empty. With Percent it is reported
// times 100. of may be nil for a scalar, of which the mean over the steps is reported.
func (t Reporter) TellMean(name, unit string, sum, of *Node) {
	if t.to == nil || t.to.ended {
		return
	}
	switch {
	case strings.TrimSpace(name) == "" || strings.TrimSpace(name) != name:
		exceptions.Panicf("%s reports a number called %q; give it a name without space around it", t.part, name)
	case sum == nil:
		exceptions.Panicf("%s reports %q, and there is no number: it is nil", t.part, name)
	case of == nil && !sum.IsScalar():
		exceptions.Panicf("%s reports %q of shape %s; report a scalar, such as its ReduceAllMean, or two sums by TellMean or TellShare", t.part,
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

// join takes in what the same part reports on another occasion; it panics where another one reports it, or the part twice on one.
func (n *heard) join(other heard, occasion string) {
	switch {
	case n.by != other.by:
		exceptions.Panicf("%s and %s both report %q; name it otherwise in one", n.by, other.by, n.Name)
	case n.times[occasion]:
		exceptions.Panicf("%s reports %q twice in one step; name one otherwise", n.by, n.Name)
	case n.Unit != other.Unit:
		exceptions.Panicf("%s reports %q in %q and in %q; take one unit", n.by, n.Name, n.Unit, other.Unit)
	}
	n.times[occasion] = true
	n.sum, n.of = Add(n.sum, other.sum), Add(n.of, other.of)
}

// total is the sum over all elements of numbers or of a mask.
func total(x *Node) *Node { return ReduceAllSum(StopGradient(ConvertDType(x, dtypes.Float32))) }

// Truth is the exact relation of the mini-batch; nil where the data does not know it, or nobody listens: then do not report what needs
// it. A training run whose parts ask for it has it wherever the data does, and needs no declaration. It is meant for counting alone. A
// part that trains by it says so by a method Reads with [Truth], so that it is refused where nothing is known.
func (t Reporter) Truth() *Relation {
	if t.to == nil {
		return nil
	}
	t.to.requested = true
	return t.to.relation
}

// Part describes a part for messages, by what it is and its type.
func Part(what string, part any) string { return fmt.Sprintf("the %s %T", what, part) }
