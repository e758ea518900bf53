package ours

import (
	"math"
	"slices"
	"strconv"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// written counts how many of the negatives that TAGS-DC writes are true, which the paper had two people estimate on 200 sentences.
var written = paper.Artifact{
	ID:    "vlpx/written",
	Title: "How many written negatives are true, before and after the filter",
	Look: "What the filter removes, and what it leaves: by the temperature of refilling, and by what was masked. A word that fits " +
		"is a word that may be true, so a better generator may write more false negatives. An object mostly has some attribute " +
		"that its caption does not mention.",
	Note: "Each model writes from one caption of each test image; sentences that are the caption itself, and such as no rule of the " +
		"scenes' grammar reads, do not count. The paper's filter leaves out a sentence all of whose new words stand in another caption " +
		"of the image; its human evaluation calls 96.5 % of 200 kept sentences true negatives, which is the paper's number of the " +
		"last column.",
	Rows: []plan.Row{
		numbers(plan.MethodRow("UNITER").On("UNITER")),
		numbers(plan.MethodRow("TAGS w/ WM").On("UNITER")),
		numbers(plan.MethodRow("TAGS w/ SG").On("UNITER")),
		numbers(plan.MethodRow("TAGS").On("UNITER"), 3.5),
		numbers(plan.MethodRow("TAGS").On("UNITER").Further("TAGS-DC")),
	},
	Columns: writtenColumns(),
	Claims: []paper.Claim{
		{Better: "TAGS", Than: "TAGS w/ WM", In: paper.ColumnOf(eval.HardestTrue)},
		{Better: "TAGS", Than: "UNITER", In: paper.ColumnOf(eval.HardestTrue)},
	},
	Unstated: []paper.Unstated{{What: "96.5 % of the written sentences are true negatives", Source: "section 4.2",
		Why: "a number of people, not a comparison of rows: it stands beside ours in the last column, which no claim tests"}},
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// numbers gives a row the paper's number of the last column.
func numbers(row plan.Row, kept ...float64) plan.Row {
	if kept != nil {
		row.Paper = append(slices.Repeat([]float64{math.NaN()}, len(writtenColumns())-1), kept...)
	}
	return row
}

// writtenColumns are the shares of true sentences by temperature and by element, before the filter and after it, and of those that are
// kept.
func writtenColumns() []paper.Column {
	var columns []paper.Column
	for _, passed := range []bool{false, true} {
		group := map[bool]string{false: "True, of all written", true: "True, of those that passed"}[passed]
		for _, t := range []float64{0.5, 1, 1.5, 2} {
			columns = append(columns, paper.Column{Group: group, Name: "at " + strconv.FormatFloat(t, 'g', -1, 64),
				Metric: string(eval.TrueAt(t, passed)),
				Unit:   "%", Lower: true})
		}
		for _, element := range eval.Elements() {
			columns = append(columns, paper.Column{Group: group, Name: element, Metric: string(eval.TrueOf(element, passed)), Unit: "%",
				Lower: true})
		}
	}
	return append(columns, paper.ColumnOf(eval.GapOfTrue), paper.ColumnOf(eval.GapOfFalse), paper.ColumnOf(eval.HardestTrue))
}

// tagged adds TAGS' written negatives to methods that choose their negatives.
var tagged = paper.Artifact{
	ID:    "vlpx/tagged",
	Title: "TAGS' written negatives added to ALBEF, GRIT-VLP and FALCON",
	Look: "Whether a sentence that is written adds to hard mini-batches, and whether it brings false negatives where a method had " +
		"learned to avoid them.",
	Note: "A written sentence joins ITM's pairs as a negative of its image, with the weight of a pair: the hardest of four, two maskings " +
		"with two refills each, by the model's own masked words. All rows train for two fifths of the scale's epochs after the warm " +
		"start, since a step that writes costs more. With one caption an image, as at mini, the filter knows no other annotated words.",
	Rows: func() []plan.Row {
		var rows []plan.Row
		for _, method := range []string{"ALBEF", "GRIT-VLP", "FALCON"} {
			row := plan.MethodRow(method).Varying(func(s *scale.Scale) {
				all := s.Epochs
				s.Epochs = max(2, all*2/5)
				s.CosineTimes *= float64(all) / float64(s.Epochs) // where it is longer than training, as long as ever
			})
			rows = append(rows, row, row.Writing().As(method+" + TAGS"))
		}
		return rows
	}(),
	Columns: slices.Concat(paper.Retrieval(), []paper.Column{paper.ColumnOf(eval.IRMAP), paper.ColumnOf(eval.TRMAP),
		paper.ColumnOf(eval.IR1False), paper.ColumnOf(eval.JudgedAUC),
		paper.Cosine(eval.IRMAP),
		paper.FalseHardest(), paper.FalseNegatives("written", "", negative.WrittenTrue),
		paper.FalseNegatives("kept", "", negative.KeptTrue)}),
	Claims: func() []paper.Claim {
		var claims []paper.Claim
		for _, method := range []string{"ALBEF", "GRIT-VLP", "FALCON"} {
			for _, m := range []eval.Metric{eval.IR1, eval.IRMAP, eval.JudgedAUC} {
				claims = append(claims, paper.Claim{Better: method + " + TAGS", Than: method, In: paper.ColumnOf(m)})
			}
		}
		return claims
	}(),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}
