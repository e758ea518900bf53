package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// filters asks what the truth of a written negative costs: TAGS with all filters between one that lets every true sentence pass and one
// that lets no other.
var filters = paper.Artifact{
	ID:    "vlpx/ceilings-written",
	Title: "Is there nothing to gain, or does the filter not find it? TAGS with no filter, its own, the exact one and its contrary",
	Look: "Whether negatives that are written gain over none when none of them is true, whether the paper's filter leaves anything to gain, " +
		"and whether it would hurt to train against true sentences alone.",
	Note: "The hypotheses: an exact filter gains no point of RSum over the paper's, which leaves 3 % of true sentences among the kept; no " +
		"filter, which leaves a fifth, costs a point; and true sentences alone cost more. Five blocks decide it, by a margin of one point. " +
		"Of UNITER and TAGS these worlds' results were known from tags/table2 before the other rows ran. A caption and equal sentences are " +
		"left out by every filter. Few true sentences are written of a caption, so the last row trains against fewer than the others.",
	Rows: []plan.Row{
		plan.MethodRow("UNITER").On("UNITER"), filteredBy(unfiltered, negative.Different), filteredBy("TAGS", negative.Annotated),
		filteredBy(onlyFalse, negative.OnlyFalse), filteredBy(onlyTrue, negative.OnlyTrue),
	},
	Columns: slices.Concat(paper.Retrieval(), []paper.Column{paper.ColumnOf(eval.RSum), paper.ColumnOf(eval.TRMAP),
		paper.ColumnOf(eval.IRMAP),
		{Group: "Sentences", Name: "passed", Metric: negative.PassedShare, Unit: "%", Neutral: true},
		paper.FalseNegatives("passed", "", negative.PassedTrue), paper.FalseNegatives("kept", "", negative.KeptTrue)}),
	Claims: func() []paper.Claim {
		var claims []paper.Claim
		for _, in := range []paper.Column{paper.ColumnOf(eval.RSum), paper.ColumnOf(eval.TRMAP), paper.ColumnOf(eval.IRMAP)} {
			claims = append(claims, paper.Claim{Better: onlyFalse, Than: "UNITER", In: in}, paper.Claim{Better: onlyFalse, Than: "TAGS", In: in},
				paper.Claim{Better: "TAGS", Than: unfiltered, In: in}, paper.Claim{Better: onlyFalse, Than: onlyTrue, In: in})
		}
		return claims
	}(),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// The rows of vlpx/ceilings-written besides UNITER and TAGS.
const (
	unfiltered = "TAGS without a filter"
	onlyFalse  = "TAGS with the exact filter"
	onlyTrue   = "TAGS by true sentences alone"
)

// filteredBy is TAGS with a filter of its sentences.
func filteredBy(name string, f negative.Filter) plan.Row {
	return plan.MethodRow("TAGS").On("UNITER").As(name).With(plan.Part(func(_ scale.Scale, t *negative.TAGS) { t.Filter = f }))
}
