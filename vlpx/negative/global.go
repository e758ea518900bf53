package negative

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// A global contrast sets an anchor against its negatives in the whole data and not in the mini-batch alone. For that it keeps for each
// sample u, a moving average over the steps of g, the mean of the exponentials of its negatives in the mini-batch (METHODS.md 7.1).

// CosineGamma is the weight of a mini-batch's estimate at a point of training: it falls from 1 in epoch 0 to least from some epoch on by
// half a cosine, an epoch at a time (METHODS.md 9); always least where the epochs are 0. A scalar.
func CosineGamma(progress *Node, least, epochs float64) *Node {
	if epochs == 0 {
		return ConstAs(progress, least)
	}
	done := MinScalar(DivScalar(Floor(progress), epochs), 1)
	return AddScalar(MulScalar(OnePlus(Cos(MulScalar(done, math.Pi))), (1-least)/2), least)
}

// first is which weight the estimate of a sample gets, [batch], given its average so far, [batch], and the step's weight and epoch,
// scalars.
type first func(u, gamma, epoch *Node) *Node

// whole gives the estimate all weight where a condition holds, bool, a scalar or [batch].
func whole(u, gamma, condition *Node) *Node {
	dims := u.Shape().Dimensions
	return Where(BroadcastToDims(condition, dims...), OnesLike(u), BroadcastToDims(gamma, dims...))
}

// unseen are mini-batches none of whose samples was seen before.
func unseen(u *Node) *Node { return Equal(ReduceAllSum(u), ScalarZero(u.Graph(), u.DType())) }

// The rules of published codes.
func firstBatch(u, gamma, _ *Node) *Node { return whole(u, gamma, unseen(u)) }
func firstBatchOfRun(u, gamma, epoch *Node) *Node {
	return whole(u, gamma, LogicalAnd(unseen(u), Equal(epoch, ZerosLike(epoch))))
}
func firstEpoch(u, gamma, epoch *Node) *Node { return whole(u, gamma, Equal(epoch, ZerosLike(epoch))) }
func firstSample(u, gamma, _ *Node) *Node    { return whole(u, gamma, LessThan(u, ConstAs(u, 1e-35))) }
func noFirst(u, gamma, _ *Node) *Node        { return BroadcastToDims(gamma, u.Shape().Dimensions...) }

// global is what the published codes differ in when they estimate u.
type global struct {
	first    first
	relative bool    // exponents are of the differences to the positive cosine
	bounded  bool    // exponents are kept relative to their running maximum b, the largest of the sample's so far and 0
	own      bool    // g has the positive's exponential, too
	epsilon  float64 // added to u where it divides
	floor    float64 // of u where it divides
	least    float64 // of u itself
}

// averagePath is where u of anchors lies below the scope of what a method keeps, [samples].
func averagePath(of string) string { return "/" + of + "/" + samplesScope + "/" + average }

// Names of the variables of a global contrast, below the scope of its anchors.
const (
	average     = "average" // u
	bound       = "bound"   // b
	temperature = "temperature"
	slope       = "slope"    // mean of the temperature's gradient
	variance    = "variance" // of the temperature's gradient
)

