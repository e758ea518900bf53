package catalogue

import (
	"errors"
	"io"
	"testing"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Whoever asks for an artifact before anything has run sees a table, with the paper's numbers where there are any.
func TestTablesOfAnEmptyStore(t *testing.T) {
	for _, a := range List() {
		if a.Status() == paper.NotYet {
			continue
		}
		p, err := paper.NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := paper.NewReport(p, run.OpenStore(t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		table, err := r.Table()
		if err == nil {
			err = errors.Join(table.Text(io.Discard, tables.Terminal{}), table.CSV(io.Discard))
		}
		if err != nil {
			t.Errorf("%s: %v", a.ID, err)
		}
	}
}
