package paper

import (
	"testing"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
)

// A figure says over how many seeds its spread is, and when there is none.
func TestSpreadNote(t *testing.T) {
	for _, v := range []struct {
		seeds []int // of each row
		want  string
	}{
		{[]int{1, 1}, "One seed: no spread is known."},
		{[]int{3, 0, 3}, "Means over 3 seeds; bands are one standard deviation."},
		{[]int{3, 5}, "Means over 3 to 5 seeds; bands are one standard deviation."},
		{[]int{1, 5}, "Means over 1 to 5 seeds; bands are one standard deviation, which one seed has not."},
	} {
		r := &Report{}
		for _, n := range v.seeds {
			r.Rows = append(r.Rows, RowReport{Results: make([]run.Result, n)})
		}
		if got := r.SpreadNote("bands"); got != v.want {
			t.Errorf("%v seeds: got %q, want %q", v.seeds, got, v.want)
		}
	}
}

// Headings, axes and bars name a column in full: alone, and beside others.
func TestColumnNames(t *testing.T) {
	for _, v := range []struct {
		column              Column
		heading, label, bar string
	}{
		{ColumnOf(eval.TR1), "Text Retrieval: R@1", "R@1 (%)", "TR R@1"},
		{Cosine(eval.IR1False), "Without re-ranking: IR@1 false", "IR@1 false (%)",
			"IR R@1 false"},
		{Mined(negative.FalseLeft), "False negatives left by Con-D", "share (%)", "left by Con-D"},
		{FalseHardest(), "False negatives among the hardest", "share (%)", "among the hardest"},
		{Column{Group: "Quantile chosen", Name: "simple", Axis: "quantile"}, "Quantile chosen: simple", "quantile", "simple"},
		{Column{Name: "time", Unit: "C"}, "time", "time (C)", "time"},
	} {
		if h, l, b := v.column.Heading(), v.column.Label(), v.column.bar(); h != v.heading || l != v.label || b != v.bar {
			t.Errorf("got %q, %q, %q, want %q, %q, %q", h, l, b, v.heading, v.label, v.bar)
		}
	}
}
