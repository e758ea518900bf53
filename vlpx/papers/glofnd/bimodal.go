package glofnd

import (
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// table3 is the zero-shot suite (GloFND, Table 3). Datacomp is a mean over 38 tasks; ours has two, of which the columns beside it are.
var table3 = paper.Artifact{
	ID:    "glofnd/table3",
	Title: "Bimodal zero-shot suite",
	Look: "Whether thresholds that are learned for images and for captions help where the mini-batch's quantile does not. In the " +
		"paper FNC, which takes the top of each mini-batch, falls below its baseline.",
	Note: "SogCLR's bimodal loss is FastCLIP-v1, and FastCLIP is FastCLIP-v3, as in the published code. Retrieval is the mean of the six " +
		"recalls of own captions, classes are the grounds of the scenes by a prompt, and the mean is that of the two, beside the paper's " +
		"means over 38 tasks, over three data sets for retrieval and over ImageNet and its variants.",
	Rows: []plan.Row{
		bimodal("FastCLIP-v1", "", 24.87, 29.28, 18.86).As(sogCLR),
		bimodal("FastCLIP-v1", "FNC", 24.55, 29.69, 18.69).As(sogCLRFNC),
		bimodal("FastCLIP-v1", "GloFND", 25.37, 29.92, 19.44).As(sogCLRGloFND),
		bimodal("FastCLIP-v3", "", 24.76, 30.36, 19.08).As(fastCLIP),
		bimodal("FastCLIP-v3", "FNC", 24.63, 28.87, 18.51).As(fastCLIPFNC),
		bimodal("FastCLIP-v3", "GloFND", 25.37, 30.22, 19.38).As(fastCLIPGloFND),
		bimodal("InfoNCE", ""),
	},
	Columns: slices.Concat([]paper.Column{suite, recalls, classes}, []paper.Column{
		paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP), paper.Cosine(eval.IR1False)}, found(), []paper.Column{share()}),
	Claims: slices.Concat(
		above(sogCLRGloFND, "section 4.2", []paper.Column{suite, recalls, classes}, sogCLR),
		above(fastCLIPGloFND, "section 4.2", []paper.Column{suite, classes}, fastCLIP),
		above(sogCLR, "Table 3", []paper.Column{suite}, sogCLRFNC),
		above(fastCLIP, "Table 3", []paper.Column{suite, recalls, classes}, fastCLIPFNC),
		above(sogCLRGloFND, "ours", []paper.Column{paper.Cosine(eval.IRMAP)}, sogCLR),
		above(fastCLIPGloFND, "ours", []paper.Column{paper.Cosine(eval.IRMAP)}, fastCLIP)),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// Names of the rows on FastCLIP.
const (
	fastCLIP       = "FastCLIP"
	fastCLIPFNC    = "FastCLIP + FNC"
	fastCLIPGloFND = "FastCLIP + GloFND"
)

// The columns of table 3: retrieval, classes, and the mean of the two.
var (
	recalls = paper.Column{Group: "Zero-shot", Name: "retrieval", Metric: eval.CosinePrefix + string(eval.RMean), Unit: "%"}
	classes = paper.Column{Group: "Zero-shot", Name: "classes", Metric: string(eval.ClassTop1), Unit: "%"}
	suite   = paper.Column{Group: "Zero-shot", Name: "mean", Metric: "mean of tasks", Unit: "%", Of: func(r run.Result) (float64, bool) {
		retrieval, one := recalls.Value(r)
		class, other := classes.Value(r)
		return (retrieval + class) / 2, one && other
	}}
)

// table8 fine-tunes a pre-trained CLIP (GloFND, Table 8): here the model of the scale's warm start, in the place of OpenAI's.
var table8 = paper.Artifact{
	ID:    "glofnd/table8",
	Title: "Fine-tuning a pre-trained CLIP",
	Look: "Whether a pre-trained model, whose similarities mean something from the first step, gains more. The first row is what " +
		"all others started from.",
	Note: "The pre-trained model is the scale's warm start in the place of OpenAI's ResNet-50; with -weights model=NAME, at a scale that " +
		"has none, a published one. The second row's name is lost in the paper's text; FastCLIP is inferred. False negatives are left " +
		"out after the first epoch, as the paper has it. Recall is on own captions.",
	Rows: []plan.Row{
		finetuned("", untrained, 27.58, 48.17, 57.53, 44.43, 26.30, 48.14, 57.69, 44.04).As(base),
		finetuned("", nil, 36.07, 58.94, 67.22, 54.08, 35.76, 59.19, 67.44, 54.13).As(fastCLIP),
		finetuned("FNC", nil, 33.69, 58.01, 67.51, 53.07, 33.61, 57.95, 67.53, 53.03).As(fastCLIPFNC),
		finetuned("GloFND", nil, 36.52, 59.44, 68.02, 54.66, 35.71, 59.27, 67.97, 54.32).As(fastCLIPGloFND),
	},
	Columns: slices.Concat(cosines(eval.IR1, eval.IR5, eval.IR10, eval.IRMean, eval.TR1, eval.TR5, eval.TR10, eval.TRMean),
		cosines(eval.IRMAP, eval.TRMAP), found(), []paper.Column{share()}),
	Claims: slices.Concat(
		above(fastCLIPGloFND, "Table 8", cosines(eval.IRMean, eval.TRMean), fastCLIP, fastCLIPFNC),
		above(fastCLIP, "Table 8", cosines(eval.IRMean, eval.TRMean), base, fastCLIPFNC)),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

const base = "Base"

// finetuned is FastCLIP-v3 on CLIP from the scale's warm start, with what another method leaves out after the first epoch.
func finetuned(leavesOut string, change func(*scale.Scale), numbers ...float64) plan.Row {
	row := plan.MethodRow("FastCLIP-v3", numbers...)
	if leavesOut != "" {
		row = row.LeavingOut(leavesOut)
	}
	return row.On("clip", learning("FastCLIP-v3"), func(s *scale.Scale) {
		s.Global.Begin = 1 / float64(s.Epochs)
		if change != nil {
			change(s)
		}
	})
}

// untrained leaves the warm start as it is: an epoch at a rate of 0.
func untrained(s *scale.Scale) {
	s.Epochs, s.Schedule, s.Optimiser.TemperatureRate = 1, train.Schedule{}, 0
}

func cosines(metrics ...eval.Metric) []paper.Column {
	var columns []paper.Column
	for _, m := range metrics {
		columns = append(columns, paper.Cosine(m))
	}
	return columns
}
