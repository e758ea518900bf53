package lab

import (
	"cmp"
	"fmt"
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/train"
)

// liveSeries are as many curves as can be told apart at a glance; of more runs, the latest.
const liveSeries = 7

// curves are the losses of the run that trains, step by step, and of every run of the grid with that seed, retrieval on the validation
// split and what custom tasks measure there, epoch by epoch. They are read from the store's files; nil while there is nothing to
// draw.
func (g *Grid) curves(p Progress) (plots.Drawing, error) {
	steps := p.Training.Steps / max(p.Training.Epochs, 1)
	of, err := train.ReadCurves(g.Store.Dir(p.at))
	if err != nil || len(of.Points) < 2 || steps == 0 {
		return nil, err
	}
	var losses []plots.Series
	for _, name := range p.at.Train.Framework.Losses() {
		s := plots.Series{Name: string(name)}
		for _, at := range of.Points {
			if loss, ok := at.Losses[name]; ok {
				s.X, s.Mean = append(s.X, float64(at.Epoch*steps+at.Step)), append(s.Mean, loss)
			}
		}
		if len(s.X) > 0 {
			losses = append(losses, s)
		}
	}
	f := plots.Figure{Panels: []plots.Panel{
		plots.Lines{Title: fmt.Sprintf("Loss of %s, seed %d", p.at.Train.Method.Name, p.Seed), XLabel: "step", YLabel: "loss (nats)",
			Series: losses},
	}}
	f.Panels = append(f.Panels, panelsOf(of.Points, "step", func(at train.Point) float64 { return float64(at.Epoch*steps + at.Step) },
		fmt.Sprintf(" by %s, seed %d", p.at.Train.Method.Name, p.Seed))...)
	measured := []plots.Lines{{Title: "Retrieval, validation split", YLabel: "mean recall (%)"}}
	metrics := []string{string(eval.RMean)}
	for _, info := range liveMetrics(p.at.Tasks) {
		column := paper.Column{Name: cmp.Or(info.Column, string(info.Metric)), Unit: info.Unit}
		measured = append(measured, plots.Lines{Title: string(info.Metric) + ", validation split", YLabel: column.Label()})
		metrics = append(metrics, string(info.Metric))
	}
	for _, r := range g.Plan.Runs() {
		if r.Train.Seed != p.Seed {
			continue
		}
		of, err := train.ReadCurves(g.Store.Dir(r))
		if err != nil {
			return nil, err
		}
		for k := range measured {
			if s := after(of.Epochs, r.Train.Method.Name, metrics[k]); len(s.X) > 0 {
				measured[k].Series = append(measured[k].Series, s)
			}
		}
	}
	for _, panel := range measured {
		panel.XLabel, panel.Series = "epoch", panel.Series[max(0, len(panel.Series)-liveSeries):]
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return f, nil
}

// panelsOf are the numbers that the parts of a run tell by names of their own, step by step: the shares in one panel, every other number in
// one of its own, along an axis of that label. Titles end with what the run is.
func panelsOf(points []train.Point, label string, x func(train.Point) float64, of string) []plots.Panel {
	var names []string
	series, units := map[string]plots.Series{}, map[string]string{}
	for _, at := range points {
		for _, n := range at.Numbers {
			v, is := n.Value()
			if !is {
				continue
			}
			if _, seen := units[n.Name]; !seen {
				names = append(names, n.Name)
			}
			s := series[n.Name]
			s.Name, s.X, s.Mean = n.Name, append(s.X, x(at)), append(s.Mean, v)
			series[n.Name], units[n.Name] = s, n.Unit
		}
	}
	shares := plots.Lines{Title: "Reported" + of, XLabel: label, YLabel: "share (%)"}
	var others []plots.Panel
	for _, name := range names {
		if units[name] == field.Percent {
			shares.Series = append(shares.Series, series[name])
			continue
		}
		column := paper.Column{Name: name, Unit: units[name]}
		others = append(others, plots.Lines{Title: name + of, XLabel: label, YLabel: column.Label(), Series: []plots.Series{series[name]}})
	}
	if len(shares.Series) > 0 {
		others = append([]plots.Panel{shares}, others...)
	}
	return others
}

// liveMetrics are the metrics that live curves show: the mean recall of retrieval, all of other tasks.
func liveMetrics(tasks eval.Tasks) []eval.Info {
	var all []eval.Info
	for _, task := range tasks {
		infos := task.Metrics()
		if !slices.ContainsFunc(infos, func(info eval.Info) bool { return info.Metric == eval.RMean }) {
			all = append(all, infos...)
		}
	}
	return all
}

// after is a metric of a run after each epoch; no points where there is none yet.
func after(epochs []train.Record, name, metric string) plots.Series {
	s := plots.Series{Name: name}
	for _, record := range epochs {
		if v, measured := record.Metrics[metric]; measured {
			s.X, s.Mean = append(s.X, float64(record.Epoch+1)), append(s.Mean, v)
		}
	}
	return s
}
