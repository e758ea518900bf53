package negative

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// seen are the embeddings that a made-up model has of a mini-batch in an epoch: multiples of 1/8, so that products are exact
// and tie often.
func seen(run Start, epoch int, pairs []int) Observation {
	o := Observation{Pairs: pairs, Temperature: 0.07}
	for _, pair := range pairs {
		for d := range run.Dim {
			o.Image = append(o.Image, float32((pair*7+d*3+epoch*pair)%9-4)/8)
			o.Text = append(o.Text, float32((pair*5+d*d+epoch)%11-5)/8)
		}
	}
	return o
}

// epochOf runs an epoch and returns its mini-batches.
func epochOf(t rapid.TB, s Sampler, run Start, e int) [][]int {
	t.Helper()
	steps, err := s.Epoch(e)
	if err != nil {
		t.Fatal(err)
	}
	var batches [][]int
	for range steps {
		pairs, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		batches = append(batches, slices.Clone(pairs))
		if err := s.Observe(seen(run, e, pairs)); err != nil {
			t.Fatal(err)
		}
	}
	return batches
}

func started(t rapid.TB, b Batches, run Start) Sampler {
	t.Helper()
	s, err := b.Start(run)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func drawRun(t *rapid.T) (Batches, Start) {
	batch := rapid.IntRange(2, 5).Draw(t, "batch")
	run := Start{
		BatchSize: batch,
		Pairs:     rapid.IntRange(batch, 60).Draw(t, "pairs"),
		Dim:       rapid.IntRange(1, 6).Draw(t, "dim"),
		Epochs:    rapid.IntRange(1, 4).Draw(t, "epochs"),
		Seed:      rapid.Uint64().Draw(t, "seed"),
	}
	for first := 0; first < run.Pairs; first += rapid.IntRange(1, 20).Draw(t, "pairs a shard") {
		run.Shards = append(run.Shards, first)
	}
	space := batch * rapid.IntRange(1, 5).Draw(t, "batches a search space")
	queue := space * rapid.IntRange(1, 4).Draw(t, "search spaces a queue")
	readmit := rapid.Bool().Draw(t, "readmit")
	var named []Batches
	for _, m := range registered(batch) {
		named = append(named, m.Sized(Sizes{SearchSpace: space, GroupQueue: queue}).Batches)
	}
	return rapid.SampledFrom(append(named, []Batches{
		Uniform{},
		Streamed{Workers: rapid.IntRange(0, 5).Draw(t, "workers"), Buffer: rapid.IntRange(0, 70).Draw(t, "buffer")},
		Grouped{SearchSpace: space, Queue: queue, Readmit: readmit},
		FixedQuantile{Quantile: 0.3, SearchSpace: space, Queue: queue, Readmit: readmit},
		Progressive{From: 0.2, To: 0.9, SearchSpace: space, Queue: queue, Readmit: readmit},
		byText{},
	}...)).Draw(t, "batches"), run
}

// A run that is interrupted at any points, with up to two mini-batches prefetched, yields what an uninterrupted one does.
func TestResume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batches, run := drawRun(t)
		whole := started(t, batches, run)
		sampler := started(t, batches, run)
		interrupt := func() {
			if !rapid.Bool().Draw(t, "interrupt") {
				return
			}
			state, err := sampler.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			sampler = started(t, batches, run)
			if err := sampler.UnmarshalBinary(state); err != nil {
				t.Fatal(err)
			}
			again, err := sampler.MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(state, again) {
				t.Error("the state changes by unmarshalling and marshalling it")
			}
		}
		for e := range run.Epochs {
			want := epochOf(t, whole, run, e)
			interrupt()
			var flight [][]int
			for k := 0; k < len(want); {
				if steps, err := sampler.Epoch(e); err != nil || steps != len(want) {
					t.Fatalf("epoch %d: %d steps, error %v; want %d", e, steps, err, len(want))
				}
				most := 3
				if learner, learns := batches.(Rewarded); learns {
					most = 1 + learner.Ahead(e)
				}
				for ahead := rapid.IntRange(1, most).Draw(t, "ahead"); len(flight) < ahead && k+len(flight) < len(want); {
					pairs, err := sampler.Next()
					if err != nil {
						t.Fatal(err)
					}
					flight = append(flight, pairs)
				}
				if !slices.Equal(flight[0], want[k]) {
					t.Fatalf("epoch %d, mini-batch %d: got %v, want %v", e, k, flight[0], want[k])
				}
				if err := sampler.Observe(seen(run, e, flight[0])); err != nil {
					t.Fatal(err)
				}
				flight = flight[1:]
				k++
				before := sampler
				if interrupt(); sampler != before {
					flight = nil
				}
			}
		}
	})
}

