package train

import (
	"math"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/scheduler"
)

// Scheduling is what a negative.Scheduler did in one epoch.
type Scheduling struct {
	Reward     Moments   `json:"reward"`     // over the mini-batches
	ByQuantile []Moments `json:"byQuantile"` // rewards by the mini-batch's mean quantile: [0, .1), [.1, .2), ... [.9, 1), and 1
	Classes    []Class   `json:"classes"`    // anchors by the complexity of their captions, simple first
	Quantiles  []int     `json:"quantiles"`  // chosen ones, counted as ByQuantile
	Followed   []Pick    `json:"followed"`   // what some anchors, the same in every epoch, got
	I2T        []int     `json:"i2t"`        // similarities by the epoch's embeddings; see negative.Scheduler
	T2I        []int     `json:"t2i"`
}

// Complexity names the classes of anchors.
var Complexity = [3]string{"simple", "middle", "complex"}

// Class are the anchors of like complexity: a third of the training captions, by their number of words.
type Class struct {
	Words    [2]int  `json:"words"` // fewest and most
	Quantile Moments `json:"quantile"`
	A        Moments `json:"a"` // of the predicted Beta distributions
	B        Moments `json:"b"`
	Negative int     `json:"negative"` // picked negatives, image to caption and caption to image, whose truth is known
	True     int     `json:"true"`     // of these, the true pairs
}

// Pick is one anchor's choice.
type Pick struct {
	Anchor   int            `json:"anchor"` // pair
	Picked   int            `json:"picked"` // pair
	Quantile float64        `json:"quantile"`
	Beta     scheduler.Beta `json:"beta"`
}

// Moments gather numbers to their mean and standard deviation.
type Moments struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	M2   float64 `json:"m2"` // sum of squared deviations (Welford)
}

// Add takes one more number in.
func (m *Moments) Add(x float64) {
	m.N++
	off := x - m.Mean
	m.Mean += off / float64(m.N)
	m.M2 += off * (x - m.Mean)
}

// Merge takes the numbers of another sample in (Chan, Golub and LeVeque, 1979).
func (m *Moments) Merge(o Moments) {
	if o.N == 0 {
		return
	}
	share := float64(o.N) / float64(m.N+o.N)
	off := o.Mean - m.Mean
	m.M2 += o.M2 + off*off*float64(m.N)*share
	m.Mean += off * share
	m.N += o.N
}

// Std is the standard deviation of the sample, 0 of fewer than two.
func (m Moments) Std() float64 {
	if m.N < 2 {
		return 0
	}
	return math.Sqrt(m.M2 / float64(m.N-1))
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
func (s *Scheduling) add(choices []negative.Choice, reward float64, c classes, relation datasets.Relation, pairs []datasets.Pair) {
	if s.Classes == nil {
		s.ByQuantile, s.Quantiles = make([]Moments, quantileBins), make([]int, quantileBins)
		for _, words := range c.words {
			s.Classes = append(s.Classes, Class{Words: words})
		}
	}
	var mean Moments
	for _, choice := range choices {
		mean.Add(choice.Quantile)
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
			s.Followed = append(s.Followed, Pick(choice))
		}
	}
	s.Reward.Add(reward)
	s.ByQuantile[quantileBin(mean.Mean)].Add(reward)
}
