package bench

import (
	"math"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

func TestFitted(t *testing.T) {
	for _, exponent := range []float64{-1, 0, 0.5, 2} {
		var c Cost
		for _, at := range []float64{1, 3, 10, 40} {
			c.Points = append(c.Points, Point{at, 7 * math.Pow(at, exponent)})
		}
		if got := c.fitted().Exponent; math.Abs(got-exponent) > 1e-12 {
			t.Errorf("got the exponent %v, want %v", got, exponent)
		}
	}
	for _, points := range [][]Point{nil, {{2, 3}}, {{1, 0}, {2, 1}}} {
		if got := (Cost{Points: points}).fitted().Exponent; got != 0 {
			t.Errorf("%v: got the exponent %v of what has none", points, got)
		}
	}
}

// Operations and what is kept grow as they must; both are counted and not timed.
func TestCountedCosts(t *testing.T) {
	b := &bench{Settings: Settings{Rounds: 1}, executor: executor(t), say: func(string) {}}
	state := must.Get(b.stateCosts(t.Context(), tiny(t, "InfoNCE")))(t)
	if got := state[0].Exponent; math.Abs(got-1) > 0.01 {
		t.Errorf("numbers of samples: got the exponent %v, want 1", got)
	}
	steps := must.Get(b.stepCosts(t.Context(), tiny(t, "InfoNCE", "framework=clip")))(t)
	if got := steps[1]; !(got.Exponent >= 1 && got.Exponent < 1.05) || len(steps[0].Points) != 4 {
		t.Errorf("operations: got the exponent %v of %v, want a little above 1", got.Exponent, got.Points)
	}
	b.result.Costs = append(state, steps...)
	var text strings.Builder
	if err := b.result.Table().Markdown(&text); err != nil || !strings.Contains(text.String(), "a step of InfoNCE of CLIP, operations") {
		t.Errorf("got %v and the table\n%s", err, text.String())
	}
}

// A search space of more pairs takes a grouped sampler more comparisons a mini-batch, and the uniform one none.
func TestSamplingSeesTheSearchSpace(t *testing.T) {
	of := tiny(t, "InfoNCE").Run.Train
	median := func(batches negative.Batches) float64 {
		of.Method.Batches = batches
		times, _, err := sampling(t.Context(), of, 4096, 3)
		if err != nil || len(times) != 3 {
			t.Fatalf("got times %v, %v", times, err)
		}
		return times.Median()
	}
	uniform, small, large := median(negative.Uniform{}), median(negative.Grouped{SearchSpace: 128, Queue: 128}),
		median(negative.Grouped{SearchSpace: 4096, Queue: 4096})
	if !(uniform < small && 3*small < large) {
		t.Errorf("got %v s a mini-batch of the uniform sampler, %v and %v in search spaces of 128 and 4096; want them to grow", uniform,
			small, large)
	}
}
