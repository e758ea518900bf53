package falcon

import (
	"fmt"
	"math"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// figureD1 shows how the predicted distributions of a few anchors change (FALCON, appendix D.1).
var figureD1 = paper.Artifact{
	ID:      "falcon/D.1",
	Title:   "Predicted Beta distributions per anchor over training",
	Gallery: true,
	Look: "Whether the distributions differ between anchors at all, and whether complex anchors, which are slower to align, get lower " +
		"quantiles than simple ones, which allow higher ones later in training. The false negatives of simple anchors gather at the top.",
	Unstated: []paper.Unstated{
		{What: "Complex anchors need lower quantiles than simple ones", Source: "section 2",
			Why: "it compares two kinds of anchors of one row; see the table, and vlpx/policy"},
		{What: "The best hardness rises over training", Source: "section 2", Why: paper.DrawnOnly},
	},
	Rows:   []plan.Row{plan.MethodRow("FALCON")},
	Table:  betaTable,
	Figure: betaFigure,
}

// betaTable tells, over all anchors of all seeds, what was predicted and chosen.
func betaTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("Over the anchors of all seeds: mean ± standard deviation of the quantile chosen, means of the predicted " +
		"a and b, true pairs among the picked negatives. The first epoch is not scheduled.")
	t.Heading = "anchors"
	t.Columns = []tables.Column{{Name: "words"}, {Name: "epoch"}, {Name: "quantile", Format: "%.3f"}, {Name: "a", Format: "%.2f"},
		{Name: "b", Format: "%.2f"}, {Name: "FN picked", Unit: "%"}}
	t.Rows = r.Rows[0].Unfinished()
	epochs := paper.ScheduledEpochs(paper.Pooled(r.Rows[0].Results))
	for k, name := range negative.Complexity {
		for _, record := range epochs {
			class := record.Observed.Scheduling().Classes[k]
			if class.Quantile.N == 0 {
				continue
			}
			line := tables.Row{Name: name, Cells: []tables.Cell{
				{{Text: fmt.Sprintf("%d to %d", class.Words[0], class.Words[1])}}, {{Text: paper.EpochNumber(record)}},
				{paper.SpreadOf(class.Quantile)}, {tables.Number(class.A.Mean)}, {tables.Number(class.B.Mean)}, {},
			}}
			if class.Negative > 0 {
				line.Cells[5] = tables.Cell{tables.Number(100 * float64(class.True) / float64(class.Negative))}
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return t, nil
}

// betaFigure has a panel of densities for two simple and two complex anchors of the first seed.
func betaFigure(r *paper.Report) (plots.Drawing, error) {
	g, err := newGallery(r)
	if g == nil || err != nil {
		return nil, err
	}
	f := r.NewFigure(r.FirstSeedOnly())
	f.Columns, f.SameRange = 2, true
	const simple, complicated = 0, 2 // places in negative.Complexity
	for _, class := range []int{simple, complicated} {
		for _, a := range g.followed(class) {
			panel := plots.Lines{
				Title:  fmt.Sprintf("%s: %s", negative.Complexity[class], shortened(g.Caption(a.pair), 44)),
				XLabel: "quantile", YLabel: "density", Ordered: true,
			}
			for _, p := range a.picks {
				panel.Series = append(panel.Series, densities(p))
			}
			f.Panels = append(f.Panels, panel)
		}
	}
	return paper.Drawn(f)
}

// densities is the density that a quantile was drawn from, at the middles of a hundred equal parts of [0, 1]. The ends, where it
// may be infinite, are gaps.
func densities(p pick) plots.Series {
	const parts = 100
	s := plots.Series{Name: fmt.Sprint("epoch ", p.epoch), X: []float64{0}, Mean: []float64{math.NaN()}}
	for k := range parts {
		q := (float64(k) + 0.5) / parts
		s.X, s.Mean = append(s.X, q), append(s.Mean, p.Beta.Density(q))
	}
	s.X, s.Mean = append(s.X, 1), append(s.Mean, math.NaN())
	return s
}

// shortened cuts a text behind a word so that at most so many letters are left, the ellipsis among them.
func shortened(text string, letters int) string {
	short := []rune(text)
	if len(short) <= letters {
		return text
	}
	cut := string(short[:letters])
	if k := strings.LastIndexByte(cut, ' '); k > 0 {
		cut = cut[:k]
	} else {
		cut = string(short[:letters-1])
	}
	return cut + "…"
}
