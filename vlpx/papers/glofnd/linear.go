package glofnd

import (
	"math"
	"slices"

	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// Names of the unimodal rows.
const (
	sogCLR       = "SogCLR"
	sogCLRFNC    = "SogCLR + FNC"
	sogCLRGloFND = "SogCLR + GloFND"
)

// unimodalRows are those of tables 1, 2, 5 and 6, whose runs are the same.
func unimodalRows() []plan.Row {
	return []plan.Row{unimodal("SogCLR").As(sogCLR), unimodal("FNC").As(sogCLRFNC), unimodal("GloFND").As(sogCLRGloFND)}
}

// numbered are the rows with the paper's numbers, a list each.
func numbered(rows []plan.Row, numbers ...[]float64) []plan.Row {
	rows = slices.Clone(rows)
	for i := range numbers {
		rows[i].Paper = numbers[i]
	}
	return rows
}

// table1 is linear evaluation and what is found (GloFND, Table 1).
var table1 = paper.Artifact{
	ID:    "glofnd/table1",
	Title: "Linear evaluation at four shares of labels; precision, recall and F1 of the false negatives found",
	Look: "Whether one threshold an anchor, learned over the whole data, finds more than the top of each mini-batch, and whether " +
		"representations gain by leaving out what is found.",
	Note: "FNC is what GloFND's published code compares itself with: the quantile of each mini-batch. A negative is false where the " +
		"images have one class; precision, recall and F1 are of all negatives of the last epoch together, the paper's the means over its " +
		"mini-batches. Its classifier sees augmented images, ours their representations.",
	Data: images,
	Rows: numbered(unimodalRows(),
		[]float64{76.55, 72.24, 62.92, 34.94, 61.66, math.NaN(), math.NaN(), math.NaN()},
		[]float64{77.12, 72.89, 64.29, 36.11, 62.60, 27.57, 53.67, 36.42},
		[]float64{77.59, 73.36, 65.09, 37.38, 63.36, 48.40, 58.81, 53.10}),
	Columns: slices.Concat(linear(), found(), []paper.Column{share(), neighbours()}),
	Claims: slices.Concat(
		above(sogCLRGloFND, "section 4.1", found(), sogCLRFNC),
		above(sogCLRGloFND, "section 4.1", []paper.Column{average()}, sogCLR),
		above(sogCLRGloFND, "section 4.4", []paper.Column{average()}, sogCLRFNC),
		above(sogCLRFNC, "section 4.1", []paper.Column{average()}, sogCLR)),
	Unstated: []paper.Unstated{{What: "the same at each share of labels", Source: "Table 1", Why: "glofnd/table5 tests these"}},
	Table:    paper.Comparison,
	Figure:   paper.Bars,
}

// table7 is SimCLR with and without (GloFND, Table 7). Its mini-batches are four times as large, as SimCLR needs.
var table7 = paper.Artifact{
	ID:    "glofnd/table7",
	Title: "SimCLR with and without GloFND",
	Look:  "Whether a threshold helps where the loss itself looks no further than the mini-batch.",
	Note:  "The mini-batches are four times as large as SogCLR's, as the paper's 512 are, but not more than half of the data.",
	Data:  images,
	Rows: numbered([]plan.Row{largeBatches("SimCLR", ""), largeBatches("SimCLR + FNC", "FNC"), largeBatches("SimCLR + GloFND", "GloFND")},
		[]float64{76.88, 73.38, 66.40, 33.56, 62.56}, []float64{76.90, 73.10, 64.88, 34.20, 62.27},
		[]float64{77.14, 73.66, 66.50, 35.58, 63.22}),
	Columns: slices.Concat(linear(), found()),
	Claims: slices.Concat(
		above("SimCLR + GloFND", "Table 7", []paper.Column{average()}, "SimCLR", "SimCLR + FNC"),
		[]paper.Claim{{Better: "SimCLR", Than: "SimCLR + FNC", In: average(), Source: "Table 7"}}),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// largeBatches is SimCLR, with what a registered method leaves out.
func largeBatches(name, leavesOut string) plan.Row {
	row := unimodal("SimCLR", func(s *scale.Scale) {
		before := s.Resolved()
		s.BatchSize = min(4*before.BatchSize, s.TrainingScenes()/2)
		// to the bit of results that are kept
		s.Schedule.Rate = before.Schedule.Rate * math.Sqrt(float64(s.BatchSize)/float64(before.BatchSize))
	}).As(name)
	if leavesOut != "" {
		row = row.LeavingOut(leavesOut)
	}
	return row
}

// batchwise compares one threshold with one for each anchor, and both with the mini-batch's (GloFND, section 4.3 (ii) and 4.4).
var batchwise = paper.Artifact{
	ID:    "glofnd/batchwise",
	Title: "One threshold against one for each anchor",
	Look: "Whether each anchor needs a threshold of its own, and whether learning it over the whole data is better than taking it from " +
		"the mini-batch.",
	Note: "The paper shows this in a figure whose numbers its text has lost.",
	Data: images,
	Rows: append(unimodalRows(), unimodal("GloFND").As(single).With(plan.Part(func(_ scale.Scale, t *thresholds) {
		t.Single = true
	}))),
	Columns: slices.Concat(linear(), found(), []paper.Column{share()}),
	Claims: slices.Concat(
		above(sogCLRGloFND, "section 4.3", []paper.Column{average()}, single),
		above(sogCLRGloFND, "section 4.4", []paper.Column{average()}, sogCLRFNC)),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

const single = "one threshold"
