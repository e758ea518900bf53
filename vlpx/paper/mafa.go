package paper

import (
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// mafa are the artifacts of MAFA (Byun et al., 2024).
var mafa = []Artifact{
	mafaTable1,
	mafaTable2,
	mafaTable3,
	mafaTable4,
	mafaTable5,
	mafaTable6,
	{ID: "mafa/table7", Title: "BLIP-2: retrieval"},
	{ID: "mafa/table8", Title: "BLIP-2: zero-shot VQA and captioning"},
	mafaTable9,
	mafaTable10,
	mafaTable11,
	mafaTable12,
	mafaTable13,
	mafaTable14,
	mafaTable15,
	mafaTable16,
	mafaTable17,
	mafaTable18,
	{ID: "mafa/table19", Title: "BLIP-2: fine-tuned captioning"},
	{ID: "mafa/table20", Title: "BLIP-2: positives of ECM in stage 2"},
	mafaFigure2,
	mafaFigure5,
	mafaFigure6,
	mafaFigure7,
	mafaFigure8,
}

// firstRecalls are R@1 on the data set at hand, in the place of COCO; flickrFirst and tasks are not there yet.
func firstRecalls() []Column { return []Column{column(eval.TR1), column(eval.IR1)} }
func flickrFirst() []Column  { return pending("Flickr R@1", "TR", "IR") }
func tasks() []Column {
	return append(pending("NLVR2", "dev", "test-P"), pending("VQA", "test-dev", "test-std")...)
}

// recallsAndMean are the six recalls and their mean, the Avg of MAFA's tables 13, 14 and 18.
func recallsAndMean() []Column { return append(retrieval(), column(eval.RMean)) }

// mined are our own columns of what Con-D said of the hard negatives, beside the truth.
func mined() []Column {
	return []Column{
		{Group: "False negatives", Name: "left", Metric: train.FalseLeft, Unit: "%", Lower: true},
		{Group: "New positives", Name: "of all", Metric: train.ConDPositives, Unit: "%"},
		{Group: "New positives", Name: "precision", Metric: train.ConDPrecision, Unit: "%"},
		{Group: "New positives", Name: "recall", Metric: train.ConDRecall, Unit: "%"},
	}
}

// hardest is our own column of the false negatives among the hardest negatives.
var hardest = columnOf(ours(), train.FalseHardest)

// found is the column of mined with that metric.
func found(metric string) Column { return columnOf(mined(), metric) }

// columnOf is the column of that metric; it is there.
func columnOf(columns []Column, metric string) Column {
	for _, c := range columns {
		if c.Metric == metric {
			return c
		}
	}
	panic("paper: no column of " + metric)
}

// gainAbove claims that one row's gain over another is above another row's over its own, in each of some metrics.
func gainAbove(better, over, than, itsOwn, source string, metrics ...eval.Metric) []Claim {
	claims := above(better, than, source, metrics...)
	for k := range claims {
		claims[k].Over = [2]string{over, itsOwn}
	}
	return claims
}

// above claims that one row is above another in each of some metrics.
func above(better, than, source string, metrics ...eval.Metric) []Claim {
	var claims []Claim
	for _, m := range metrics {
		claims = append(claims, Claim{Better: better, Than: than, In: column(m), Source: source})
	}
	return claims
}
