package paper

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Column is one measure of a comparison.
type Column struct {
	Group, Name string
	Metric      string // as a result names it; empty for a task that is not there yet
	Unit        string
	Lower       bool // lower is better; in a column without a better, such as that of the hardest negatives, what claims say
	Told        bool // by a part of one's own, of which nobody knows whether more is better
	// Of makes the number of a result that does not name it, such as seconds an epoch; nil to take Metric from the result.
	Of func(run.Result) (v float64, ok bool)
	// Validation takes the metric on the validation split after the last epoch, without re-ranking, instead of the test split's. A
	// fine-tuning run re-ranks there, too.
	Validation bool
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
	if !c.Validation && !c.Told {
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

// bar names a column's group of bars where its panel has no room for its heading.
func (c Column) bar() string {
	switch c.Group {
	case "Text Retrieval":
		return "TR " + c.Name
	case "Image Retrieval":
		return "IR " + c.Name
	case "Without re-ranking":
		return strings.NewReplacer("TR@", "TR R@", "IR@", "IR R@").Replace(c.Name)
	case "False negatives":
		switch c.Name {
		case "hardest", "chosen":
			return "among the " + c.Name
		case "left":
			return "left by Con-D"
		}
	}
	return c.Name
}

// Label names a column's axis, with its unit.
func (c Column) Label() string {
	name := c.Name
	switch c.Group {
	case "False negatives", "False negatives chosen":
		name = "share"
	case "Quantile chosen":
		name = "quantile"
	}
	if c.Unit == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, c.Unit)
}

// Heading names a column where it stands alone.
func (c Column) Heading() string {
	switch c.Group {
	case "", toldGroup:
		return c.Name
	case "False negatives":
		return c.Group + " " + c.bar()
	}
	return c.Group + ": " + c.Name
}

// neutral tells of a column that neither more nor less is better, so that no row wins. Of the hardest negatives the more are false the
// better a model ranks true pairs, and the more a method has to do with them.
func (c Column) neutral() bool {
	return c.Told || c.Group == besidesGroup ||
		slices.ContainsFunc([]string{negative.MeanQuantile, negative.MeanReward, negative.LabelsTop, negative.LabelsBatch,
			negative.LabelsBeyond, negative.ConDPositives,
			train.FalseHardest, train.FalseOfImages, train.FalseOfTexts},
			func(metric string) bool { return strings.HasPrefix(c.Metric, metric) })
}
