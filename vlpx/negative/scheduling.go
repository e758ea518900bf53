package negative

import (
	"math"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/field"
)

// Scheduling is what a Scheduler did in one epoch.
type Scheduling struct {
	Reward    Moments        `json:"reward"`    // over the mini-batches
	Classes   []CaptionClass `json:"classes"`   // anchors by the complexity of their captions, simple first
	Quantiles []int          `json:"quantiles"` // chosen ones, counted in [0, .1), [.1, .2), ... [.9, 1), and 1
	Followed  []Choice       `json:"followed"`  // what some anchors, the same in every epoch, got
	I2T       []int          `json:"i2t"`       // similarities by the epoch's embeddings; see Scheduler
	T2I       []int          `json:"t2i"`
}

// Complexity names the classes of anchors.
var Complexity = [3]string{"simple", "middle", "complex"}

// CaptionClass are the anchors of like complexity: a third of the training captions, by their number of words.
type CaptionClass struct {
	Words    [2]int  `json:"words"` // fewest and most
	Quantile Moments `json:"quantile"`
	A        Moments `json:"a"` // of the predicted Beta distributions
	B        Moments `json:"b"`
	Negative int     `json:"negative"` // picked negatives, image to caption and caption to image, whose truth is known
	True     int     `json:"true"`     // of these, the true pairs
}

const (
	quantileBins      = 11
	similarityBins    = 80
	similarityAnchors = 64
	followedAnchors   = 5 // a class
)

func quantileBin(q float64) int { return int(math.Floor(q*10 + 1e-9)) }

// classes divide pairs by complexity.
type classes struct {
	of       []uint8 // class of each pair
	words    [][2]int
	followed []int // pairs, in ascending order
}

// newClasses cuts the pairs into thirds by the words of their captions; captions of equal length stay together. The anchors to
// follow are spread evenly over each class.
func newClasses(set datasets.Set, pairs []datasets.Pair) classes {
	words := make([]int, len(pairs))
	for i, p := range pairs {
		words[i] = len(strings.Fields(p.Text(set)))
	}
	sorted := slices.Sorted(slices.Values(words))
	edges := [2]int{sorted[(len(sorted)-1)/3], sorted[(2*len(sorted)-1)/3]}
	c := classes{of: make([]uint8, len(pairs))}
	members := make([][]int, 3)
	for i, n := range words {
		class := 0
		for class < 2 && n > edges[class] {
			class++
		}
		c.of[i] = uint8(class)
		members[class] = append(members[class], i)
	}
	c.words = make([][2]int, 3)
	for class, list := range members {
		for k := range min(followedAnchors, len(list)) {
			c.followed = append(c.followed, list[k*len(list)/min(followedAnchors, len(list))])
		}
		if len(list) > 0 {
			low := slices.MinFunc(list, func(a, b int) int { return words[a] - words[b] })
			high := slices.MaxFunc(list, func(a, b int) int { return words[a] - words[b] })
			c.words[class] = [2]int{words[low], words[high]}
		}
	}
	slices.Sort(c.followed)
	return c
}

// add takes a mini-batch's choices in; relation may be nil.
func (s *Scheduling) add(choices []Choice, reward float64, c classes, relation datasets.Relation, pairs []datasets.Pair) {
	if s.Classes == nil {
		s.Quantiles = make([]int, quantileBins)
		for _, words := range c.words {
			s.Classes = append(s.Classes, CaptionClass{Words: words})
		}
	}
	for _, choice := range choices {
		s.Quantiles[quantileBin(choice.Quantile)]++
		class := &s.Classes[c.of[choice.Anchor]]
		class.Quantile.Add(choice.Quantile)
		class.A.Add(choice.Beta.A)
		class.B.Add(choice.Beta.B)
		for _, pair := range [][2]int{{choice.Anchor, choice.Picked}, {choice.Picked, choice.Anchor}} {
			if relation == nil {
				break
			}
			if holds, known := relation.Holds(pairs[pair[0]].Image, pair[1]); known {
				class.Negative++
				if holds {
					class.True++
				}
			}
		}
		if _, followed := slices.BinarySearch(c.followed, choice.Anchor); followed {
			s.Followed = append(s.Followed, choice)
		}
	}
	s.Reward.Add(reward)
}

// schedulingObserver watches a Scheduler.
type schedulingObserver struct {
	Gathered[Scheduling]
	run       Training
	scheduler Scheduler
	classes   classes
}

func observeScheduling(_ Method, run Training) Observer {
	scheduler, schedules := run.Sampler.(Scheduler)
	if !schedules {
		return nil
	}
	return &schedulingObserver{run: run, scheduler: scheduler, classes: newClasses(run.Set, run.Pairs)}
}

// Name implements Observer.
func (*schedulingObserver) Name() string { return schedulingName }

// Observe implements Observer.
func (o *schedulingObserver) Observe(step Step) error {
	if choices := o.scheduler.Choices(); len(choices) > 0 {
		o.Now().add(choices, step.Outputs.Float(field.Improvement), o.classes, o.run.Relation, o.run.Pairs)
	}
	return nil
}

// Epoch implements Observer. The similarities are those at the epoch's end.
func (o *schedulingObserver) Epoch() any {
	all := *o.Now()
	all.I2T, all.T2I = o.scheduler.Similarities(similarityAnchors, similarityBins)
	return &all
}

const schedulingName = "scheduling"

// Scheduling is what a Scheduler did in the epoch, nil where there is none.
func (o Observations) Scheduling() *Scheduling { return Observed[Scheduling](o, schedulingName) }

// Names of what is counted of a Scheduler, among a run's metrics. ClassChosen and ClassMean are followed by a class of complexity: simple,
// middle or complex.
const (
	MeanReward   = "reward"        // in nats
	MeanQuantile = "quantile"      // chosen
	ClassChosen  = "FN chosen of " // per cent, of the negatives that the scheduler picked
	ClassMean    = "quantile of "  // chosen
)

func schedulingMetrics() []string {
	names := []string{MeanReward, MeanQuantile}
	for _, class := range Complexity {
		names = append(names, ClassChosen+class, ClassMean+class)
	}
	return names
}

// Metrics are those of the epoch by their names; none of an epoch that is not scheduled.
func (s *Scheduling) Metrics() map[string]float64 {
	if s.Reward.N == 0 {
		return nil
	}
	metrics := map[string]float64{MeanReward: s.Reward.Mean}
	var sum, n float64
	for k, class := range s.Classes {
		sum, n = sum+class.Quantile.Mean*float64(class.Quantile.N), n+float64(class.Quantile.N)
		if class.Quantile.N > 0 {
			metrics[ClassMean+Complexity[k]] = class.Quantile.Mean
		}
		if class.Negative > 0 {
			metrics[ClassChosen+Complexity[k]] = 100 * portion(class.True, class.Negative)
		}
	}
	metrics[MeanQuantile] = sum / n
	return metrics
}
