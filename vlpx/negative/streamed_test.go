package negative

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// shardsOf are the first pairs of shards that begin every so many of n.
func shardsOf(n, each int) (first []int) {
	for at := 0; at < n; at += each {
		first = append(first, at)
	}
	return first
}

// readInTurn is the plain way to read shards: each worker has a list of shards and a place in the first of them.
func readInTurn(shards [][]int, workers int) (read []int) {
	dealt := make([][][]int, workers)
	for place, shard := range shards {
		dealt[place%workers] = append(dealt[place%workers], shard)
	}
	for left := true; left; {
		left = false
		for w := range dealt {
			for len(dealt[w]) > 0 && len(dealt[w][0]) == 0 {
				dealt[w] = dealt[w][1:]
			}
			if len(dealt[w]) > 0 {
				read = append(read, dealt[w][0][0])
				dealt[w][0] = dealt[w][0][1:]
				left = true
			}
		}
	}
	return read
}

// Workers read as in the plain way; what is in an epoch is what was read, and no pair comes earlier than the buffer lets it.
func TestStreamedOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := Start{
			Pairs: rapid.IntRange(2, 80).Draw(t, "pairs"), BatchSize: 2, Dim: 1, Epochs: 1, Seed: rapid.Uint64().Draw(t, "seed"),
		}
		run.Shards = shardsOf(run.Pairs, rapid.IntRange(1, 30).Draw(t, "pairs a shard"))
		workers, buffer := rapid.IntRange(1, 6).Draw(t, "workers"), rapid.IntRange(1, 100).Draw(t, "buffer")
		order := seeded(run.Seed).perm(shardShuffle, 0, 0, len(run.Shards))
		var shards [][]int
		for _, shard := range order {
			var pairs []int
			for pair := run.Shards[shard]; pair < run.Pairs && (shard+1 == len(run.Shards) || pair < run.Shards[shard+1]); pair++ {
				pairs = append(pairs, pair)
			}
			shards = append(shards, pairs)
		}
		want := readInTurn(shards, workers)
		read := streamed(run, order, workers)
		if !slices.Equal(read, want) {
			t.Fatalf("%d workers read %v, want %v", workers, read, want)
		}
		got := slices.Concat(epochOf(t, started(t, Streamed{Workers: workers, Buffer: buffer}, run), run, 0)...)
		for place, pair := range got {
			if at := slices.Index(read, pair); at < 0 || at-place >= buffer {
				t.Fatalf("pair %d, read at place %d, comes at %d of %v: the buffer holds %d", pair, at, place, got, buffer)
			}
		}
		if buffer == 1 && !slices.Equal(got, read[:len(got)]) {
			t.Fatalf("without buffer: got %v, want what was read, %v", got, read)
		}
	})
}

// One worker without buffer reads the shards one after another, each from its beginning to its end, in another order every epoch.
func TestStreamedReadsWholeShards(t *testing.T) {
	run := Start{Pairs: 96, BatchSize: 8, Dim: 1, Epochs: 3, Seed: 5, Shards: shardsOf(96, 12)}
	sampler := started(t, Streamed{}, run)
	var orders []string
	for e := range run.Epochs {
		got := slices.Concat(epochOf(t, sampler, run, e)...)
		var order strings.Builder
		for at := 0; at < len(got); at += 12 {
			order.WriteByte('a' + byte(got[at]/12))
			for k := range 12 {
				if got[at+k] != got[at]+k || got[at]%12 != 0 {
					t.Fatalf("epoch %d reads %v, want a whole shard", e, got[at:at+12])
				}
			}
		}
		if slices.Contains(orders, order.String()) {
			t.Errorf("epoch %d has the order %s of an earlier one", e, order.String())
		}
		orders = append(orders, order.String())
	}
}

// A buffer that holds all pairs shuffles uniformly: each pair is at each place as often, within five standard deviations.
func TestShuffledByALargeBuffer(t *testing.T) {
	const pairs, draws = 6, 6000
	all := []int{0, 1, 2, 3, 4, 5}
	var counts [pairs][pairs]float64
	r := rand.New(rand.NewPCG(1, 2))
	for range draws {
		for place, pair := range shuffled(all, 100, r) {
			counts[pair][place]++
		}
	}
	for pair, row := range counts {
		for place, n := range row {
			if want := draws / float64(pairs); math.Abs(n-want) > 5*math.Sqrt(want) {
				t.Errorf("pair %d is at place %d %v times, want about %v", pair, place, n, want)
			}
		}
	}
}

// The smaller the buffer, the more often pairs of one shard share a mini-batch; a uniform order has them together by chance.
func TestStreamedKeepsShardsTogether(t *testing.T) {
	run := Start{Pairs: 2000, BatchSize: 20, Dim: 1, Epochs: 1, Seed: 3, Shards: shardsOf(2000, 100)}
	together := func(b Batches) float64 {
		same, all := 0., 0.
		for _, batch := range epochOf(t, started(t, b, run), run, 0) {
			for i, p := range batch {
				for _, q := range batch[:i] {
					all++
					if p/100 == q/100 {
						same++
					}
				}
			}
		}
		return same / all
	}
	if got := together(Streamed{}); got != 1 {
		t.Errorf("no buffer: %.3f of the pairs of a mini-batch share a shard, want all", got)
	}
	last := 1.
	for _, buffer := range []int{100, 400, 2000} {
		got := together(Streamed{Buffer: buffer})
		if got >= last {
			t.Errorf("a buffer of %d: %.3f share a shard, want less than %.3f", buffer, got, last)
		}
		last = got
	}
	if uniform := together(Uniform{}); math.Abs(last-uniform) > .01 {
		t.Errorf("a buffer of all pairs: %.3f share a shard, want about %.3f as in a uniform order", last, uniform)
	}
	if got := together(Streamed{Workers: 5}); math.Abs(got-.158) > .001 { // 4 of a shard: 5 x C(4, 2) of C(20, 2)
		t.Errorf("five workers: %.3f share a shard, want .158", got)
	}
}

// The state of a run on other shards, or with another buffer, is refused.
func TestStreamedStateOfOthers(t *testing.T) {
	run := Start{Pairs: 20, BatchSize: 4, Dim: 1, Epochs: 1, Shards: []int{0, 10}}
	state := must.Get(started(t, Streamed{Buffer: 3}, run).MarshalBinary())(t)
	moved := run
	moved.Shards = []int{0, 11}
	for name, s := range map[string]Sampler{
		"buffer": started(t, Streamed{Buffer: 4}, run), "workers": started(t, Streamed{Workers: 2, Buffer: 3}, run), "shards": started(t,
			Streamed{Buffer: 3}, moved),
	} {
		must.Fail(t, s.UnmarshalBinary(state), "another run", "another %s", name)
	}
	if err := started(t, Streamed{Buffer: 3, Workers: 1}, run).UnmarshalBinary(state); err != nil {
		t.Error(err)
	}
}
