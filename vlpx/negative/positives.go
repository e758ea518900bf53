package negative

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/objective"
)

// Positives decides which of the negatives that Matching picked are positives after all. Its JSON is part of a run's identity.
type Positives interface {
	// Judge says who gives Candidates their scores.
	Judge() Judge
	// Connect decides over the candidates of a mini-batch; nothing in them carries gradient.
	Connect(Candidates) Connections
}

func positivesRole() Role {
	return slot(Role{
		Name: "Positives", Label: "positives", scope: "positives", Check: Method.connectable, Parts: []Part{
			{Name: "none", What: "negatives stay negatives", Of: "InfoNCE"},
			{Name: "connections, learned", What: "those that Con-D accepts become positives (MAFA)", Of: "MAFA"},
			{Name: "connections, exact", What: "those that are true become positives; generated scenes only", Of: "MAFA (Oracle)"},
		},
	}, func(m *Method) *Positives { return &m.Positives })
}

// connectable reports why the parts leave no place for new positives.
func (m Method) connectable() error {
	if m.Positives == nil {
		return nil
	}
	if _, picks := m.Matching.(Picking); !picks {
		return fmt.Errorf("negative: %T with %T: it judges one negative an anchor, and this matching has none; use Hardest, Sampled or a "+
			"Picking of your own",
			m.Positives, m.Matching)
	}
	use := All
	if e, ok := m.Positives.(ECM); ok {
		use = e.Use
	}
	if itemised, ok := m.Contrast.(Itemised); ok && itemised.NeedsItems() && use.Has(ITC) {
		return fmt.Errorf("negative: %T with %T: its positives are the captions of an image; leave ITC out of ECM's Use",
			m.Positives, m.Contrast)
	}
	if _, connects := m.Contrast.(Connecting); use.Has(ITC) && !connects {
		return fmt.Errorf("negative: %T with %T: its loss knows one positive an anchor; leave ITC out of ECM's Use",
			m.Positives, m.Contrast)
	}
	return nil
}

// Judge is who reports the probability that an image and a caption match.
type Judge string

// Judges of the candidates.
const (
	ConD   Judge = ""       // the connection discriminator: a frozen model of the same architecture, made by a run of its own
	Oracle Judge = "oracle" // the data's own relation, which reports 0 or 1; a pair it does not know counts as 0
)

// Candidates are the negatives that a Matching picked, with their scores.
type Candidates struct {
	// Images[k] is the image picked for text k, Texts[k] the text picked for image k; SecondImages and SecondTexts are what is
	// picked where these may not be. Positions in the mini-batch, int32, [batch].
	Images, Texts, SecondImages, SecondTexts *Node
	// ImageScores[k] is the judge's probability that image Images[k] and text k match, TextScores[k] that image k and text
	// Texts[k] do, [batch].
	ImageScores, TextScores *Node
	// Reporter is how the Positives report numbers by names of their own.
	field.Reporter
}

// Connections are the candidates with what was decided on them.
type Connections struct {
	Candidates
	// NewImages[k] is 1 where image Images[k] is a new positive of text k, NewTexts[k] where text Texts[k] is one of image k,
	// else 0; [batch].
	NewImages, NewTexts *Node
	// Use names the losses in which the new positives count.
	Use Objectives
	// Eliminate takes the new positives out of Use's losses instead of making them positives.
	Eliminate bool
	// Pairs are those of ITM.
	Pairs Pairs
}

// Picking is a Matching that picks one negative an anchor, which Positives can judge.
type Picking interface {
	Matching
	// Negatives picks an image for every text and a text for every image, int32, [batch] each; see Matching.Pairs.
	Negatives(c Contrasted, noise *Node) (images, texts *Node)
}

// Picked returns a method's candidates, which its Matching picks, without scores.
func (m Method) Picked(f Features, c Contrasted, noise *Node) Candidates {
	picking := m.Matching.(Picking)
	c = m.Seen(f, c)
	images, texts := picking.Negatives(c, noise)
	without := func(z, picked *Node) *Node {
		return Where(hits(picked, z.Shape().Dim(1)), ConstAs(z, -1e30), z)
	}
	second := Contrasted{I2T: without(c.I2T, texts), T2I: without(c.T2I, images), state: f.State}
	secondImages, secondTexts := picking.Negatives(second, noise)
	return Candidates{
		Images: images, Texts: texts, SecondImages: secondImages, SecondTexts: secondTexts,
		Reporter: f.For(field.Part("positives", m.Positives)),
	}
}

// hits marks the picked column of each row, bool, [batch, candidates].
func hits(picked *Node, candidates int) *Node { return OneHot(picked, candidates, dtypes.Bool) }

// Connecting is a Contrast that builds its loss by Features.Targets and Features.Loss, so that new positives count in it.
type Connecting interface {
	Contrast
	Connects()
}

// Targets are what the image and the text anchors are taught in ITC, for logits [batch, candidates] whose first columns are the
// mini-batch: the own pair, which shares its place evenly with a new positive (METHODS.md 4.2), or with the negatives that are found and
// attracted (METHODS.md 11). A new positive of an image is not one of the text.
func (f Features) Targets(logits *Node) (i2t, t2i *Node) {
	own := objective.OneHotTargets(logits)
	if f.Left != nil && f.Left.attract {
		shared := func(found *Node) *Node {
			found = numbers(found, logits)
			if more := logits.Shape().Dim(1) - found.Shape().Dim(1); more > 0 {
				found = GrowRight(found, 1, more, 0)
			}
			all := Add(own, found)
			return Div(all, ReduceAndKeep(all, ReduceSum, -1))
		}
		image, text := f.crossed(f.Found)
		return shared(image), shared(text)
	}
	if c := f.Connections; c != nil && c.Use.Has(ITC) && !c.Eliminate {
		share := func(picked, isNew *Node) *Node {
			isNew = InsertAxes(ConvertDType(isNew, logits.DType()), -1)
			joined := Mul(OneHot(picked, logits.Shape().Dim(1), logits.DType()), isNew)
			return Div(Add(own, joined), OnePlus(isNew))
		}
		return share(c.Texts, c.NewTexts), share(c.Images, c.NewImages)
	}
	return own, own
}

// Loss is ITC of logits and targets, all [batch, candidates]. New positives that are eliminated and negatives that are left out are no
// candidates.
func (f Features) Loss(i2t, t2i, i2tTargets, t2iTargets *Node) *Node {
	if f.Left != nil && !f.Left.attract {
		i2t, t2i = f.leaveBoth(i2t, t2i)
		counting := func(logits, targets *Node) *Node {
			return Where(GreaterThan(logits, ConstAs(logits, -1e29)), targets, ZerosLike(targets))
		}
		i2tTargets, t2iTargets = counting(i2t, i2tTargets), counting(t2i, t2iTargets)
	}
	if c := f.Connections; c != nil && c.Use.Has(ITC) && c.Eliminate {
		eliminate := func(logits, targets, picked, isNew *Node) (_, _ *Node) {
			gone := And(hits(picked, logits.Shape().Dim(1)),
				BroadcastToDims(InsertAxes(GreaterThan(isNew, ZerosLike(isNew)), -1), logits.Shape().Dimensions...))
			return Where(gone, ConstAs(logits, -1e30), logits), Where(gone, ZerosLike(targets), targets)
		}
		i2t, i2tTargets = eliminate(i2t, i2tTargets, c.Texts, c.NewTexts)
		t2i, t2iTargets = eliminate(t2i, t2iTargets, c.Images, c.NewImages)
	}
	return objective.ITC(i2t, t2i, i2tTargets, t2iTargets)
}
