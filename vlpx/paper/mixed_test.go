package paper_test

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// A table of several engines says so first, with the command that removes the fewer runs; one of one engine says nothing.
func TestMixedEngines(t *testing.T) {
	store := run.OpenStore(t.TempDir())
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{})
	papertest.Finish(t, store, p, "ALBEF", map[string][]float64{"TR@1": {10, 20, 30}})
	if said := papertest.Report(t, p, store).Mixed(); said != "" {
		t.Errorf("one engine: %s", said)
	}
	odd := p.Rows[papertest.RowNumber(t, p, "FALCON")][0]
	papertest.Put(t, store, odd, run.Result{ID: odd.ID(), Seed: 1, Engine: "onnx:cpu", Metrics: map[string]float64{"TR@1": 7},
		Finished: papertest.Noon})
	r := papertest.Report(t, p, store)
	want := "1 of the runs are of onnx:cpu, the others of go, which rounds differently, so that a difference may be the engine's. " +
		"To make them again on one engine: vlpx rm -force " + run.Short(odd.ID()) + ";"
	for _, note := range []string{papertest.Table(t, r).Note, r.Mixed()} {
		if !strings.HasPrefix(note, "ENGINES ARE MIXED: ") || !strings.Contains(note, want) {
			t.Errorf("got %q, want %q", note, want)
		}
	}
}
