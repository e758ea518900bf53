package catalogue

import (
	"errors"
	"io"
	"testing"

	"vlpx.internal/internal/test/must"
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
		p := must.Get(paper.NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}}))(t)
		r := must.Get(paper.NewReport(p, run.OpenStore(t.TempDir())))(t)
		table, err := r.Table()
		if err == nil {
			err = errors.Join(table.Text(io.Discard, tables.Terminal{}), table.CSV(io.Discard))
		}
		if err != nil {
			t.Errorf("%s: %v", a.ID, err)
		}
	}
}
