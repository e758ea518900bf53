package negative

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/scheduler"
)

func TestMomentsAgainstGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.Float64Range(-1e4, 1e4).Draw(t, "offset")
		numbers := rapid.SliceOfN(rapid.Float64Range(-10, 10), 2, 50).Draw(t, "numbers")
		var m Moments
		for i := range numbers {
			numbers[i] += offset
			m.Add(numbers[i])
		}
		mean, std := stat.MeanStdDev(numbers, nil)
		if m.N != len(numbers) || math.Abs(m.Mean-mean) > 1e-9 || math.Abs(m.Std()-std) > 1e-7 {
			t.Fatalf("got %g ± %g of %d, want %g ± %g of %d", m.Mean, m.Std(), m.N, mean, std, len(numbers))
		}
	})
	var one Moments
	if one.Std() != 0 {
		t.Errorf("nothing: got a deviation of %g, want 0", one.Std())
	}
	if one.Add(3); one.Mean != 3 || one.Std() != 0 {
		t.Errorf("one number: got %g ± %g, want 3 ± 0", one.Mean, one.Std())
	}
}

func TestQuantileBin(t *testing.T) {
	for k := range quantileBins {
		edge := float64(k) / 10
		if got := quantileBin(edge); got != k {
			t.Errorf("%g: got bin %d, want %d", edge, got, k)
		}
		if got := quantileBin(edge - 1e-6); k > 0 && got != k-1 {
			t.Errorf("just below %g: got bin %d, want %d", edge, got, k-1)
		}
	}
}

// captioned is a set without pictures: the captions of each image.
type captioned [][]string

func (captioned) Name() string              { return "captioned" }
func (c captioned) Len() int                { return len(c) }
func (c captioned) Captions(i int) []string { return c[i] }
func (captioned) Key(int) string            { return "" }
func (captioned) Image(context.Context, int) (image.Image, error) {
	return nil, errors.New("no pictures")
}

// ofWords is a set of captions of so many words, two an image.
func ofWords(words []int) captioned {
	var set captioned
	for some := range slices.Chunk(words, 2) {
		var captions []string
		for _, n := range some {
			captions = append(captions, strings.Repeat("word ", n))
		}
		set = append(set, captions)
	}
	return set
}

// members are the pairs of each class, as newClasses has them.
func members(c classes) (of [3][]int) {
	for i, class := range c.of {
		of[class] = append(of[class], i)
	}
	return of
}

func TestClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.IntRange(1, 12), 1, 60).Draw(t, "words")
		set := ofWords(words)
		c := newClasses(set, datasets.Pairs(set))
		for i, a := range words {
			for j, b := range words {
				if a <= b && c.of[i] > c.of[j] || a == b && c.of[i] != c.of[j] {
					t.Fatalf("captions of %d and %d words are in classes %d and %d", a, b, c.of[i], c.of[j])
				}
			}
		}
		followed := 0
		for class, list := range members(c) {
			if len(list) == 0 {
				if c.words[class] != [2]int{} {
					t.Fatalf("class %d is empty, of %v words", class, c.words[class])
				}
				continue
			}
			var lengths []int
			for _, i := range list {
				lengths = append(lengths, words[i])
			}
			if want := [2]int{slices.Min(lengths), slices.Max(lengths)}; c.words[class] != want {
				t.Fatalf("class %d: got %v words, want %v", class, c.words[class], want)
			}
			here := slices.DeleteFunc(slices.Clone(c.followed), func(i int) bool { return !slices.Contains(list, i) })
			if want := min(5, len(list)); len(here) != want {
				t.Fatalf("class %d: %d of %d are followed, want %d", class, len(here), len(list), want)
			}
			followed += len(here)
		}
		if !slices.IsSorted(c.followed) || len(slices.Compact(slices.Clone(c.followed))) != followed {
			t.Fatalf("followed %v: want each once, in ascending order", c.followed)
		}
		if again := newClasses(set, datasets.Pairs(set)); !slices.Equal(again.followed, c.followed) {
			t.Fatalf("followed %v and then %v", c.followed, again.followed)
		}
	})
}

