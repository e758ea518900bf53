package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/train"
)

// Retrieval are the six columns of zero-shot image-text retrieval.
func Retrieval() []Column {
	var columns []Column
	for _, metric := range []eval.Metric{eval.TR1, eval.TR5, eval.TR10, eval.IR1, eval.IR5, eval.IR10} {
		columns = append(columns, ColumnOf(metric))
	}
	return columns
}

// ColumnOf describes the column of a metric of package eval, as it is after re-ranking.
func ColumnOf(m eval.Metric) Column {
	info, known := eval.InfoOf(m)
	if !known {
		panic(fmt.Sprintf("paper: no metric %q", m))
	}
	return column(info)
}

// Panels that columns of several groups share.
var (
	ownCaptions = Panel{Title: "Zero-shot retrieval of own captions", Tuned: "Fine-tuned retrieval of own captions", Axis: "recall",
		Note: directions}
	notRanked = Panel{Title: "Retrieval without re-ranking", Axis: "recall, mAP", Note: directions}
	falseMet  = Panel{Title: "False negatives met"}
)

const directions = "TR, IR: text, image retrieval."

// column is that of a metric, under its name where it has no heading.
func column(i eval.Info) Column {
	c := Column{Group: i.Group, Name: cmp.Or(i.Column, string(i.Metric)), Metric: string(i.Metric), Unit: i.Unit, Lower: i.LowerIsBetter}
	switch i.Group {
	case eval.TextRetrieval:
		c.Panel, c.Bar = ownCaptions, "TR "+c.Name
	case eval.ImageRetrieval:
		c.Panel, c.Bar = ownCaptions, "IR "+c.Name
	case eval.BothRetrievals:
		c.Panel = ownCaptions
	}
	return c
}

// measuredBy is the artifact with a column for each further metric of tasks. One that shows no columns stays as it is.
func (a Artifact) measuredBy(tasks eval.Tasks) Artifact {
	if len(a.Columns) == 0 {
		return a
	}
	a.Columns = slices.Clone(a.Columns)
	for _, info := range tasks.Metrics() {
		if !slices.ContainsFunc(a.Columns, func(c Column) bool { return c.Metric == string(info.Metric) }) {
			a.Columns = append(a.Columns, column(info))
		}
	}
	return a
}

// Cosine describes the column of a metric that is measured without re-ranking by image-text matching.
func Cosine(m eval.Metric) Column {
	c := ColumnOf(m)
	return Column{Group: "Without re-ranking", Name: string(m), Metric: eval.CosinePrefix + c.Metric, Unit: c.Unit, Lower: c.Lower,
		Panel: notRanked, Bar: strings.NewReplacer("TR@", "TR R@", "IR@", "IR R@").Replace(string(m))}
}

// Validation describes columns of metrics of the validation split, without re-ranking.
func Validation(metrics ...eval.Metric) []Column {
	var columns []Column
	for _, m := range metrics {
		columns = append(columns, Column{Group: "Validation", Name: string(m), Metric: string(m), Unit: ColumnOf(m).Unit, Validation: true})
	}
	return columns
}

// OnSecond are the columns of metrics of retrieval on the second data, in the place of Flickr30K; see [Second].
func OnSecond(metrics ...eval.Metric) []Column {
	var columns []Column
	for _, m := range metrics {
		c := ColumnOf(m)
		group := "Second data"
		if words := strings.Fields(c.Group); len(words) > 1 {
			group += ", " + strings.ToLower(words[0])
		}
		columns = append(columns, Column{Group: group, Name: c.Name, Metric: plan.SecondPrefix + c.Metric, Unit: c.Unit, Lower: c.Lower,
			Panel: Panel{Axis: "recall"}})
	}
	return columns
}

// SecondRecalls are the six recalls on the second data.
func SecondRecalls() []Column {
	return OnSecond(eval.TR1, eval.TR5, eval.TR10, eval.IR1, eval.IR5, eval.IR10)
}

// Under are the columns of metrics under a heading. Prefix stands before the metrics' names, as [eval.Elsewhere] has it; it may be empty.
func Under(group, prefix string, metrics ...eval.Metric) []Column {
	var columns []Column
	for _, m := range metrics {
		c := ColumnOf(m)
		columns = append(columns, Column{Group: group, Name: c.Name, Metric: prefix + c.Metric, Unit: c.Unit, Lower: c.Lower})
	}
	return columns
}

// Accuracies are the columns of a task's accuracy: on the validation split after the last epoch, and on the test split, each under the name
// that the paper has for its own.
func Accuracies(group string, m eval.Metric, validation, test string) []Column {
	return []Column{
		{Group: group, Name: validation, Metric: string(m) + plan.OnValidation, Unit: "%"},
		{Group: group, Name: test, Metric: string(m), Unit: "%"},
	}
}

// OwnColumns are our own columns: retrieval without re-ranking, which a small ITM head can spoil, and what the relation tells, by
// which a method that is right is told from one that is punished for it.
func OwnColumns() []Column {
	return []Column{
		Cosine(eval.TR1), Cosine(eval.TR10), Cosine(eval.IR1), Cosine(eval.IR10),
		Cosine(eval.TRMAP), Cosine(eval.IRMAP), Cosine(eval.IR1False),
		FalseInBatch(), FalseHardest(),
	}
}

// FalseNegatives is the column of a share of false negatives. Bar is its name among bars; name if empty.
func FalseNegatives(name, bar, metric string) Column {
	const group = "False negatives"
	return Column{Group: group, Name: name, Metric: metric, Unit: "%", Lower: true, Panel: falseMet, Bar: bar, Axis: "share",
		Alone: group + " " + cmp.Or(bar, name)}
}

// FalseInBatch is of all negatives of a mini-batch, FalseHardest of the hardest ones, and FalseChosen of those that a scheduler chose.
func FalseInBatch() Column { return FalseNegatives("in batch", "", train.FalseInBatch) }
func FalseChosen() Column  { return FalseNegatives("chosen", "among the chosen", train.FalseChosen) }
func FalseHardest() Column {
	c := FalseNegatives("hardest", "among the hardest", train.FalseHardest)
	c.Neutral = true
	return c
}

// Chosen are the columns of what a scheduler chose in the last epoch.
func Chosen() []Column {
	return []Column{
		{Group: "Scheduler", Name: "quantile", Metric: negative.MeanQuantile, Neutral: true},
		FalseChosen(),
	}
}

// MinedColumns are our own columns of what Con-D said of the hard negatives, beside the truth.
func MinedColumns() []Column {
	return []Column{
		FalseNegatives("left", "left by Con-D", negative.FalseLeft),
		{Group: "New positives", Name: "of all", Metric: negative.ConDPositives, Unit: "%", Neutral: true},
		{Group: "New positives", Name: "precision", Metric: negative.ConDPrecision, Unit: "%"},
		{Group: "New positives", Name: "recall", Metric: negative.ConDRecall, Unit: "%"},
	}
}

// Mined is the one of MinedColumns with that metric.
func Mined(metric string) Column {
	for _, c := range MinedColumns() {
		if c.Metric == metric {
			return c
		}
	}
	panic("paper: no column of " + metric)
}

// NLVR2Columns are the paper's columns of NLVR2: its dev is our validation split, its test-P our test split.
func NLVR2Columns() []Column { return Accuracies("NLVR2", eval.ReasoningAccuracy, "dev", "test-P") }

// VQAColumns are the paper's columns of VQA: its test-dev is our validation split, its test-std our test split.
func VQAColumns() []Column { return Accuracies("VQA", eval.VQAAccuracy, "test-dev", "test-std") }
