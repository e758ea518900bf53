package negative

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// slowGrouping is METHODS.md 3.4 for one epoch, step by step: a ring, its pointer, and a remainder grouped after the last
// step. It returns the next epoch's mini-batches.
func slowGrouping(run Start, g Grouped, q float64, e int, batches [][]int) [][]int {
	type entry struct {
		pair        int
		image, text []float32
	}
	draw := seeded(run.Seed)
	ring := make([]entry, g.Queue)
	ptr := 0
	var out []int
	group := func(entries []entry) {
		start := draw.below(chainStart, e, len(out), len(entries)-1)
		var image, text []float32
		for _, x := range entries {
			image, text = append(image, x.image...), append(text, x.text...)
		}
		for _, i := range slowChain(image, text, run.Dim, start, q) {
			out = append(out, entries[i].pair)
		}
	}
	for k, pairs := range batches {
		o := seen(run, e, pairs)
		for i, pair := range pairs {
			ring[ptr+i] = entry{pair, o.Image[i*run.Dim : (i+1)*run.Dim], o.Text[i*run.Dim : (i+1)*run.Dim]}
		}
		ptr = (ptr + run.BatchSize) % g.Queue
		if ptr != 0 && k != len(batches)-1 {
			continue
		}
		filled := ptr
		if filled == 0 {
			filled = g.Queue
		}
		shuffled := make([]entry, filled)
		for i, from := range draw.perm(exampleShuffle, e, len(out), filled) {
			shuffled[i] = ring[from]
		}
		full := filled / g.SearchSpace * g.SearchSpace
		for at := 0; at < full; at += g.SearchSpace {
			group(shuffled[at : at+g.SearchSpace])
		}
		if filled > full {
			group(shuffled[full:])
		}
	}
	var next [][]int
	for _, k := range draw.perm(batchShuffle, e+1, 0, len(batches)) {
		next = append(next, out[k*run.BatchSize:(k+1)*run.BatchSize])
	}
	return next
}

func TestGroupedAgainstRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, run := drawRun(t)
		space := run.BatchSize * rapid.IntRange(1, 5).Draw(t, "batches a search space, again")
		g := Grouped{SearchSpace: space, Queue: space * rapid.IntRange(1, 4).Draw(t, "search spaces a queue, again")}
		q := rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "quantile")
		sampler := started(t, FixedQuantile{Quantile: q, SearchSpace: g.SearchSpace, Queue: g.Queue}, run)
		var want [][]int
		for e := range run.Epochs {
			got := epochOf(t, sampler, run, e)
			if e > 0 && fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("epoch %d: got %v, want %v", e, got, want)
			}
			want = slowGrouping(run, g, q, e, got)
		}
	})
}

// Grouped is FixedQuantile at quantile 1.
func TestGroupedTakesTheMostSimilar(t *testing.T) {
	run := Start{Pairs: 50, BatchSize: 3, Dim: 4, Epochs: 3, Seed: 5}
	one := started(t, Grouped{SearchSpace: 12, Queue: 24}, run)
	two := started(t, FixedQuantile{Quantile: 1, SearchSpace: 12, Queue: 24}, run)
	for e := range run.Epochs {
		if got, want := fmt.Sprint(epochOf(t, one, run, e)), fmt.Sprint(epochOf(t, two, run, e)); got != want {
			t.Errorf("epoch %d: got %s, want %s", e, got, want)
		}
	}
}

// Pair p has the embedding of cluster p mod 8, the clusters are orthogonal and as large as a mini-batch. A chain at quantile 1
// leaves a cluster only when it is used up, so every mini-batch is one cluster; at quantile 0 no hop stays in a cluster while
// pairs of another are left, so only a chain's end may.
func TestClusters(t *testing.T) {
	const clusters, batch = 8, 4
	run := Start{Pairs: clusters * batch, BatchSize: batch, Dim: clusters, Epochs: 2, Seed: 9}
	for _, c := range []struct {
		quantile float64
		pure     int // mini-batches of one cluster
	}{{1, clusters}, {0, 0}} {
		sampler := started(t, FixedQuantile{Quantile: c.quantile, SearchSpace: 32, Queue: 32}, run)
		var pure int
		for e := range 2 {
			must.Get(sampler.Epoch(e))(t)
			pure = 0
			for range clusters {
				pairs := must.Get(sampler.Next())(t)
				in := map[int]bool{}
				o := Observation{Pairs: pairs, Image: make([]float32, batch*clusters), Text: make([]float32, batch*clusters)}
				for i, pair := range pairs {
					in[pair%clusters] = true
					o.Image[i*clusters+pair%clusters], o.Text[i*clusters+pair%clusters] = 1, 1
				}
				must.Do(t, sampler.Observe(o))
				if len(in) == 1 {
					pure++
				}
			}
		}
		if pure != c.pure {
			t.Errorf("quantile %v: %d mini-batches hold one cluster only, want %d", c.quantile, pure, c.pure)
		}
	}
}

