package lab

import (
	"testing"
)

// made is a grid's report after its missing runs were made, without a screen.
func made(t *testing.T, grid *Grid) *Report {
	t.Helper()
	if err := grid.Make(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	report, err := grid.Report()
	if err != nil {
		t.Fatal(err)
	}
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
