package plan_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// inner parts of one's own, as a notebook has them.
type strength struct{ Gain float64 }

type debiased struct {
	strength
	negative.InfoNCE
	TauPlus float32
	Levels  []int
	Twice   bool
	Count   uint8
	Filter  negative.Filter
	SearchSpace,
	hidden int
}

// ITC implements negative.Contrast.
func (d debiased) ITC(f negative.Features) negative.Contrasted { return d.InfoNCE.ITC(f) }

func TestVariantOfParts(t *testing.T) {
	one := &debiased{TauPlus: 0.1, Levels: []int{1, 2}, SearchSpace: 7, hidden: 3}
	own := []negative.Method{
		{Name: "Corrected", Contrast: debiased{TauPlus: 0.1}},
		{Name: "Corrected, by address", Contrast: one, Batches: negative.Grouped{SearchSpace: 40, Queue: 80}},
	}
	s := scale.Scales()[0]
	for text, want := range map[string]struct {
		name string
		of   func(negative.Method) any
		is   any
	}{
		"Corrected, tauplus=.05": {"Corrected, tauplus=.05",
			func(m negative.Method) any { return m.Contrast.(debiased).TauPlus }, float32(0.05)},
		"corrected, Tau_Plus=.05, epochs=4": {"Corrected, tauplus=.05, epochs=4",
			func(m negative.Method) any { return m.Contrast.(debiased).TauPlus }, float32(0.05)},
		"Corrected, contrast.tauplus=1": {"Corrected, contrast.tauplus=1",
			func(m negative.Method) any { return m.Contrast.(debiased).TauPlus }, float32(1)},
		"Corrected, levels=[3,4], twice=true": {"Corrected, levels=[3,4], twice=true",
			func(m negative.Method) any { return m.Contrast.(debiased).Levels }, []int{3, 4}},
		"Corrected, gain=2":      {"Corrected, gain=2", func(m negative.Method) any { return m.Contrast.(debiased).Gain }, 2.0},
		"Corrected, masking=.15": {"Corrected, masking=.15", func(m negative.Method) any { return m.Masking }, 0.15},
		"Corrected, filter=penalised": {"Corrected, filter=penalised",
			func(m negative.Method) any { return m.Contrast.(debiased).Filter }, negative.Penalised},
		"Corrected, scale.searchspace=80": {"Corrected, scale.searchspace=80",
			func(m negative.Method) any { return m.Contrast.(debiased).SearchSpace }, 0},
		"Corrected, by address, tauplus=.05": {"Corrected, by address, tauplus=.05",
			func(m negative.Method) any { return m.Contrast.(*debiased).TauPlus }, float32(0.05)},
		"Corrected, by address, queue=160": {"Corrected, by address, queue=160",
			func(m negative.Method) any { return m.Batches.(negative.Grouped).Queue }, 160},
		"GRIT-VLP, contrast.weight=.4": {"GRIT-VLP, contrast.weight=.4", func(m negative.Method) any { return m.Contrast },
			negative.Consistency{Weight: 0.4}},
		"MAFA, low=.6": {"MAFA, low=.6", func(m negative.Method) any { return m.Positives }, negative.ECM{Low: 0.6, High: 0.8}},
		"GRIT-VLP, searchspace=80": {"GRIT-VLP, searchspace=80",
			func(m negative.Method) any { return m.Batches.(negative.Grouped).SearchSpace }, 40},
	} {
		row, err := plan.Variant(text, own)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if m := row.Method(s); row.Name != want.name || m.Name != want.name || !reflect.DeepEqual(want.of(m), want.is) {
			t.Errorf("%q: row %q of %q with %v, want %q with %v", text, row.Name, m.Name, want.of(m), want.name, want.is)
		}
	}
	if !reflect.DeepEqual(*one, debiased{TauPlus: 0.1, Levels: []int{1, 2}, SearchSpace: 7, hidden: 3}) {
		t.Errorf("setting a field has changed the part that was given: %+v", *one)
	}
	if m := own[0].Contrast.(debiased); m.TauPlus != 0.1 || m.Levels != nil {
		t.Errorf("setting a field has changed the part that was given: %+v", m)
	}
	for text, wants := range map[string][]string{
		"Corrected, tauplus=x":                 {`"x" is not a number`, "Corrected's contrast"},
		"Corrected, tauplus=1e60":              {`"1e60" is not a number`},
		"Corrected, twice=1":                   {"true or false"},
		"Corrected, count=-1":                  {"a whole number from 0"},
		"Corrected, count=1000":                {"a whole number from 0"},
		"Corrected, levels=3":                  {"a list, such as [0,0]"},
		"Corrected, hidden=3, tauplus":         {"key=value"},
		"Corrected, searchspace=80":            {"is a setting", "a field of Corrected", "scale.searchspace or contrast.searchspace"},
		"Corrected, contrast.epochs=80":        {"no setting", "Corrected has", "contrast.tauplus", "method.masking"},
		"Corrected, tauplu=.1":                 {"no setting", "contrast.tauplus"},
		"SogCLR, temperature=.1":               {"global.temperature", "scale.temperature or contrast.temperature"},
		"Corrected, by address, searchspace=1": {"is a setting", "scale.searchspace or"},
	} {
		_, err := plan.Variant(text, own)
		for _, want := range wants {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %q in it", text, err, want)
			}
		}
	}
}

// A row's method has what the row sets, as an explorer asks it.
func TestRowAt(t *testing.T) {
	row := must.Get(plan.Variant("Hard quantile, hard=.3, searchspace=80, batches.queue=160", nil))(t)
	m, err := row.At(scale.Scales()[0])
	if want := (negative.FixedQuantile{Quantile: 0.3, SearchSpace: 80, Queue: 160}); err != nil || m.Batches != want {
		t.Errorf("got %+v and %v, want %+v", m.Batches, err, want)
	}
}

// A field of a part is part of the run's identity, and a row without it is another run.
func TestPartsOfOwnAreOtherRuns(t *testing.T) {
	own := []negative.Method{{Name: "Mine", Batches: negative.Grouped{SearchSpace: 40, Queue: 80}}}
	var rows []plan.Row
	for _, text := range []string{"Mine", "Mine, batches.searchspace=80", "Mine, queue=160"} {
		row := must.Get(plan.Variant(text, own))(t)
		rows = append(rows, row)
	}
	a := plan.Experiment{ID: plan.Comparison, Rows: rows}
	p := must.Get(plan.New(a, plan.Request{Scale: "tiny", Seeds: []uint64{1}}))(t)
	if n := len(p.Runs()); n != 3 {
		t.Errorf("%d runs, want 3", n)
	}
}

// Whatever names a variant, it is refused, or its name names it again, and its settings can be set.
func FuzzVariant(f *testing.F) {
	for _, text := range []string{
		"GRIT-VLP", " grit-vlp , searchspace=16,  temperature=.2", "Mine, too", "mine, epochs=3", "Mine, too, epochs=3", "GRIT-VLP,", ",",
		"FALCON, scenes.density=a=b",
		"mine, masking=.2", "DiHT, contrast.beta=.5", "InfoNCE, framework=simclr, bottlenecks=[1,1]", "SogCLR, scale.temperature=.1",
		"GRIT, lr=.1", "MAFA, positives.use=[", "mine,mAsking=0",
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
