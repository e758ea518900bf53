package tags

import (
	"strconv"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// The preset of the paper's scale is the paper's base setting on Flickr30K, number by number, and a setting that is changed shows.
func TestHyperparameters(t *testing.T) {
	p := papertest.Plan(t, Artifacts(), "tags/table5", plan.Request{Set: []string{"writing.keep=7"}})
	table := papertest.Table(t, papertest.Report(t, p, run.OpenStore(t.TempDir())))
	number := func(text string) float64 {
		v := must.Get(strconv.ParseFloat(text, 64))(t)
		return v
	}
	if len(table.Columns) != 8 {
		t.Fatalf("got %d columns, want four of the paper and four presets", len(table.Columns))
	}
	for _, row := range table.Rows {
		if printed, ours := row.Cells[0][0].Text, row.Cells[7][0].Text; number(printed) != number(ours) {
			t.Errorf("%s: the paper prints %s, its preset has %s", row.Name, printed, ours)
		}
		if row.Name == "sentences kept" && (row.Cells[4][0].Text != "7" || row.Cells[1][0].Text != "23") {
			t.Errorf("got %v sentences kept, want 7 as set, and 23 in the large setting", row.Cells)
		}
	}
}
