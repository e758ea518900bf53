package ours

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// leftOut asks GloFND's own open questions where the truth is known: what to do with what is found, whether alpha should be each anchor's
// own, and whether a learned threshold mends what false negatives do to ITM under hard mini-batches, as Con-D does with a second model.
var leftOut = paper.Artifact{
	ID:    "vlpx/leftout",
	Title: "Learned thresholds in ALBEF: left out or attracted, one alpha or each anchor's, under three kinds of mini-batches",
	Look: "Whether GRIT-VLP's re-ranking, which false negatives among ITM's pairs spoil, recovers when negatives above a learned " +
		"threshold are no negatives, how near that comes to leaving out exactly the false ones, and at what precision.",
	Note: "A threshold acts on ITC and on which negatives ITM may pick. Alpha is the share of true pairs among random images and " +
		"captions; under GRIT-VLP a mini-batch has eight times as many, and a threshold learns the quantile of the mini-batches that it " +
		"sees: \"alpha of its mini-batches\" is that share. An alpha of each anchor's own is the share of the data that is true of it, " +
		"by the relation. Hardest are the negatives that ITM meets. The false ones as positives are targets of ITC, and no negatives of " +
		"ITM: this row was added when the others had been seen.",
	Rows: []plan.Row{
		plan.MethodRow("InfoNCE"), thresholded("InfoNCE", "", uniform),
		plan.MethodRow("GRIT-VLP"), thresholded("GRIT-VLP", "", uniform),
		thresholded("GRIT-VLP", "; alpha of its mini-batches", batchAlpha),
		thresholded("GRIT-VLP", "; attracted", batchAlpha).With(func(_ scale.Scale, m *negative.Method) { m.Attract = true }),
		thresholded("GRIT-VLP", "; each anchor's alpha", anchorAlpha),
		withTruth(plan.MethodRow("GRIT-VLP"), withoutFalse, false), withTruth(plan.MethodRow("GRIT-VLP"), turnedRound, true),
		plan.MethodRow("FALCON"), thresholded("FALCON", "", uniform),
		plan.MethodRow("MAFA"), plan.UniformRow(),
	},
	Columns: slices.Concat([]paper.Column{
		paper.ColumnOf(eval.TR1), paper.ColumnOf(eval.IR1), paper.ColumnOf(eval.TRMAP), paper.ColumnOf(eval.IRMAP),
		paper.Cosine(eval.TR1), paper.Cosine(eval.IR1), paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP),
		paper.FalseHardest(),
		{Group: "Negatives", Name: "taken for false", Metric: negative.FoundShare, Unit: "%"},
	}, foundColumns()),
	Claims: []paper.Claim{
		{Better: "GRIT-VLP", Than: plan.UniformRow().Name, In: paper.Cosine(eval.IRMAP)},
		{Better: withoutFalse, Than: plan.UniformRow().Name, In: paper.ColumnOf(eval.IRMAP)},
		{Better: withoutFalse, Than: "GRIT-VLP", In: paper.ColumnOf(eval.TRMAP)},
		{Better: withoutFalse, Than: "GRIT-VLP", In: paper.Cosine(eval.IRMAP)},
		{Better: "GRIT-VLP + GloFND; alpha of its mini-batches", Than: "GRIT-VLP", In: paper.ColumnOf(eval.IRMAP)},
		{Better: "GRIT-VLP + GloFND; alpha of its mini-batches", Than: "GRIT-VLP", In: paper.Cosine(eval.IRMAP)},
		{Better: "GRIT-VLP + GloFND; alpha of its mini-batches", Than: "MAFA", In: paper.ColumnOf(eval.IRMAP)},
		{Better: withoutFalse, Than: "GRIT-VLP", In: paper.ColumnOf(eval.IRMAP)},
		{Better: turnedRound, Than: withoutFalse, In: paper.Cosine(eval.IRMAP)},
		{Better: turnedRound, Than: withoutFalse, In: paper.ColumnOf(eval.IRMAP)},
		{Better: turnedRound, Than: "GRIT-VLP", In: paper.Cosine(eval.IRMAP)},
		{Better: "GRIT-VLP + GloFND; attracted", Than: "GRIT-VLP + GloFND; alpha of its mini-batches", In: paper.Cosine(eval.IRMAP)},
		{Better: "GRIT-VLP + GloFND; each anchor's alpha", Than: "GRIT-VLP + GloFND", In: paper.ColumnOf(eval.IRMAP)},
		{Better: "InfoNCE + GloFND", Than: "InfoNCE", In: paper.Cosine(eval.IRMAP)},
		{Better: "FALCON + GloFND", Than: "FALCON", In: paper.Cosine(eval.IRMAP)},
	},
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// GRIT-VLP's mini-batches with what is true in them taken out of the negatives, or turned into positives.
const (
	withoutFalse = "GRIT-VLP without the false ones"
	turnedRound  = "GRIT-VLP with the false ones as positives"
)

// withTruth is a row whose false negatives, by the relation, are left out, or are positives of the contrastive loss.
func withTruth(row plan.Row, name string, positives bool) plan.Row {
	return row.As(name).With(func(_ scale.Scale, m *negative.Method) { m.LeftOut, m.Attract = negative.Exact{}, positives })
}

// foundColumns are what the false negatives found are, by the relation.
func foundColumns() []paper.Column {
	return []paper.Column{
		{Group: "False negatives found", Name: "precision", Metric: negative.FoundPrecision, Unit: "%"},
		{Group: "False negatives found", Name: "recall", Metric: negative.FoundRecall, Unit: "%"},
		{Group: "False negatives found", Name: "F1", Metric: negative.FoundF1, Unit: "%"},
	}
}

// trueInGRIT is how many times as many true pairs GRIT-VLP's mini-batches have at mini as random ones: 2.65 % of 0.34 %.
const trueInGRIT = 2.65 / 0.34

// Kinds of alpha.
func uniform(s scale.Scale) negative.Thresholds { return negative.Thresholds{Alpha: s.Global.Alpha} }

func batchAlpha(s scale.Scale) negative.Thresholds {
	return negative.Thresholds{Alpha: min(trueInGRIT*s.Global.Alpha, 0.5)}
}

func anchorAlpha(s scale.Scale) negative.Thresholds {
	return negative.Thresholds{Alpha: s.Global.Alpha, Known: true}
}

// thresholded is a registered method without the negatives above learned thresholds, from the first step on, as the scale's warm start
// knows similarity already.
func thresholded(method, more string, of func(scale.Scale) negative.Thresholds) plan.Row {
	return plan.MethodRow(method).As(method + " + GloFND" + more).With(func(s scale.Scale, m *negative.Method) {
		t := of(s)
		t.FromBatch = s.Global.FromBatch
		m.LeftOut = t
	})
}
