package mafa

import (
	"math"
	"slices"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// The paper prints the mean of six recalls in three tables, to a digit.
func TestMAFAMeansAddUp(t *testing.T) {
	rows := 0
	for _, a := range Artifacts() {
		at := slices.IndexFunc(a.Columns, func(c paper.Column) bool { return c.Metric == string(eval.RMean) })
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
		long, short *paper.Artifact
		ir1         int // its place in the longer table
	}{{&table10, &table3, 3}, {&table11, &table4, 3}, {&table17, &table6, 1}} {
		for _, row := range c.short.Rows {
			long := papertest.RowNamed(c.long.Rows, row.Name)
			if len(long.Paper) == 0 && len(row.Paper) == 0 {
				continue
			}
			if long.Paper[0] != row.Paper[0] || long.Paper[c.ir1] != row.Paper[1] {
				t.Errorf("%s: %s has %v, %s has %v", row.Name, c.short.ID, row.Paper, c.long.ID, long.Paper)
			}
		}
	}
}

// Every row's method fits together at every scale and has a reference model if and only if it needs one.
func TestMAFAMethodsFit(t *testing.T) {
	for _, a := range Artifacts() {
		for _, row := range a.Rows {
			for _, name := range scale.ScaleNames() {
				s := papertest.Preset(t, name, false)
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
	s := papertest.Preset(t, "small", false).Resolved()
	if got, want := spaces(s), [4]int{96, 960, 4800, 24000}; got != want {
		t.Errorf("search spaces: got %v, want %v", got, want)
	}
	m := plan.MethodRow("MAFA").Method(s)
	if m.Positives != negative.PublishedECM() || negative.PublishedECM() != (negative.ECM{Low: 0.5, High: 0.8}) ||
		m.Contrast != (negative.Smoothed{Alpha: 0.5}) || m.Masking != 0.5 {
		t.Errorf("got MAFA %+v", m)
	}
	for _, row := range softRows() {
		if m := row.Method(s).WithDefaults(); m.Masking != 0.5 || m.Matching != (negative.Hardest{}) {
			t.Errorf("%s: got masking %g and matching %T, want all rows alike", row.Name, m.Masking, m.Matching)
		}
	}
}
