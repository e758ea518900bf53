package falcon

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/eval"
	albef "vlpx.internal/vlpx/framework/albef/preset"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// table1Rows are the methods of FALCON's table 1, with the numbers it reports for retrieval on COCO, NLVR2 and VQA, and one
// two rows of our own: the plain baseline, and uniform mini-batches under the losses of the grouped and the scheduled ones.
var table1Rows = []plan.Row{
	plan.MethodRow("ALBEF", 55.60, 81.92, 90.10, 41.16, 70.63, 80.81, 72.98, 73.61, 70.46, 70.72),
	plan.MethodRow("GRIT-VLP", 60.60, 83.52, 89.14, 44.61, 69.54, 77.67, 74.63, 75.26, 71.04, 71.22),
	plan.MethodRow("DiHT", 54.72, 78.64, 84.00, 40.53, 65.20, 74.22, 73.08, 74.12, 70.74, 71.07),
	plan.MethodRow("SRCL", 54.52, 79.24, 85.42, 41.25, 66.36, 75.04, 73.27, 74.28, 70.77, 71.01),
	plan.MethodRow("MAFA", 60.96, 83.24, 89.62, 44.77, 69.49, 77.96, 75.16, 75.13, 71.13, 71.22),
	plan.MethodRow("Easy quantile", 18.92, 55.30, 72.90, 20.18, 58.07, 74.73, 72.32, 73.42, 69.97, 70.30),
	plan.MethodRow("Hard quantile", 58.80, 84.16, 91.28, 44.73, 73.43, 83.26, 73.98, 74.41, 71.00, 71.31),
	plan.MethodRow("Progressive-Hardening", 58.30, 84.54, 90.94, 44.21, 73.39, 82.97, 73.42, 74.24, 70.95, 71.15),
	plan.MethodRow("Progressive-Softening", 59.08, 84.76, 91.74, 44.24, 73.59, 82.74, 73.58, 74.80, 70.93, 71.17),
	plan.MethodRow("FALCON", 62.28, 86.18, 92.30, 46.18, 74.65, 83.58, 75.17, 75.47, 71.24, 71.36),
	plan.MethodRow("InfoNCE"),
	plan.UniformRow(),
}

// table1 compares FALCON with heuristic negative mining, COCO pre-training (FALCON, Table 1).
var table1 = paper.Artifact{
	ID:    "falcon/table1",
	Title: "FALCON against heuristic negative mining",
	Look: "Whether harder mini-batches help, how many false negatives each method meets, and whether the order of the methods " +
		"changes in the last columns, where every true pair is accepted. MAFA and SRCL learn from a model that was trained " +
		"before them. NLVR2 and VQA are fine-tuned from each row's pre-training.",
	Note: "The levels of the easy and of the hard quantile are lost in the paper's text: ours are settings. ALBEF above SRCL in text " +
		"R@1 is what this table has; SRCL's own paper (srcl/table2, srcl/table4) reports the contrary.",
	Table:      paper.Comparison,
	Figure:     paper.Bars,
	Rows:       table1Rows,
	Columns:    slices.Concat(paper.Retrieval(), paper.NLVR2Columns(), paper.VQAColumns(), paper.OwnColumns()),
	Downstream: []plan.Downstream{albef.NLVR2, albef.VQA},
	Claims: slices.Concat(
		aboveAll("FALCON", "ALBEF", "GRIT-VLP", "DiHT", "SRCL", "MAFA", "Hard quantile", "Progressive-Hardening", "Progressive-Softening"),
		paper.HardnessClaims("FALCON", plan.UniformRow().Name), paper.HardnessClaims("GRIT-VLP", plan.UniformRow().Name),
		[]paper.Claim{
			{Better: "FALCON", Than: "GRIT-VLP", In: paper.Cosine(eval.IRMAP)},
			{Better: "FALCON", Than: "Hard quantile", In: paper.Cosine(eval.IRMAP)},
			{Better: "GRIT-VLP", Than: "ALBEF", In: paper.ColumnOf(eval.TR1), Source: "Table 1"},
			{Better: "GRIT-VLP", Than: "ALBEF", In: paper.ColumnOf(eval.IR1), Source: "Table 1"},
			{Better: "ALBEF", Than: "GRIT-VLP", In: paper.ColumnOf(eval.IR10), Source: "Table 1"},
			{Better: "ALBEF", Than: "DiHT", In: paper.ColumnOf(eval.TR1), Source: "Table 1"},
			// SRCL's own tables have it the other way round
			{Better: "ALBEF", Than: "SRCL", In: paper.ColumnOf(eval.TR1), Source: "Table 1"},
			{Better: "Hard quantile", Than: "Easy quantile", In: paper.ColumnOf(eval.IR1), Source: "Table 1"},
			{Better: "Hard quantile", Than: "GRIT-VLP", In: paper.ColumnOf(eval.IR10), Source: "Table 1"},
			{Better: "GRIT-VLP", Than: "InfoNCE", In: paper.Cosine(eval.IRMAP)},
			{Better: "GRIT-VLP", Than: "InfoNCE", In: paper.Cosine(eval.IR1False)},
			{Better: "Hard quantile", Than: "InfoNCE", In: paper.Cosine(eval.IRMAP)},
			{Better: "InfoNCE", Than: "GRIT-VLP", In: paper.FalseInBatch()},
			{Better: "Hard quantile", Than: "GRIT-VLP", In: paper.FalseInBatch()},
		}),
}

