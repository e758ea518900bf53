package falcon

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

func TestPrintedTables(t *testing.T) {
	hyper := must.Get(papertest.Report(t, papertest.Plan(t, Artifacts(), "falcon/table5", plan.Request{Set: []string{"epochs=7"}}),
		run.OpenStore(t.TempDir())).Table())(t)
	epochs := hyper.Rows[slices.IndexFunc(hyper.Rows, func(r tables.Row) bool { return r.Name == "pre-training epochs" })]
	var got []string
	for _, cell := range epochs.Cells {
		got = append(got, cell[0].Text)
	}
	if len(got) != 5 || got[0] != "20" || got[1] != "7" || got[4] != "20" {
		t.Errorf("epochs: got %v, want the paper's 20, 7 as set, and the paper preset's 20 last", got)
	}
	sizes := must.Get(papertest.Report(t, papertest.Plan(t, Artifacts(), "falcon/table6", plan.Request{Set: []string{"scenes.train=32"}}),
		run.OpenStore(t.TempDir())).Table())(t)
	train := sizes.Rows[slices.IndexFunc(sizes.Rows, func(r tables.Row) bool { return r.Name == "scenes/train" })]
	if images, captions := train.Cells[0][0].Text, train.Cells[1][0].Text; images != "32" || captions != "160" {
		t.Errorf("scenes/train: got %s images, %s captions; want 32, 160", images, captions)
	}
}
