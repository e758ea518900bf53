package falcon

import (
	"fmt"
	"math"
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// figure6 follows retrieval over the time of training (FALCON, Figure 6 and the table beside it). The paper does not say
// when a run has converged. Here it is at the end of the first epoch whose mean of the six recalls on the validation split,
// without re-ranking, is at least 99 % of the highest that the run reaches. 1.0C is the mean over seeds of the seconds of
// training that ALBEF took to get there on the same machine.
var figure6 = paper.Artifact{
	ID:    "falcon/figure6",
	Title: "Retrieval against relative wall clock, and time to convergence",
	Look: "Whether FALCON's longer epochs pay for themselves. A run has converged at the end of the first epoch whose mean of the " +
		"six recalls on the validation split, without re-ranking, is at least 99 % of its highest; 1.0C is what ALBEF took. Clocks " +
		"are of the machine: one that was doing other things makes them noisy.",
	Rows: []plan.Row{plan.MethodRow("ALBEF", 1), plan.MethodRow("GRIT-VLP", 0.65), plan.MethodRow("MAFA", 0.76),
		plan.MethodRow("FALCON", 0.83)},
	Columns: slices.Concat([]paper.Column{{Name: "time to convergence", Metric: convergence, Unit: "C", Lower: true}},
		paper.Validation(eval.TR1, eval.IR1, eval.RMean), []paper.Column{anEpoch, toConverge}),
	Claims: []paper.Claim{
		{Better: "FALCON", Than: "ALBEF", In: anEpoch, Source: "section 4.1"},
		{Better: "GRIT-VLP", Than: "FALCON", In: anEpoch, Source: "section 4.1"},
		{Better: "MAFA", Than: "FALCON", In: anEpoch, Source: "section 4.1"},
		{Better: "FALCON", Than: "ALBEF", In: toConverge, Source: "table of Figure 6"},
		{Better: "GRIT-VLP", Than: "FALCON", In: toConverge, Source: "table of Figure 6"},
		{Better: "MAFA", Than: "FALCON", In: toConverge, Source: "table of Figure 6"},
	},
	Unstated: []paper.Unstated{{What: "FALCON is better than the others for the same time of training", Source: "section 4.1",
		Why: "epochs of different methods end at different times; see the figure"}},
	Table:  clockTable,
	Figure: clockFigure,
}

// The claims are in seconds, which the paper's C and multiples of another method's epoch are proportional to.
var (
	anEpoch = paper.AnEpoch()
	// toConverge is convergence in seconds.
	toConverge = paper.Column{Group: "Time of training", Name: "to convergence", Metric: "seconds to convergence", Unit: "s", Lower: true,
		Of: paper.OfClock(secondsToConverge)}
)

// convergence names the paper's time to convergence among a report's measures. No result has it: it is relative to ALBEF's.
const convergence = "time to convergence"

// epochsToConverge is the number of epochs after which a run has converged as figure6 has it; NaN where its mean of
// recalls was never measured.
func epochsToConverge(r run.Result) float64 {
	highest := math.Inf(-1)
	for _, record := range r.Epochs {
		if v, ok := record.Metrics[string(eval.RMean)]; ok {
			highest = max(highest, v)
		}
	}
	for e, record := range r.Epochs {
		if v, ok := record.Metrics[string(eval.RMean)]; ok && v >= 0.99*highest {
			return float64(e + 1)
		}
	}
	return math.NaN()
}

// secondsToConverge is the clock of a timed run when it has converged; NaN where epochsToConverge is.
func secondsToConverge(r run.Result) float64 {
	epochs := epochsToConverge(r)
	if math.IsNaN(epochs) {
		return epochs
	}
	return r.Clock[int(epochs)-1]
}

// orNaN is a value, or NaN where there is none.
func orNaN(v float64, ok bool) float64 {
	if !ok {
		return math.NaN()
	}
	return v
}

// clockTable lays out the time to convergence and what makes it up.
func clockTable(r *paper.Report) (tables.Table, error) {
	c, epoch := r.MeanOfRow("ALBEF", secondsToConverge), r.MeanOfRow("ALBEF", paper.SecondsAnEpoch)
	final := paper.Validation(eval.RMean)[0]
	measures := []struct {
		column tables.Column
		of     func(run.Result) float64
	}{
		{tables.Column{Name: "time to convergence", Unit: "C", Format: "%.2f", Best: tables.Lowest},
			func(x run.Result) float64 { return secondsToConverge(x) / c }},
		{tables.Column{Name: "epochs to convergence", Best: tables.Lowest}, epochsToConverge},
		{tables.Column{Name: "an epoch", Unit: "s", Best: tables.Lowest}, paper.SecondsAnEpoch},
		{tables.Column{Name: "an epoch, ALBEF's is 1", Format: "%.2f", Best: tables.Lowest},
			func(x run.Result) float64 { return paper.SecondsAnEpoch(x) / epoch }},
		{tables.Column{Name: "mean of recalls after the last epoch", Unit: final.Unit, Best: tables.Highest},
			func(x run.Result) float64 { return orNaN(final.Value(x)) }},
	}
	t := tables.Table{
		Title: fmt.Sprintf("%s: %s", r.ID, r.Title), Note: r.Note() + clockNote(r, c), Heading: "method",
		Sources: []string{paper.FromPaper, paper.FromYou},
	}
	for _, m := range measures {
		t.Columns = append(t.Columns, m.column)
	}
	for _, row := range r.Rows {
		line := tables.Row{Name: row.Name}
		if row.Status != string(paper.Ready) {
			line.Status = row.Status
		}
		for _, m := range measures {
			mean := paper.MeanOf(paper.Timed(row.Results), m.of)
			mean.Of = len(row.Results)
			line.Cells = append(line.Cells, tables.Cell{{}, mean})
		}
		if s := row.Metrics[convergence]; s.Paper != nil {
			line.Cells[0][0] = tables.Number(*s.Paper)
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}

// clockNote tells how convergence and C are defined, and what is not there.
func clockNote(r *paper.Report, c float64) string {
	note := " A run has converged at the end of the first epoch whose mean of the six recalls on the validation split, without " +
		"re-ranking, is at least 99 % of the highest that it reaches."
	if math.IsNaN(c) {
		note += " 1.0C would be the mean time of ALBEF's runs: there is none with a clock and recalls, so nothing is in C and " +
			"the figure is in seconds."
	} else {
		note += fmt.Sprintf(" 1.0C is the mean over seeds of ALBEF's own time, %.0f s of training.", c)
	}
	without := 0
	for _, row := range r.Rows {
		without += len(row.Results) - len(paper.Timed(row.Results))
	}
	if without > 0 {
		note += fmt.Sprintf(" Runs of older versions, which have no clock and are left out: %d.", without)
	}
	return note
}

// clockFigure follows retrieval over the clock, in C, or in seconds where there is no C. A curve ends with its shortest run.
func clockFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure(r.SpreadNote("bands"), paper.OnValidation)
	unit, label := r.MeanOfRow("ALBEF", secondsToConverge), "time of training (C)"
	if math.IsNaN(unit) {
		unit, label = 1, "time of training (s)"
	} else {
		f.Note += fmt.Sprintf(" 1.0C: ALBEF's time to convergence, %.0f s.", unit)
	}
	for _, metric := range []eval.Metric{eval.TR1, eval.IR1, eval.RMean} {
		c := paper.ColumnOf(metric)
		lines := plots.Lines{Title: c.Heading(), XLabel: label, YLabel: c.Label()}
		for _, row := range r.Rows {
			if series := overTime(paper.Timed(row.Results), c, unit); len(series.X) > 0 {
				series.Name = row.Name
				lines.Series = append(lines.Series, series)
			}
		}
		if len(lines.Series) > 0 {
			f.Panels = append(f.Panels, lines)
		}
	}
	return paper.Drawn(f)
}

// overTime is the curve of a column over timed runs: a point at the end of every epoch that all of them have and some of them
// measured, at their mean clock in units of so many seconds.
func overTime(results []run.Result, c paper.Column, unit float64) plots.Series {
	var s plots.Series
	epochs := 0
	for k, r := range results {
		if k == 0 || len(r.Epochs) < epochs {
			epochs = len(r.Epochs)
		}
	}
	for e := range epochs {
		y := paper.MeanOf(results, func(r run.Result) float64 { return orNaN(paper.EpochValue(r.Epochs[e], c.Metric)) })
		if y.N == 0 {
			continue
		}
		x := paper.MeanOf(results, func(r run.Result) float64 { return r.Clock[e] / unit })
		s.X, s.Mean, s.Std = append(s.X, x.Mean), append(s.Mean, y.Mean), append(s.Std, y.Std)
	}
	return s
}
