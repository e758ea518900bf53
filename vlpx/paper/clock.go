package paper

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/run"
)

// AnEpoch is the column of the seconds of training an epoch, of runs with a clock.
func AnEpoch() Column {
	return Column{Group: "Time of training", Name: "an epoch", Metric: "seconds an epoch", Unit: "s", Lower: true,
		Of: OfClock(SecondsAnEpoch)}
}

// OfClock makes a column's Of of a number that results with a clock have; NaN is none.
func OfClock(of func(run.Result) float64) func(run.Result) (float64, bool) {
	return func(r run.Result) (float64, bool) {
		if len(Timed([]run.Result{r})) == 0 {
			return 0, false
		}
		v := of(r)
		return v, !math.IsNaN(v)
	}
}

// Timed are the results with a clock for every epoch; older versions wrote none.
func Timed(results []run.Result) []run.Result {
	var all []run.Result
	for _, r := range results {
		if len(r.Clock) > 0 && len(r.Clock) == len(r.Epochs) {
			all = append(all, r)
		}
	}
	return all
}

// SecondsAnEpoch is what a timed run trained, on the average of its epochs.
func SecondsAnEpoch(r run.Result) float64 { return r.Clock[len(r.Clock)-1] / float64(len(r.Clock)) }

// MeanOf is the mean and the standard deviation over timed runs of what is a number; the zero Value where nothing is.
func MeanOf(results []run.Result, of func(run.Result) float64) tables.Value {
	var values []float64
	for _, r := range results {
		if v := of(r); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return tables.Value{}
	}
	mean, std := stat.MeanStdDev(values, nil)
	return tables.Value{Mean: mean, Std: std, N: len(values)}
}

// MeanOfRow is the mean over a row's timed runs; NaN without any.
func (r *Report) MeanOfRow(name string, of func(run.Result) float64) float64 {
	for _, row := range r.Rows {
		if v := MeanOf(Timed(row.Results), of); row.Name == name && v.N > 0 {
			return v.Mean
		}
	}
	return math.NaN()
}
