package falcon

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
)

// complexityLines name the lines of the panel of ITM scores.
var complexityLines = map[eval.PairKind]string{
	eval.OwnPairs: "own images", eval.TruePairs: "other images, true", eval.FalsePairs: "hardest image, false",
}

// complexityPanel is the mean ITM score of the model that filters by how much captions say, which is the same for all rows that it filters
// for: that of the row with the most seeds. It is nil while no such model was asked.
func complexityPanel(rows []paper.RowReport) []plots.Panel {
	var most plots.Lines
	seeds := 0
	for _, row := range rows {
		label := fmt.Sprintf("things that a caption says (%d: or more)", eval.MostFacts)
		lines, n := plots.Lines{Title: "ITM score of Con-D", XLabel: label, YLabel: "mean ITM score"}, 0
		for _, kind := range eval.PairKinds {
			series := plots.Series{Name: complexityLines[kind]}
			for facts := range eval.MostFacts + 1 {
				values := paper.Column{Metric: string(eval.ITMScore(kind, facts))}.Values(row.Results)
				if len(values) == 0 {
					continue
				}
				mean, std := stat.MeanStdDev(values, nil)
				series.X, series.Mean, series.Std = append(series.X, float64(facts)), append(series.Mean, mean), append(series.Std, std)
				n = max(n, len(values))
			}
			if len(series.X) > 0 {
				lines.Series = append(lines.Series, series)
			}
		}
		if n > seeds {
			most, seeds = lines, n
		}
	}
	if seeds == 0 {
		return nil
	}
	return []plots.Panel{most}
}