// Every epoch holds distinct pairs, as many as fill whole mini-batches.
func TestEpochsHoldDistinctPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batches, run := drawRun(t)
		sampler := started(t, batches, run)
		for e := range run.Epochs {
			got := epochOf(t, sampler, run, e)
			pairs := slices.Sorted(slices.Values(slices.Concat(got...)))
			if want := run.Pairs / run.BatchSize; len(got) != want {
				t.Errorf("epoch %d: %d mini-batches, want %d", e, len(got), want)
			}
			if n := len(slices.Compact(slices.Clone(pairs))); n != len(pairs) || pairs[0] < 0 || pairs[n-1] >= run.Pairs {
				t.Errorf("epoch %d: pairs %v are not distinct ones of %d", e, pairs, run.Pairs)
			}
		}
	})
}

func TestSeedsDiffer(t *testing.T) {
	run := Start{Pairs: 100, BatchSize: 4, Dim: 2, Epochs: 2}
	other := run
	other.Seed = 1
	for _, b := range []Batches{Uniform{}, Streamed{Buffer: 20}, Grouped{SearchSpace: 8, Queue: 16}, byText{},
		Scheduled{SearchSpace: 8, Quantiles: 3}} {
		one, two, three := started(t, b, run), started(t, b, run), started(t, b, other)
		for e := range 2 {
			first := fmt.Sprint(epochOf(t, one, run, e))
			if again := fmt.Sprint(epochOf(t, two, run, e)); again != first {
				t.Errorf("%T, epoch %d: the same seed gives %s and %s", b, e, first, again)
			}
			if changed := fmt.Sprint(epochOf(t, three, other, e)); changed == first {
				t.Errorf("%T, epoch %d: another seed gives the same", b, e)
			}
		}
	}
}

func TestStartErrors(t *testing.T) {
	good := Start{Pairs: 100, BatchSize: 4, Dim: 2, Epochs: 2}
	with := func(change func(*Start)) Start {
		run := good
		change(&run)
		return run
	}
	for _, c := range []struct {
		batches Batches
		run     Start
		want    string
	}{
		{Uniform{}, with(func(s *Start) { s.BatchSize = 1 }), "batch size 1"},
		{Uniform{}, with(func(s *Start) { s.Pairs = 3 }), "3 pairs do not fill"},
		{Uniform{}, with(func(s *Start) { s.Dim = 0 }), "width 0"},
		{byText{}, with(func(s *Start) { s.Epochs = 0 }), "0 epochs"},
		{Uniform{}, with(func(s *Start) { s.Shards = []int{0, 7, 7} }), "shard 2 begins at pair 7 of 100"},
		{Streamed{}, with(func(s *Start) { s.Shards = []int{3, 7} }), "shard 0 begins at pair 3"},
		{Streamed{}, with(func(s *Start) { s.Shards = []int{0, 100} }), "shard 1 begins at pair 100 of 100"},
		{Streamed{Workers: -1}, good, "-1 workers; use at least 1"},
		{Streamed{Buffer: -2}, good, "a shuffle buffer of -2 pairs"},
		{Grouped{}, with(func(s *Start) { s.Epochs = 0 }), "0 epochs"},
		{Grouped{SearchSpace: 10}, good, "search space 10 is no multiple of the batch size 4; take searchspace=12"},
		{Grouped{SearchSpace: 8, Queue: 20}, good, "queue 20 is no multiple of the search space 8; take groupqueue=24"},
		{Grouped{SearchSpace: -8}, good, "search space -8"},
		{FixedQuantile{Quantile: 1.5, SearchSpace: 8}, good, "quantile 1.5"},
		{Progressive{From: 0.5, To: -1, SearchSpace: 8}, good, "quantile -1"},
	} {
		must.Fail(t, must.Err(c.batches.Start(c.run)), c.want, "%#v on %+v", c.batches, c.run)
	}
}

