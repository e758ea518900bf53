package tags

import (
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// table3 asks a language model how fluent captions are, and what was made of them (TAGS-DC, Table 3).
var table3 = paper.Artifact{
	ID:    "tags/table3",
	Title: "Perplexity of positive, synthetic, corrected and VSE-C sentences",
	Look: "Whether sentences that a model writes read better than those that rules make, and whether correction brings them nearer to " +
		"the captions. A fluent negative cannot be told by its language alone.",
	Note: "The paper's perplexity is by the published GPT-2; ours by a GPT-2 that learned from training captions alone, one a seed, or " +
		"by the published one in a folder with -weights language=FOLDER. A row is what the run of TAGS-DC of that seed made of captions " +
		"of the test split: over all tokens of those captions of which it made one, the end among them.",
	Rows: []plan.Row{
		fluency("Positive", eval.Original, 51.13), fluency("Synthetic", eval.Written, 87.63), fluency("Corrected", eval.Corrected, 70.87),
		fluency("VSE-C", eval.Edited, 292.76),
	},
	Columns: []paper.Column{perplexity},
	Claims: []paper.Claim{
		{Better: "Synthetic", Than: "VSE-C", In: perplexity, Source: "section 4.2"},
		{Better: "Corrected", Than: "Synthetic", In: perplexity, Source: "section 4.2"},
		{Better: "Positive", Than: "Corrected", In: perplexity, Source: "Table 3"},
	},
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

var perplexity = paper.ColumnOf(eval.SentencePerplexity)

// measuring is a row named after what it measures.
func measuring(name string, row plan.Row, measure plan.Measure, number float64) plan.Row {
	row.Name, row.Measure, row.Paper = name, &measure, []float64{number}
	return row
}

// fluency is what a language model says of a version of the sentences of TAGS-DC.
func fluency(name string, v eval.Version, number float64) plan.Row {
	model := plan.MethodRow("InfoNCE").As("GPT-2").On("GPT-2") // of the method it has the mini-batches
	return measuring(name, second(tagsDC), plan.Measure{Model: &model,
		Task: func(of string) eval.Task { return eval.Fluency{Of: of, Version: v} }}, number)
}
