package paper

import (
	"math"
	"slices"
	"testing"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// The paper prints the mean of six recalls in three tables, to a digit.
func TestMAFAMeansAddUp(t *testing.T) {
	rows := 0
	for _, a := range mafa {
		at := slices.IndexFunc(a.Columns, func(c Column) bool { return c.Metric == string(eval.RMean) })
		for _, row := range a.Rows {
			if at < 1 || len(row.Paper) <= at {
				continue
			}
			rows++
			var sum float64
			for _, x := range row.Paper[:at] {
				sum += x
			}
			if mean := sum / float64(at); math.Abs(mean-row.Paper[at]) > 0.0501 {
				t.Errorf("%s, %s: the recalls' mean is %.3f, the paper's %g", a.ID, row.Name, mean, row.Paper[at])
			}
		}
	}
	if rows != 6+5+5 {
		t.Errorf("got %d rows with a mean, want those of tables 13, 14 and 18", rows)
	}
}

// What the paper prints twice is the same here: R@1 on COCO, which comes first, of tables 3 to 6 and their longer versions. By the
// paper's own slip table 11 has another Flickr number than table 4.
func TestMAFATablesAgree(t *testing.T) {
	for _, c := range []struct {
		long, short *Artifact
		ir1         int // its place in the longer table
	}{{&mafaTable10, &mafaTable3, 3}, {&mafaTable11, &mafaTable4, 3}, {&mafaTable17, &mafaTable6, 1}} {
		for _, row := range c.short.Rows {
			long := RowNamed(c.long.Rows, row.Name)
			if len(long.Paper) == 0 && len(row.Paper) == 0 {
				continue
			}
			if long.Paper[0] != row.Paper[0] || long.Paper[c.ir1] != row.Paper[1] {
				t.Errorf("%s: %s has %v, %s has %v", row.Name, c.short.ID, row.Paper, c.long.ID, long.Paper)
			}
		}
	}
}

// Each method of the paper is trained once, whatever tables it is in.
func TestMAFASharesRuns(t *testing.T) {
	ids := func(id, row string) string {
		t.Helper()
		p := plan(t, id, Request{Seeds: []uint64{1}, Methods: []string{row}})
		i := slices.IndexFunc(p.Asked, func(asked bool) bool { return asked })
		return p.Rows[i][0].ID()
	}
	for _, same := range [][][2]string{
		{{"falcon/table1", "MAFA"}, {"falcon/table2", "MAFA (clean)"}, {"falcon/figure2", "MAFA (threshold 0.8)"},
			{"falcon/D.3", "MAFA (search space 5664)"}, {"falcon/D.3", "MAFA (threshold 0.8)"}, {"falcon/figure6", "MAFA"},
			{"mafa/table4", "MAFA (clean)"}, {"mafa/table11", "MAFA (clean)"}, {"mafa/table5", "GRIT + MAFA"}, {"mafa/table12", "MAFA"},
			{"mafa/table13", "MAFA (M = 50 B)"}, {"mafa/table15", "threshold 0.8"}, {"mafa/table16", "MAFA"}, {"mafa/figure2", "MAFA (M = 50 B)"},
			{"mafa/figure6", "MAFA (all)"}, {"mafa/figure7", "MAFA"}, {"mafa/figure8", "MAFA"}},
		{{"falcon/table2", "MAFA (noisy)"}, {"mafa/table4", "MAFA (noisy)"}, {"mafa/table11", "MAFA (noisy)"}},
		{{"falcon/table1", "GRIT-VLP"}, {"mafa/table1", "GRIT (clean)"}, {"mafa/table2", "Consistency loss"}, {"mafa/table5", "GRIT"},
			{"mafa/table6", "GRIT: consistency"}, {"mafa/table14", "without ECM"}, {"mafa/table13", "GRIT-VLP (M = 50 B)"}, {"mafa/table12", "GRIT-VLP"}},
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

// Every row's method fits together at every scale and has a reference model if and only if it needs one.
func TestMAFAMethodsFit(t *testing.T) {
	for _, a := range mafa {
		for _, row := range a.Rows {
			for _, name := range ScaleNames() {
				s := preset(t, name, false)
				if row.Vary != nil {
					row.Vary(&s)
				}
				c := s.Runs(run.Data{}, run.Vocabulary{}, 1000, row.Method(s), []uint64{1})[0].Train
				if row.Reference != nil {
					c.Reference = "of another run"
				}
				if err := c.Validate(); err != nil {
					t.Errorf("%s, %s at %s: %v", a.ID, row.Name, name, err)
				}
			}
		}
	}
}

// The papers' own settings at the scale that has them (METHODS.md 4 and 19).
func TestMAFASettings(t *testing.T) {
	s := preset(t, "small", false)
	if got, want := spaces(s), [4]int{96, 960, 4800, 24000}; got != want {
		t.Errorf("search spaces: got %v, want %v", got, want)
	}
	m := MethodRow("MAFA").Method(s)
	if m.Positives != Connections() || Connections() != (negative.ECM{Low: 0.5, High: 0.8}) || m.Contrast != (negative.Smoothed{Alpha: 0.5}) || m.Masking != 0.5 {
		t.Errorf("got MAFA %+v", m)
	}
	for _, row := range softRows() {
		if m := row.Method(s).WithDefaults(); m.Masking != 0.5 || m.Matching != (negative.Hardest{}) {
			t.Errorf("%s: got masking %g and matching %T, want all rows alike", row.Name, m.Masking, m.Matching)
		}
	}
}
