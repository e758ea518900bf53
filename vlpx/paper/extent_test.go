package paper_test

import (
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
)

// What is shipped of an artifact counts a row once, by its own table or by another one that has its runs, by data set, with the seeds of
// the shortest row and the longest.
func TestExtents(t *testing.T) {
	p := papertest.Plan(t, catalogue.List(), "falcon/D.2", plan.Request{Seeds: []uint64{1}})
	first := p.Rows[0][0].ID()
	row := func(name, metric string, runs ...string) paper.ReferenceRow {
		return paper.ReferenceRow{Name: name, Runs: runs, Metrics: map[string][3]float64{metric: {1, 0, 1}}}
	}
	of := func(artifact, data string, rows ...paper.ReferenceRow) paper.Reference {
		return paper.Reference{Artifact: artifact, Scale: "tiny", Data: data, Rows: rows}
	}
	for _, c := range []struct {
		name, want string
		all        []paper.Reference
	}{
		{"none", "–", nil},
		{"other runs", "–", []paper.Reference{of("falcon/D.2", "scenes", row("ALBEF", "TR@1", "0123456789abcdef"))}},
		{"its own", "1 of 12 rows, 2 seeds, scenes", []paper.Reference{of("falcon/D.2", "scenes", row("ALBEF", "TR@1", first, "b"))}},
		{"another table's", "1 of 12 rows, 3 seeds, scenes", []paper.Reference{of("falcon/table1", "scenes", row("any", "TR@1", first)),
			of("mafa/table1", "scenes", row("another name", "IR@1", first, "b", "c"))}},
		{"its own before another table's", "1 of 12 rows, 1 seed, scenes", []paper.Reference{
			of("falcon/table1", "scenes", row("ALBEF", "IR@1", first, "b", "c")), of("falcon/D.2", "scenes", row("ALBEF", "TR@1", first))}},
		{"another table's other columns", "–", []paper.Reference{of("falcon/table1", "scenes", row("ALBEF", "no column of it", first))}},
		{"rows of several lengths and data sets", "2 of 12 rows, 1 to 2 seeds, scenes; 1 of 12 rows, 3 seeds, Flickr8k", []paper.Reference{
			of("falcon/D.2", "scenes", row("ALBEF", "TR@1", first, "b"), row("any", "TR@1", p.Rows[1][0].ID())),
			of("falcon/D.2", "Flickr8k", row("ALBEF", "TR@1", "a", "b", "c"))}},
	} {
		if got := p.Shipped(c.all).String(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	shown := papertest.Plan(t, catalogue.List(), "srcl/figure7", plan.Request{Seeds: []uint64{1}})
	if got := shown.Shipped(nil).String(); got != "docs/GALLERY.md, scenes" {
		t.Errorf("got %q of what the gallery has", got)
	}
}
