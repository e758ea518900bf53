package negative

import (
	"fmt"
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// LeftOut is which of an anchor's negatives are taken for false ones, so that they do not count, or count as positives (see
// Method.Attract). Its JSON is part of a run's identity. One that keeps something from step to step has a method Declare, as
// [Stateful] has, and one that reads fields of the mini-batch is a [Reading].
type LeftOut interface {
	// Find marks negatives of the anchors, bool, [batch, views, candidates]. It is asked once a step for each kind of anchors.
	Find(a Anchors, s Sight) *Node
}

func leftOutRole() Role {
	return slot(Role{
		Name: "LeftOut", Label: "left out", scope: "left", Check: Method.leavable, Parts: []Part{
			{Name: "none", What: "all negatives count", Of: "InfoNCE"},
			{Name: "thresholds", What: "those above a cosine that each anchor learns do not (GloFND)", Of: "GloFND"},
			{Name: "batch quantile", What: "the most similar ones of the mini-batch do not (FNC)", Of: "FNC"},
			{Name: "exact", What: "those that are false do not; generated scenes and labelled images only", Of: "SogCLR (Oracle)"},
		},
	}, func(m *Method) *LeftOut { return &m.LeftOut })
}

// Sight is what a LeftOut sees besides the anchors.
type Sight struct {
	Progress *Node        // epochs done, a fraction; a scalar
	Fields   field.Nodes  // what it reads of the mini-batch, by its Reads
	State    *model.Scope // of these anchors, where the part keeps variables of its own
	root     *model.Scope // of all that the method keeps
	// Reporter is how the part reports numbers by names of its own. What it reports of each kind of anchors is taken together.
	field.Reporter
}

// Epoch is that of the step, a whole number from 0; a scalar.
func (s Sight) Epoch() *Node { return Floor(s.Progress) }

// From marks nothing before a point of training, in epochs.
func (s Sight) From(epoch float64, found *Node) *Node {
	if epoch == 0 {
		return found
	}
	return LogicalAnd(found, BroadcastToDims(GreaterOrEqual(s.Progress, ConstAs(s.Progress, epoch)), found.Shape().Dimensions...))
}

// Reading is a part that reads fields of a mini-batch by itself.
type Reading interface {
	Reads() []field.Name
}

// Listing is a Contrast that lists its negatives, so that some can be left out: it builds its loss by Features.Loss, or asks
// Features.Found of its Anchors.
type Listing interface {
	Contrast
	ListsNegatives()
}

// Attracting is a Listing whose anchors may have several positives: it asks Features.Attracted of them. A Connecting one does as well.
type Attracting interface {
	Listing
	Attracts()
}

// Leaving are the negatives that a method leaves out of a mini-batch. They are found once: a loss that is built again, with other weights,
// has the same ones left out.
type Leaving struct {
	part    LeftOut
	attract bool
	sight   Sight
	found   map[string]*Node
}

// Leaving prepares what the method leaves out of a mini-batch; nil where it leaves out nothing.
//
//   - state: the scope of what the method keeps.
//   - in: the fields of the mini-batch.
func (m Method) Leaving(state *model.Scope, in field.Nodes) *Leaving {
	if m.LeftOut == nil {
		return nil
	}
	return &Leaving{m.LeftOut, m.Attract, Sight{Progress: in.Of(field.Progress), Fields: in, State: leftOutRole().state(state),
		root: state},
		map[string]*Node{}}
}

// Found marks the negatives of the anchors that the method leaves out, bool, [batch, views, candidates]; nil where it leaves out none.
func (f Features) Found(a Anchors) *Node {
	if f.Left == nil {
		return nil
	}
	if f.Left.found[a.Of] == nil {
		seen := a
		seen.Cosines = StopGradient(a.Cosines)
		sight := f.Left.sight
		sight.State = sight.State.At("%s", a.Of)
		sight.Reporter = f.For(field.Part("part that leaves negatives out,", f.Left.part)).On(a.Of)
		f.Left.found[a.Of] = LogicalAnd(f.Left.part.Find(seen, sight), a.Negative)
	}
	return f.Left.found[a.Of]
}

// Kept marks the negatives that count, bool, [batch, views, candidates].
func (f Features) Kept(a Anchors) *Node {
	if found := f.Found(a); found != nil {
		return LogicalAnd(a.Negative, LogicalNot(found))
	}
	return a.Negative
}

// Attracted marks what an anchor is drawn to: its own, and the negatives that the method turns into positives.
func (f Features) Attracted(a Anchors) *Node {
	if found := f.Found(a); found != nil && f.Left.attract {
		return LogicalOr(a.Positive, found)
	}
	return a.Positive
}

// leave takes the found negatives, unless they are attracted, out of logits [..., candidates], in which the others then stand for all:
// their logits grow by the logarithm of all over those that are kept (METHODS.md 10.2). An anchor that has none left has no negatives.
//
//   - found, negative: which candidates are found, and which are negatives at all, bool, as the logits.
func (l *Leaving) leave(logits, found, negative *Node) *Node {
	if l == nil || l.attract {
		return logits
	}
	count := func(mask *Node) *Node { return ReduceAndKeep(numbers(mask, logits), ReduceSum, -1) }
	kept := LogicalAnd(negative, LogicalNot(found))
	growth := Log(Div(MaxScalar(count(negative), 1), MaxScalar(count(kept), 1)))
	return Where(found, ConstAs(logits, -1e30), Add(logits, Mul(numbers(kept, logits), growth)))
}

// leaveBoth is leave for the logits of the one side with the other and back, [batch, candidates], whose first columns are the mini-batch.
func (f Features) leaveBoth(i2t, t2i *Node) (_, _ *Node) {
	if f.Left == nil {
		return i2t, t2i
	}
	image, text := f.crossed(f.Found)
	side := func(logits, found *Node) *Node {
		batch, candidates := logits.Shape().Dim(0), logits.Shape().Dim(1)
		own := Slice(logits, AxisRange(), AxisRange(0, batch))
		own = f.Left.leave(own, found, LogicalNot(Diagonal(logits.Graph(), batch)))
		if candidates == batch {
			return own
		}
		return Concatenate([]*Node{own, Slice(logits, AxisRange(), AxisRange(batch, candidates))}, 1)
	}
	return side(i2t, image), side(t2i, text)
}

// crossed takes from values of all anchors, [batch, views, candidates], those of the one side of the mini-batch among the other and back,
// [batch, batch]: of images among captions, or of the first view among the second.
func (f Features) crossed(values func(Anchors) *Node) (image, text *Node) {
	anchors, batch := f.Anchors(), f.Image.Shape().Dim(0)
	pick := func(of Anchors, view, from int) *Node {
		return Squeeze(Slice(values(of), AxisRange(), AxisElem(view), AxisRange(from, from+batch)), 1)
	}
	if f.Views {
		return pick(anchors[0], 0, batch), pick(anchors[0], 1, 0)
	}
	return pick(anchors[0], 0, 0), pick(anchors[1], 0, 0)
}

// Unpicked hides the found negatives from Matching, and from what is counted of the hardest ones; an anchor all of whose negatives are
// found keeps them, as it has to have one.
func (f Features) Unpicked(c Contrasted) Contrasted {
	if f.Left == nil {
		return c
	}
	hide := func(logits, found *Node) *Node {
		some := ReduceAndKeep(numbers(found, logits), ReduceSum, -1)
		some = LessThan(some, ConstAs(some, found.Shape().Dim(1)-1))
		return Where(LogicalAnd(found, BroadcastToDims(some, found.Shape().Dimensions...)), ConstAs(logits, -1e30), logits)
	}
	image, text := f.crossed(f.Found)
	c.I2T, c.T2I = hide(c.I2T, image), hide(c.T2I, text)
	return c
}

// FoundNegatives are the found negatives of both kinds of anchors for what is counted of them, 1 or 0, [batch, views, candidates]; nil
// for none.
func (f Features) FoundNegatives() (image, text *Node) {
	if f.Left == nil {
		return nil, nil
	}
	for _, a := range f.Anchors() {
		found := numbers(f.Found(a), f.Image)
		if a.Of == TextAnchors {
			text = found
		} else {
			image = found
		}
	}
	return image, text
}

// leavable reports why the parts leave no place for negatives to be left out.
func (m Method) leavable() error {
	if m.LeftOut == nil {
		if m.Attract {
			return fmt.Errorf("negative: found negatives are attracted, and no part finds any; name a LeftOut, or leave Attract out")
		}
		return nil
	}
	if m.Positives != nil {
		return fmt.Errorf("negative: %T with %T: both decide which negatives are false, and one would not hear of the other; leave one "+
			"of them out", m.LeftOut, m.Positives)
	}
	if _, lists := m.Contrast.(Listing); !lists {
		return fmt.Errorf("negative: %T with %T, whose loss does not list its negatives; take a Contrast that is Listing",
			m.LeftOut, m.Contrast)
	}
	_, connects := m.Contrast.(Connecting)
	if _, attracts := m.Contrast.(Attracting); m.Attract && !connects && !attracts {
		return fmt.Errorf("negative: %T with %T: its loss knows one positive an anchor; leave Attract out", m.LeftOut, m.Contrast)
	}
	return nil
}

// share reports whether a number is a share that can be left out: from 0 to below 1.
func share(x float64) bool { return x >= 0 && x < 1 && !math.IsNaN(x) }
