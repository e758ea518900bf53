package paper

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Whatever is to be set, one field has the value that was written, or the error leaves the scale as it was.
func FuzzSet(f *testing.F) {
	for _, assignment := range []string{
		"epochs=7", "EPOCHS= 8 ", "dropout=.25", "dropout=NaN", "dropout=1e999", "dropout=0x1p-2", "augment=true", "augment=null",
		"scenes.density=dbl",
		"Schedule.Rate=3e-4", "scenes.seed=18446744073709551615", "epochs=1e3", "epochs=\"3\"", "=", "epochs", "name=x", "scenes=3",
		"epochs=3=4", "lr=.1", "Weight Decay=0", "batch_size=4",
		"soft=.5", "seed=3", "scheduler.open=true", "views.crop=[.5]", "bottlenecks=[1,2]", "scale.tau=.1",
	} {
		f.Add(assignment)
	}
	f.Fuzz(func(t *testing.T, assignment string) {
		s := must.Get(scale.Preset("mini", false))(t)
		was := s
		if err := s.Set(assignment); err != nil {
			if !reflect.DeepEqual(s, was) {
				t.Fatalf("%q: %v, and yet the scale changed", assignment, err)
			}
			if !strings.Contains(err.Error(), assignment) {
				t.Fatalf("%q: the error %q does not name it", assignment, err)
			}
			return
		}
		key, _, _ := strings.Cut(assignment, "=")
		set, err := scale.FindSetting(key)
		if err != nil {
			t.Fatalf("%q was set, and yet %v", assignment, err)
		}
		for _, x := range scale.Settings() {
			now, before := x.Of(&s).Interface(), x.Of(&was).Interface()
			if v, ok := now.(float64); ok && (math.IsNaN(v) || math.IsInf(v, 0)) {
				t.Fatalf("%q: %s is %v", assignment, x.Name, v)
			}
			if x.Name != set.Name && set.Name != "framework" && !reflect.DeepEqual(now, before) {
				t.Fatalf("%q changed %s", assignment, x.Name)
			}
		}
		again := s
		if err := again.Set(assignment); err != nil || !reflect.DeepEqual(again, s) {
			t.Fatalf("%q set twice: %v", assignment, err)
		}
	})
}

// Whatever names a variant, it is refused, or its name names it again, and its settings can be set.
func FuzzVariant(f *testing.F) {
	for _, text := range []string{
		"GRIT-VLP", " grit-vlp , searchspace=16,  temperature=.2", "Mine, too", "mine, epochs=3", "Mine, too, epochs=3", "GRIT-VLP,", ",",
		"FALCON, scenes.density=a=b",
		"mine, masking=.2", "DiHT, contrast.beta=.5", "InfoNCE, framework=simclr, bottlenecks=[1,1]", "SogCLR, scale.temperature=.1",
		"GRIT, lr=.1", "MAFA, positives.use=[",
	} {
		f.Add(text)
	}
	own := []negative.Method{{Name: "Mine"}, {Name: "Mine, too"}}
	f.Fuzz(func(t *testing.T, text string) {
		row, err := plan.Variant(text, own)
		if err != nil {
			return
		}
		again, err := plan.Variant(row.Name, own)
		if err != nil || again.Name != row.Name || !slices.Equal(again.Set, row.Set) || !slices.Equal(again.Fields, row.Fields) {
			t.Fatalf("%q is %q with %q, which is %q with %q (%v)", text, row.Name, row.Set, again.Name, again.Set, err)
		}
		for _, assignment := range row.Set {
			if err := new(scale.Scale).Set(assignment); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if method := row.Method(scale.Scales()[0]); method.Name != row.Name {
			t.Fatalf("%q: the method of %q is %q", text, row.Name, method.Name)
		}
	})
}

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
