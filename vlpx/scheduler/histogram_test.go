package scheduler

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"vlpx.internal/vlpx/random"
)

// A histogram gives the quantiles of the sorted row to the bit, and buckets that keep the row's order and are no larger than its bins make
// them.
func TestHistogramIsTheSort(t *testing.T) {
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		n, quantiles := rapid.IntRange(2, 3000).Draw(t, "members"), rapid.IntRange(2, 120).Draw(t, "quantiles")
		self := rapid.IntRange(0, n-1).Draw(t, "self")
		scale := rapid.SampledFrom([]float64{1, 1e-6, 1e6}).Draw(t, "scale")
		few := rapid.SampledFrom([]float64{0, 1, 100}).Draw(t, "steps of ties")
		source := random.Stream(rapid.Uint64().Draw(t, "seed"), "row")
		row := make([]float32, n)
		for i := range row {
			x := source.NormFloat64()
			if few > 0 {
				x = math.Round(x*few) / few
			}
			row[i] = float32(scale*x) + 0 // no -0
		}
		row[self] = float32(100 * scale) // which does not count
		h := newHistogram(n-1, quantiles)
		if !h.fill(row, self) {
			return
		}
		told++
		buckets := make([]uint8, n)
		h.bucket(row, self, buckets)
		order := newSorter(n).sort(row, self)
		for _, rank := range h.ranks {
			if want := keyFloat(uint32(order[rank] >> 32)); h.sorted[rank] != want {
				t.Fatalf("rank %d of %d: got %v, want %v", rank, n-1, h.sorted[rank], want)
			}
		}
		var size [bucketCount]int
		for rank, key := range order {
			size[buckets[uint32(key)]]++
			if rank > 0 && buckets[uint32(key)] < buckets[uint32(order[rank-1])] {
				t.Fatalf("rank %d is in bucket %d, the one before in %d", rank, buckets[uint32(key)], buckets[uint32(order[rank-1])])
			}
		}
		if most := (n-1)/bucketCount + 1 + max((n-1)/crowdShare, crowdLeast); slices.Max(size[:]) > most {
			t.Fatalf("a bucket has %d of %d members; want %d at most", slices.Max(size[:]), n-1, most)
		}
	})
	if told < 20 {
		t.Errorf("histograms told the members of %d rows apart; the test wants more", told)
	}
}

// Rows whose bins would hold too many are left to the sort.
func TestHistogramRefuses(t *testing.T) {
	const n = 5000
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for what, x := range map[string]func(i int) float32{
		"equals":          func(int) float32 { return 0.5 },
		"two kinds":       func(i int) float32 { return float32(i % 2) },
		"an outlier":      func(i int) float32 { return map[bool]float32{true: 1e4}[i == 7] + float32(i)/n },
		"no number":       func(i int) float32 { return map[bool]float32{true: nan}[i == 7] + float32(i) },
		"an infinite one": func(i int) float32 { return map[bool]float32{true: inf}[i == 7] + float32(i) },
		"huge ones":       func(i int) float32 { return (float32(i)/n - 0.5) * 3e38 * 2 },
		"denormal ones":   func(i int) float32 { return math.Float32frombits(uint32(i)) },
	} {
		row := make([]float32, n)
		for i := range row {
			row[i] = x(i)
		}
		if newHistogram(n-1, 100).fill(row, 3) {
			t.Errorf("%s: the histogram takes the row", what)
		}
	}
	plain := make([]float32, n)
	for i := range plain {
		plain[i] = float32(i * i % 4999)
	}
	if !newHistogram(n-1, 100).fill(plain, 3) {
		t.Error("the histogram refuses a row of numbers evenly apart")
	}
}
