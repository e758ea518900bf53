package paper

import (
	"cmp"
	"fmt"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Column is one measure of a comparison.
type Column struct {
	Group, Name string
	Metric      string // as a result names it; empty for a task that is not there yet
	Unit        string
	Lower       bool // lower is better; in a neutral column, what claims say
	// Neutral is a column in which neither more nor less is better, so that no row wins. The hardest negatives are one: the more of them
	// are false the better a model ranks true pairs, and the more a method has to do with them.
	Neutral  bool
	Reported bool  // by a part of a method, under a name of its own
	Panel    Panel // of bars that it shares with other columns
	// Bar is its name in a panel of bars, where there is no room for the heading, Axis that of an axis of its own, and Alone its heading
	// where it stands alone. Name stands for an empty one of the first two, "Group: Name" for the last.
	Bar, Axis, Alone string
	// Of makes the number of a result that does not name it, such as seconds an epoch; nil to take Metric from the result.
	Of func(run.Result) (v float64, ok bool)
	// MeanOf are the metrics whose mean Of is, if it is one; see Averaging.
	MeanOf []string
	// Validation takes the metric on the validation split after the last epoch, without re-ranking, instead of the test split's. A
	// fine-tuning run re-ranks there, too.
	Validation bool
}

// Panel is a panel of bars.
type Panel struct {
	Title string // the column's group if empty
	Tuned string // the title where every row is fine-tuned; Title if empty
	Axis  string // what is measured, such as "recall"; "share" if empty
	Note  string // what a reader has to know of its bars
}

// Key names a column in the JSON: its metric, or its heading while the task is not there.
func (c Column) Key() string {
	switch {
	case c.Metric == "":
		return c.Group + " " + c.Name
	case c.Validation:
		return c.Metric + ", validation"
	}
	return c.Metric
}

// Value is what a result has in the column.
func (c Column) Value(r run.Result) (v float64, ok bool) {
	if c.Of != nil {
		return c.Of(r)
	}
	if !c.Validation && !c.Reported {
		if v, ok = r.Metrics[c.Metric]; ok || len(r.Epochs) == 0 {
			return v, ok
		}
		v, ok = r.Epochs[len(r.Epochs)-1].Counted()[c.Metric] // of older results, what was not told then
		return v, ok
	}
	if len(r.Epochs) == 0 {
		return 0, false
	}
	return c.in(r.Epochs[len(r.Epochs)-1])
}

// Averaging is the column of the mean of metrics, which a result has all of or none.
func (c Column) Averaging(metrics ...string) Column {
	c.MeanOf = metrics
	c.Of = func(r run.Result) (float64, bool) {
		return c.mean(func(metric string) (float64, bool) { v, ok := r.Metrics[metric]; return v, ok })
	}
	return c
}

// mean is that of MeanOf; ok is false where one of these is not there.
func (c Column) mean(metric func(string) (v float64, ok bool)) (mean float64, ok bool) {
	for _, name := range c.MeanOf {
		v, ok := metric(name)
		if !ok {
			return 0, false
		}
		mean += v / float64(len(c.MeanOf))
	}
	return mean, len(c.MeanOf) > 0
}

func (c Column) Values(results []run.Result) []float64 {
	var values []float64
	for _, result := range results {
		if v, ok := c.Value(result); ok {
			values = append(values, v)
		}
	}
	return values
}

// EpochValue is what the record of an epoch has under the name of a metric: retrieval on the validation split, or what was
// counted in training, as a result's metrics have it of the last epoch.
func EpochValue(record train.Record, metric string) (v float64, ok bool) {
	if v, ok = record.Metrics[metric]; !ok {
		v, ok = record.Counted()[metric]
	}
	return v, ok
}

// bar names a column's group of bars.
func (c Column) bar() string { return cmp.Or(c.Bar, c.Name) }

// Label names a column's axis, with its unit.
func (c Column) Label() string {
	name := cmp.Or(c.Axis, c.Name)
	if c.Unit == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, c.Unit)
}

// Heading names a column where it stands alone.
func (c Column) Heading() string {
	if c.Alone != "" || c.Group == "" {
		return cmp.Or(c.Alone, c.Name)
	}
	return c.Group + ": " + c.Name
}
