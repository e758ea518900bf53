package catalogue

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// onCLIP asks for CLIP at tiny.
func onCLIP(methods ...string) plan.Request { return onFramework("clip", methods...) }

func onFramework(name string, methods ...string) plan.Request {
	return plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: []string{"framework=" + name}, Methods: methods}
}

// Every artifact can be asked for with another framework: it has the rows that this can have, and tells of the others why not. Only an
// artifact none of whose rows suits it is refused.
func TestArtifactsOnOthers(t *testing.T) {
	for _, name := range []string{"CLIP", "BLIP-2"} {
		t.Run(name, func(t *testing.T) { artifactsOn(t, name) })
	}
}

func artifactsOn(t *testing.T, name string) {
	for _, a := range List() {
		if a.Status() == paper.NotYet {
			continue
		}
		p, err := paper.NewPlan(a, onFramework(name))
		if lacking := new(framework.Lacking); errors.As(err, &lacking) && strings.Contains(err.Error(), "no row suits the framework") {
			t.Logf("%s: %v", a.ID, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", a.ID, err)
			continue
		}
		r := must.Get(paper.NewReport(p, run.OpenStore(t.TempDir())))(t)
		table, err := r.Table()
		if err == nil {
			err = errors.Join(table.Text(io.Discard, tables.Terminal{}), table.CSV(io.Discard))
		}
		if _, drawn := r.Figure(); err != nil || drawn != nil {
			t.Errorf("%s: %v, %v", a.ID, err, drawn)
		}
		claims := r.ClaimsTable()
		for i, row := range a.Rows {
			left := strings.Contains(table.Note, row.Name+" (")
			if planned := p.Rows[i] != nil; row.Method != nil && planned == left {
				t.Errorf("%s: %s: planned %t, and told in the note that it is left out %t; the note is %q", a.ID, row.Name, planned,
					left, table.Note)
			}
			for k, claim := range a.Claims {
				shown := slices.ContainsFunc(claims.Rows, func(line tables.Row) bool { return line.Name == r.Claims[k].Text })
				if left && shown && slices.Contains(claim.Rows(), row.Name) {
					t.Errorf("%s: the claim %q is shown without its row %s", a.ID, claim, row.Name)
				}
			}
		}
	}
}

// The shipped results are ALBEF's, and stand beside ALBEF's alone.
func TestShippedResultsOnCLIP(t *testing.T) {
	table1 := must.Get(Find("falcon/table1"))(t)
	for _, c := range []struct {
		set     []string
		shipped bool
	}{{nil, true}, {[]string{"framework=albef"}, true}, {[]string{"framework=clip"}, false}} {
		p := must.Get(paper.NewPlan(table1, plan.Request{Scale: "mini", Set: c.set}))(t)
		if reference, err := paper.FindReference(p); err != nil || (reference != nil) != c.shipped {
			t.Errorf("%v: got %+v (%v), want shipped results: %t", c.set, reference, err, c.shipped)
		}
	}
}

// A row that is named, or one's own, is refused instead, and so is a comparison's.
func TestNamedRowsOnCLIP(t *testing.T) {
	table1 := must.Get(Find("falcon/table1"))(t)
	row := must.Get(plan.Variant("MAFA", nil))(t)
	comparison := must.Get(paper.Compared([]plan.Row{plan.MethodRow("InfoNCE"), row}))(t)
	own := onCLIP()
	own.Own = []negative.Method{{Name: "mine", Positives: negative.ECM{Low: .5, High: .8, JudgedBy: negative.Oracle}}}
	for name, c := range map[string]struct {
		artifact paper.Artifact
		request  plan.Request
	}{"named": {table1, onCLIP("InfoNCE", "MAFA")}, "compared": {comparison, onCLIP()}, "one's own": {table1, own}} {
		var lacking *framework.Lacking
		if _, err := paper.NewPlan(c.artifact, c.request); !errors.As(err, &lacking) || lacking.Needs != "image-text matching" {
			t.Errorf("%s: got %v, want an error that says what CLIP lacks", name, err)
		}
	}
}
