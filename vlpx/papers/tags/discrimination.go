package tags

import (
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// table4 asks who tells captions from sentences made of them, and whether it matters who made these (TAGS-DC, Table 4).
var table4 = paper.Artifact{
	ID:    "tags/table4",
	Title: "Accuracy in telling captions from sentences made of them",
	Look: "Whether a model that was trained against written sentences tells those of another seed as well as its own, and such as rules " +
		"make; and whether the plain model can tell any, where these are the hardest ones that a model found.",
	Note: "A row is by whom the sentences are and which model tells them. TAGS1 is the run of the seed, TAGS2 one of another seed in " +
		"the same scenes. Sentences are the hardest that TAGS kept of a caption by " +
		"its own score. A tie counts as not recognised.",
	Rows: []plan.Row{
		discriminating("TAGS1 by TAGS1", tags, plan.Measure{}, eval.Written, 98.7),
		discriminating("TAGS1 by UNITER", baseline, plan.Measure{Of: generator()}, eval.Written, 2.3),
		discriminating("TAGS2 by TAGS1", tags, plan.Measure{Crossed: true}, eval.Written, 99.7),
		discriminating("TAGS2 by UNITER", baseline, plan.Measure{Of: generator(), Crossed: true}, eval.Written, 2.8),
		discriminating("VSE-C by TAGS1", tags, plan.Measure{}, eval.Edited, 96.3),
		discriminating("VSE-C by UNITER", baseline, plan.Measure{Of: generator()}, eval.Edited, 87.5),
	},
	Columns: []paper.Column{accuracy},
	Claims: []paper.Claim{
		{Better: "TAGS1 by TAGS1", Than: "TAGS1 by UNITER", In: accuracy, Source: "section 4.3"},
		{Better: "TAGS2 by TAGS1", Than: "TAGS2 by UNITER", In: accuracy, Source: "section 4.3"},
		{Better: "VSE-C by TAGS1", Than: "VSE-C by UNITER", In: accuracy, Source: "section 4.3"},
	},
	Unstated: []paper.Unstated{{What: "TAGS1 tells the sentences of both versions of TAGS alike", Source: "section 4.3",
		Why: "a t-test can tell two rows apart, not that they are alike"}},
	Table:  discriminationTable,
	Figure: paper.Bars,
}

var accuracy = paper.ColumnOf(eval.DiscriminationAccuracy)

// generator is the row whose runs write.
func generator() *plan.Row {
	row := on(tags)
	return &row
}

// discriminating is a row whose model tells captions from a version of the sentences that a run wrote.
func discriminating(name, discriminator string, measure plan.Measure, against eval.Version, number float64) plan.Row {
	measure.Task = func(of string) eval.Task { return eval.Discrimination{Of: of, Against: against} }
	return measuring(name, on(discriminator), measure, number)
}

func discriminationTable(r *paper.Report) (tables.Table, error) {
	t, err := paper.Comparison(r)
	t.Heading = "generator by discriminator"
	return t, err
}
