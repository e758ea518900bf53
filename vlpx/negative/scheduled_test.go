package negative

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/scheduler"
)

func drawScheduled(t *rapid.T) (Scheduled, Start) {
	batch := rapid.IntRange(2, 5).Draw(t, "batch")
	run := Start{
		BatchSize: batch,
		Pairs:     rapid.IntRange(batch, 40).Draw(t, "pairs"),
		Dim:       rapid.IntRange(1, 6).Draw(t, "dim"),
		Epochs:    rapid.IntRange(1, 4).Draw(t, "epochs"),
		Seed:      rapid.Uint64().Draw(t, "seed"),
	}
	return Scheduled{
		SearchSpace: batch * rapid.IntRange(1, 5).Draw(t, "batches a search space"),
		Quantiles:   4, Hidden: 6, Blocks: 1, Rate: 0.05,
		Shared:    rapid.Bool().Draw(t, "shared"),
		Baseline:  rapid.SampledFrom([]float64{0, 0.9}).Draw(t, "baseline"),
		Remaining: rapid.Bool().Draw(t, "over the remaining"),
		LogRank:   rapid.Bool().Draw(t, "logarithm of the rank"),
		Lookahead: rapid.IntRange(0, 3).Draw(t, "lookahead"),
	}, run
}

// improved is seen with a reward that depends on the mini-batch.
func improved(run Start, epoch int, pairs []int) Observation {
	o := seen(run, epoch, pairs)
	for i, pair := range pairs {
		o.Improvement += math.Sin(float64(pair*(i+1) + epoch))
	}
	return o
}

// A run that is interrupted after any observations yields what an uninterrupted one does, with the mini-batches ahead that
// the scheduler allows: they were built by the policy of their time.
func TestScheduledResume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batches, run := drawScheduled(t)
		epochs := func(interrupted bool) (all [][]int) {
			sampler := started(t, batches, run)
			for e := range run.Epochs {
				steps, err := sampler.Epoch(e)
				if err != nil {
					t.Fatal(err)
				}
				var flight [][]int
				for k := range steps {
					for len(flight) < min(1+batches.Lookahead, steps-k) {
						pairs, err := sampler.Next()
						if err != nil {
							t.Fatal(err)
						}
						flight = append(flight, slices.Clone(pairs))
					}
					all = append(all, flight[0])
					if err := sampler.Observe(improved(run, e, flight[0])); err != nil {
						t.Fatal(err)
					}
					flight = flight[1:]
					if !interrupted || !rapid.Bool().Draw(t, "interrupt") {
						continue
					}
					state, err := sampler.MarshalBinary()
					if err != nil {
						t.Fatal(err)
					}
					sampler, flight = started(t, batches, run), nil
					if err := sampler.UnmarshalBinary(state); err != nil {
						t.Fatal(err)
					}
					if again, err := sampler.MarshalBinary(); err != nil || !slices.Equal(state, again) {
						t.Errorf("the state changes by unmarshalling and marshalling it, error %v", err)
					}
					if n, err := sampler.Epoch(e); err != nil || n != steps {
						t.Fatalf("epoch %d: %d steps, error %v; want %d", e, n, err, steps)
					}
				}
			}
			return all
		}
		if got, want := fmt.Sprint(epochs(true)), fmt.Sprint(epochs(false)); got != want {
			t.Errorf("interrupted %s, not interrupted %s", got, want)
		}
	})
}

// Every epoch holds distinct pairs, as many as fill whole mini-batches, and every mini-batch comes from one search space.
func TestScheduledEpochs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batches, run := drawScheduled(t)
		sampler := started(t, batches, run)
		for e := range run.Epochs {
			order := seeded(run.Seed).perm(epochOrder, e, 0, run.Pairs)[:run.steps()*run.BatchSize]
			got := epochOf(t, sampler, run, e)
			for lo := 0; lo < len(order); lo += batches.SearchSpace {
				hi := min(len(order), lo+batches.SearchSpace)
				want := slices.Sorted(slices.Values(order[lo:hi]))
				had := slices.Sorted(slices.Values(slices.Concat(got[lo/run.BatchSize : hi/run.BatchSize]...)))
				if !slices.Equal(had, want) {
					t.Fatalf("epoch %d: pairs %v in the mini-batches of the search space %v", e, had, want)
				}
			}
		}
	})
}

