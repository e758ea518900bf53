package catalogue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Found by its text, a claim has the source that the paper's text gives it; "ours" has none, and "" stands for a claim that must
// not be there.
var sources = []struct{ id, claim, source string }{
	{"falcon/table1", "ALBEF above DiHT in Text Retrieval R@1", "Table 1"},
	{"falcon/table1", "ALBEF above SRCL in Text Retrieval R@1", "Table 1"},
	{"falcon/table2", "FALCON (noisy) above ALBEF (noisy) in Image Retrieval R@1", "Table 2"},
	{"falcon/table2", "FALCON (noisy) above MAFA (noisy) in Image Retrieval R@1", "Table 2"},
	{"falcon/table2", "FALCON (clean) above FALCON (half of the clean) in Image Retrieval R@1", "section 4.1"},
	{"falcon/table2", "FALCON (clean) over GRIT-VLP (clean) above FALCON (noisy) over GRIT-VLP (noisy) in Text Retrieval R@1",
		"section 4.1"},
	{"mafa/table5", "GRIT + MAFA over GRIT above Random + MAFA over Random in Image Retrieval R@1", "section 5.4"},
	{"srcl/figure4", "SRCL (all) over SRCL without weights (all) above SRCL (1/4) over SRCL without weights (1/4) in Image Retrieval R@1",
		"section 4.4"},
	{"falcon/table4", "Reward MLM above Reward ITC in Image Retrieval R@1", "section 4.3, column ours"},
	{"falcon/table4", "Instance-based: true above Instance-based: false in Image Retrieval R@1", "section 4.3, column ours"},
	{"falcon/table4", "Search space 5664 above Search space 480 in Image Retrieval R@1", "section 4.3, column ours"},
	{"falcon/table4", "Reward MLM above Reward ITC in Scheduler quantile", "ours"},
	{"falcon/figure2", "q = 0.8 below q = 1 in False negatives chosen", "section 2, levels ours"},
	{"falcon/figure6", "FALCON below ALBEF in Time of training an epoch", "section 4.1"},
	{"falcon/figure6", "MAFA below FALCON in Time of training an epoch", "section 4.1"},
	{"falcon/figure6", "FALCON below ALBEF in Time of training to convergence", "table of Figure 6"},
	{"falcon/D.2", "FALCON above GRIT-VLP in Validation R mean, from epoch 2 on", "appendix D.2"},
	{"falcon/D.3", "GRIT-VLP (search space 5664) above GRIT-VLP (search space 28320) in Image Retrieval R@1", "sections 3.1, 4.3"},
	{"falcon/D.3", "MAFA (search space 5664) above MAFA (search space 28320) in Image Retrieval R@1", "section 4.3"},
	{"mafa/table1", "GRIT (noisy) below GRIT (clean) in False negatives w.r.t. image", "section 3"},
	{"mafa/table9", "GRIT (noisy) below GRIT (clean) in BLIP (129M), here the relation w.r.t. image", ""},
	{"mafa/table9", "Random (noisy) below GRIT (noisy) in BLIP (129M), here the relation w.r.t. image", "appendix B"},
	{"mafa/table3", "MAFA (clean) above MAFA (noisy) in Text Retrieval R@1", "section 5.3"},
	{"mafa/table10", "MAFA (clean) above MAFA (noisy) in Text Retrieval R@1", ""},
	{"mafa/table5", "Random + MAFA above Random in Image Retrieval R@1", "Table 5"},
	{"mafa/table6", "GRIT: S-ITC above GRIT: MD in Image Retrieval R@1", "section 5.4"},
	{"mafa/table12", "GRIT-VLP below MAFA in Time of training an epoch", "appendix G.2"},
	{"mafa/table12", "MAFA below ALBEF in Time of training an epoch", "Table 12"},
	{"mafa/table13", "MAFA (M = 500 B) above MAFA (M = 10 B) in Retrieval mean", "appendix G.4"},
	{"mafa/table14", "ECM in ITM above ECM in ITC in Retrieval mean", "appendix G.5"},
	{"mafa/table14", "ECM in MLM above ECM in ITC in Retrieval mean", "appendix G.5"},
	{"mafa/table16", "MAFA (Oracle) above MAFA in Text Retrieval R@1", ""},
	{"mafa/table17", "GRIT: S-ITC above GRIT: consistency in Image Retrieval R@1", ""},
	{"mafa/table18", "alpha = 0.5 above alpha = 0.9 in Image Retrieval R@1", "Table 18"},
	{"mafa/table18", "alpha = 0.7 above alpha = 0.9 in Image Retrieval R@1", "Table 18"},
	{"srcl/table1", "ALBEF++ above Nothing removed in Text Retrieval R@1", "Table 1"},
	{"srcl/table1", "ALBEF++ above ALBEF in Text Retrieval R@1", ""},
	{"srcl/table2", "SRCL above SRCL without weights in Image Retrieval R@1", "section 4.2.1"},
	{"srcl/table4", "SRCL above SRCL without weights in Text Retrieval R@1", "section 4.2.4"},
	{"srcl/table4", "SRCL above ALBEF in Text Retrieval R@1", "section 4.2.4, but ours distils"},
	{"srcl/figure4", "SRCL (1/4) above SRCL without weights (1/4) in Image Retrieval R@1", "section 4.4"},
	{"srcl/figure3", "Below 0.2 removed (temperature 0.35) above Nothing removed in Image Retrieval R@1", "section 4.3, temperature ours"},
	{"srcl/figure3", "SRCL (temperature 0.35) above Below 0.2 removed (temperature 0.35) in Text Retrieval R@1",
		"Tables 1 and 4, temperature ours"},
}

