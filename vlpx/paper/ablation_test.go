package paper

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"

	"vlpx.internal/vlpx/negative"
)

// Every choice of every role makes a run, alone beside the plain parts, and is named.
func TestEveryPartRuns(t *testing.T) {
	var rows []plan.Row
	for r, role := range negative.Roles() {
		for i, part := range Parts(role) {
			a := PlainAblation(scale.Scales()[0])
			a.Parts[role.Name] = part.Name
			row := must.Get(a.Row())(t)
			if want := part.Name; i > 0 && !strings.HasPrefix(row.Name, want) || i == 0 && row.Name != "plain" {
				t.Errorf("%s %q makes a row called %q", role.Name, want, row.Name)
			}
			for _, key := range part.Uses {
				if !strings.Contains(row.Name, short[key]+" ") {
					t.Errorf("the row %q does not tell its %s", row.Name, key)
				}
			}
			if i > 0 || r == 0 {
				rows = append(rows, row)
			}
		}
	}
	a := must.Get(Compared(rows))(t)
	p := must.Get(NewPlan(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}}))(t)
	ids := map[string]bool{}
	for i := range rows {
		ids[p.Rows[i][0].ID()] = true
	}
	if len(ids) != len(rows) {
		t.Errorf("%d different runs of %d rows", len(ids), len(rows))
	}
}

// The settings reach the parts, and the temperature the model.
func TestAblationSettings(t *testing.T) {
	a := Ablation{SearchSpace: 16, Quantile: 0.3, Alpha: 0.25, Temperature: 0.2, Parts: map[string]string{
		"Batches": "fixed quantile", "Contrast": "smoothed", "Matching": "sampled", "Positives": "connections, exact", "LeftOut": "exact",
	}}
	row := must.Get(a.Row())(t)
	if want := "fixed quantile, smoothed, sampled, connections, exact, exact, M 16, q 0.3, alpha 0.25, tau 0.2"; row.Name != want {
		t.Errorf("the row is called %q, want %q", row.Name, want)
	}
	s := scale.Scales()[0].Resolved()
	row.Vary(&s)
	m := row.Method(s)
	if want := (negative.FixedQuantile{Quantile: 0.3, SearchSpace: 16, Queue: s.GroupQueue}); m.Batches != want {
		t.Errorf("batches %+v, want %+v", m.Batches, want)
	}
	if m.Contrast != (negative.Smoothed{Alpha: 0.25}) || m.Matching != (negative.Sampled{}) ||
		s.Model(10).(albef.Model).Temperature != 0.2 {
		t.Errorf("contrast %+v, matching %+v, temperature %g", m.Contrast, m.Matching, s.Model(10).(albef.Model).Temperature)
	}
	if e, ok := m.Positives.(negative.ECM); !ok || e.JudgedBy != negative.Oracle {
		t.Errorf("positives %+v, want those of the exact judge", m.Positives)
	}
	if _, ok := m.LeftOut.(negative.Exact); !ok {
		t.Errorf("left out %+v, want those that are false", m.LeftOut)
	}
}

// What is left out goes with every contrast that lists its negatives, and is refused with the others.
func TestLeftOutGoesWithContrasts(t *testing.T) {
	listed := 0
	roles := negative.Roles()
	for _, contrast := range Parts(roles[1]) {
		for _, out := range Parts(roles[4])[1:] {
			a := PlainAblation(scale.Scales()[0])
			a.Parts["Contrast"], a.Parts["LeftOut"] = contrast.Name, out.Name
			row := must.Get(a.Row())(t)
			m := row.Method(scale.Scales()[0])
			_, lists := m.Contrast.(negative.Listing)
			if err := m.Validate(); (err == nil) != lists {
				t.Errorf("%s: lists its negatives: %v, error %v", row.Name, lists, err)
			}
			if lists {
				listed++
			}
		}
	}
	if listed < 30 {
		t.Errorf("only %d compositions leave negatives out", listed)
	}
}

func TestAblationErrors(t *testing.T) {
	unknown, torn := PlainAblation(scale.Scales()[0]), PlainAblation(scale.Scales()[0])
	unknown.Parts["Contrast"] = "infonse"
	torn.Parts["Contrast"], torn.Parts["Positives"] = "regulated", "connections, learned"
	for says, a := range map[string]Ablation{`did you mean "InfoNCE"`: unknown, "one reference model": torn} {
		must.Fail(t, must.Err(a.Row()), says)
	}
}
