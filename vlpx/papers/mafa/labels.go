package mafa

import (
	"fmt"
	"slices"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// table2 tells where the soft labels lie (MAFA, Table 2 and appendix D). Those of the consistency loss are the published
// code's, which add up to 1.2: shares are of their sum. Without a queue there is nothing beyond B, and no number.
var table2 = paper.Artifact{
	ID:    "mafa/table2",
	Title: "Soft-label mass in the top 1-5, 6-B and beyond",
	Look: "Whether only S-ITC gives most of a grouped mini-batch a label worth having. Image anchors of the last epoch, labels in " +
		"descending order, shares of their sum; B is the batch size, behind it comes the queue.",
	Rows: []plan.Row{
		plan.MethodRow("S-ITC", 0.5260, 0.4740),
		plan.MethodRow("GRIT-VLP", 0.9822, 0.0178).As("Consistency loss"),
		plan.MethodRow("GRIT-VLP", 0.6746, 0.0009, 0.3245).As("Momentum distillation").With(queued),
	},
	Columns: []paper.Column{
		labels("top 1-5", negative.LabelsTop), labelsInBatch, labels("beyond B", negative.LabelsBeyond),
	},
	Claims: []paper.Claim{
		{Better: "S-ITC", Than: "Consistency loss", In: labelsInBatch, Source: "section 4.2"},
		{Better: "Consistency loss", Than: "Momentum distillation", In: labelsInBatch, Source: "section 4.2"},
	},
	Table: func(r *paper.Report) (tables.Table, error) {
		t, err := paper.Comparison(r)
		for k := range t.Columns {
			t.Columns[k].Format = "%.4f"
		}
		return t, err
	},
	Figure: paper.Bars,
}

// labelsInBatch is the column of the labels that all but the nearest candidates in the mini-batch share.
var labelsInBatch = labels("top 6-B", negative.LabelsBatch)

func labels(name, metric string) paper.Column {
	return paper.Column{Group: "Sum of soft labels", Name: name, Metric: metric, Neutral: true}
}

// contrastedBy gives a row another contrast.
func contrastedBy(contrast func(scale.Scale) negative.Contrast) func(scale.Scale, *negative.Method) {
	return func(s scale.Scale, m *negative.Method) { m.Contrast = contrast(s) }
}

// Momentum distillation with and without a queue, and S-ITC.
var (
	queued = contrastedBy(func(s scale.Scale) negative.Contrast {
		return negative.Distilled{Alpha: 0.4, Decay: 0.995, Queue: s.MomentumQueue}
	})
	unqueued  = contrastedBy(func(scale.Scale) negative.Contrast { return negative.Distilled{Alpha: 0.4, Decay: 0.995} })
	smoothing = contrastedBy(func(scale.Scale) negative.Contrast { return negative.Smoothed{Alpha: 0.5} })
)

// softRows are the soft labels of ITC under random and grouped sampling (MAFA, Tables 6 and 17). All have GRIT-VLP's hardest
// negatives and masking, so that they differ in nothing else. MD is momentum distillation.
func softRows() []plan.Row {
	return []plan.Row{
		plan.MethodRow("InfoNCE", 74.4, 57.6, 93.5, 81.7).As("Random: one-hot"),
		plan.MethodRow("InfoNCE", 74.2, 57.4, 93.5, 81.9).As("Random: MD").With(queued),
		plan.MethodRow("InfoNCE", 73.5, 56.1, 92.9, 79.9).As("Random: S-ITC").With(smoothing),
		plan.MethodRow("GRIT-VLP", 76.6, 59.6, 95.5, 82.9).As("GRIT: consistency"),
		plan.MethodRow("GRIT-VLP", 76.1, 58.9, 94.4, 82.7).As("GRIT: MD").With(queued),
		plan.MethodRow("GRIT-VLP", 77.5, 60.5, 96.1, 84.2).As("GRIT: S-ITC").With(smoothing),
	}
}

// withoutQueue are softRows with momentum distillation without a queue (MD_NQ) in front of that with one.
func withoutQueue() []plan.Row {
	random := plan.MethodRow("InfoNCE", 73.8, 57.9, 93.3, 81.5).As("Random: MD_NQ").With(unqueued)
	grouped := plan.MethodRow("GRIT-VLP", 77.1, 59.8, 95.5, 83.8).As("GRIT: MD_NQ").With(unqueued)
	return slices.Insert(slices.Insert(softRows(), 4, grouped), 1, random)
}

// table6 sets S-ITC beside other soft labels (MAFA, Table 6).
var table6 = paper.Artifact{
	ID:    "mafa/table6",
	Title: "Soft labels for ITC x sampling",
	Look: "Whether S-ITC helps under grouped sampling and hurts under random sampling. Zero-shot retrieval; the paper's numbers are " +
		"fine-tuned, on noisy captions. All rows have GRIT-VLP's hardest negatives and masking.",
	Rows:    softRows(),
	Columns: slices.Concat(firstRecalls(), secondFirst(), paper.OwnColumns()),
	Claims: slices.Concat(
		paper.Above("Random: one-hot", "Random: S-ITC", "section 5.4", eval.TR1, eval.IR1),
		paper.Above("GRIT: S-ITC", "GRIT: consistency", "section 5.4", eval.TR1, eval.IR1),
		paper.Above("GRIT: S-ITC", "GRIT: MD", "section 5.4", eval.TR1, eval.IR1),
		paper.Above("GRIT: consistency", "GRIT: MD", "section 5.4", eval.TR1, eval.IR1),
		paper.AboveByCosine("GRIT: S-ITC", "GRIT: consistency"), paper.AboveByCosine("Random: one-hot", "Random: S-ITC"),
	),
	Downstream: []plan.Downstream{plan.Second},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// table17 adds momentum distillation without a queue (MAFA, Table 17).
var table17 = paper.Artifact{
	ID:    "mafa/table17",
	Title: "Soft labels for ITC x sampling, momentum with and without queue",
	Look: "Whether the queue hurts momentum distillation under grouped sampling (MD against MD_NQ, which has none). Zero-shot " +
		"retrieval; the paper's numbers are fine-tuned, on noisy captions.",
	Rows:    withoutQueue(),
	Columns: slices.Concat(firstRecalls(), secondFirst(), paper.OwnColumns()),
	Claims: append(paper.Above("GRIT: MD_NQ", "GRIT: MD", "appendix G.6", eval.TR1, eval.IR1),
		paper.AboveByCosine("GRIT: MD_NQ", "GRIT: MD")...),
	Downstream: []plan.Downstream{plan.Second},
	Table:      paper.Comparison,
	Figure:     paper.Bars,
}

// alphaRow is GRIT-VLP with S-ITC of some strength.
func alphaRow(alpha float64, numbers ...float64) plan.Row {
	return plan.MethodRow("S-ITC", numbers...).As(fmt.Sprintf("alpha = %g", alpha)).
		With(contrastedBy(func(scale.Scale) negative.Contrast { return negative.Smoothed{Alpha: alpha} }))
}

// table18 varies the strength of S-ITC (MAFA, Table 18).
var table18 = paper.Artifact{
	ID:    "mafa/table18",
	Title: "Mixing parameter of S-ITC",
	Look: "Whether a wide range of smoothing does equally well, and only the strongest hurts. Zero-shot retrieval after all epochs; the " +
		"paper's numbers are fine-tuned after 10 of 20, on noisy captions.",
	Rows: []plan.Row{
		alphaRow(0.1, 75.5, 93.3, 96.9, 58.4, 82.7, 89.3, 82.7),
		alphaRow(0.3, 75.8, 93.0, 96.4, 58.8, 82.7, 89.4, 82.7),
		alphaRow(0.5, 75.6, 92.9, 96.6, 59.0, 82.8, 89.6, 82.7),
		alphaRow(0.7, 75.3, 93.1, 96.7, 58.3, 82.6, 89.3, 82.6),
		alphaRow(0.9, 73.0, 92.1, 96.2, 56.4, 81.3, 88.6, 81.3),
	},
	Columns: slices.Concat(recallsAndMean(), paper.OwnColumns()),
	Claims: slices.Concat(
		paper.Above("alpha = 0.5", "alpha = 0.9", "Table 18", eval.TR1, eval.IR1, eval.RMean),
		paper.Above("alpha = 0.7", "alpha = 0.9", "Table 18", eval.TR1, eval.IR1, eval.RMean),
		paper.AboveByCosine("alpha = 0.5", "alpha = 0.9"), paper.AboveByCosine("alpha = 0.5", "alpha = 0.1"),
	),
	Unstated: []paper.Unstated{{What: "S-ITC is robust from 0.1 to 0.7", Source: "appendix G.6", Why: paper.Alike}},
	Table:    paper.Comparison,
	Figure:   paper.Bars,
}
