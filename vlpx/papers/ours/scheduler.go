package ours

import (
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// scheduledDensity is the scenes' of vlpx/scheduler, one of those of vlpx/reward.
const scheduledDensity = "half"

// fairScheduler holds learned schedules against the best constant quantile.
var fairScheduler = paper.Artifact{
	ID:    "vlpx/scheduler",
	Title: "Does a learned schedule beat the best constant quantile?",
	Look: "Whether FALCON's schedule is a point better than the constant quantile that validation chooses, or differs by less than a point; " +
		"and whether it learns more where a mini-batch shares what is drawn, or where what is drawn counts orders of magnitude of the rank.",
	Note: "The hypothesis is FALCON's: a schedule learned by the reward beats every constant. Ten blocks decide it, by a margin of one point. " +
		"The best constant is chosen for each block by the validation splits of the others, so that neither test splits nor a lucky run " +
		"have a say. The density of the captions is what vlpx/reward chose before any schedule was trained: the one at which the best " +
		"constant is above both ends by most, in image mAP by cosine of the validation splits of five worlds. FALCON is as the scale has it, " +
		"with the baseline that docs/FALCON.md explains.",
	Rows:    schedulerRows(),
	Columns: slices.Concat(paper.Validation(eval.IRMAP), []paper.Column{rewardColumn, paper.Chosen()[0]}, retrieved()),
	Claims:  schedulerClaims(),
	Sweep:   constantNames(""),
	Table:   paper.Comparison,
	Figure:  schedulerFigure,
}

// The learned schedules, as rows name them.
const (
	anAnchor    = "FALCON"
	aMiniBatch  = "FALCON (shared over a mini-batch)"
	overLogRank = "FALCON (logarithm of the rank)"
)

func schedulerRows() []plan.Row {
	rows := append(constantRows("", scheduledDensity), plan.UniformRow(), plan.MethodRow("FALCON").As(anAnchor), sharedRow(aMiniBatch),
		plan.MethodRow("FALCON").As(overLogRank).With(plan.Part(func(_ scale.Scale, b *negative.Scheduled) { b.LogRank = true })))
	for i := range rows {
		rows[i] = rows[i].Varying(func(s *scale.Scale) { s.Scenes.Density = scheduledDensity })
	}
	return rows
}

// schedulerClaims are that each schedule beats the best constant quantile, first in what that is chosen by.
func schedulerClaims() []paper.Claim {
	var claims []paper.Claim
	schedules := []string{anAnchor, aMiniBatch, overLogRank}
	for _, in := range []paper.Column{paper.Cosine(eval.IRMAP), paper.ColumnOf(eval.IRMAP), paper.ColumnOf(eval.IR1)} {
		for _, schedule := range schedules {
			claims = append(claims, paper.Claim{Better: schedule, Than: paper.BestOfSweep, In: in})
		}
	}
	for _, schedule := range schedules {
		claims = append(claims, paper.Claim{Better: schedule, Than: plan.UniformRow().Name, In: paper.Cosine(eval.IRMAP)})
	}
	for _, schedule := range schedules[1:] {
		claims = append(claims, paper.Claim{Better: schedule, Than: anAnchor, In: paper.Cosine(eval.IRMAP)})
	}
	return claims
}

// schedulerFigure has a panel a column: the curve of the constant quantiles, each schedule at its mean quantile, and a line across of
// uniform mini-batches, which have none.
func schedulerFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure("Means over seeds; bands and bars are one standard deviation. " + hardnessNote +
		" Schedules stand at their mean quantile in the last epoch.")
	for _, column := range []paper.Column{paper.Cosine(eval.IRMAP), paper.ColumnOf(eval.IRMAP), rewardColumn} {
		panel := plots.Lines{Title: column.Heading(), XLabel: hardnessAxis, YLabel: column.Label()}
		if s := constantCurve(r, "", column); len(s.X) > 0 {
			s.Name = "constant quantile"
			panel.Series = append(panel.Series, s)
		}
		if values := r.ValuesOf(plan.UniformRow().Name, column); len(values) > 0 {
			mean := stat.Mean(values, nil)
			panel.Series = append(panel.Series, plots.Series{Name: plan.UniformRow().Name, X: []float64{hardness(0), hardness(1)},
				Mean: []float64{mean, mean}})
		}
		for _, name := range []string{anAnchor, aMiniBatch, overLogRank} {
			values, quantiles := r.ValuesOf(name, column), r.ValuesOf(name, paper.Chosen()[0])
			if len(values) == 0 || len(quantiles) == 0 {
				continue
			}
			mean, std := stat.MeanStdDev(values, nil)
			panel.Series = append(panel.Series, plots.Series{Name: name, X: []float64{hardness(stat.Mean(quantiles, nil))},
				Mean: []float64{mean}, Std: []float64{std}})
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return paper.Drawn(f)
}
