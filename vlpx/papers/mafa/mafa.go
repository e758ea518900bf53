package mafa

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
)

// Artifacts are the artifacts of MAFA (Byun et al., 2024).
func Artifacts() []paper.Artifact { return slices.Clone(artifacts) }

var artifacts = []paper.Artifact{
	table1,
	table2,
	table3,
	table4,
	table5,
	table6,
	table7,
	table8,
	table9,
	table10,
	table11,
	table12,
	table13,
	table14,
	table15,
	table16,
	table17,
	table18,
	table19,
	table20,
	figure2,
	figure5,
	figure6,
	figure7,
	figure8,
}

// noBLIP is why no claim can say what the paper says of BLIP.
const noBLIP = "BLIP is not among the methods"

// firstRecalls are R@1 on the data set at hand, in the place of COCO; secondFirst on the second data, in the place of Flickr30K.
func firstRecalls() []paper.Column {
	return []paper.Column{paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.IR1)}
}
func secondFirst() []paper.Column { return paper.OnSecond(eval.TR1, eval.IR1) }

// tasks are the columns of NLVR2 and of VQA.
func tasks() []paper.Column { return append(paper.NLVR2Columns(), paper.VQAColumns()...) }

// recallsAndMean are the six recalls and their mean, the Avg of MAFA's tables 13, 14 and 18.
func recallsAndMean() []paper.Column { return append(paper.Retrieval(), paper.ColumnOf(eval.RMean)) }

// hardest is our own column of the false negatives among the hardest negatives.
var hardest = paper.FalseHardest()
