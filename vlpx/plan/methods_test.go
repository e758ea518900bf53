package plan_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// section finds the places of METHODS.md that a source names.
var section = regexp.MustCompile(`METHODS\.md ([0-9.]+)`)

// A method is found by its name and by each alias, in any case, and by nobody else's; its source is a section that there is.
func TestMethodsAreNamed(t *testing.T) {
	text := must.Get(os.ReadFile("../../docs/METHODS.md"))(t)
	seen := map[string]bool{}
	for _, m := range scale.Methods() {
		for _, name := range append([]string{m.Name}, m.Aliases...) {
			if lower := strings.ToLower(name); seen[lower] || name == "" || strings.Contains(name, ",") {
				t.Errorf("%s: the name %q is there twice, or could not stand before a setting", m.Name, name)
			} else {
				seen[lower] = true
			}
			row, err := plan.Variant(strings.ToUpper(name)+", epochs=2", nil)
			if want := m.Name + ", epochs=2"; err != nil || row.Name != want {
				t.Errorf("%s: got the row %q (%v), want %q", name, row.Name, err, want)
			}
		}
		of := section.FindStringSubmatch(m.Source)
		if len(of) < 2 || !regexp.MustCompile(`(?m)^##+ `+regexp.QuoteMeta(of[1])+`\b`).Match(text) || m.What == "" {
			t.Errorf("%s: source %q, %q; want a section of METHODS.md, and what it does", m.Name, m.Source, m.What)
		}
	}
}

// A method has a reference model if its parts ask one, and that is a method, too.
func TestMethodsHaveWhatTheyNeed(t *testing.T) {
	var needs []string
	for _, m := range scale.Methods() {
		parts := m.Parts(scale.Scales()[0])
		if parts.NeedsReference() != (m.Reference != "") {
			t.Errorf("%s: needs a reference model: %v, and has %q", m.Name, parts.NeedsReference(), m.Reference)
		}
		if row := plan.MethodRow(m.Name); m.Reference != "" && (row.Reference == nil || row.Reference.Name != m.Reference) {
			t.Errorf("%s: got the reference %v, want %s", m.Name, row.Reference, m.Reference)
		}
		if m.Needs() != "" {
			needs = append(needs, m.Name+": "+m.Needs())
		}
	}
	listtest.Equal(t, "needs", needs, []string{"SRCL: InfoNCE", "MAFA: Con-D", "Con-D: fine-tuning", "MAFA (Oracle): the relation",
		"ALBEF++: InfoNCE",
		"SogCLR (Oracle): the relation", "TAGS w/ SG: UNITER+MLM"})
	if conD := plan.MethodRow("MAFA").Reference; conD.Tune == nil {
		t.Error("MAFA's Con-D is not fine-tuned")
	}
}

// A method of one's own may have an alias for its name, and is then what the name means; that of a method is refused.
func TestOwnMethodsBeforeAliases(t *testing.T) {
	mine := negative.Method{Name: "GRIT", Contrast: negative.Smoothed{Alpha: 0.25}}
	row, err := plan.Variant("grit", []negative.Method{mine})
	if err != nil || row.Name != "GRIT" || row.Method(scale.Scales()[0]).Contrast != mine.Contrast {
		t.Errorf("got the row %q (%v), want one's own", row.Name, err)
	}
	must.Fail(t, must.Err(plan.Variant("mafa", []negative.Method{{Name: "mafa"}})), "another Name", "one's own MAFA")
}