func aboveAll(better string, than ...string) []paper.Claim {
	var claims []paper.Claim
	for _, other := range than {
		for _, m := range []eval.Metric{eval.TR1, eval.IR1} {
			claims = append(claims, paper.Claim{Better: better, Than: other, In: paper.ColumnOf(m), Source: "section 4.1"})
		}
	}
	return claims
}

// figureD2 follows all methods of table 1 over the epochs (FALCON, appendix D.2, which prints no numbers).
var figureD2 = paper.Artifact{
	ID:    "falcon/D.2",
	Title: "All methods over epochs, every recall",
	Look: "Whether an order of the methods holds over all of training or only at its end, and whether a method that starts fast " +
		"is overtaken. The paper has FALCON above all others in every epoch, in curves without numbers.",
	Note:    "Appendix D.2 draws curves and prints no numbers; falcon/table1 has the paper's, of the end of training.",
	Table:   paper.Comparison,
	Figure:  paper.Curves,
	Rows:    plan.WithoutNumbers(table1Rows),
	Columns: append(paper.Retrieval(), throughout),
	Claims: func() []paper.Claim {
		var claims []paper.Claim
		for _, row := range table1Rows {
			if row.Paper != nil && row.Name != "FALCON" {
				claims = append(claims, paper.Claim{Better: "FALCON", Than: row.Name, In: throughout, Source: "appendix D.2"})
			}
		}
		return claims
	}(),
	Unstated: []paper.Unstated{{What: "FALCON is best at every single epoch and in every recall", Source: "appendix D.2",
		Why: "the claims take the mean of the epochs and of the recalls; in the first epoch, before anything is scheduled, no method is " +
			"ahead by its design"}},
}

// throughout is the mean of the six recalls on the validation split, without re-ranking, over all epochs but the first, in which
// no mini-batch is grouped or scheduled.
var throughout = paper.Column{Group: "Validation", Name: "R mean, from epoch 2 on", Metric: "R mean over epochs", Unit: "%",
	Of: func(r run.Result) (float64, bool) {
		var values []float64
		for _, record := range r.Epochs[min(1, len(r.Epochs)):] {
			if v, ok := paper.EpochValue(record, string(eval.RMean)); ok {
				values = append(values, v)
			}
		}
		return stat.Mean(values, nil), len(values) > 0
	}}

// Artifacts are FALCON's tables and figures, in its order.
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	table1,
	table2,
	table3,
	table4,
	{ID: "falcon/table5", Title: "Hyper-parameters", Look: "Where a preset departs from the paper's settings.", Table: hyperTable,
		Note: "The paper prints neither layers nor width: it takes ALBEF's backbone (appendix C.4), whose sizes and first weights " +
			"these are: DeiT-B for vision, BERT-base for text and fusion, as the scale paper has them (vlpx weights lists both)."},
	{ID: "falcon/table6", Title: "Sizes of the pre-training data",
		Look:  "What each split of the data on disk holds, and how many captions an image has: several make false negatives certain.",
		Table: sizesTable},
	figure2,
	figure4,
	figure5,
	figure6,
	figureD1,
	figureD2,
	figureD3,
}
