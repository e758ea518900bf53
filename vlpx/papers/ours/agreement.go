package ours

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// agreement asks whether the papers' measure ranks the methods as people do, or as the exact relation does where there is one.
var agreement = paper.Artifact{
	ID:    "vlpx/agreement",
	Title: "How recall by own captions ranks the methods, and how people (flickr8k, coco) or the exact relation (scenes) do",
	Look: "How far the papers' measure and the others agree (Kendall's τ: 1 is the same ranking, 0 none in common, -1 the " +
		"reverse), beside how far it agrees with itself from seed to seed, which is all that these seeds can tell apart. Where " +
		"slopes cross two measures disagree.",
	Note: "Own R@1 is the mean of text and image R@1, as are the others of both directions. Scored by one model, two measures share " +
		"what its seed made of it, so that τ of a seed is high sooner than τ from seed to seed. Intervals are of τ of the means: 95 % of " +
		"the seeds drawn anew, from five on; where two rows have as many, those of fewer are not ranked. Con-D is fine-tuned for retrieval, the others are zero-shot. Two rows know what is true, and " +
		"are of scenes alone.",
	Rows: append(methodRows("InfoNCE", "ALBEF", "GRIT-VLP", "MAFA", "FALCON", "Con-D", "SRCL", "DiHT", "S-ITC", "Hard quantile"),
		plan.UniformRow(), plan.MethodRow("MAFA (Oracle)").As(judgedExactly).OnScenes(),
		withTruth(plan.MethodRow("GRIT-VLP").OnScenes(), withoutFalse, false)),
	Columns: slices.Concat(agreementColumns("Re-ranked by ITM", ""), agreementColumns("By cosine", eval.CosinePrefix)),
	Table:   agreementTable,
	Figure:  agreementFigure,
}

// ownRecall is the name of the columns that the others are compared with.
const ownRecall = "own R@1"

// measure is what people, or the relation, say of retrieval: the mean of metrics.
type measure struct {
	name  string
	of    []eval.Metric
	exact bool // needs to know all that is true
}

// humanMeasures are those that own recall is compared with. Average precision is over all true candidates of a query: it is taken where
// these are known, of ECCV Caption's queries and of scenes.
var humanMeasures = []measure{
	{"R@1, true accepted", []eval.Metric{eval.TR1True, eval.IR1True}, false},
	{"AUC, judged pairs", []eval.Metric{eval.JudgedAUC}, false},
	{"mAP@R, ECCV", []eval.Metric{eval.TRMAPR, eval.IRMAPR}, false},
	{"mAP, all true", []eval.Metric{eval.TRMAP, eval.IRMAP}, true},
}

// agreementColumns are recall by own captions and the measures that it is compared with, of one way to score.
func agreementColumns(group string, prefix eval.Metric) []paper.Column {
	columns := []paper.Column{bothWays(group, ownRecall, prefix, eval.TR1, eval.IR1)}
	for _, m := range humanMeasures {
		columns = append(columns, bothWays(group, m.name, prefix, m.of...))
	}
	return columns
}

// bothWays describes the column of the mean of metrics in per cent.
func bothWays(group, name string, prefix eval.Metric, metrics ...eval.Metric) paper.Column {
	var names []string
	for _, m := range metrics {
		names = append(names, string(prefix+m))
	}
	return paper.Column{Group: group, Name: name, Metric: string(prefix) + name, Unit: "%"}.Averaging(names...)
}

// compared are the columns that the data can give, each beginning with recall by own captions, one list for each way to score.
func compared(r *paper.Report) [][]paper.Column {
	var groups [][]paper.Column
	for _, c := range r.Shown() {
		of := func(m measure) bool { return m.name == c.Name && (!m.exact || r.Data.Scenes != nil) }
		switch {
		case c.Name == ownRecall:
			groups = append(groups, []paper.Column{c})
		case len(groups) > 0 && slices.ContainsFunc(humanMeasures, of):
			groups[len(groups)-1] = append(groups[len(groups)-1], c)
		}
	}
	return groups
}

// ranking is what some rows gave in two columns, by the seeds that all of these rows have.
type ranking struct {
	rows       []string
	own, other [][]float64 // [seeds][rows]
	shipped    bool        // some of it with vlpx
}

// ranked takes the rows that have both columns, of this store or, where it has none of a row, shipped, as far as they count.
func ranked(r *paper.Report, own, other paper.Column) ranking {
	var k ranking
	rows, counts, shipped := make([]map[uint64][2]float64, len(r.Rows)), make([]int, len(r.Rows)), make([]bool, len(r.Rows))
	for i, row := range r.Rows {
		seeds := row.Seeds
		if len(seeds) == 0 {
			seeds, shipped[i] = row.Shipped, true
		}
		rows[i] = map[uint64][2]float64{}
		for _, s := range seeds {
			a, hasOwn := s.Metrics[own.Key()]
			b, hasOther := s.Metrics[other.Key()]
			if hasOwn && hasOther {
				rows[i][s.Seed] = [2]float64{a, b}
			}
		}
		counts[i] = len(rows[i])
	}
	values := map[uint64][2][]float64{}
	for i, row := range r.Rows {
		if counts[i] < fewest(counts) {
			continue
		}
		k.rows, k.shipped = append(k.rows, row.Name), k.shipped || shipped[i]
		for seed, v := range rows[i] {
			of := values[seed]
			values[seed] = [2][]float64{append(of[0], v[0]), append(of[1], v[1])}
		}
	}
	for _, seed := range slices.Sorted(maps.Keys(values)) {
		if of := values[seed]; len(k.rows) > 1 && len(of[0]) == len(k.rows) {
			k.own, k.other = append(k.own, of[0]), append(k.other, of[1])
		}
	}
	return k
}

