package paper

import (
	"fmt"
	"math"
	"slices"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// lost stands for a number that the paper's text has lost.
var lost = math.NaN()

// webNoise is the share of captions that do not belong to their image in table 2's noisy half. The paper's web captions have
// no such number; ours is a choice.
const webNoise = 0.3

// falconTable2 compares methods on clean and on noisy captions (FALCON, Table 2).
var falconTable2 = Artifact{
	ID:    "falcon/table2",
	Title: "Clean against noisy web captions",
	Look:  "Whether a method's lead survives captions that do not belong to their image.",
	Rows: slices.Concat(
		withCaptions("clean", 0, [][]float64{
			{66.38, 88.52, 93.98, 50.77, 77.59, 86.00}, {66.42, 86.62, 91.90, 48.90, 73.21, 80.60},
			{66.36, 88.60, 92.90, 50.70, 74.83, 83.66}, {67.34, 89.06, 94.26, 51.81, 78.78, 86.67},
		}),
		withCaptions("noisy", webNoise, [][]float64{
			{63.92, 87.48, 93.20, 48.53, 75.96, 84.99}, {67.92, 88.66, 93.26, 50.00, 75.30, 82.65},
			{65.94, 85.58, 90.52, 49.39, 72.42, 79.33}, {66.00, 87.90, 93.98, 50.47, 77.52, 86.02},
		})),
	Columns: slices.Concat(retrieval(), ours()),
	Claims: []Claim{
		{Better: "FALCON (clean)", Than: "ALBEF (clean)", In: column(eval.IR1), Source: "section 4.1"},
		{Better: "FALCON (clean)", Than: "GRIT-VLP (clean)", In: column(eval.IR1), Source: "section 4.1"},
		{Better: "FALCON (clean)", Than: "MAFA (clean)", In: column(eval.IR1), Source: "section 4.1"},
		{Better: "FALCON (noisy)", Than: "GRIT-VLP (noisy)", In: column(eval.IR1), Source: "Table 2"},
		{Better: "GRIT-VLP (noisy)", Than: "FALCON (noisy)", In: column(eval.TR1), Source: "Table 2"},
		{Better: "FALCON (clean)", Than: "FALCON (noisy)", In: cosine(eval.IRMAP)},
		{Better: "GRIT-VLP (clean)", Than: "GRIT-VLP (noisy)", In: cosine(eval.IRMAP)},
	},
	Table:  Comparison,
	Figure: Bars,
}

// withCaptions are table 2's methods on captions of which a share is another image's.
func withCaptions(name string, noise float64, paper [][]float64) []Row {
	var rows []Row
	for i, method := range []string{"ALBEF", "GRIT-VLP", "MAFA", "FALCON"} {
		row := Row{Name: method + " (" + name + ")", Paper: paper[i]}
		if same := rowNamed(falconRows, method); same.Method != nil {
			row.Method = named(row.Name, same.Method)
		}
		if noise > 0 {
			row.Vary = func(s *Scale) { s.CaptionNoise = noise }
		}
		rows = append(rows, row)
	}
	return rows
}

// rowNamed is the row of that name; it is there.
func rowNamed(rows []Row, name string) Row {
	return rows[slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })]
}

// named is a method under another name.
func named(name string, method func(Scale) negative.Method) func(Scale) negative.Method {
	return func(s Scale) negative.Method {
		m := method(s)
		m.Name = name
		return m
	}
}

// scheduledRow is FALCON with a change of its scheduler.
func scheduledRow(name string, paper []float64, change func(Scale, *negative.Scheduled)) Row {
	return Row{Name: name, Paper: paper, Method: func(s Scale) negative.Method {
		b := s.scheduler()
		change(s, &b)
		m := negative.FALCON(b)
		m.Name = name
		return m
	}}
}

// searchSpaces are the sizes of FALCON's tables 4 and 5 at a scale whose search space stands for the paper's 5,664: 480, which
// is five mini-batches of 96, and 28,320, five times as much. No search space exceeds an epoch by much: a larger one is the epoch.
func searchSpaces(s Scale) [3]int { return [3]int{5 * s.BatchSize, s.SearchSpace, 5 * s.SearchSpace} }

// falconTable4 ablates the scheduler (FALCON, Table 4). Most of its numbers are lost.
var falconTable4 = Artifact{
	ID:    "falcon/table4",
	Title: "Ablations: search space, reward objective, per-instance schedule",
	Look:  "Whether the reward has to be MLM, and whether every anchor needs a quantile of its own.",
	Rows: []Row{
		scheduledRow("Search space 480", nil, func(s Scale, b *negative.Scheduled) { b.SearchSpace = searchSpaces(s)[0] }),
		scheduledRow("Search space 5664", fullFALCON, func(s Scale, b *negative.Scheduled) { b.SearchSpace = searchSpaces(s)[1] }),
		scheduledRow("Search space 28320", []float64{61.94, lost, lost, lost, 74.61, 83.96},
			func(s Scale, b *negative.Scheduled) { b.SearchSpace = searchSpaces(s)[2] }),
		rewardRow(negative.Objectives{ITC: true}, nil),
		rewardRow(negative.Objectives{ITM: true}, nil),
		rewardRow(negative.Objectives{ITC: true, ITM: true}, nil),
		rewardRow(negative.Objectives{MLM: true}, fullFALCON),
		rewardRow(negative.AllObjectives(), nil),
		scheduledRow("Instance-based: false", nil, func(_ Scale, b *negative.Scheduled) { b.Shared = true }),
		scheduledRow("Instance-based: true", fullFALCON, func(_ Scale, b *negative.Scheduled) { b.Shared = false }),
	},
	Columns: slices.Concat(retrieval(), ours(), chosen()),
	Claims: []Claim{
		{Better: "Reward MLM", Than: "Reward ITC", In: column(eval.IR1), Source: "section 4.3"},
		{Better: "Reward MLM", Than: "Reward ITM", In: column(eval.IR1), Source: "section 4.3"},
		{Better: "Reward MLM", Than: "Reward ITC + ITM", In: column(eval.IR1), Source: "section 4.3"},
		{Better: "Reward MLM", Than: "Reward ITC + ITM + MLM", In: column(eval.IR1), Source: "section 4.3"},
		{Better: "Instance-based: true", Than: "Instance-based: false", In: column(eval.IR1), Source: "section 4.3"},
		{Better: "Search space 5664", Than: "Search space 480", In: column(eval.IR1), Source: "section 4.3"},
		{Better: "Reward MLM", Than: "Reward ITC", In: Column{Group: "Scheduler", Name: "quantile", Metric: train.MeanQuantile}, Source: "section 4.3"},
		{Better: "Instance-based: true", Than: "Instance-based: false", In: cosine(eval.IRMAP)},
	},
	Table:  Comparison,
	Figure: Bars,
}

