package ours

import (
	"fmt"
	"math"
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
)

// rewardTable tells, reward by reward and epoch by epoch, what probes of all seeds got at each quantile.
func rewardTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("Mean ± standard deviation over mini-batches of all seeds. Signal to noise: the largest mean less the " +
		"smallest over the standard deviation within a quantile; among five means of n mini-batches each, chance alone makes it " +
		"about 2.3/√n. The first epoch is not scheduled.")
	t.Heading = "reward"
	t.Columns = []tables.Column{{Name: "epoch"}}
	bins := probed(r)
	for _, bin := range bins {
		c := tables.Column{Group: "Reward (nats) at quantile", Name: fmt.Sprint(level(bin)), Format: "%.4f"}
		t.Columns = append(t.Columns, c)
	}
	t.Columns = append(t.Columns, tables.Column{Name: "mini-batches", Format: "%.0f"},
		tables.Column{Name: "signal to noise", Format: "%.2f"})
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		for _, record := range paper.ScheduledEpochs(paper.Pooled(row.Results)) {
			line := tables.Row{Name: row.Name, Cells: []tables.Cell{{{Text: paper.EpochNumber(record)}}}}
			for _, bin := range bins {
				line.Cells = append(line.Cells, tables.Cell{paper.SpreadOf(record.Observed.Scheduling().ByQuantile[bin])})
			}
			line.Cells = append(line.Cells, tables.Cell{tables.Number(float64(record.Observed.Scheduling().Reward.N))},
				tables.Cell{tables.Number(signalToNoise(record.Observed.Scheduling().ByQuantile))})
			t.Rows = append(t.Rows, line)
		}
	}
	return t, nil
}

// rewardFigure has a panel a reward: the mean at each quantile less the mean of the epoch, so that epochs are comparable, with
// its standard error.
func rewardFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure("Means over the mini-batches of all seeds, less that of the epoch; bands are one standard error.")
	for _, row := range r.Rows {
		panel := plots.Lines{Title: row.Name, XLabel: "quantile", YLabel: "reward less mean (nats)", Ordered: true}
		for _, record := range paper.SomeEpochs(paper.ScheduledEpochs(paper.Pooled(row.Results))) {
			series := plots.Series{Name: "epoch " + paper.EpochNumber(record)}
			for bin, rewards := range record.Observed.Scheduling().ByQuantile {
				if rewards.N == 0 {
					continue
				}
				series.X = append(series.X, level(bin))
				series.Mean = append(series.Mean, rewards.Mean-record.Observed.Scheduling().Reward.Mean)
				series.Std = append(series.Std, rewards.Std()/math.Sqrt(float64(rewards.N)))
			}
			panel.Series = append(panel.Series, series)
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return paper.Drawn(f)
}

// level is the quantile of a probe's mini-batches in a bin of negative.Scheduling.ByQuantile: its lower edge.
func level(bin int) float64 { return float64(bin) / 10 }

// probed are the bins of ByQuantile that have any mini-batch.
func probed(r *paper.Report) []int {
	var bins []int
	for _, row := range r.Rows {
		for _, record := range paper.Pooled(row.Results) {
			for bin, rewards := range record.Observed.Scheduling().ByQuantile {
				if rewards.N > 0 && !slices.Contains(bins, bin) {
					bins = append(bins, bin)
				}
			}
		}
	}
	slices.Sort(bins)
	return bins
}

// signalToNoise is the range of the groups' means over the standard deviation within groups; NaN where there are not two groups
// or no deviation.
func signalToNoise(groups []negative.Moments) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	var squares float64
	var filled, freedom int
	for _, g := range groups {
		if g.N == 0 {
			continue
		}
		filled++
		low, high = min(low, g.Mean), max(high, g.Mean)
		squares += g.M2
		freedom += g.N - 1
	}
	if filled < 2 || squares == 0 {
		return math.NaN()
	}
	return (high - low) / math.Sqrt(squares/float64(freedom))
}
