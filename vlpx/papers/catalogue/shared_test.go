package catalogue

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/plan"
)

// Each method of the paper is trained once, whatever tables it is in.
func TestMAFASharesRuns(t *testing.T) {
	ids := func(id, row string) string {
		t.Helper()
		p := papertest.Plan(t, List(), id, plan.Request{Seeds: []uint64{1}, Methods: []string{row}})
		i := slices.IndexFunc(p.Requested, func(asked bool) bool { return asked })
		return p.Rows[i][0].ID()
	}
	for _, same := range [][][2]string{
		{{"falcon/table1", "MAFA"}, {"falcon/table2", "MAFA (clean)"}, {"falcon/figure2", "MAFA (threshold 0.8)"},
			{"falcon/D.3", "MAFA (search space 5664)"}, {"falcon/D.3", "MAFA (threshold 0.8)"}, {"falcon/figure6", "MAFA"},
			{"mafa/table4", "MAFA (clean)"}, {"mafa/table11", "MAFA (clean)"}, {"mafa/table5", "GRIT + MAFA"}, {"mafa/table12", "MAFA"},
			{"mafa/table13", "MAFA (M = 50 B)"}, {"mafa/table15", "threshold 0.8"}, {"mafa/table16", "MAFA"},
			{"mafa/figure2", "MAFA (M = 50 B)"},
			{"mafa/figure6", "MAFA (all)"}, {"mafa/figure7", "MAFA"}, {"mafa/figure8", "MAFA"}},
		{{"falcon/table2", "MAFA (noisy)"}, {"mafa/table4", "MAFA (noisy)"}, {"mafa/table11", "MAFA (noisy)"}},
		{{"falcon/table1", "GRIT-VLP"}, {"mafa/table1", "GRIT (clean)"}, {"mafa/table2", "Consistency loss"}, {"mafa/table5", "GRIT"},
			{"mafa/table6", "GRIT: consistency"}, {"mafa/table14", "without ECM"}, {"mafa/table13", "GRIT-VLP (M = 50 B)"},
			{"mafa/table12", "GRIT-VLP"}},
		{{"falcon/table1", "InfoNCE"}, {"mafa/table1", "Random (clean)"}, {"mafa/table5", "Random"}, {"mafa/table6", "Random: one-hot"},
			{"mafa/figure5", "Random (B)"}},
		{{"mafa/table4", "S-ITC (clean)"}, {"mafa/table2", "S-ITC"}, {"mafa/table6", "GRIT: S-ITC"}, {"mafa/table18", "alpha = 0.5"}},
		{{"mafa/table4", "ECM (clean)"}, {"mafa/table9", "GRIT (clean)"}, {"mafa/table14", "ECM in all three"}},
		{{"mafa/table5", "Random + MAFA"}, {"mafa/table9", "Random (clean)"}},
		{{"mafa/table2", "Momentum distillation"}, {"mafa/table6", "GRIT: MD"}, {"mafa/table17", "GRIT: MD"}},
		{{"mafa/table3", "MAFA (noisy)"}, {"mafa/table10", "MAFA (noisy)"}},
		{{"mafa/table15", "threshold 0.5"}, {"falcon/figure2", "MAFA (threshold 0.5)"}},
	} {
		want := ids(same[0][0], same[0][1])
		for _, other := range same[1:] {
			if got := ids(other[0], other[1]); got != want {
				t.Errorf("%s, %s is not the run of %s, %s", other[0], other[1], same[0][0], same[0][1])
			}
		}
	}
}

// Methods that several artifacts compare are the same runs.
func TestSharedRuns(t *testing.T) {
	of := func(id, row string) string {
		p := papertest.Plan(t, List(), id, plan.Request{Seeds: []uint64{1}, Methods: []string{row}})
		k := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == row })
		return p.Rows[k][0].ID()
	}
	for _, same := range [][4]string{
		{"srcl/table4", "SRCL", "falcon/table1", "SRCL"},
		{"srcl/table4", "ALBEF", "falcon/table1", "ALBEF"},
		{"srcl/table1", "ALBEF++", "srcl/figure3", "Below 0.2 removed (temperature 0.35)"},
		{"srcl/table1", "ALBEF++ (no temperature)", "srcl/figure3", "Below 0.2 removed"},
		{"srcl/table1", "Nothing removed", "srcl/table4", "SRCL without weights"},
		{"srcl/table4", "SRCL (temperature 0.35)", "srcl/figure7", "SRCL (temperature 0.35)"},
		{"vlpx/questions", "ALBEF", "falcon/table1", "ALBEF"},
		{"vlpx/questions", "MAFA", "falcon/table1", "MAFA"},
	} {
		if of(same[0], same[1]) != of(same[2], same[3]) {
			t.Errorf("%s of %s is another run than %s of %s", same[1], same[0], same[3], same[2])
		}
	}
}

// What is shown of captions and answers takes no runs but those of the tables.
func TestShownRuns(t *testing.T) {
	runs := func(ids ...string) map[string]bool {
		all := map[string]bool{}
		for _, id := range ids {
			for _, r := range papertest.Plan(t, List(), id, plan.Request{Seeds: []uint64{1}}).Runs() {
				all[r.ID()] = true
			}
		}
		return all
	}
	tables := runs("falcon/table1", "mafa/table8", "mafa/table19")
	for id := range runs("vlpx/captions", "vlpx/questions") {
		if !tables[id] {
			t.Errorf("run %s is of no table", id)
		}
	}
}