// The choices report what was done: each picked pair stands at its quantile among the pairs that were left, by the embeddings of
// the epoch before.
func TestScheduledChoices(t *testing.T) {
	run := Start{Pairs: 30, BatchSize: 5, Dim: 3, Epochs: 3, Seed: 4}
	for _, logRank := range []bool{false, true} {
		testScheduledChoices(t, Scheduled{SearchSpace: 15, Quantiles: 4, Hidden: 6, LogRank: logRank}, run)
	}
}

func testScheduledChoices(t *testing.T, s Scheduled, run Start) {
	sampler := started(t, s, run).(Scheduler)
	epochOf(t, sampler, run, 0)
	if len(sampler.Choices()) != 0 {
		t.Error("a uniform epoch has choices")
	}
	before := seen(run, 0, sequence(run.Pairs))
	order := seeded(run.Seed).perm(epochOrder, 1, 0, run.Pairs)
	steps := must.Get(sampler.Epoch(1))(t)
	var left []int
	for k := range steps {
		pairs := must.Get(sampler.Next())(t)
		if k%3 == 0 {
			left = slices.Clone(order[k*5 : k*5+15])
		}
		members := order[k/3*15 : k/3*15+15]
		space := scheduler.NewSpace(rows(before.Image, run.Dim, members), rows(before.Text, run.Dim, members), run.Dim, 4)
		for _, pair := range members {
			if !slices.Contains(left, pair) {
				space.Take(slices.Index(members, pair))
			}
		}
		must.Do(t, sampler.Observe(seen(run, 1, pairs)))
		choices := sampler.Choices()
		if len(choices) != run.BatchSize-1 {
			t.Fatalf("%d choices for %d anchors", len(choices), run.BatchSize-1)
		}
		for i, choice := range choices {
			space.Take(slices.Index(members, pairs[i]))
			want := members[space.Pick(slices.Index(members, pairs[i]), choice.Quantile)]
			if choice.Anchor != pairs[i] || choice.Picked != pairs[i+1] || choice.Picked != want {
				t.Errorf("mini-batch %v, anchor %d: %+v, want %d picked", pairs, i, choice, want)
			}
			if choice.Beta.A <= 1 || choice.Beta.B <= 1 {
				t.Errorf("%+v: a closed Beta's parameters are above 1", choice)
			}
		}
		left = slices.DeleteFunc(left, func(pair int) bool { return slices.Contains(pairs, pair) })
	}
}

// Equal steps of a draw over the logarithm of the rank narrow the harder part by equal factors, from all of it to the hardest alone; what a
// scheduler reports is the quantile that it stands for.
func TestScheduledLogRank(t *testing.T) {
	s := Scheduled{SearchSpace: 10000, LogRank: true}
	for _, c := range []struct{ draw, want float64 }{{0, 0}, {0.25, 0.9}, {0.5, 0.99}, {0.75, 0.999}, {1, 1}} {
		if got := s.quantile(c.draw); math.Abs(got-c.want) > 2e-4 || got > 1 {
			t.Errorf("a draw of %g: got the quantile %g, want %g", c.draw, got, c.want)
		}
	}
	run := Start{Pairs: 30, BatchSize: 5, Dim: 3, Epochs: 2, Seed: 4}
	sampler := started(t, Scheduled{SearchSpace: 15, Quantiles: 4, Hidden: 6, LogRank: true}, run).(*scheduledSampler)
	epochOf(t, sampler, run, 0)
	must.Get(sampler.Epoch(1))(t)
	pairs := must.Get(sampler.Next())(t)
	draws := slices.Clone(sampler.pending[0].draws)
	must.Do(t, sampler.Observe(seen(run, 1, pairs)))
	for i, choice := range sampler.Choices() {
		if want := (1 - math.Pow(15, -draws[i])) / (1 - 1./15); math.Abs(choice.Quantile-want) > 1e-12 {
			t.Errorf("anchor %d: got the quantile %g of a draw of %g, want %g", i, choice.Quantile, draws[i], want)
		}
	}
}