// fewest are the seeds that a row counts from: one, but where two rows have enough for an interval as many. Seeds are worlds, which methods
// that are compared must share.
func fewest(counts []int) int {
	many := 0
	for _, n := range counts {
		if n >= fewestResampled {
			many++
		}
	}
	if many > 1 {
		return fewestResampled
	}
	return 1
}

// fewestResampled are the seeds from which on they are drawn anew for an interval.
const fewestResampled = 5

// interval is that of Kendall's tau of the means over seeds, 95 % of the seeds drawn anew; ok is false of too few.
func (k ranking) interval() (low, high float64, ok bool) {
	if len(k.own) < fewestResampled {
		return 0, 0, false
	}
	low, high = evidence.NewBootstrap(len(k.own)).Interval(func(times []float64) float64 {
		own, other := make([]float64, len(k.rows)), make([]float64, len(k.rows))
		for s, n := range times {
			floats.AddScaled(own, n, k.own[s])
			floats.AddScaled(other, n, k.other[s])
		}
		return evidence.Kendall(own, other)
	})
	return low, high, true
}

// from puts a value where a table has this store's, or what is shipped.
func (k ranking) from(v tables.Value) tables.Cell {
	if k.shipped {
		return tables.Cell{{}, {}, v}
	}
	return tables.Cell{{}, v}
}

// agreements are Kendall's tau of each seed.
func (k ranking) agreements() []float64 {
	var taus []float64
	for s := range k.own {
		taus = append(taus, evidence.Kendall(k.own[s], k.other[s]))
	}
	return taus
}

// repeated are Kendall's tau of a measure with itself, of every two seeds.
func repeated(values [][]float64) []float64 {
	var taus []float64
	for s := range values {
		for other := range s {
			taus = append(taus, evidence.Kendall(values[s], values[other]))
		}
	}
	return taus
}

// averaged is the mean of what is a number among values.
func averaged(values []float64) tables.Value {
	values = slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(values) == 0 {
		return tables.Value{}
	}
	mean, std := stat.MeanStdDev(values, nil)
	return tables.Value{Mean: mean, Std: std, N: len(values)}
}

// Rows of the agreement's table below the methods.
const (
	tauOfMeans  = "τ of the means"
	tauInterval = "τ of the means, 95 % of seeds drawn anew"
	tauOfSeeds  = "τ, a seed"
	tauToSelf   = "τ with itself, two seeds"
)

// agreementTable is the comparison with a rank beside each mean, and how far the rankings agree.
func agreementTable(r *paper.Report) (tables.Table, error) {
	whole, err := paper.Comparison(r)
	if err != nil {
		return whole, err
	}
	at := map[string]int{}
	for k, c := range r.Shown() {
		at[c.Key()] = k
	}
	t := whole
	t.Columns, t.Rows = nil, nil
	for _, row := range whole.Rows {
		t.Rows = append(t.Rows, tables.Row{Name: row.Name, Status: row.Status})
	}
	ofMeans, within := tables.Row{Name: tauOfMeans}, tables.Row{Name: tauInterval}
	ofSeeds, ofSelf := tables.Row{Name: tauOfSeeds}, tables.Row{Name: tauToSelf}
	for _, group := range compared(r) {
		own := sourced(whole.Rows, at[group[0].Key()])
		for k, c := range group {
			column := whole.Columns[at[c.Key()]]
			column.Format, column.Best = "%.2f", tables.Unranked
			t.Columns = append(t.Columns, column, tables.Column{Group: column.Group, Name: "rank"})
			values := sourced(whole.Rows, at[c.Key()])
			for i := range t.Rows {
				cell := whole.Rows[i].Cells[at[c.Key()]]
				t.Rows[i].Cells = append(t.Rows[i].Cells, cell, rankCell(cell, values, i))
			}
			both, means, seeds, drawn := ranked(r, group[0], c), tables.Cell{}, tables.Cell{}, tables.Cell{}
			if k > 0 {
				for s := range values {
					means = append(means, averaged([]float64{evidence.Kendall(bothKnown(own[s], values[s]))}))
				}
				seeds = both.from(averaged(both.agreements()))
				if low, high, ok := both.interval(); ok {
					drawn = both.from(tables.Value{Text: between(low, high)})
				}
			}
			ofMeans.Cells, ofSeeds.Cells = append(ofMeans.Cells, means, nil), append(ofSeeds.Cells, seeds, nil)
			within.Cells, ofSelf.Cells = append(within.Cells, drawn, nil), append(ofSelf.Cells, both.from(averaged(repeated(both.other))), nil)
		}
	}
	t.Rows = append(t.Rows, ofMeans)
	if slices.ContainsFunc(within.Cells, func(c tables.Cell) bool { return len(c) > 0 }) {
		t.Rows = append(t.Rows, within)
	}
	t.Rows = append(t.Rows, ofSeeds, ofSelf)
	return t, nil
}

