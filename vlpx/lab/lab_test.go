package lab

import (
	"testing"

	"vlpx.internal/internal/test/must"
)

// made is a grid's report after its missing runs were made, without a screen.
func made(t *testing.T, grid *Grid) *Report {
	t.Helper()
	must.Do(t, grid.Make(t.Context(), nil))
	report := must.Get(grid.Report())(t)
	return report
}

// smallest keeps a run within a second on any engine.
func smallest(home string) Options {
	return Options{Scale: "tiny", Seeds: []uint64{1}, Home: home, Set: []string{
		"scenes.train=16", "scenes.test=4", "scenes.val=4", "rerank=2", "epochs=2",
	}}
}

// scoring is by a framework that scores pairs and embeds nothing.
func scoring(o Options) Options {
	o.Framework = "UNITER"
	return o
}