func sequence(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func rows(numbers []float32, dim int, of []int) []float32 {
	var out []float32
	for _, row := range of {
		out = append(out, numbers[row*dim:(row+1)*dim]...)
	}
	return out
}

// With rewards that praise hard mini-batches the chosen quantile rises, with rewards that praise easy ones it falls. The first
// rewards are of either sign, so this holds without a baseline too.
func TestScheduledLearns(t *testing.T) {
	run := Start{Pairs: 120, BatchSize: 6, Dim: 4, Epochs: 12, Seed: 3}
	for _, shared := range []bool{false, true} {
		for _, sign := range []float64{1, -1} {
			sampler := started(t, Scheduled{SearchSpace: 60, Quantiles: 6, Hidden: 16, Rate: 0.01, Shared: shared}, run).(Scheduler)
			var last []float64
			for e := range run.Epochs {
				steps := must.Get(sampler.Epoch(e))(t)
				for range steps {
					pairs := must.Get(sampler.Next())(t)
					o := seen(run, e, pairs)
					if s := sampler.(*scheduledSampler); e > 0 {
						for _, q := range s.pending[0].draws {
							o.Improvement += sign * (q - 0.5)
						}
					}
					must.Do(t, sampler.Observe(o))
					for _, choice := range sampler.Choices() {
						if e == run.Epochs-1 {
							last = append(last, choice.Quantile)
						}
					}
				}
			}
			if sign*(mean(last)-0.5) < 0.2 { // the first policy's mean is near one half
				t.Errorf("shared %v, sign %v: the mean quantile of the last epoch is %.2f", shared, sign, mean(last))
			}
		}
	}
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// A probe takes its quantiles in turn, reports them as choices, and teaches the policy nothing.
func TestScheduledProbe(t *testing.T) {
	run := Start{Pairs: 40, BatchSize: 4, Dim: 3, Epochs: 2, Seed: 8}
	probe := []float64{0.2, 0.5, 1}
	sampler := started(t, Scheduled{SearchSpace: 20, Quantiles: 4, Hidden: 6, Probe: probe}, run).(*scheduledSampler)
	epochOf(t, sampler, run, 0)
	before := must.Get(sampler.policy.MarshalBinary())(t)
	steps := must.Get(sampler.Epoch(1))(t)
	for k := range steps {
		pairs := must.Get(sampler.Next())(t)
		must.Do(t, sampler.Observe(improved(run, 1, pairs)))
		for _, choice := range sampler.Choices() {
			if choice.Quantile != probe[k%3] {
				t.Errorf("mini-batch %d: quantile %v, want %v", k, choice.Quantile, probe[k%3])
			}
		}
	}
	if after, err := sampler.policy.MarshalBinary(); err != nil || !slices.Equal(before, after) {
		t.Errorf("the probe changed the policy, error %v", err)
	}
}

func TestBaseline(t *testing.T) {
	var b baseline
	for i, c := range []struct{ reward, want float64 }{
		{4, 0},     // mean 4
		{6, 2},     // mean 4.5 * 4 + .5 * 6 = 5
		{5, 0},     // mean 5
		{1, -4},    // mean 3
		{3.5, 0.5}, // over 3
	} {
		if got := b.advantage(c.reward, 0.5); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("reward %d: got an advantage of %v, want %v", i, got, c.want)
		}
	}
	if got := new(baseline).advantage(4, 0); got != 4 {
		t.Errorf("without a baseline a reward of 4 gives %v", got)
	}
}

func TestSimilarities(t *testing.T) {
	run := Start{Pairs: 4, BatchSize: 2, Dim: 1, Epochs: 1}
	s := started(t, Scheduled{SearchSpace: 2}, run).(*scheduledSampler)
	s.image, s.text = []float32{1, -1, 1, 1}, []float32{1, 1, 1, -1}
	i2t, t2i := s.Similarities(4, 2)
	// Image 1 has -1 with texts 0 and 2, +1 with text 3; images 0, 2 and 3 have -1 with text 3, their own for image 3, and +1
	// with the others.
	if fmt.Sprint(i2t) != "[4 8]" {
		t.Errorf("image to text: got %v, want [4 8]", i2t)
	}
	// Texts 0, 1 and 2 have -1 with image 1, their own for text 1; text 3 has -1 with images 0 and 2, +1 with image 1.
	if fmt.Sprint(t2i) != "[4 8]" {
		t.Errorf("text to image: got %v, want [4 8]", t2i)
	}
	if i2t, _ := s.Similarities(1, 3); i2t[0]+i2t[1]+i2t[2] != 3 {
		t.Errorf("one anchor of four pairs has %v similarities, want 3", i2t)
	}
}

func TestScheduledErrors(t *testing.T) {
	run := Start{Pairs: 100, BatchSize: 4, Dim: 2, Epochs: 2}
	for _, c := range []struct {
		batches Scheduled
		want    string
	}{
		{Scheduled{SearchSpace: 10}, "search space 10 is no multiple of the batch size 4; take searchspace=12"},
		{Scheduled{SearchSpace: -4}, "search space -4"},
		{Scheduled{Quantiles: 1}, "1 quantiles"},
		{Scheduled{Hidden: -1}, "-1 hidden units"},
		{Scheduled{Hidden: 1 << 16, Blocks: 1000}, "has more than 67108864 weights"},
		{Scheduled{Quantiles: 1 << 24}, "has more than 67108864 weights"},
		{Scheduled{Rate: -1}, "learning rate -1"},
		{Scheduled{Rate: math.NaN()}, "learning rate NaN"},
		{Scheduled{Baseline: 1}, "decay 1"},
		{Scheduled{Lookahead: -1}, "lookahead of -1"},
		{Scheduled{Probe: []float64{0.5, 2}}, "quantile 2"},
		{Scheduled{Probe: []float64{0.5}, LogRank: true}, "draws none"},
	} {
		must.Fail(t, must.Err(c.batches.Start(run)), c.want, "%+v", c.batches)
	}
	if _, err := (Scheduled{}).Start(Start{Pairs: 1, BatchSize: 4, Dim: 2, Epochs: 2}); err == nil {
		t.Error("one pair for mini-batches of four: no error")
	}
}

func TestScheduledDefaults(t *testing.T) {
	got := Scheduled{}.withDefaults()
	want := Scheduled{SearchSpace: 5664, Objectives: Of(MLM), Quantiles: 100, Hidden: 256, Blocks: 2, Rate: 1e-4}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want FALCON's table 5: %+v", got, want)
	}
	if text, err := json.Marshal(Scheduled{}); err != nil || string(text) !=
		`{"SearchSpace":0,"Objectives":"","Quantiles":0,"Hidden":0,"Blocks":0,"Rate":0}` {
		t.Errorf("got %s, error %v", text, err)
	}
}

func TestMethodValidate(t *testing.T) {
	for _, c := range []struct {
		method Method
		want   string // of the error; none for a valid method
	}{
		{Plain(), ""},
		{FALCON(Scheduled{}), ""},
		{FALCON(Scheduled{Objectives: Of(ITC, ITM, MLM)}), ""},
		{Method{Batches: Scheduled{}, Contrast: Distilled{Queue: 8}}, ""},
		{Method{Batches: Scheduled{Objectives: Of(ITC)}, Contrast: Distilled{Queue: 8}}, "reward MLM alone"},
	} {
		err := c.method.WithDefaults().Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.method, err, c.want)
		}
	}
}
