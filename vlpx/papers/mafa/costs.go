package mafa

import (
	"fmt"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// table12 tells what the methods cost (MAFA, Table 12), on the machine that ran them.
var table12 = paper.Artifact{
	ID:    "mafa/table12",
	Title: "Time an epoch, parameters, queue sizes",
	Look: "Whether MAFA, which asks Con-D, costs less than ALBEF, which runs momentum encoders. Clocks are of the machine: one " +
		"that was doing other things makes them noisy. The paper's BLIP is left out. That Con-D has to be trained first is in " +
		"neither's number.",
	Rows: []plan.Row{
		plan.MethodRow("ALBEF", 190./150),
		plan.MethodRow("GRIT-VLP", 1),
		plan.MethodRow("MAFA", 186./150),
	},
	Columns: []paper.Column{{Name: "an epoch, GRIT-VLP's is 1", Metric: epochTime, Lower: true}, paper.AnEpoch()},
	Claims: []paper.Claim{
		{Better: "GRIT-VLP", Than: "MAFA", In: paper.AnEpoch(), Source: "appendix G.2"},
		{Better: "MAFA", Than: "ALBEF", In: paper.AnEpoch(), Source: "Table 12"},
	},
	Unstated: []paper.Unstated{{What: "MAFA is faster than BLIP", Source: "appendix G.2", Why: noBLIP}},
	Table:    costsTable,
}

// epochTime names the relative time of an epoch among a report's measures. No result has it: it is relative to GRIT-VLP's.
const epochTime = "time of an epoch"

// sizes are what table 12 reports in words: an epoch's time, parameters with those of a second model, and the queues in pairs.
type sizes struct{ epoch, parameters, momentum, grouping string }

var paperSizes = map[string]sizes{
	"ALBEF":    {"3h 10m", "210M (MD: 210M)", "65536", "none"},
	"GRIT-VLP": {"2h 30m", "210M", "none", "48000"},
	"MAFA":     {"3h 06m", "210M (Con-D: 210M)", "none", "48000"},
}

// sizesOf a method whose model has so many parameters; MD's momentum encoders and Con-D have as many.
func sizesOf(m negative.Method, parameters int) sizes {
	count := fmt.Sprintf("%.2fM", float64(parameters)/1e6)
	s := sizes{parameters: count, momentum: "none", grouping: "none"}
	if d, ok := m.Contrast.(negative.Distilled); ok {
		s.parameters, s.momentum = fmt.Sprintf("%s (MD: %s)", count, count), fmt.Sprint(d.Queue)
	}
	if m.NeedsReference() {
		s.parameters = fmt.Sprintf("%s (Con-D: %s)", count, count)
	}
	if g, ok := m.Batches.(negative.Grouped); ok {
		s.grouping = fmt.Sprint(g.Queue)
	}
	return s
}

// costsTable lays out the times of the runs, and the sizes of the methods.
func costsTable(r *paper.Report) (tables.Table, error) {
	t := tables.Table{
		Title: fmt.Sprintf("%s: %s", r.ID, r.Title), Heading: "method", Sources: []string{paper.FromPaper, paper.FromYou},
		Note: r.Note() + " Times are of training, without evaluation, and without that of Con-D itself. MD: momentum encoders.",
		Columns: []tables.Column{
			{Name: "an epoch", Unit: "s"}, {Name: "an epoch, GRIT-VLP's is 1", Format: "%.2f", Best: tables.Lowest},
			{Name: "parameters"}, {Name: "queue for MD"}, {Name: "queue for GRIT"},
		},
	}
	unit := r.MeanOfRow("GRIT-VLP", paper.SecondsAnEpoch)
	for i, row := range r.Rows {
		line := tables.Row{Name: row.Name}
		if row.Status != string(paper.Ready) {
			line.Status = row.Status
		}
		published, measuredSizes := paperSizes[row.Name], sizes{}
		results := paper.Timed(row.Results)
		measured := func(size string) tables.Value { return tables.Value{Text: size, N: len(results)} }
		if len(results) > 0 {
			measuredSizes = sizesOf(r.Plan.Artifact.Rows[i].Method(r.Plan.Scale.Resolved()), results[0].Parameters)
		}
		line.Cells = []tables.Cell{
			{{Text: published.epoch}, paper.MeanOf(results, paper.SecondsAnEpoch)},
			{{}, paper.MeanOf(results, func(x run.Result) float64 { return paper.SecondsAnEpoch(x) / unit })},
			{{Text: published.parameters}, measured(measuredSizes.parameters)},
			{{Text: published.momentum}, measured(measuredSizes.momentum)},
			{{Text: published.grouping}, measured(measuredSizes.grouping)},
		}
		if s := row.Metrics[epochTime]; s.Paper != nil {
			line.Cells[1][0] = tables.Number(*s.Paper)
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}
