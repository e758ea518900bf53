package negative

import (
	"cmp"
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// Thresholds is GloFND's LeftOut: each anchor learns a threshold lambda of its own, so that the share Alpha of its negatives in the whole
// data, the most similar ones, has a higher cosine; these are taken for false (Balmaseda et al., 2025; METHODS.md 10.1). A threshold is
// moved first and used in the same step.
//
// It is learned by Adam, as published, whose bias is corrected by the epoch and not by how often the anchor was seen.
type Thresholds struct {
	Alpha float64 // share of the negatives that are taken for false, from 0 to below 1; there is no default
	// Learn is the epoch from which thresholds are learned, Use that from which they are used, Learn if 0.
	Learn float64
	Use   float64 `json:",omitempty"`
	// Rate of learning, 0.05 if 0.
	Rate float64 `json:",omitempty"`
	// Beta1 and Beta2 are Adam's, 0.9 and 0.98 if 0, and Epsilon is, 1e-8 if 0.
	Beta1   float64 `json:",omitempty"`
	Beta2   float64 `json:",omitempty"`
	Epsilon float64 `json:",omitempty"`
	// FromBatch begins a threshold with the quantile of the mini-batch, in the first epoch that learns, instead of with 1: an option of the
	// published code, for runs in which an anchor is not seen often enough to come down from there by steps of Rate.
	FromBatch bool `json:",omitempty"`
	// Descent learns by plain gradient descent instead of Adam (equation 4 of the paper).
	Descent bool `json:",omitempty"`
	// Single learns one threshold for all anchors of a kind.
	Single bool `json:",omitempty"`
	// Known takes for each anchor the share of its negatives that is false, as the data knows it, in the place of Alpha: what could be had
	// if Alpha were each anchor's own.
	Known bool `json:",omitempty"`
}

// Names of the variables of Thresholds, below the scope of its anchors; see [ThresholdPath].
const (
	Lambda         = "lambda"
	lambdaMean     = "mean"
	lambdaVariance = "variance"
)

// ThresholdPath is where the thresholds of anchors lie below the scope of what a method keeps, [samples], or [1] where there is a single
// one.
func ThresholdPath(of string) string {
	return "/" + leftOutRole().scope + "/" + of + "/" + samplesScope + "/" + Lambda
}

// Reads implements Reading.
func (t Thresholds) Reads() []field.Name {
	if t.Known {
		return []field.Name{field.Index, field.FalseShare}
	}
	return []field.Name{field.Index}
}

// Validate reports which value is out of its range.
func (t Thresholds) Validate() error {
	switch {
	case !share(t.Alpha):
		return fmt.Errorf("negative: thresholds that take a share of %g for false; take one from 0 to below 1", t.Alpha)
	case t.Learn < 0 || t.Use != 0 && t.Use < t.Learn:
		return fmt.Errorf("negative: thresholds learned from epoch %g and used from %g; learn from 0 or later, and use them no earlier",
			t.Learn, t.Use)
	case t.Rate < 0 || t.Epsilon < 0 || !share(t.Beta1) || !share(t.Beta2):
		return fmt.Errorf("negative: thresholds learned at a rate of %g with betas %g and %g and an epsilon of %g; betas lie in [0, 1), "+
			"the others at 0 or above",
			t.Rate, t.Beta1, t.Beta2, t.Epsilon)
	}
	return nil
}

// Declare makes the state: a threshold of 1 for each sample, which leaves nothing out, and Adam's two moments, 12 bytes a sample and kind
// of anchors.
func (t Thresholds) Declare(state *model.Scope, run Start) error {
	n := run.Pairs
	if t.Single {
		n = 1
	}
	for _, of := range run.Anchors {
		for name, first := range map[string]float64{Lambda: 1, lambdaMean: 0, lambdaVariance: 0} {
			if err := DeclareSamples(state.At("%s", of), name, n, first); err != nil {
				return err
			}
		}
	}
	return nil
}

// Find implements LeftOut.
func (t Thresholds) Find(a Anchors, s Sight) *Node {
	index := s.Fields.Of(field.Index)
	if t.Single {
		index = Slice(ZerosLike(index), AxisRange(0, 1))
	}
	lambda := SamplesOf(s.State, Lambda, index)
	if t.FromBatch {
		t.begin(lambda, a, s)
	}
	over := numbers(LogicalAnd(a.Negative, GreaterThan(a.Cosines, expand(lambda.Get(), a.Cosines))), a.Cosines)
	negatives := numbers(a.Negative, a.Cosines)
	found := Div(ReduceSum(over, 1, 2), MaxScalar(ReduceSum(negatives, 1, 2), 1)) // share, [batch]
	gradient := Sub(t.alpha(a, s, found), found)
	if t.Single {
		gradient = ReduceAndKeep(gradient, ReduceMean, 0)
	}
	learned := t.step(lambda, s, index, gradient)
	return s.From(max(t.Learn, t.Use), GreaterThan(a.Cosines, expand(learned, a.Cosines)))
}

// begin gives the thresholds the quantile of the mini-batch in the first epoch that learns.
func (t Thresholds) begin(lambda Samples, a Anchors, s Sight) {
	quantile := a.quantile(t.Alpha, a.Cosines.Shape().Dim(0))
	if t.Single {
		quantile = ReduceAndKeep(quantile, ReduceMean, 0)
	}
	learn := ConstAs(s.Progress, t.Learn)
	first := LogicalAnd(GreaterOrEqual(s.Progress, learn), LessThan(s.Progress, OnePlus(learn)))
	lambda.Set(Where(BroadcastToDims(first, quantile.Shape().Dimensions...), quantile, lambda.Get()))
}

// expand makes numbers of samples [batch] or [1] those of all candidates.
func expand(x, like *Node) *Node {
	return BroadcastToDims(InsertAxes(x, -1, -1), like.Shape().Dimensions...)
}

// alpha is the share of each anchor, as numbers [batch].
func (t Thresholds) alpha(a Anchors, s Sight, like *Node) *Node {
	if !t.Known {
		return ConstAs(like, t.Alpha)
	}
	side := 0
	if a.Of == TextAnchors {
		side = 1
	}
	return Squeeze(Slice(s.Fields.Of(field.FalseShare), AxisRange(), AxisElem(side)), 1)
}

// step moves the thresholds against the gradient, if it is time, and returns them.
func (t Thresholds) step(lambda Samples, s Sight, index, gradient *Node) *Node {
	epoch := s.Epoch()
	begun := GreaterOrEqual(s.Progress, ConstAs(s.Progress, t.Learn))
	move := func(of Samples, next *Node) *Node {
		next = Where(BroadcastToDims(begun, next.Shape().Dimensions...), next, of.Get())
		of.Set(next)
		return next
	}
	rate := cmp.Or(t.Rate, 0.05)
	if t.Descent {
		return move(lambda, ClipScalar(Sub(lambda.Get(), MulScalar(gradient, rate)), -1, 1))
	}
	learning := adam{ConstAs(epoch, cmp.Or(t.Beta1, 0.9)), ConstAs(epoch, cmp.Or(t.Beta2, 0.98)), cmp.Or(t.Epsilon, 1e-8)}
	means, variances := SamplesOf(s.State, lambdaMean, index), SamplesOf(s.State, lambdaVariance, index)
	mean, variance, update := learning.of(gradient, means.Get(), variances.Get(), epoch)
	move(means, mean)
	move(variances, variance)
	return move(lambda, ClipScalar(Sub(lambda.Get(), MulScalar(update, rate)), -1, 1))
}

var gloFND = Entry{
	Name:   "GloFND",
	Source: "Balmaseda et al., 2025; METHODS.md 10",
	What:   "SogCLR without the negatives above a threshold that each anchor learns",
	At: func(s Sizes) Method {
		return s.without(Thresholds{Alpha: s.Global.Alpha, Learn: s.begin(), FromBatch: s.Global.FromBatch})
	},
}