func TestClaimsNameTheirPlace(t *testing.T) {
	for _, want := range sources {
		a := must.Get(Find(want.id))(t)
		at := slices.IndexFunc(a.Claims, func(c paper.Claim) bool { return c.String() == want.claim })
		switch {
		case at < 0 && want.source != "":
			t.Errorf("%s: no claim %q", want.id, want.claim)
		case at >= 0 && want.source == "":
			t.Errorf("%s claims %q, which the paper does not", want.id, want.claim)
		case at >= 0 && a.Claims[at].Source != strings.TrimPrefix(want.source, "ours"):
			t.Errorf("%s: %q by %q, want %q", want.id, want.claim, a.Claims[at].Source, want.source)
		}
	}
}

// What an artifact remarks is told below its table.
func TestRemarksAreInTheNote(t *testing.T) {
	for _, id := range []string{"falcon/table4", "falcon/D.1", "mafa/table12", "srcl/figure3"} { // each laid out by another function
		p := papertest.Plan(t, List(), id, plan.Request{Seeds: []uint64{1}})
		if table := papertest.Table(t, papertest.Report(t, p, run.OpenStore(t.TempDir()))); !strings.HasSuffix(table.Note,
			p.Artifact.Remarks()) {
			t.Errorf("%s: the note %q does not end with %q", id, table.Note, p.Artifact.Remarks())
		}
	}
	if got := (paper.Artifact{}).Remarks(); got != "" {
		t.Errorf("nothing to remark: got %q", got)
	}
}

// Only what the papers' texts print is shown as theirs: x marks what is not there.
func TestNumbersThatThePaperDoesNotPrint(t *testing.T) {
	const x = -1
	for _, want := range []struct {
		id, row string
		paper   []float64
	}{
		{"falcon/table4", "Search space 480", nil},
		{"falcon/table4", "Search space 5664", []float64{x, 86.28, 92.78, 46.19, x, x}},
		{"falcon/table4", "Search space 28320", []float64{61.94, x, x, x, 74.61, 83.96}},
		{"falcon/D.2", "FALCON", nil},
		{"falcon/D.2", "ALBEF", nil},
		{"mafa/table2", "S-ITC", []float64{0.526, 0.474}},
		{"srcl/figure3", "Below 0.5 removed", nil},
	} {
		a := must.Get(Find(want.id))(t)
		same := func(got, want float64) bool { return got == want || math.IsNaN(got) && want == x }
		if got := papertest.RowNamed(a.Rows, want.row).Paper; !slices.EqualFunc(got, want.paper, same) {
			t.Errorf("%s, %s: got %v, want %v", want.id, want.row, got, want.paper)
		}
	}
	table := papertest.Table(t, papertest.Report(t, papertest.Plan(t, List(), "falcon/table5", plan.Request{}), run.OpenStore(t.TempDir())))
	for _, row := range table.Rows {
		if printed := row.Cells[0][0].Text; strings.Contains(printed, "768") || strings.Contains(printed, "12, 6") {
			if !strings.HasPrefix(printed, "ALBEF's: ") {
				t.Errorf("%s: %q, which FALCON does not print", row.Name, printed)
			}
		}
	}
}