func TestMisuse(t *testing.T) {
	run := Start{Pairs: 10, BatchSize: 4, Dim: 2, Epochs: 2}
	for _, b := range []Batches{Uniform{}, Streamed{}, Grouped{SearchSpace: 4, Queue: 8}, byText{},
		Scheduled{SearchSpace: 8, Quantiles: 3, Hidden: 4}} {
		s := started(t, b, run)
		fails := func(what, want string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%T: %s: error %v, want one with %q", b, what, err, want)
			}
		}
		_, err := s.Next()
		fails("Next before Epoch", "call Epoch(0)", err)
		_, err = s.Epoch(1)
		fails("Epoch skipped", "the next one is 0", err)
		must.Get(s.Epoch(0))(t)
		fails("Observe before Next", "call Next first", s.Observe(seen(run, 0, []int{0, 1, 2, 3})))
		first, _ := s.Next()
		second, _ := s.Next()
		fails("observed out of order", "out of order", s.Observe(seen(run, 0, second)))
		_, err = s.Next()
		fails("Next after the last", "call Epoch(1)", err)
		if err := s.Observe(seen(run, 0, first)); err != nil {
			t.Error(err)
		}
		_, err = s.Epoch(1)
		fails("Epoch too early", "1 of 2 observed", err)
		if err := s.Observe(seen(run, 0, second)); err != nil {
			t.Error(err)
		}
		epochOf(t, s, run, 1)
		_, err = s.Epoch(2)
		fails("Epoch beyond the run", "a run of 2 epochs", err)

		state := must.Get(s.MarshalBinary())(t)
		longer := run
		longer.Pairs++
		fails("state of another run", "another run", started(t, b, longer).UnmarshalBinary(state))
		fails("state cut off", "cut off", s.UnmarshalBinary(state[:len(state)-1]))
		fails("state too long", "too many", s.UnmarshalBinary(append(state, 0)))
		fails("no state", "cut off", s.UnmarshalBinary(nil))
	}
}

// The JSON of the parts is part of a run's identity: changing it orphans stored results.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		batches Batches
		want    string
	}{
		{Uniform{}, `{}`},
		{Streamed{Workers: 4, Buffer: 100}, `{"Workers":4,"Buffer":100}`},
		{Grouped{SearchSpace: 8, Queue: 16}, `{"SearchSpace":8,"Queue":16}`},
		{Grouped{SearchSpace: 8, Readmit: true}, `{"SearchSpace":8,"Queue":0,"Readmit":true}`},
		{FixedQuantile{Quantile: 0.5, SearchSpace: 8}, `{"Quantile":0.5,"SearchSpace":8,"Queue":0}`},
		{Progressive{From: 0.5, To: 1, SearchSpace: 8}, `{"From":0.5,"To":1,"SearchSpace":8,"Queue":0}`},
	} {
		got, err := json.Marshal(c.batches)
		if err != nil || string(got) != c.want {
			t.Errorf("got %s, error %v; want %s", got, err, c.want)
		}
	}
}

// Whatever the bytes are, UnmarshalBinary fails or leaves a sampler that finishes its run.
func FuzzUnmarshalBinary(f *testing.F) {
	run := Start{Pairs: 10, BatchSize: 2, Dim: 2, Epochs: 2}
	kinds := []Batches{Uniform{}, Streamed{Workers: 2, Buffer: 3}, Grouped{SearchSpace: 4, Queue: 8}, byText{},
		Scheduled{SearchSpace: 4, Quantiles: 2, Hidden: 2}}
	for _, b := range kinds {
		s := started(f, b, run)
		for k := range 5 {
			must.Get(s.Epoch(0))(f)
			pairs := must.Get(s.Next())(f)
			must.Do(f, s.Observe(seen(run, 0, pairs)))
			state := must.Get(s.MarshalBinary())(f)
			f.Add(state)
			f.Add(state[:len(state)*k/5])
		}
	}
	f.Fuzz(func(t *testing.T, state []byte) {
		for _, b := range kinds {
			s := started(t, b, run)
			if s.UnmarshalBinary(state) != nil {
				continue
			}
			for e := range run.Epochs {
				steps, err := s.Epoch(e)
				if err != nil {
					continue // an epoch that the state is past
				}
				for range steps {
					pairs, err := s.Next()
					if err != nil {
						break // the state is further in this epoch
					}
					must.Do(t, s.Observe(seen(run, e, pairs)))
				}
			}
			must.Get(s.Epoch(run.Epochs - 1))(t)
			if _, err := s.Next(); err == nil {
				t.Error("mini-batches are left after the run")
			}
		}
	})
}
