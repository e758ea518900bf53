package plan_test

import (
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
)

func TestVariant(t *testing.T) {
	own := []negative.Method{{Name: "Mine"}, {Name: "Mine, too"}}
	for text, want := range map[string]string{
		"GRIT-VLP":                               "GRIT-VLP",
		" grit-vlp ":                             "GRIT-VLP",
		"Mine, too":                              "Mine, too",
		"mine":                                   "Mine",
		"GRIT-VLP,searchspace=16,temperature=.2": "GRIT-VLP, searchspace=16, temperature=.2",
		"GRIT-VLP, contrast=siglip, bias=-5":     "GRIT-VLP, contrast=SigLIP, bias=-5",
		"MAFA, left out=none":                    "MAFA, leftout=none",
		"InfoNCE, contrast=.4":                   "InfoNCE, views.jitter.contrast=.4",
	} {
		row, err := plan.Variant(text, own)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := row.Method(papertest.Preset(t, "tiny", false)).Name; row.Name != want || got != want {
			t.Errorf("%q: row %q of method %q, want %q", text, row.Name, got, want)
		}
	}
	for text, says := range map[string]string{
		"GRIT-VPL":               `did you mean "GRIT-VLP"?`,
		"":                       "no method",
		"GRIT-VLP, searchspce=3": `did you mean "searchspace"?`,
		"GRIT-VLP, epochs=x":     "whole number",
		"GRIT-VLP,":              "key=value",
		"GRIT-VLP, contrast=Min": `no contrast "Min"; did you mean "Mine"?`,
		"SRCL, positives=MAFA":   "one reference model",
	} {
		must.Fail(t, must.Err(plan.Variant(text, own)), says, "%q", text)
	}
}

// mine is a contrast of this program.
type mine struct {
	negative.InfoNCE
	Margin float64
}

// A row is composed of parts by name: a named one, a method's, and a type's of a custom method, whose fields are set behind it. A part that
// needs a reference model brings its run, and one that needs none drops it.
func TestComposed(t *testing.T) {
	own := []negative.Method{{Name: "Mine, too", Contrast: mine{Margin: .5}}, {Name: "Grouped", Batches: negative.Grouped{}}}
	small := papertest.Preset(t, "tiny", false)
	method := func(text string) (plan.Row, negative.Method) {
		row := must.Get(plan.Variant(text, own))(t)
		m := row.Method(small).WithDefaults()
		must.Do(t, m.Validate())
		return row, m
	}
	if _, m := method("GRIT-VLP, contrast=Mine, margin=.7"); m.Contrast != (mine{Margin: .7}) || m.Batches == (negative.Uniform{}) {
		t.Errorf("got %+v", m)
	}
	for text, want := range map[string]string{
		"GRIT-VLP": "", "GRIT-VLP, contrast=SRCL": "InfoNCE", "SRCL, contrast=InfoNCE": "", "SRCL, batches=grouped": "InfoNCE",
	} {
		row, m := method(text)
		if got := row.Reference; want == "" && got != nil || want != "" && (got == nil || got.Name != want) || m.Name != row.Name {
			t.Errorf("%s: row %q of %q has the reference %v, want %q", text, row.Name, m.Name, got, want)
		}
	}
	_, grit := method("GRIT-VLP")
	for _, text := range []string{"Grouped", "InfoNCE, batches=Grouped", "InfoNCE, batches=GRIT"} {
		if _, m := method(text); m.Batches != grit.Batches {
			t.Errorf("%s: %+v, want the scale's sizes, %+v", text, m.Batches, grit.Batches)
		}
	}
}

// A variant's changes reach its runs, those of its data included, and no other row's; a plain method's run is the catalogue's own.
func TestComparedPlan(t *testing.T) {
	var rows []plan.Row
	for _, text := range []string{"GRIT-VLP", "GRIT-VLP, searchspace=16, scenes.density=half, temperature=0.2", "SRCL, epochs=2"} {
		row := must.Get(plan.Variant(text, nil))(t)
		rows = append(rows, row)
	}
	a := must.Get(paper.Compared(rows))(t)
	q := plan.Request{Scale: "tiny", Seeds: []uint64{1}}
	p := must.Get(paper.NewPlan(a, q))(t)
	plain, changed, srcl := p.Rows[0][0], p.Rows[1][0], p.Rows[2][0]
	if got := changed.Train.Method.Batches.(negative.Grouped).SearchSpace; got != 16 || modelOf(changed).Temperature != 0.2 {
		t.Errorf("search space %d, temperature %g, want 16, 0.2", got, modelOf(changed).Temperature)
	}
	if changed.Data.Scenes.Density != "half" || plain.Data.Scenes.Density != "mid" {
		t.Errorf("densities %s and %s, want half and mid", changed.Data.Scenes.Density, plain.Data.Scenes.Density)
	}
	if srcl.Reference == nil || srcl.Train.Epochs != 2 || srcl.Reference.Train.Epochs != 2 {
		t.Errorf("SRCL has %d epochs and the reference %v, want two epochs of both", srcl.Train.Epochs, srcl.Reference)
	}
	table := must.Get(paper.NewPlan(papertest.Artifact(t, catalogue.List(), "falcon/table1"), q))(t)
	for i, row := range table.Artifact.Rows {
		if row.Name == "GRIT-VLP" && table.Rows[i][0].ID() != plain.ID() {
			t.Error("GRIT-VLP is another run than falcon/table1's")
		}
	}
	if want := 2 * 5; len(a.Claims) != want {
		t.Errorf("%d claims, want %d", len(a.Claims), want)
	}
	must.Fail(t, must.Err(paper.Compared([]plan.Row{rows[0], rows[0]})), "twice", "the same row twice")
	if _, err := paper.Compared(nil); err == nil {
		t.Error("no rows: no error")
	}
}