// Captions of which no two are of the same length fall into thirds, to one caption.
func TestClassesAreThirds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 60).Draw(t, "captions")
		words := make([]int, n)
		for i := range words {
			words[i] = i + 1
		}
		words = rapid.Permutation(words).Draw(t, "words")
		set := ofWords(words)
		for class, list := range members(newClasses(set, datasets.Pairs(set))) {
			if math.Abs(float64(len(list))-float64(n)/3) > 1 {
				t.Fatalf("class %d: got %d of %d captions", class, len(list), n)
			}
		}
	})
}

// judged reports what is known of an image and a caption.
type judged map[[2]int]bool

func (j judged) Holds(i, p int) (holds, known bool) {
	holds, known = j[[2]int{i, p}]
	return holds, known
}

// scheduled is an epoch of two mini-batches on three images of two captions: one whose relation is partly known, and one
// wholly at quantile 1 of which nothing is known.
func scheduled() (s Scheduling, first, second []Choice) {
	set := ofWords([]int{1, 2, 3, 4, 5, 6})
	pairs := datasets.Pairs(set)
	c := classes{of: []uint8{0, 0, 1, 1, 2, 2}, words: [][2]int{{1, 2}, {3, 4}, {5, 6}}, followed: []int{1, 4, 5}}
	first = []Choice{
		{Anchor: 0, Picked: 2, Quantile: 0.25, Beta: scheduler.Beta{A: 1, B: 2}},
		{Anchor: 2, Picked: 5, Quantile: 1, Beta: scheduler.Beta{A: 4, B: 1}},
		{Anchor: 5, Picked: 1, Quantile: 0.95, Beta: scheduler.Beta{A: 2, B: 2}},
	}
	second = []Choice{
		{Anchor: 1, Picked: 3, Quantile: 1, Beta: scheduler.Beta{A: 3, B: 4}},
		{Anchor: 4, Picked: 0, Quantile: 1, Beta: scheduler.Beta{A: 2, B: 6}},
	}
	relation := judged{{0, 2}: true, {1, 0}: false, {1, 5}: true, {2, 1}: false}
	s.add(first, 0.5, c, relation, pairs)
	s.add(second, -0.25, c, nil, pairs)
	return s, first, second
}

func TestSchedulingCounts(t *testing.T) {
	s, first, second := scheduled()
	if want := []int{0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 3}; !slices.Equal(s.Quantiles, want) {
		t.Errorf("got quantiles %v, want %v", s.Quantiles, want)
	}
	if s.Reward.N != 2 || s.Reward.Mean != 0.125 {
		t.Errorf("got the reward %+v, want a mean of 0.125 over two", s.Reward)
	}
	for k, want := range []struct {
		words          [2]int
		quantile, a, b float64
		negative, true int
	}{
		{[2]int{1, 2}, 0.625, 2, 3, 2, 1}, // both directions known, one of them true
		{[2]int{3, 4}, 1, 4, 1, 1, 1},     // true of one, the other unknown
		{[2]int{5, 6}, 0.975, 2, 4, 1, 0},
	} {
		got := s.Classes[k]
		if got.Words != want.words || math.Abs(got.Quantile.Mean-want.quantile) > 1e-12 || got.A.Mean != want.a || got.B.Mean != want.b {
			t.Errorf("%s: got %+v, want %+v", Complexity[k], got, want)
		}
		if got.Negative != want.negative || got.True != want.true {
			t.Errorf("%s: got %d true of %d negatives, want %d of %d", Complexity[k], got.True, got.Negative, want.true, want.negative)
		}
	}
	if want := []Choice{first[2], second[0], second[1]}; !slices.Equal(s.Followed, want) {
		t.Errorf("got followed %+v, want %+v", s.Followed, want)
	}
}

func TestSchedulingMetrics(t *testing.T) {
	s, _, _ := scheduled()
	metrics := s.Metrics()
	for name, want := range map[string]float64{
		MeanReward: 0.125, MeanQuantile: 0.84, ClassMean + "simple": 0.625, ClassMean + "middle": 1, ClassMean + "complex": 0.975,
		ClassChosen + "simple": 50, ClassChosen + "middle": 100, ClassChosen + "complex": 0,
	} {
		if got, ok := metrics[name]; !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: got %g, %v; want %g", name, got, ok, want)
		}
	}
	if len(metrics) != 8 {
		t.Errorf("got %d metrics, want 8: %v", len(metrics), metrics)
	}
	if got := (&Scheduling{I2T: []int{1}}).Metrics(); len(got) != 0 {
		t.Errorf("an epoch that is not scheduled: got %v, want none", got)
	}
}
