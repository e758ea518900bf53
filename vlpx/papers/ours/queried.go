package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// queried asks what no paper could count: how many false negatives a contrast by the best of several vectors meets, whether grouped
// sampling breaks BLIP-2, as MAFA's table 7 has it, and what the exact relation would mend.
var queried = paper.Artifact{
	ID:    "vlpx/blip2",
	Title: "False negatives in BLIP-2, whose images are several vectors, beside ALBEF, whose images are one",
	Look: "How many of the hardest negatives are false by the best query and by ALBEF's single vector, under the same " +
		"mini-batches; whether grouped sampling breaks BLIP-2, and whether it stands when the relation tells which negatives " +
		"are false. The oracle's row is MAFA with the relation as judge.",
	Note: "ALBEF's rows have BLIP-2's search space, its sampled matching and one-hot labels, so that they differ in the framework and in " +
		"BLIP-2's label smoothing alone. BLIP-2 sees images by a frozen encoder, ALBEF trains its own.",
	Rows: []plan.Row{
		blip2.Row(""), blip2.Row("GRIT-VLP"), blip2.Row("MAFA"), blip2.Row("MAFA (Oracle)"), blip2.Row("FALCON"),
		beside("InfoNCE", "ALBEF"), beside("GRIT-VLP", "ALBEF + GRIT"),
	},
	Columns: slices.Concat(paper.Retrieval(), paper.OwnColumns(), paper.MinedColumns()),
	Claims: slices.Concat(
		paper.Above("BLIP-2", "BLIP-2 + GRIT", "MAFA, section 5.5", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + MAFA (Oracle)", "BLIP-2 + GRIT", "", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + MAFA (Oracle)", "BLIP-2", "", eval.TR1, eval.IR1),
		paper.AboveByCosine("BLIP-2 + MAFA (Oracle)", "BLIP-2 + GRIT"),
		paper.AboveByCosine("BLIP-2 + GRIT", "BLIP-2"),
		[]paper.Claim{
			{Better: "ALBEF", Than: "BLIP-2", In: paper.FalseHardest()},
			{Better: "ALBEF + GRIT", Than: "BLIP-2 + GRIT", In: paper.FalseHardest()},
			{Better: "BLIP-2", Than: "BLIP-2 + GRIT", In: paper.FalseHardest()},
		}),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// beside is a row of BLIP-2's on ALBEF: with its losses of one-hot labels and sampled pairs, and its search space.
func beside(method, name string) plan.Row {
	return plan.MethodRow(method).As(name).With(func(_ scale.Scale, m *negative.Method) {
		m.Contrast, m.Matching = negative.InfoNCE{}, negative.Sampled{}
	}).Searching(func(s scale.Scale) int { return 10 * s.BatchSize }).On("ALBEF")
}
