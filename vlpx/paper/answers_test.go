package paper

import (
	"testing"
	"time"

	"vlpx.internal/vlpx/run"
)

// Of a metric that was measured in several ways, that of most runs is taken, of as many the last; no run has another's, or what its own
// task tells.
func TestAnswered(t *testing.T) {
	answer := func(by string, hour int, metrics map[string]float64) run.Answer {
		return run.Answer{By: by, Metrics: metrics, Finished: time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)}
	}
	answers := [][]run.Answer{
		{answer("a", 9, map[string]float64{"height": 1, "depth": 1}), answer("b", 1, map[string]float64{"height": 10})},
		{answer("b", 2, map[string]float64{"height": 20}), answer("c", 3, map[string]float64{"depth": 30, "IR@1": 40, "cosine IR@1": 50})},
	}
	b := newAnswered(answers, withCosine(map[string]bool{"IR@1": true}))
	if b.by["height"] != "b" || b.others["height"] != 1 || b.by["depth"] != "a" || b.by["IR@1"] != "" || len(b.columns()) != 2 {
		t.Errorf("got the ways %v, and others %v; want b of height, which two runs have, a of depth, which is later, and nothing of IR@1",
			b.by, b.others)
	}
	first, second := b.joined(run.Result{Metrics: map[string]float64{"TR@1": 5}}, answers[0]),
		b.joined(run.Result{Metrics: map[string]float64{"height": 6}}, answers[1])
	if m := first.Metrics; len(m) != 3 || m["height"] != 10 || m["depth"] != 1 || m["TR@1"] != 5 {
		t.Errorf("got %v of the first run", m)
	}
	if m := second.Metrics; len(m) != 1 || m["height"] != 6 {
		t.Errorf("got %v of the second run, want what its result has, and no depth that was measured otherwise", m)
	}
	answers[1][0].OtherCode = true
	if b = newAnswered(answers, nil); b.stale["height"] != 1 || b.stale["depth"] != 0 {
		t.Errorf("got %v measured by other code, want the height of one run", b.stale)
	}
	if !b.columns()[0].Neutral {
		t.Error("a metric of which nobody knows what is better has a winner")
	}
}
