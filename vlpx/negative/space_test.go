package negative

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestKth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(rapid.Uint64Range(0, 50), 1, 80).Draw(t, "keys")
		k := rapid.IntRange(0, len(keys)-1).Draw(t, "k")
		want := slices.Sorted(slices.Values(keys))[k]
		if got := kth(keys, k); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	})
}

func TestSortKey(t *testing.T) {
	ascending := []struct {
		similarity float32
		entry      uint32
	}{
		{float32(math.Inf(-1)), 0}, {-1, 9}, {-1, 3}, {-0.5, 0}, {-1e-40, 0},
		{float32(math.Copysign(0, -1)), 6}, {0, 5}, {float32(math.Copysign(0, -1)), 4}, {1e-40, 8}, {0.5, 1}, {1, math.MaxUint32}, {1, 0},
	}
	for i, a := range ascending {
		key := sortKey(a.similarity, a.entry)
		if got := ^uint32(key); got != a.entry {
			t.Errorf("key of %v gives entry %d", a, got)
		}
		if i > 0 && sortKey(ascending[i-1].similarity, ascending[i-1].entry) >= key {
			t.Errorf("key of %v is not below that of %v", ascending[i-1], a)
		}
	}
}

// Four entries on a line: the anchor's similarities to the others are 1, 2, 3 times its own coordinate.
func TestPickByQuantile(t *testing.T) {
	coordinates := []float32{1, 3, 1, 2}
	for _, c := range []struct {
		quantile float64
		want     int
	}{
		// positions 0, 0.48, 0.5 -> 0, 0.52, 1, 1.48, 1.5 -> 2, 2
		{0, 2}, {0.24, 2}, {0.25, 2}, {0.26, 3}, {0.5, 3}, {0.74, 3}, {0.75, 1}, {1, 1},
	} {
		s := newSpace(coordinates, coordinates, 1, []int{0, 1, 2, 3})
		s.take(0)
		if got := s.pick(imageRanksTexts, c.quantile); got != c.want {
			t.Errorf("quantile %v: got entry %d, want %d", c.quantile, got, c.want)
		}
	}
}
