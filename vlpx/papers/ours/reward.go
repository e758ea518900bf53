package ours

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// rewardLandscape holds what FALCON's scheduler is paid for against what its user wants.
var rewardLandscape = paper.Artifact{
	ID:    "vlpx/reward",
	Title: "FALCON's reward and retrieval at constant quantiles",
	Look: "Whether the quantile that is rewarded most is the one that retrieves best, and whether any constant one retrieves better than both " +
		"ends by a point: where none does, no schedule has anything to find.",
	Note: "Mini-batches are FALCON's, by one quantile for all anchors of all epochs, and no policy learns. The reward is the fall of MLM's " +
		"loss on the step's own mini-batch, over all of them. Of 31 random negatives the hardest lies at .97, so that up to there a " +
		"quantile changes little. Captions say least at mid.",
	Rows:    rewardRows(),
	Columns: slices.Concat(paper.Validation(eval.IRMAP), []paper.Column{rewardColumn}, retrieved()),
	Claims:  rewardClaims(),
	Table:   paper.Comparison,
	Figure:  rewardFigure,
}

// constants are the quantiles. Of a search space of 1,600 the last but one leaves eight that are harder.
var constants = []float64{0, 0.5, 0.9, 0.95, 0.98, 0.99, 0.995, 1}

// rewardDensities are the scenes', from captions that say much to such that say little.
var rewardDensities = []string{"spec", "half", "mid"}

func constantName(density string, q float64) string {
	return strings.TrimSpace(fmt.Sprintf("%s q = %g", density, q))
}

// constantNames are the rows of the quantiles at a density; without one where an artifact has but one.
func constantNames(density string) []string {
	var names []string
	for _, q := range constants {
		names = append(names, constantName(density, q))
	}
	return names
}

// constantRows are FALCON's mini-batches by each of the quantiles, named after what stands before it.
func constantRows(before, density string) []plan.Row {
	var rows []plan.Row
	for _, q := range constants {
		rows = append(rows, plan.MethodRow("FALCON").As(constantName(before, q)).
			With(plan.Part(func(_ scale.Scale, b *negative.Scheduled) { b.Probe = []float64{q} })).
			Varying(func(s *scale.Scale) { s.Scenes.Density = density }))
	}
	return rows
}

func rewardRows() []plan.Row {
	var rows []plan.Row
	for _, density := range rewardDensities {
		rows = append(rows, constantRows(density, density)...)
	}
	return rows
}

// rewardClaims are that a hard quantile retrieves better than both ends, wherever false negatives gather at the hard one, and that it is
// rewarded more than they are.
func rewardClaims() []paper.Claim {
	var claims []paper.Claim
	for _, density := range rewardDensities {
		for _, end := range []float64{0, 1} {
			for _, in := range []paper.Column{paper.Cosine(eval.IRMAP), rewardColumn} {
				claims = append(claims, paper.Claim{Better: constantName(density, 0.98), Than: constantName(density, end), In: in})
			}
		}
	}
	return claims
}

// retrieved are the columns of what constant and learned quantiles retrieve, and of the false negatives that they meet.
func retrieved() []paper.Column {
	return []paper.Column{paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP), paper.Cosine(eval.IR1), paper.ColumnOf(eval.IRMAP),
		paper.ColumnOf(eval.IR1), paper.FalseInBatch(), paper.FalseHardest()}
}

// rewardColumn is the mean reward of a run's scheduled mini-batches, in thousandths of a nat: tables and references keep few digits.
var rewardColumn = paper.Column{Group: "Scheduler", Name: "reward", Metric: "mean reward", Unit: "millinats", Axis: "reward", Neutral: true,
	Of: func(r run.Result) (float64, bool) {
		var all negative.Moments
		for _, record := range paper.ScheduledEpochs(r.Epochs) {
			all.Merge(record.Observed.Scheduling().Reward)
		}
		return 1000 * all.Mean, all.N > 0
	}}

// How figures over constant quantiles explain their axis.
const (
	hardnessAxis = "orders of magnitude of hardness"
	hardnessNote = "Quantiles stand at −log10(1 − q), and 1 at the right end."
)

// rewardFigure has a panel for the reward and one for retrieval: a curve a density, over the logarithm of the harder share.
func rewardFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure("Means over seeds; bands are one standard deviation. " + hardnessNote)
	for _, column := range []paper.Column{rewardColumn, paper.Cosine(eval.IRMAP), paper.ColumnOf(eval.IRMAP)} {
		panel := plots.Lines{Title: column.Heading(), XLabel: hardnessAxis, YLabel: column.Label()}
		for _, density := range rewardDensities {
			if s := constantCurve(r, density, column); len(s.X) > 0 {
				panel.Series = append(panel.Series, s)
			}
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return paper.Drawn(f)
}

// constantCurve is what the constant quantiles gave in a column, as far as they are there, named after the density.
func constantCurve(r *paper.Report, density string, column paper.Column) plots.Series {
	s := plots.Series{Name: density}
	for _, q := range constants {
		if values := r.ValuesOf(constantName(density, q), column); len(values) > 0 {
			mean, std := stat.MeanStdDev(values, nil)
			s.X, s.Mean, s.Std = append(s.X, hardness(q)), append(s.Mean, mean), append(s.Std, std)
		}
	}
	return s
}

// hardness is by how many orders of magnitude a quantile narrows the search space, to two digits; of 1, those of the whole space.
func hardness(q float64) float64 {
	const whole = 1600
	return math.Round(-100*math.Log10(max(1-q, 1./whole))) / 100
}
