package paper_test

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// What parts reported has a column a name, of the last epoch, and of each unit where rows report a name in several; the plan stays as it
// is.
func TestReportedColumns(t *testing.T) {
	var own []negative.Method
	for k, name := range []string{"one", "other"} {
		own = append(own, negative.Method{Name: name, Contrast: negative.Consistency{Weight: 0.5 + float64(k)}})
	}
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{1}, Methods: []string{"ALBEF"}, Own: own,
		Without: papertest.RowsAlone})
	columns := len(p.Artifact.Columns)
	store := run.OpenStore(t.TempDir())
	put := func(row int, epochs ...field.Numbers) {
		var records []train.Record
		for e, numbers := range epochs {
			records = append(records, train.Record{Epoch: e, Numbers: numbers})
		}
		metrics := records[len(records)-1].Counted()
		papertest.Put(t, store, p.Rows[row][0], run.Result{ID: p.Rows[row][0].ID(), Seed: 1, Metrics: metrics, Epochs: records})
	}
	first := len(p.Rows) - 2
	put(first, field.Numbers{{Name: "early", Sum: 1, Of: 1}}, field.Numbers{{Name: "x", Unit: field.Percent, Sum: 1, Of: 4}})
	put(first+1, field.Numbers{{Name: "x", Unit: "nats", Sum: 3, Of: 2}})
	r := papertest.Report(t, p, store)
	if len(p.Artifact.Columns) != columns {
		t.Errorf("the plan has %d columns, of %d", len(p.Artifact.Columns), columns)
	}
	told := r.Plan.Artifact.Columns[columns:]
	var keys []string
	for _, c := range told {
		keys = append(keys, c.Key()+" in "+c.Unit)
	}
	if want := []string{"early in ", "x in %", "x (nats) in nats"}; !slices.Equal(keys, want) {
		t.Fatalf("got the columns %q, want %q", keys, want)
	}
	for _, c := range []struct {
		row, key string
		want     *float64
	}{{"one", "early", nil}, {"one", "x", new(25.0)}, {"one", "x (nats)", nil}, {"other", "x", nil}, {"other", "x (nats)", new(1.5)}} {
		if got := papertest.Row(r, c.row).Metrics[c.key].Mean; (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s, %s: got %v, want %v", c.row, c.key, got, c.want)
		}
	}
	panels := r.Panels(told, r.Rows)
	if len(panels) != 3 {
		t.Fatalf("%d panels", len(panels))
	}
	for k, want := range []plots.Series{{Name: "one", X: []float64{1}, Mean: []float64{1}},
		{Name: "one", X: []float64{2}, Mean: []float64{25}},
		{Name: "other", X: []float64{1}, Mean: []float64{1.5}}} {
		lines := panels[k].(plots.Lines)
		if len(lines.Series) != 1 || lines.Series[0].Name != want.Name || !slices.Equal(lines.Series[0].X, want.X) ||
			!slices.Equal(lines.Series[0].Mean, want.Mean) {
			t.Errorf("got the panel %+v, want %+v", lines, want)
		}
	}
}
