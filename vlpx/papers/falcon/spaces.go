package falcon

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// figureD3 sweeps the search space of GRIT-VLP and MAFA, and MAFA's threshold (FALCON, appendix D.3, whose numbers are lost).
var figureD3 = paper.Artifact{
	ID:    "falcon/D.3",
	Title: "GRIT-VLP and MAFA over search-space sizes, MAFA over thresholds",
	Look: "Whether a larger search space, which makes harder mini-batches, hurts, and how much hangs on MAFA's threshold. " +
		"FALCON's paper has it hurt both methods, MAFA's has MAFA gain from it (mafa/table13).",
	Note: "By FALCON both degrade in larger search spaces (section 4.3). MAFA's own paper says the opposite of MAFA, that it improves " +
		"(appendix G.4; see mafa/table13). FALCON's numbers are lost in its text.",
	Rows:    slices.Concat(spaceRows("GRIT-VLP"), spaceRows("MAFA"), filterRows()),
	Columns: slices.Concat(paper.Retrieval(), paper.OwnColumns(), paper.MinedColumns()),
	Claims: []paper.Claim{
		{Better: "GRIT-VLP (search space 5664)", Than: "GRIT-VLP (search space 28320)", In: paper.ColumnOf(eval.IR1),
			Source: "sections 3.1, 4.3"},
		{Better: "MAFA (search space 5664)", Than: "MAFA (search space 28320)", In: paper.ColumnOf(eval.IR1), Source: "section 4.3"},
		{Better: "GRIT-VLP (search space 480)", Than: "GRIT-VLP (search space 28320)",
			In: paper.FalseInBatch()},
	},
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

// spaceRows are GRIT-VLP or MAFA at the search spaces of table 4.
func spaceRows(method string) []plan.Row {
	var rows []plan.Row
	for k, size := range []int{480, 5664, 28320} {
		row := plan.MethodRow(method).As(fmt.Sprintf("%s (search space %d)", method, size))
		rows = append(rows, row.Searching(func(s scale.Scale) int { return searchSpaces(s)[k] }))
	}
	return rows
}

// searchSpaces are the sizes of FALCON's table 4 at a scale whose search space stands for the paper's 5,664: 480, which is five
// mini-batches of 96, and 28,320, five times as much. Table 5 has 2,400 in the place of 480. No search space exceeds an epoch by
// much: a larger one is the epoch.
func searchSpaces(s scale.Scale) [3]int {
	return [3]int{5 * s.BatchSize, s.SearchSpace, 5 * s.SearchSpace}
}

// filterThresholds are Con-D's of figure 2 and of appendix D.3, for want of the paper's, which are lost.
var filterThresholds = []float64{0.5, 0.6, 0.7, 0.8, 0.9}

// filterRows are MAFA by its threshold.
func filterRows() []plan.Row {
	var rows []plan.Row
	for _, threshold := range filterThresholds {
		rows = append(rows, plan.MethodRow("S-ITC").As(fmt.Sprintf("MAFA (threshold %g)", threshold)).Mining(negative.ECM{Low: 0.5,
			High: threshold}))
	}
	return rows
}
