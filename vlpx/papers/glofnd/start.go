package glofnd

import (
	"fmt"
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// thresholds is the part that the rows change.
type thresholds = negative.Thresholds

// starts are the epochs from which false negatives are left out (GloFND, section 4.3: 10 to 110 of 200), as parts of all epochs.
var starts = []float64{.05, .15, .25, .35, .45, .55}

// warmup is the start epoch (GloFND, section 4.3).
var warmup = paper.Artifact{
	ID:    "glofnd/warmup",
	Title: "Start epoch",
	Look: "Whether there is a best time to begin: before it similarity says little of meaning, after it little training is left. The " +
		"paper's is epoch 70 of 200, and FNC falls after 110.",
	Note:    "A start is a part of all epochs, rounded to whole ones.",
	Data:    images,
	Rows:    paper.RowsOf(startPoints()),
	Columns: slices.Concat(linear(), found()),
	Unstated: []paper.Unstated{
		{What: "linear evaluation peaks at epoch 70 of 200", Source: "section 4.3", Why: paper.DrawnOnly},
		{What: "FNC falls after epoch 110 of 200", Source: "section 4.3", Why: paper.DrawnOnly},
	},
	Table:  paper.Comparison,
	Figure: paper.OverShares("start, part of all epochs", startPoints(), average(), found()[2]),
}

// startPoints are GloFND and FNC from each start.
func startPoints() []paper.Point {
	var points []paper.Point
	for _, method := range []string{"GloFND", "FNC"} {
		for _, at := range starts {
			row := unimodal(method, from(at)).As(fmt.Sprintf("%s from %g", method, at))
			points = append(points, paper.Point{Row: row, Curve: method, At: func(scale.Scale) float64 { return at }})
		}
	}
	return points
}

// from begins to leave negatives out at a part of all epochs.
func from(at float64) func(*scale.Scale) { return func(s *scale.Scale) { s.Global.Begin = at } }

// neighbours is a cheap look at how representations grow.
func neighbours() paper.Column { return paper.ColumnOf(eval.NeighboursTop1) }

// predfn follows the share of negatives that are taken for false (GloFND, section 4.3 (iii)), with the paper's gradient descent beside the
// published code's Adam.
var predfn = paper.Artifact{
	ID:    "glofnd/predfn",
	Title: "Share predicted false over training",
	Look: "Whether thresholds come to take the share alpha for false and stay there while the network moves on. By Adam as " +
		"published, and by the plain descent of the paper's equation 4.",
	Note: "The paper's thresholds descend by the plain gradient from epoch 20 of 200; the rate is not printed, ours is Adam's.",
	Data: images,
	Rows: []plan.Row{
		unimodal("GloFND").As(sogCLRGloFND),
		unimodal("GloFND", from(.1)).As("GloFND by plain descent").With(plan.Part(func(_ scale.Scale, t *thresholds) { t.Descent = true })),
	},
	Columns:  slices.Concat([]paper.Column{share()}, found()),
	Unstated: []paper.Unstated{{What: "the share reaches alpha after a few epochs and stays", Source: "section 4.3", Why: paper.DrawnOnly}},
	Table:    paper.Comparison,
	Figure: func(r *paper.Report) (plots.Drawing, error) {
		return r.CurvesOf(r.Panels([]paper.Column{share()}, r.Rows))
	},
}

// stats follows what is found over training, and tells what an epoch costs (GloFND, sections 4.3 and 4.4).
var stats = paper.Artifact{
	ID:    "glofnd/stats",
	Title: "Precision, recall and F1 per epoch; overhead per epoch",
	Look: "Whether GloFND's F1 settles above FNC's as the embedding improves. The paper's epoch takes 426.67 s with SogCLR, 435.19 s " +
		"with GloFND and 434.06 s with FNC.",
	Note:     "Clocks are of a machine that did other things; go test ./vlpx/paper -run '^$' -bench Overhead measures steps in turn.",
	Data:     images,
	Rows:     unimodalRows(),
	Columns:  append(found(), paper.AnEpoch()),
	Claims:   above(sogCLRGloFND, "section 4.4", found()[2:], sogCLRFNC),
	Unstated: []paper.Unstated{{What: "GloFND's and FNC's epochs cost as much", Source: "section 4.3", Why: paper.Alike}},
	Table:    paper.Comparison,
	Figure: func(r *paper.Report) (plots.Drawing, error) {
		return r.CurvesOf(r.Panels(append(found(), neighbours()), r.Rows))
	},
}
