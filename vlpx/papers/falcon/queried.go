package falcon

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// table3 has FALCON inside BLIP-2 (FALCON, Table 3).
var table3 = paper.Artifact{
	ID:    "falcon/table3",
	Title: "FALCON inside BLIP-2, with the ITG loss as reward",
	Look: "Whether what the methods do to ALBEF they do to a model whose images are several vectors, and how many false negatives " +
		"each meets there. FALCON's scheduler is rewarded by ITG, the loss of writing a caption.",
	Note: "The image encoder is frozen. BLIP-2 + GRIT and BLIP-2 + FALCON differ from BLIP-2 in their mini-batches alone; MAFA smooths " +
		"its labels and takes new positives besides.",
	Rows: []plan.Row{
		blip2.Row("", 75.22, 93.00, 96.50, 57.98, 82.08, 88.78, 90.10, 77.48),
		blip2.Row("GRIT-VLP", 73.90, 93.10, 96.52, 57.47, 80.50, 87.56, 90.40, 77.28),
		blip2.Row("MAFA", 74.21, 93.00, 96.61, 57.94, 81.12, 88.44, 90.30, 77.32),
		blip2.Row("FALCON", 75.56, 93.50, 96.90, 58.52, 82.39, 88.98, 90.90, 77.72),
	},
	Columns:    slices.Concat(paper.Retrieval(), paper.OnSecond(eval.TR1, eval.IR1), paper.OwnColumns()),
	Downstream: []plan.Downstream{plan.Second},
	Claims: slices.Concat(
		paper.Above("BLIP-2 + FALCON", "BLIP-2", "section 4.2", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + FALCON", "BLIP-2 + GRIT", "section 4.2", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + FALCON", "BLIP-2 + MAFA", "section 4.2", eval.TR1, eval.IR1),
		paper.Above("BLIP-2", "BLIP-2 + GRIT", "Table 3", eval.TR1, eval.IR1),
		paper.Above("BLIP-2 + MAFA", "BLIP-2 + GRIT", "Table 3", eval.TR1, eval.IR1),
		paper.AboveByCosine("BLIP-2 + FALCON", "BLIP-2"), paper.AboveByCosine("BLIP-2 + GRIT", "BLIP-2"),
		paper.AboveByCosine("BLIP-2 + FALCON", "BLIP-2 + GRIT")),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}
