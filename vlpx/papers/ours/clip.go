package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// onCLIP is FALCON's table 1 without image-text matching: its methods that need none, on CLIP.
var onCLIP = paper.Artifact{
	ID:    "vlpx/clip",
	Title: "Hard and false negatives without image-text matching: FALCON's table 1 on CLIP",
	Look: "Whether harder mini-batches help where the contrastive loss is all there is: ITM, which profits most from a hard negative " +
		"and suffers most from a false one, is not there. Compare with falcon/table1 without re-ranking.",
	Note: "Two towers and ITC, at the sizes and under the regime of the scale as it is for ALBEF; FALCON is rewarded by the improvement " +
		"of ITC. A row's matching and masking do nothing here. MAFA is not there: its Con-D is image-text matching. The two rows that know " +
		"what is false were added when the others had been seen.",
	Rows: append(clipRows("InfoNCE", "ALBEF", "DiHT", "SRCL", "GRIT-VLP", "Easy quantile", "Hard quantile", "Progressive-Hardening",
		"Progressive-Softening", "FALCON"), plan.UniformRow().On("clip"), withTruth(plan.MethodRow("GRIT-VLP").On("clip"), withoutFalse, false),
		withTruth(plan.MethodRow("GRIT-VLP").On("clip"), turnedRound, true)),
	Columns: []paper.Column{
		paper.Cosine(eval.TR1), paper.Cosine(eval.TR10), paper.Cosine(eval.IR1), paper.Cosine(eval.IR10),
		paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP), paper.Cosine(eval.IR1False),
		paper.FalseInBatch(), paper.FalseHardest(),
	},
	Claims: slices.Concat(
		byCosine("GRIT-VLP", plan.UniformRow().Name), byCosine("Hard quantile", plan.UniformRow().Name),
		byCosine("FALCON", plan.UniformRow().Name),
		byCosine("GRIT-VLP", "InfoNCE"), byCosine("Hard quantile", "InfoNCE"), byCosine("FALCON", "InfoNCE"),
		byCosine("Hard quantile", "GRIT-VLP"), byCosine("FALCON", "GRIT-VLP"), byCosine("FALCON", "Hard quantile"),
		byCosine("Hard quantile", "Easy quantile"), byCosine(withoutFalse, "GRIT-VLP"), byCosine(turnedRound, withoutFalse),
		[]paper.Claim{{Better: "InfoNCE", Than: "GRIT-VLP", In: paper.FalseInBatch()},
			{Better: "Hard quantile", Than: "GRIT-VLP", In: paper.FalseInBatch()}}),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// clipRows are registered methods on CLIP.
func clipRows(methods ...string) []plan.Row {
	var rows []plan.Row
	for _, name := range methods {
		rows = append(rows, plan.MethodRow(name).On("clip"))
	}
	return rows
}

// byCosine are the claims that a row is above another by own captions, by all true pairs, and against false candidates.
func byCosine(better, than string) []paper.Claim {
	return append([]paper.Claim{{Better: better, Than: than, In: paper.Cosine(eval.IR1)}}, paper.AboveByCosine(better, than)...)
}
