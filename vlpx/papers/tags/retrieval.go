package tags

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// Names of rows.
const (
	baseline   = "UNITER"
	tags       = "TAGS"
	tagsDC     = "TAGS-DC"
	byWord     = "TAGS w/ WM"
	static     = "TAGS w/ SG"
	longerTags = "TAGS as long as TAGS-DC"
)

// on is a registered method on UNITER, with the paper's numbers on MS-COCO and Flickr30K.
func on(method string, numbers ...float64) plan.Row {
	return plan.MethodRow(method, numbers...).On("UNITER")
}

// second is the second stage of TAGS-DC, which goes on from TAGS, by a method.
func second(method string, numbers ...float64) plan.Row {
	row := on(tags).Further(method)
	row.Paper = numbers
	return row
}

// recalls are the columns of both tables: the six recalls and their sum on the main data, and the recalls on the second data, in the place
// of Flickr30K.
func recalls() []paper.Column {
	return slices.Concat(paper.Retrieval(), []paper.Column{rsum()}, paper.SecondRecalls(), paper.OnSecond(eval.RSum))
}

func rsum() paper.Column { return paper.ColumnOf(eval.RSum) }

// truths are our columns beside them: retrieval by every true pair, and how many written negatives are true.
func truths() []paper.Column {
	return []paper.Column{
		paper.ColumnOf(eval.TRMAP), paper.ColumnOf(eval.IRMAP), paper.ColumnOf(eval.IR1False),
		paper.FalseNegatives("written", "", negative.WrittenTrue),
		paper.FalseNegatives("passed", "", negative.PassedTrue),
		paper.FalseNegatives("kept", "", negative.KeptTrue),
	}
}

// note tells of what both tables leave out.
const note = "The paper's numbers are of the base setting. Retrieval ranks all pairs by UNITER's matching score. Rows of the paper that " +
	"only its authors' other papers trained (SCAN, MMCA, AOQ, UNITER+DG, Unicoder-VL, LightningDOT, ERNIE-ViL, CLIP) and the large " +
	"setting are left out. False negatives are written sentences that the scene makes true, of those that it can judge, in the last " +
	"epoch: of all that were written, of those that the paper's filter passed, and of those that were trained against."

// table1 is retrieval (TAGS-DC, Table 1).
var table1 = paper.Artifact{
	ID:    "tags/table1",
	Title: "Retrieval against UNITER-style baselines",
	Look:  "Whether negatives that are written add to hard ones that are retrieved, and how many of them are true.",
	Note:  note,
	Rows: []plan.Row{
		on(baseline, 64.4, 87.4, 93.1, 50.3, 78.5, 87.2, 460.9, 85.9, 97.1, 98.8, 72.5, 92.3, 96.1, 542.7),
		second(tagsDC, 66.6, 88.6, 94.0, 51.6, 79.1, 87.5, 467.4, 87.9, 98.1, 99.3, 74.5, 93.3, 96.3, 549.4),
	},
	Columns: append(recalls(), truths()...),
	Claims:  above(tagsDC, "section 3.1", append(paper.Retrieval(), rsum()), baseline),
	Unstated: []paper.Unstated{{What: "TAGS-DC is above other authors' models", Source: "section 3.1",
		Why: "they are not trained here"}},
	Downstream: []plan.Downstream{plan.SecondWhole},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// table2 takes the method apart (TAGS-DC, Table 2), with rows of our own: the baseline, and TAGS trained on for as long as TAGS-DC, without
// which a second stage is compared with none.
var table2 = paper.Artifact{
	ID:    "tags/table2",
	Title: "Scene-graph against word masking; dynamic against static generator",
	Look: "Whether it matters what is masked and who writes, and whether word discrimination and correction are more than further " +
		"training. Two rows are ours: the baseline, and TAGS trained on for as long as TAGS-DC, against which to hold the two " +
		"tasks.",
	Note: note + " The static generator is UNITER fine-tuned with masked words, and frozen.",
	Rows: []plan.Row{
		on(byWord, 64.9, 87.8, 93.3, 51.1, 78.9, 87.4, 463.4, 85.9, 97.6, 99.1, 74.2, 93.0, 96.1, 545.9),
		on(static, 64.1, 87.6, 93.4, 50.9, 78.8, 87.3, 462.1, 85.5, 97.4, 98.9, 73.3, 92.6, 96.0, 543.7),
		on(tags, 65.4, 88.4, 93.6, 51.3, 79.0, 87.5, 465.2, 87.2, 97.8, 99.2, 74.4, 93.1, 96.1, 547.8),
		second(tagsDC, 66.6, 88.6, 94.0, 51.6, 79.1, 87.5, 467.4, 87.9, 98.1, 99.3, 74.5, 93.3, 96.3, 549.4),
		second(tags).As(longerTags),
		on(baseline),
	},
	Columns: append(recalls(), truths()...),
	Claims: slices.Concat(
		above(tags, "section 3.2", []paper.Column{rsum(), paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.IR1)}, byWord, static),
		above(tagsDC, "section 3.2", []paper.Column{rsum(), paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.IR1)}, tags),
		above(tagsDC, "ours", []paper.Column{rsum()}, longerTags),
		above(tags, "ours", []paper.Column{rsum()}, baseline)),
	Downstream: []plan.Downstream{plan.SecondWhole},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// above are claims that a row is above others in columns.
func above(better, source string, columns []paper.Column, than ...string) []paper.Claim {
	var claims []paper.Claim
	for _, other := range than {
		for _, c := range columns {
			claims = append(claims, paper.Claim{Better: better, Than: other, In: c, Source: source})
		}
	}
	return claims
}
