package tags

import (
	"math"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// figure3 follows how far the score of written negatives is above their caption's over training (TAGS-DC, Figure 3), apart by their truth.
var figure3 = paper.Artifact{
	ID:    "tags/figure3",
	Title: "Score gap of synthetic negatives over training, static and dynamic",
	Look: "Whether what a frozen model writes grows easy while what the learning model writes stays hard, and whether the hard ones are " +
		"hard because they are true.",
	Note: "The gap is the score of a written sentence that was trained against less its caption's, from -1 to 1. The text and the figure " +
		"of the paper disagree on which of its two panels is which; section 4.1 has the static generator fail to provide sentences close " +
		"to the image.",
	Rows:    []plan.Row{on(static), on(tags)},
	Columns: gapColumns(),
	Claims: []paper.Claim{
		{Better: tags, Than: static, In: gapColumns()[0], Source: "section 4.1"},
	},
	Table:  paper.Comparison,
	Figure: gapsFigure,
}

// gapColumns are the mean gaps of the last tenth of training.
func gapColumns() []paper.Column {
	of := func(name string, counts func(negative.Gaps) [][]int) paper.Column {
		return paper.Column{Group: "Gap at the end", Name: name, Metric: "gap at the end, " + name, Of: func(r run.Result) (float64, bool) {
			all := gaps(r)
			if len(all) == 0 {
				return 0, false
			}
			mean := meanGap(counts(all[len(all)-1]))
			return mean, !math.IsNaN(mean)
		}}
	}
	return []paper.Column{of("all", allGaps), of("false sentences", falseGaps), of("true sentences", trueGaps),
		paper.FalseNegatives("kept", "", negative.KeptTrue)}
}

func allGaps(g negative.Gaps) [][]int   { return [][]int{g.True[:], g.False[:], g.Unknown[:]} }
func trueGaps(g negative.Gaps) [][]int  { return [][]int{g.True[:]} }
func falseGaps(g negative.Gaps) [][]int { return [][]int{g.False[:]} }

// gaps are those of a run, interval by interval.
func gaps(r run.Result) []negative.Gaps {
	var all []negative.Gaps
	for _, epoch := range r.Epochs {
		if epoch.Observed.WrittenSentences() != nil {
			all = append(all, epoch.Observed.WrittenSentences().Gaps...)
		}
	}
	return all
}

// meanGap is the mean of histograms of gaps from -1 to 1, by the middles of their bins; NaN of none.
func meanGap(counts [][]int) float64 {
	sum, n := 0., 0.
	for _, bins := range counts {
		for k, count := range bins {
			sum, n = sum+float64(count)*middle(k, len(bins)), n+float64(count)
		}
	}
	return sum / n
}

// middle is that of the k-th of n parts of -1 to 1.
func middle(k, n int) float64 { return -1 + 2*(float64(k)+0.5)/float64(n) }

// gapsFigure has two panels a row, of the first seed: the distribution over training, and its mean by truth.
func gapsFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure(r.FirstSeedOnly(), "Tenths of an epoch; the gap's axis goes from 1 at the top to -1.")
	f.Known = nil
	for _, row := range r.Rows {
		if len(row.Results) == 0 {
			continue
		}
		all := gaps(row.Results[0])
		if len(all) == 0 {
			continue
		}
		f.Panels = append(f.Panels, plots.Heat{Title: row.Name, XLabel: "tenths of an epoch", YLabel: "40 parts of the gap, 1 to -1",
			ZLabel: "share (%)", Values: shares(all)})
		f.Panels = append(f.Panels, plots.Lines{Title: row.Name, XLabel: "tenths of an epoch", YLabel: "mean gap", Series: []plots.Series{
			over("all", all, allGaps), over("false", all, falseGaps), over("true", all, trueGaps),
		}})
	}
	return paper.Drawn(f)
}

// shares are the distributions of gaps, an interval a column, the highest gap first.
func shares(all []negative.Gaps) [][]float64 {
	n := len(all[0].True)
	values := make([][]float64, n)
	for k := range values {
		values[k] = make([]float64, len(all))
	}
	for at, g := range all {
		total := 0
		for _, bins := range allGaps(g) {
			for _, count := range bins {
				total += count
			}
		}
		for _, bins := range allGaps(g) {
			for k, count := range bins {
				values[n-1-k][at] += 100 * float64(count) / float64(max(total, 1))
			}
		}
	}
	return values
}

// over is the mean gap over the intervals.
func over(name string, all []negative.Gaps, counts func(negative.Gaps) [][]int) plots.Series {
	s := plots.Series{Name: name}
	for at, g := range all {
		s.X, s.Mean = append(s.X, float64(at)), append(s.Mean, meanGap(counts(g)))
	}
	return s
}
