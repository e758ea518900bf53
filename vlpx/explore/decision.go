package explore

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/negative"
)

// Decision is what a method's Positives make of a negative that Matching picks.
type Decision string

// Decisions.
const (
	Unjudged    Decision = ""           // the method has no Positives
	NewPositive Decision = "positive"   // it becomes a positive of the anchor
	Eliminated  Decision = "eliminated" // it is no candidate any more
	Resampled   Decision = "re-sampled" // the next hardest takes its place in ITM, unasked
	Kept        Decision = "negative"   // it stays a negative
	LeftOut     Decision = "left out"   // it drops out of ITM
)

// connect has what the matching picks decided on, as in training; scores are the judge's, [batch, batch], images in rows.
func (l *compiledMethod) connect(f negative.Features, scores, noise *Node) negative.Connections {
	candidates := l.method.Picked(f, online(f), noise)
	chosen := func(picked *Node) *Node { return OneHot(picked, l.batch, dtypes.Float32) }
	candidates.ImageScores = ReduceSum(Mul(Transpose(scores, 0, 1), chosen(candidates.Images)), -1)
	candidates.TextScores = ReduceSum(Mul(scores, chosen(candidates.Texts)), -1)
	return l.method.Positives.Connect(candidates)
}

// wouldBe asks Positives about every pair of the batch, as if it had been picked for the anchor: anchor k of a mini-batch made up
// for it picks pair k+1, with the score of the real anchor and pair k, and pair k+2 in the second place. The results, 1 or 0,
// [batch] each, are which are new positives, which are eliminated, and which stand in ITM themselves or through the second.
func (l *compiledMethod) wouldBe(scores *Node) []*Node {
	g := scores.Graph()
	own := Iota(g, shapes.Make(dtypes.Int32, l.batch), 0)
	after := func(of *Node, n int) *Node { return ModScalar(AddScalar(of, n), l.batch) }
	c := negative.Candidates{Images: own, SecondImages: own, Texts: own, SecondTexts: own}
	if l.side == OfText {
		c.Images, c.SecondImages, c.ImageScores = after(own, 1), after(own, 2), l.anchors(Transpose(scores, 0, 1))
		c.TextScores = ZerosLike(c.ImageScores)
	} else {
		c.Texts, c.SecondTexts, c.TextScores = after(own, 1), after(own, 2), l.anchors(scores)
		c.ImageScores = ZerosLike(c.TextScores)
	}
	decided := l.method.Positives.Connect(c)

	isNew, anchors, others := decided.NewTexts, decided.Pairs.Images, decided.Pairs.Texts
	if l.side == OfText {
		isNew, anchors, others = decided.NewImages, others, anchors
	}
	eliminated := ZerosLike(isNew)
	if decided.Eliminate {
		eliminated = isNew
	}
	of := OneHot(anchors, l.batch, isNew.DType())
	if w := decided.Pairs.Weights; w != nil {
		of = Mul(of, InsertAxes(ConvertDType(GreaterThan(w, ZerosLike(w)), of.DType()), -1))
	}
	inITM := func(n int) *Node {
		with := ConvertDType(Equal(others, after(anchors, n)), of.DType())
		return ReduceMax(Mul(of, InsertAxes(with, -1)), 0)
	}
	return []*Node{isNew, eliminated, inITM(1), inITM(2)}
}

// decisions reads the results of wouldBe.
func decisions(isNew, eliminated, itself, second []float32) []Decision {
	decisions := make([]Decision, len(isNew))
	for k := range decisions {
		switch {
		case eliminated[k] > 0:
			decisions[k] = Eliminated
		case isNew[k] > 0:
			decisions[k] = NewPositive
		case itself[k] > 0:
			decisions[k] = Kept
		case second[k] > 0:
			decisions[k] = Resampled
		default:
			decisions[k] = LeftOut
		}
	}
	return decisions
}
