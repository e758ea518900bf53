package paper

import (
	"encoding/json"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Whatever reference.json is, it is refused, or it can be written and read again, merged with itself, and shown.
func FuzzReferences(f *testing.F) {
	f.Add(
		[]byte(
			`[{"Artifact": "falcon/table1", "Scale": "tiny", "Data": "scenes", "Rows": [{"Name": "ALBEF", "Runs": ["a", "b"], "Metrics": {"TR@1": [10, 1, 2]}}]}]`))
	f.Add([]byte(`[{"Artifact": "falcon/table1", "Scale": "tiny", "Data": "scenes", "Rows": [{"Name": "ALBEF", "Runs": []}]}]`))
	f.Add(
		[]byte(
			`[{"Artifact": "a", "Scale": "b", "Data": "c", "Rows": [{"Name": "", "Runs": ["x"], "Metrics": {"m": [1, -1, 3]}}, {"Name": ""}]}]`))
	f.Add([]byte(`null`))
	f.Add(referenceJSON[:min(len(referenceJSON), 4000)])
	a := Artifact{ID: "falcon/table1", Rows: []plan.Row{plan.MethodRow("ALBEF")}, Columns: Retrieval(), Table: Comparison}
	p := must.Get(NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}}))(f)
	empty := must.Get(NewReport(p, run.OpenStore(f.TempDir())))(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := ParseReferences(text)
		if err != nil {
			return
		}
		written := must.Get(json.Marshal(all))(t)
		again, err := ParseReferences(written)
		if err != nil || len(again) != len(all) {
			t.Fatalf("%s: %v", written, err)
		}
		for _, r := range all {
			if again = Merge(again, r); len(again) != len(all) {
				t.Fatalf("merged with itself it has %d references, not %d", len(again), len(all))
			}
			shown := *empty
			shown.ship([]Reference{r})
			if _, err := shown.Table(); err != nil {
				t.Fatalf("%s: %v", written, err)
			}
		}
		written = must.Get(json.Marshal(again))(t)
		if _, err := ParseReferences(written); err != nil {
			t.Fatalf("merged with itself it is refused: %v", err)
		}
	})
}
