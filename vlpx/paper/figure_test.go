package paper

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

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

// Where the store has nothing of a row its figure has what is shipped.
func TestShippedIsDrawn(t *testing.T) {
	c := ColumnOf(eval.TR1)
	reference := &Reference{}
	of := func(n int, metrics map[string][3]float64, own ...float64) RowReport {
		row := RowReport{Name: fmt.Sprint(n, own), shipped: shippedRow{ReferenceRow{Runs: make([]string, n), Metrics: metrics}, reference, false}}
		for _, v := range own {
			row.Results = append(row.Results, run.Result{Metrics: map[string]float64{string(eval.TR1): v}})
		}
		return row
	}
	for _, v := range []struct {
		row       RowReport
		seeds     int
		mean, std float64
	}{
		{of(8, map[string][3]float64{c.Key(): {40, 2, 8}}), 8, 40, 2},
		{of(1, map[string][3]float64{c.Key(): {40, 0, 1}}), 1, 40, math.NaN()},
		{of(8, nil), 8, math.NaN(), math.NaN()},
		{of(8, map[string][3]float64{c.Key(): {40, 2, 8}}, 10, 30), 2, 20, math.Sqrt(200)},
	} {
		mean, std := v.row.spread(c)
		if !scalar.Same(mean, v.mean) || !scalar.Same(std, v.std) || v.row.seeds() != v.seeds {
			t.Errorf("%s: %d seeds with %v ± %v, want %d with %v ± %v", v.row.Name, v.row.seeds(), mean, std, v.seeds, v.mean, v.std)
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
