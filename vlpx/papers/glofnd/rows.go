package glofnd

import (
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// images is the data that the unimodal artifacts are best looked at with: 100 classes of as many images, as ImageNet100's, so that one
// negative in a hundred is false.
const images = "cifar100"

// unimodal is a registered method on SimCLR's framework, with changes of the scale for the row.
func unimodal(method string, changes ...func(*scale.Scale)) plan.Row {
	return plan.MethodRow(method).On("simclr", changes...)
}

// bimodal is a registered method on CLIP, with what another one leaves out, if any, trained from nothing for as many epochs as the warm
// start and the run have together: the paper pre-trains.
func bimodal(method, leavesOut string, numbers ...float64) plan.Row {
	row := plan.MethodRow(method, numbers...)
	if leavesOut != "" {
		row = row.LeavingOut(leavesOut)
	}
	row = row.On("clip", func(s *scale.Scale) { s.Epochs, s.WarmStart = s.Epochs+s.WarmStart, 0 }, learning(method))
	row.Tasks = eval.Tasks{eval.Classification{Prompts: []string{"an object on {}"}}}
	return row
}

// learning is the change of a scale for FastCLIP-v3: its first temperature, and the rate at which that learns (METHODS.md 9).
func learning(method string) func(*scale.Scale) {
	return func(s *scale.Scale) {
		if method == "FastCLIP-v3" {
			s.Temperature, s.Optimiser.TemperatureRate = 0.07, 2e-4
		}
	}
}

// linear are the columns of linear evaluation.
func linear() []paper.Column {
	var columns []paper.Column
	for _, info := range (eval.LinearEvaluation{}).Metrics() {
		columns = append(columns, paper.ColumnOf(info.Metric))
	}
	return columns
}

// average is the mean over the shares of labels.
func average() paper.Column { return paper.ColumnOf(eval.LinearAverage) }

// found are the columns of the false negatives found in the last epoch.
func found() []paper.Column {
	return []paper.Column{
		{Group: "False negatives found", Name: "precision", Metric: negative.FoundPrecision, Unit: "%"},
		{Group: "False negatives found", Name: "recall", Metric: negative.FoundRecall, Unit: "%"},
		{Group: "False negatives found", Name: "F1", Metric: negative.FoundF1, Unit: "%"},
	}
}

// share is the column of the negatives that are taken for false.
func share() paper.Column {
	return paper.Column{Group: "Negatives", Name: "taken for false", Metric: negative.FoundShare, Unit: "%"}
}

// above are claims that a row is above others in columns.
func above(better, source string, columns []paper.Column, than ...string) []paper.Claim {
	var claims []paper.Claim
	for _, other := range than {
		for _, c := range columns {
			claims = append(claims, paper.Claim{Better: better, Than: other, In: c, Source: source})
		}
	}
	return claims
}
