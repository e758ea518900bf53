package eval

import (
	"context"
	"fmt"
	"math"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/random"
)

// Complexity is the ITM score that a model gives captions by how much they say (FALCON, section 2 and Figure 2, right): of their own
// images, of other images that they are true of, and of the hardest image that each is false of. The last two need a set's relation. It
// measures nothing in brief.
type Complexity struct{}

func init() { Register("complexity", Complexity{}) }

// PairKind is what is known of pairs of an image and a caption.
type PairKind string

// The kinds of pairs that [Complexity] scores.
const (
	OwnPairs   PairKind = "own"   // of the image that the caption was written for
	TruePairs  PairKind = "true"  // of other images that the caption is true of
	FalsePairs PairKind = "false" // of those that it is false of, the image nearest by the cosine; one pair a caption
)

// PairKinds are all of them.
var PairKinds = [...]PairKind{OwnPairs, TruePairs, FalsePairs}

const (
	// MostFacts is what captions that say more count as.
	MostFacts = 12
	// complexityEach is the number of pairs that are scored at most of a kind and a complexity: the standard error of a mean of as many is
	// .016 at most.
	complexityEach = 1000
	// complexityLeast is that of which a mean is told.
	complexityLeast = 10
	// complexitySeed draws them: the same ones for all methods and seeds.
	complexitySeed = 1
)

// Facts is how much a caption says: the objects, attributes and relations of its scene graph.
func Facts(g scenegraph.Graph) int { return len(g.Objects) + len(g.Attributes) + len(g.Relations) }

// ITMScore is the metric of pairs of a kind whose captions say so much, up to MostFacts.
func ITMScore(kind PairKind, facts int) Metric { return Metric(fmt.Sprintf("ITM %s %d", kind, facts)) }

// Metrics implements Task.
func (Complexity) Metrics() []Info {
	var all []Info
	for _, kind := range PairKinds {
		for facts := range MostFacts + 1 {
			column, what := fmt.Sprint(facts), fmt.Sprintf("%d objects, attributes and relations", facts)
			if facts == MostFacts {
				column, what = column+"+", what+" or more"
			}
			all = append(all, Info{ITMScore(kind, facts), fmt.Sprintf("ITM of %s pairs", kind), column, "", kind == FalsePairs,
				fmt.Sprintf("mean ITM probability of %s pairs whose captions have %s", kind, what)})
		}
	}
	return all
}

// Check implements Task.
func (Complexity) Check(f framework.Framework, set datasets.Set) error {
	if _, matches := f.(framework.Matches); !matches {
		return fmt.Errorf("eval: scores by complexity are those of image-text matching, which %s has not; take a framework that has it, "+
			"such as ALBEF",
			f.Name())
	}
	return captioned("scores by complexity", set)
}

// Measure implements Task. A complexity with fewer than ten pairs of a kind has no metric of that kind.
func (c Complexity) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := c.Check(on.Model.Framework(), on.Set); err != nil || on.Brief {
		return Measured{}, err
	}
	e, err := on.Encode(ctx)
	if err != nil {
		return Measured{}, err
	}
	var facts []int
	for _, p := range datasets.Pairs(on.Set) {
		facts = append(facts, min(Facts(datasets.GraphOf(on.Set, p.Text(on.Set))), MostFacts))
	}
	var relation datasets.Relation
	if related, ok := on.Set.(datasets.Related); ok {
		relation = related.Relation()
	}
	result := Result{}
	_, t2i := e.tables(wholeLimit)
	for at, pairs := range byFacts(t2i, e.captionImage, facts, relation, complexityEach) {
		if len(pairs) < complexityLeast {
			continue
		}
		scores, err := on.match(ctx, on.Model.Probabilities, e, pairs)
		if err != nil {
			return Measured{}, err
		}
		sum := 0.
		for k, p := range scores {
			if math.IsNaN(p) {
				return Measured{}, fmt.Errorf("eval: the ITM probability of image %d and caption %d is NaN; the model that gave it "+
					"has diverged",
					pairs[k].Image, pairs[k].Text)
			}
			sum += p
		}
		result[at] = sum / float64(len(pairs))
	}
	return Measured{Metrics: result}, nil
}

// byFacts are pairs by their metric, at most each of one, at random but the same at every call.
//
//   - sims: cosines [captions, images].
//   - captionImage: the image of each caption, [captions].
//   - facts: how much each caption says, [captions].
//   - relation: what is known of pairs; nil for nothing, which leaves own ones.
func byFacts(sims Rows, captionImage, facts []int, relation datasets.Relation, each int) map[Metric][]ImageText {
	all, seen := map[Metric][]ImageText{}, map[Metric]int{}
	draw := random.Stream(complexitySeed, "pairs by complexity")
	take := func(kind PairKind, p ImageText) {
		at := ITMScore(kind, facts[p.Text])
		seen[at]++
		all[at] = keep(all[at], p, seen[at], each, draw)
	}
	for t, own := range captionImage {
		take(OwnPairs, ImageText{own, t})
		if relation == nil {
			continue
		}
		hardest, row := -1, sims.Row(t)
		for i := range row {
			if i == own {
				continue
			}
			switch holds, known := relation.Holds(i, t); {
			case !known:
			case holds:
				take(TruePairs, ImageText{i, t})
			case hardest < 0 || row[i] > row[hardest]:
				hardest = i
			}
		}
		if hardest >= 0 {
			take(FalsePairs, ImageText{hardest, t})
		}
	}
	return all
}