// The published code never re-admits what epoch 0 drops; with Readmit what an epoch drops is in the next one.
func TestReadmit(t *testing.T) {
	run := Start{Pairs: 43, BatchSize: 4, Dim: 3, Epochs: 6, Seed: 2}
	absences := func(readmit bool) [][]int {
		sampler := started(t, Grouped{SearchSpace: 8, Queue: 16, Readmit: readmit}, run)
		var all [][]int
		for e := range run.Epochs {
			present := slices.Concat(epochOf(t, sampler, run, e)...)
			var absent []int
			for pair := range run.Pairs {
				if !slices.Contains(present, pair) {
					absent = append(absent, pair)
				}
			}
			all = append(all, absent)
		}
		return all
	}
	for e, absent := range absences(false) {
		if first := absences(false)[0]; !slices.Equal(absent, first) {
			t.Errorf("epoch %d drops %v, epoch 0 %v", e, absent, first)
		}
	}
	all := absences(true)
	for e := 1; e < run.Epochs; e++ {
		if len(all[e]) != 3 {
			t.Errorf("epoch %d drops %v, want 3 pairs", e, all[e])
		}
		for _, pair := range all[e] {
			if slices.Contains(all[e-1], pair) {
				t.Errorf("pair %d sits out epochs %d and %d", pair, e-1, e)
			}
		}
	}
}

func TestGroupedDefaults(t *testing.T) {
	s := started(t, Grouped{}, Start{Pairs: 200, BatchSize: 96, Dim: 2, Epochs: 1}).(*groupedSampler)
	if s.SearchSpace != 1920 || s.Queue != 48000 {
		t.Errorf("got search space %d and queue %d, want the published 1920 and 48000", s.SearchSpace, s.Queue)
	}
}

func TestGroupedRefusesBadEmbeddings(t *testing.T) {
	run := Start{Pairs: 8, BatchSize: 4, Dim: 2, Epochs: 2}
	s := started(t, Grouped{SearchSpace: 4, Queue: 8}, run)
	must.Get(s.Epoch(0))(t)
	pairs := must.Get(s.Next())(t)
	narrow, nan, infinite := seen(run, 0, pairs), seen(run, 0, pairs), seen(run, 0, pairs)
	narrow.Text = narrow.Text[:7]
	nan.Image[5] = float32(math.NaN())
	infinite.Text[7] = float32(math.Inf(1))
	for _, c := range []struct {
		seen Observation
		want string
	}{
		{narrow, "8 image and 7 text numbers"},
		{nan, fmt.Sprintf("pair %d is not finite", pairs[2])},
		{infinite, fmt.Sprintf("pair %d is not finite", pairs[3])},
	} {
		must.Fail(t, s.Observe(c.seen), c.want)
	}
	if err := s.Observe(seen(run, 0, pairs)); err != nil {
		t.Errorf("a good observation after refused ones: %v", err)
	}
}

// One epoch of Flickr8k's size: what grouping adds to an epoch on the host.
func BenchmarkGroupedEpoch(b *testing.B) {
	run := Start{Pairs: 30000, BatchSize: 96, Dim: 256, Epochs: 2}
	image, text := embeddings(run.BatchSize, run.Dim, 1)
	b.ReportAllocs()
	for b.Loop() {
		s := must.Get(Grouped{SearchSpace: 1920, Queue: 48000}.Start(run))(b)
		steps := must.Get(s.Epoch(0))(b)
		for range steps {
			pairs := must.Get(s.Next())(b)
			must.Do(b, s.Observe(Observation{Pairs: pairs, Image: image, Text: text}))
		}
	}
}
