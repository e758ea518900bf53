package falcon

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

// figure2 follows the rate of false negatives over training: at fixed quantiles (FALCON, Figure 2, top left), and what MAFA's
// filter leaves of it by its threshold (bottom left). On scenes it is counted. Con-D's ITM scores by the complexity of captions stand
// beside it (right).
var figure2 = paper.Artifact{
	ID:    "falcon/figure2",
	Title: "False-negative rate by quantile, and by MAFA's filter threshold, over training",
	Look: "Whether the rate rises over training at high quantiles and falls at lower ones, and how much of it a filter leaves: " +
		"the true pairs among the hard negatives that it does not make positives. In the last panel, whether ITM scores of true " +
		"pairs fall where captions say more. The levels are ours; the paper's are lost.",
	Note: "The figure's quantiles and thresholds are lost in the paper's text: these are ours, and so is the measure of complexity in " +
		"its panel of ITM scores: the objects, attributes and relations of a caption's scene graph.",
	Rows: slices.Concat(QuantileRows(), filterRows()),
	Columns: []paper.Column{
		paper.FalseChosen(), paper.FalseInBatch(), paper.FalseHardest(), paper.Mined(negative.FalseLeft),
	},
	Claims: []paper.Claim{
		{Better: "q = 0.8", Than: "q = 1", In: paper.FalseChosen(), Source: "section 2, levels ours"},
		{Better: "q = 0.5", Than: "q = 0.8", In: paper.FalseChosen()},
		{Better: "MAFA (threshold 0.5)", Than: "MAFA (threshold 0.9)", In: paper.Mined(negative.FalseLeft)},
	},
	Unstated: []paper.Unstated{
		{What: "The rate of false negatives rises over training at high quantiles and falls at lower ones", Source: "section 2",
			Why: paper.DrawnOnly},
		{What: "A pre-trained model gives true pairs of complex descriptions lower ITM scores", Source: "section 2", Why: paper.DrawnOnly},
	},
	Downstream: []plan.Downstream{plan.OfJudge(eval.Complexity{})}, // Con-D's ITM scores by how much captions say (Figure 2, right)
	Table:      paper.Comparison,
	Figure:     figure2Curves,
}

// figure2Curves draws the quantiles' rates, what is left by each threshold, and the scores of the model that filters.
func figure2Curves(r *paper.Report) (plots.Drawing, error) {
	filters, others := []paper.RowReport{}, []paper.RowReport{}
	for _, row := range r.Rows {
		if row.Metrics[negative.FalseLeft].Mean != nil {
			filters = append(filters, row)
		} else {
			others = append(others, row)
		}
	}
	columns := r.Plan.Artifact.Columns
	return r.CurvesOf(slices.Concat(r.Panels(columns[:3], others), r.Panels(columns[3:], filters), complexityPanel(r.Rows)))
}

// QuantileRows are GRIT-VLP's grouping at fixed quantiles; at 1 it is GRIT-VLP. The levels of the paper's figure 2 are lost: these are
// ours.
func QuantileRows() []plan.Row {
	var rows []plan.Row
	for _, q := range [...]float64{0.5, 0.8, 0.9, 0.95} {
		rows = append(rows, plan.MethodRow("Hard quantile").As(fmt.Sprintf("q = %g", q)).
			With(plan.Part(func(_ scale.Scale, b *negative.FixedQuantile) { b.Quantile = q })))
	}
	return append(rows, plan.MethodRow("GRIT-VLP").As("q = 1"))
}