// rankCell has the rank of a row's means among those of each source.
func rankCell(means tables.Cell, values [3][]float64, row int) tables.Cell {
	cell := make(tables.Cell, len(values))
	for s, of := range values {
		if !math.IsNaN(of[row]) {
			cell[s] = tables.Value{Text: fmt.Sprintf("%g", evidence.Ranks(of)[row]), N: means[s].N}
		}
	}
	return cell
}

// sourced are the means of a column by source and row, NaN where there is none that counts.
func sourced(rows []tables.Row, column int) [3][]float64 {
	var values [3][]float64
	for s := range values {
		var counts []int
		for _, row := range rows {
			counts = append(counts, row.Cells[column][s].N)
		}
		for _, row := range rows {
			v := math.NaN()
			if cell := row.Cells[column][s]; cell.N >= fewest(counts) {
				v = cell.Mean
			}
			values[s] = append(values[s], v)
		}
	}
	return values
}

// bothKnown are the places of two lists where both have a number.
func bothKnown(a, b []float64) (x, y []float64) {
	for k := range a {
		if !math.IsNaN(a[k]) && !math.IsNaN(b[k]) {
			x, y = append(x, a[k]), append(y, b[k])
		}
	}
	return x, y
}

// mostBarred are the rows whose error bars can be told apart.
const mostBarred = 7

// agreementFigure has a panel of slopes for each measure that recall by own captions is compared with, a row for each way to score, or all
// in one row where each has one.
func agreementFigure(r *paper.Report) (plots.Drawing, error) {
	var panels []plots.Panel
	columns, barred := 0, true
	drawn := *r // without rows that no panel has
	drawn.Rows = nil
	for _, group := range compared(r) {
		before := len(panels)
		for _, c := range group[1:] {
			k := ranked(r, group[0], c)
			if len(k.own) == 0 {
				continue
			}
			barred = barred && len(k.rows) <= mostBarred
			panels = append(panels, k.panel(c))
			for _, row := range r.Rows {
				if slices.Contains(k.rows, row.Name) {
					drawn.Rows = append(drawn.Rows, row)
				}
			}
		}
		columns = max(columns, min(3, len(panels)-before))
	}
	spread := "Means over seeds."
	if barred {
		spread = drawn.SpreadNote("error bars")
	}
	f := r.NewFigure("Rank among the methods in each seed. "+spread, "τ is Kendall's, of both rankings of a seed; in brackets "+
		"95 % of that of the means, with seeds drawn anew, from five on.")
	if f.Panels = panels; columns > 1 {
		f.Columns = columns
	}
	return paper.Drawn(f)
}

// panel has the slopes of a measure, with error bars where they can be told apart.
func (k ranking) panel(c paper.Column) plots.Ranks {
	title := fmt.Sprintf("%s: %s", c.Group, tauText(averaged(k.agreements())))
	if low, high, ok := k.interval(); ok {
		title += " " + between(low, high)
	}
	panel := plots.Ranks{Title: title, Left: ownRecall, Right: c.Name, YLabel: "mean rank (1 is best)"}
	left, right := ranksOf(k.own), ranksOf(k.other)
	for i, name := range k.rows {
		one := plots.RankSeries{Name: name, Mean: [2]float64{left[i].Mean, right[i].Mean}}
		if len(k.rows) <= mostBarred {
			one.Std = [2]float64{left[i].Std, right[i].Std}
		}
		panel.Series = append(panel.Series, one)
	}
	return panel
}

// minus is set as such, not as a hyphen.
var minus = strings.NewReplacer("-", "−")

// between is an interval in words.
func between(low, high float64) string { return minus.Replace(fmt.Sprintf("[%.2f, %.2f]", low, high)) }

// tauText is an agreement in words.
func tauText(tau tables.Value) string {
	switch {
	case tau.N == 0:
		return "no order"
	case tau.N == 1:
		return minus.Replace(fmt.Sprintf("τ = %.2f", tau.Mean))
	}
	return minus.Replace(fmt.Sprintf("τ = %.2f ± %.2f", tau.Mean, tau.Std))
}

// ranksOf are the ranks of each row over seeds.
func ranksOf(seeds [][]float64) []tables.Value {
	rows := make([][]float64, len(seeds[0]))
	for _, values := range seeds {
		for i, rank := range evidence.Ranks(values) {
			rows[i] = append(rows[i], rank)
		}
	}
	var spreads []tables.Value
	for _, ranks := range rows {
		spreads = append(spreads, averaged(ranks))
	}
	return spreads
}