// fullFALCON are the numbers of table 4's own FALCON, which are not quite those of table 1.
var fullFALCON = []float64{61.72, 86.28, 92.78, 46.19, 74.56, 83.94}

func rewardRow(o negative.Objectives, paper []float64) Row {
	return scheduledRow("Reward "+o.String(), paper, func(_ Scale, b *negative.Scheduled) {
		if o != (negative.Objectives{MLM: true}) { // the default, so that it is the same run
			b.Objectives = o
		}
	})
}

// chosen are the columns of what a scheduler chose in the last epoch.
func chosen() []Column {
	return []Column{
		{Group: "Scheduler", Name: "quantile", Metric: train.MeanQuantile},
		{Group: "False negatives", Name: "chosen", Metric: train.FalseChosen, Unit: "%", Lower: true},
	}
}

// quantileLevels are the fixed levels of hardness of figure 2 and of our sweep.
var quantileLevels = []float64{0.5, 0.8, 0.9, 0.95, 1}

// quantileRow is GRIT-VLP's grouping at a fixed quantile; those of table 1 are the same runs.
func quantileRow(q float64) Row {
	name := fmt.Sprintf("q = %g", q)
	if q == 1 {
		return Row{Name: name, Method: named(name, grit)}
	}
	return Row{Name: name, Method: func(s Scale) negative.Method { return negative.Quantile(name, q, s.SearchSpace, s.GroupQueue) }}
}

func quantileRows(levels []float64) []Row {
	var rows []Row
	for _, q := range levels {
		rows = append(rows, quantileRow(q))
	}
	return rows
}

// falconFigure2 follows the rate of false negatives at fixed quantiles over training (FALCON, Figure 2, top left). On scenes it
// is counted. The panels on MAFA's filter and on ITM scores arrive with MAFA.
var falconFigure2 = Artifact{
	ID:    "falcon/figure2",
	Title: "False-negative rate by quantile over training",
	Look:  "Whether the rate rises over training at high quantiles and falls at lower ones.",
	Rows:  quantileRows(quantileLevels),
	Columns: []Column{
		{Group: "False negatives", Name: "chosen", Metric: train.FalseChosen, Unit: "%", Lower: true},
		{Group: "False negatives", Name: "in batch", Metric: train.FalseInBatch, Unit: "%", Lower: true},
		{Group: "False negatives", Name: "hardest", Metric: train.FalseHardest, Unit: "%", Lower: true},
	},
	Claims: []Claim{
		{Better: "q = 0.8", Than: "q = 1", In: chosen()[1]},
		{Better: "q = 0.5", Than: "q = 0.8", In: chosen()[1]},
	},
	Table:  Comparison,
	Figure: Curves,
}

// falconD3 sweeps GRIT-VLP's search space (FALCON, appendix D.3, whose numbers are lost). MAFA's thresholds arrive with MAFA.
var falconD3 = Artifact{
	ID:    "falcon/D.3",
	Title: "GRIT-VLP over search-space sizes",
	Look:  "Whether a larger search space, which makes harder mini-batches, hurts.",
	Rows: []Row{
		gritRow("GRIT-VLP (search space 480)", 0), gritRow("GRIT-VLP (search space 5664)", 1), gritRow("GRIT-VLP (search space 28320)", 2),
		{Name: "MAFA"},
	},
	Columns: slices.Concat(retrieval(), ours()),
	Claims: []Claim{
		{Better: "GRIT-VLP (search space 5664)", Than: "GRIT-VLP (search space 28320)", In: column(eval.IR1), Source: "section 3.1"},
		{Better: "GRIT-VLP (search space 480)", Than: "GRIT-VLP (search space 28320)", In: Column{Group: "False negatives", Name: "in batch",
			Metric: train.FalseInBatch, Lower: true}},
	},
	Table:  Comparison,
	Figure: Bars,
}

// gritRow is GRIT-VLP with one of the search spaces; its queue holds as many pairs as ever, in whole search spaces.
func gritRow(name string, size int) Row {
	return Row{Name: name, Method: func(s Scale) negative.Method {
		space := searchSpaces(s)[size]
		m := negative.GRITVLP(space, max(s.GroupQueue/space, 1)*space)
		m.Name = name
		return m
	}}
}
