package mafa

import (
	"fmt"
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// spaces are the search spaces of MAFA's figure 2, 1, 10, 50 and 500 times its mini-batch, at a scale whose search space stands for
// the third. No search space exceeds an epoch by much, so that the last one is five times the third, not ten times.
func spaces(s scale.Scale) [4]int {
	return [4]int{s.BatchSize, min(10*s.BatchSize, s.SearchSpace), s.SearchSpace, 5 * s.SearchSpace}
}

// spacesNamed tells what the rows named after the paper's search spaces are.
const spacesNamed = "B is the batch size. The rows are named after the paper's sizes: 50 B is the usual search space of the scale, and " +
	"500 B five of these, where the paper has ten, since a larger one would exceed an epoch."

// spacePoints are GRIT-VLP and MAFA at the search spaces from one on; numbers has a row for each, of GRIT-VLP first.
func spacePoints(from int, numbers [][]float64) []paper.Point {
	var points []paper.Point
	for _, method := range []string{"GRIT-VLP", "MAFA"} {
		for k, size := range []string{"B", "10 B", "50 B", "500 B"} {
			if k < from {
				continue
			}
			of := func(s scale.Scale) int { return spaces(s)[k] }
			row := plan.MethodRow(method).As(fmt.Sprintf("%s (M = %s)", method, size)).Searching(of)
			if len(numbers) > 0 {
				row.Paper, numbers = numbers[0], numbers[1:]
			}
			points = append(points, paper.Point{Row: row, Curve: method, At: func(s scale.Scale) float64 { return float64(of(s)) }})
		}
	}
	return points
}

// table13 sweeps the search space (MAFA, Table 13).
var table13 = paper.Artifact{
	ID:    "mafa/table13",
	Title: "Retrieval against search space, GRIT-VLP and MAFA",
	Look: "Whether a larger search space, which means harder mini-batches with more false negatives, hurts GRIT-VLP and helps " +
		"MAFA. Zero-shot retrieval; the paper's numbers are fine-tuned, on noisy captions. FALCON's paper has both fall " +
		"(falcon/D.3). The rows have the paper's names: 500 B is five times the usual search space here, where the paper has " +
		"ten times.",
	Note: spacesNamed +
		" FALCON's paper says the opposite of MAFA, that it degrades in larger search spaces (section 4.3; see falcon/D.3).",
	Rows: paper.RowsOf(spacePoints(1, [][]float64{
		{76.7, 93.9, 97.2, 59.6, 83.5, 90.1, 83.5}, {76.6, 93.4, 96.9, 59.6, 83.3, 89.9, 83.3}, {77.0, 93.1, 96.6, 59.2, 83.1, 89.8, 83.1},
		{77.6, 94.4, 97.1, 60.7, 84.1, 90.2, 84.0}, {78.0, 94.1, 97.2, 61.2, 84.3, 90.3, 84.2}, {78.3, 94.2, 97.3, 61.4, 84.4, 90.5, 84.4},
	})),
	Columns: slices.Concat(recallsAndMean(), paper.OwnColumns(), paper.MinedColumns()),
	Claims: slices.Concat(
		paper.Above("GRIT-VLP (M = 10 B)", "GRIT-VLP (M = 500 B)", "appendix G.4", eval.RMean),
		paper.Above("MAFA (M = 500 B)", "MAFA (M = 10 B)", "appendix G.4", eval.RMean),
		paper.Above("MAFA (M = 10 B)", "GRIT-VLP (M = 10 B)", "appendix G.4", eval.RMean),
		paper.Above("MAFA (M = 50 B)", "GRIT-VLP (M = 50 B)", "appendix G.4", eval.RMean),
		paper.Above("MAFA (M = 500 B)", "GRIT-VLP (M = 500 B)", "appendix G.4", eval.RMean),
		paper.AboveByCosine("MAFA (M = 500 B)", "GRIT-VLP (M = 500 B)"),
	),
	Table:  paper.Comparison,
	Figure: paper.Bars,
}

var figure2Points = spacePoints(0, nil)

// figure2 draws retrieval and false negatives over the search space (MAFA, Figure 2, whose numbers beyond table 13's are lost). A
// search space of one mini-batch is random sampling.
var figure2 = paper.Artifact{
	ID:    "mafa/figure2",
	Title: "Retrieval and false-negative ratio against search space",
	Look: "Whether the false negatives rise with the search space, and from where on GRIT-VLP falls while MAFA does not. Zero-shot " +
		"retrieval; the paper's is fine-tuned.",
	Note:    spacesNamed,
	Rows:    paper.RowsOf(figure2Points),
	Columns: slices.Concat([]paper.Column{paper.ColumnOf(eval.RMean)}, paper.OwnColumns(), paper.MinedColumns()),
	Claims: slices.Concat(
		[]paper.Claim{
			{Better: "GRIT-VLP (M = B)", Than: "GRIT-VLP (M = 10 B)", In: hardest, Source: "section 3"},
			{Better: "GRIT-VLP (M = 10 B)", Than: "GRIT-VLP (M = 500 B)", In: hardest, Source: "section 3"},
		},
		paper.Above("GRIT-VLP (M = 10 B)", "GRIT-VLP (M = 500 B)", "section 3", eval.RMean),
		paper.Above("MAFA (M = 500 B)", "MAFA (M = B)", "section 3", eval.RMean),
		paper.AboveByCosine("MAFA (M = 50 B)", "GRIT-VLP (M = 50 B)"),
	),
	Table:  paper.Comparison,
	Figure: paper.Over("search space M (pairs)", figure2Points, paper.ColumnOf(eval.RMean), paper.Cosine(eval.IRMAP), hardest),
}

// figure6 draws the score over the scale of the data (MAFA, Figure 6, whose numbers are lost): there 1 to 14 million images, here
// parts of those at hand. The paper's score is a sum over four tasks, of which ours is one.
var figure6 = paper.Artifact{
	ID:    "mafa/figure6",
	Title: "Score against scale of the data",
	Look: "Whether MAFA's lead over GRIT-VLP holds at every scale. Con-D has the same part of the images. The score is the mean of the six " +
		"recalls, zero-shot; the paper adds three other tasks and fine-tunes.",
	Rows:    paper.RowsOf(figure6Points),
	Columns: slices.Concat([]paper.Column{paper.ColumnOf(eval.RMean)}, paper.OwnColumns(), paper.MinedColumns()),
	Claims: slices.Concat(
		paper.Above("MAFA (1/4)", "GRIT-VLP (1/4)", "appendix G.1", eval.RMean),
		paper.Above("MAFA (1/2)", "GRIT-VLP (1/2)", "appendix G.1", eval.RMean),
		paper.Above("MAFA (all)", "GRIT-VLP (all)", "appendix G.1", eval.RMean),
		paper.AboveByCosine("MAFA (1/4)", "GRIT-VLP (1/4)"), paper.AboveByCosine("MAFA (all)", "GRIT-VLP (all)"),
	),
	Table:  paper.Comparison,
	Figure: paper.Over("share of the training images", figure6Points, paper.ColumnOf(eval.RMean), paper.Cosine(eval.IRMAP), hardest),
}

// figure6Points are GRIT-VLP and MAFA on portions of the data.
var figure6Points = slices.Concat(
	paper.PortionPoints(plan.MethodRow("GRIT-VLP")),
	paper.PortionPoints(plan.MethodRow("MAFA")))