// declare makes the state of a global contrast: u for each sample and kind of anchors, b where it is bounded, and further numbers by
// their first values; 4 bytes each.
func (g global) declare(state *model.Scope, run Start, further map[string]float64) error {
	numbers := map[string]float64{average: 0}
	if g.bounded {
		numbers[bound] = 0
	}
	for name, value := range further {
		numbers[name] = value
	}
	for _, of := range run.Anchors {
		for name, value := range numbers {
			if err := DeclareSamples(state.At("%s", of), name, run.Pairs, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// estimate is what a mini-batch reports of its anchors' negatives. An anchor that has none left reports nothing, and its average stays.
type estimate struct {
	positive *Node // mean cosine with what the anchor is drawn to, [batch, views]
	x        *Node // cosines, relative or not, [batch, views, candidates]
	exponent *Node // x over temperature, -1e30 where a candidate does not count, [batch, views, candidates]
	has      *Node // whether the anchor has negatives, 1 or 0, [batch, views]
	count    *Node // of its negatives, at least 1, [batch, views]
	mean     *Node // g, [batch, views]
	u        *Node // the average with g in it, without gradient, [batch, views]
	// the running maximum of the exponents, which those of mean and u are relative to, without gradient, [batch]; 0 if not bounded
	b     *Node
	omega *Node // weights of the candidates, their exponentials over u, without gradient, [batch, views, candidates]
}

// largest exponent that counts as it is: float32 does not hold the sum of larger ones' exponentials.
const largest = 80

// of estimates u of the anchors and keeps it.
//
//   - tau: the temperature, a scalar or [batch, 1, 1].
//   - gamma: the weight of the mini-batch's estimate, a scalar.
func (g global) of(f Features, a Anchors, tau, gamma *Node) estimate {
	e := estimate{positive: a.Mean(a.Cosines, f.Attracted(a)), x: a.Cosines}
	if g.relative {
		e.x = Sub(e.x, InsertAxes(e.positive, -1))
	}
	counting := f.Kept(a)
	kept := ReduceSum(numbers(counting, e.x), -1)
	e.count, e.has = MaxScalar(kept, 1), MinScalar(kept, 1)
	if g.own {
		some := GreaterThan(InsertAxes(kept, -1), ScalarZero(kept.Graph(), kept.DType()))
		counting = LogicalOr(counting, LogicalAnd(a.Positive, BroadcastToDims(some, a.Positive.Shape().Dimensions...)))
	}
	e.exponent = Where(counting, Div(e.x, tau), ConstAs(e.x, -1e30))

	state, index := f.samples(a)
	averages := SamplesOf(state, average, index)
	before, shifted := averages.Get(), e.exponent
	e.b = ZerosLike(before)
	if g.bounded {
		bounds := SamplesOf(state, bound, index)
		e.b = StopGradient(Max(bounds.Get(), ReduceMax(e.exponent, 1, 2)))
		before = Mul(before, Exp(Sub(bounds.Get(), e.b)))
		shifted = Sub(shifted, InsertAxes(e.b, -1, -1))
		bounds.Set(e.b)
	}
	terms := Exp(MinScalar(shifted, largest))
	e.mean = Div(ReduceSum(terms, -1), e.count)

	weight := Mul(InsertAxes(g.first(averages.Get(), gamma, Floor(f.Progress)), -1), e.has)
	e.u = Add(Mul(OneMinus(weight), InsertAxes(before, -1)), Mul(weight, StopGradient(e.mean)))
	e.u = MaxScalar(e.u, g.least)
	averages.Set(e.meanOfViews(e.u, before))
	e.omega = StopGradient(Div(terms, InsertAxes(g.divisor(e), -1)))
	return e
}

// samples are the scope of what a contrast keeps of the anchors, and their samples' indices.
func (f Features) samples(a Anchors) (*model.Scope, *Node) {
	return f.State.At("%s", a.Of), f.Fields.Of(field.Index)
}

// divisor is u where it divides, [batch, views].
func (g global) divisor(e estimate) *Node {
	return MaxScalar(AddScalar(e.u, g.epsilon), max(g.floor, 1e-30))
}

// weighed is the mean of values over the negatives by their weights, [batch, views].
func (e estimate) weighed(values *Node) *Node {
	return Div(ReduceSum(Mul(e.omega, values), -1), e.count)
}

// meanOfViews is the mean of values [batch, views] over the views that have negatives, or else another value; [batch].
func (e estimate) meanOfViews(values, without *Node) *Node {
	mean := Div(ReduceSum(Mul(values, e.has), -1), MaxScalar(ReduceSum(e.has, -1), 1))
	return e.withNegatives(mean, without)
}

// withNegatives is a value of the samples that have negatives, and another of those that have none; [batch].
func (e estimate) withNegatives(value, without *Node) *Node {
	views := ReduceSum(e.has, -1)
	return Where(GreaterThan(views, ZerosLike(views)), value, without)
}

// sides is the mean of a value of each kind of anchors, a scalar each, times two: the sum of images' and captions', or of two views'.
func sides(kinds []Anchors, value func(Anchors) *Node) *Node {
	var sum *Node
	for _, a := range kinds {
		mean := ReduceAllMean(value(a))
		if sum == nil {
			sum = mean
		} else {
			sum = Add(sum, mean)
		}
	}
	return MulScalar(sum, 2/float64(len(kinds)))
}
