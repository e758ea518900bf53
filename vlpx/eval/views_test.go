package eval_test

import (
	"maps"
	"math"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// TestAMetricIsOneEntry adds R@50 and a mean reciprocal rank. Each is measured in all views that it belongs to, by cosine and re-ranked, is
// the mean of its queries' numbers, and has a unit and a heading; the metrics that there were are the same.
func TestAMetricIsOneEntry(t *testing.T) {
	b := newBench(t)
	measure := func() (eval.Result, *eval.Items) {
		measured := must.Get(eval.Retrieval{Rerank: b.rerank}.Measure(t.Context(), b.Subject))(t)
		return measured.Metrics, eval.QueryItems.Of(measured.Examples)
	}
	before, _ := measure()
	eval.AddMeasures(t)
	got, items := measure()

	for _, c := range []struct {
		metric eval.Metric
		column string
	}{{"@50", "R@50"}, {"@50 true", "R@50, all true"}, {" MRR", "MRR"}} {
		for _, direction := range []eval.Metric{"TR", "IR"} {
			metric := direction + c.metric
			info, known := eval.InfoOf(metric)
			if !known || info.Unit != "%" || info.Column != c.column || info.What == "" {
				t.Errorf("%s: got %+v, want the column %q", metric, info, c.column)
			}
			for _, name := range []eval.Metric{metric, eval.CosinePrefix + metric} {
				value, measured := got[name]
				shares := items.Shares(string(name))
				if !measured || shares == nil {
					t.Errorf("%s: measured %v, with shares %v", name, measured, shares)
				} else if mean := ofShares(shares, once(len(items.Captions))); math.Abs(mean-value) > 1e-9 {
					t.Errorf("%s: got %v, and %v from the queries", name, value, mean)
				}
				delete(got, name)
			}
		}
	}
	if !maps.Equal(got, before) {
		t.Errorf("other metrics are %v, and were %v", got, before)
	}
}

// TestACutoffIsOfAllViews: those of benchmarks and of folds, too.
func TestACutoffIsOfAllViews(t *testing.T) {
	eval.AddMeasures(t)
	two := matrix([]float64{1, 0}, []float64{0, 1})
	all := datasets.Answers{Captions: [][]int{{0}, {1}}, Images: [][]int{{0}, {1}}}
	got := must.Get(eval.BenchmarkRecall(two, two, []int{0, 1}, map[datasets.Benchmark]datasets.Answers{datasets.ECCV: all,
		datasets.CxC: all}))(t)
	folds := must.Get(eval.FoldRecall(two, two, []int{0, 1}, 1))(t)
	maps.Copy(got, folds)
	for _, metric := range []eval.Metric{"TR@50 ECCV", "IR@50 ECCV", "TR@50 CxC", "IR@50 CxC", "TR@50 1K", "IR@50 1K"} {
		if _, known := eval.InfoOf(metric); !known || got[metric] != 100 {
			t.Errorf("%s: got %v of %v (listed: %v)", metric, got[metric], got, known)
		}
	}
}
