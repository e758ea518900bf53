package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/train"
)

// knownMethods look the same in all figures.
var knownMethods = []string{"ALBEF", "GRIT-VLP", "SRCL", "MAFA", "FALCON", "Hard quantile", "InfoNCE"}

// OnValidation is told below the curves of retrieval over training.
const OnValidation = "Retrieval is on the validation split, without re-ranking."

// Figure draws the report; nil where it has no figure, or no results to draw yet.
func (r *Report) Figure() (plots.Drawing, error) {
	if r.Plan.Artifact.Figure == nil {
		return nil, nil
	}
	d, err := r.Plan.Artifact.Figure(r)
	if err != nil || d == nil {
		return nil, err
	}
	return r.view.dressed(d)
}

// NewFigure begins a figure of the report, with sentences for the note below it.
func (r *Report) NewFigure(about ...string) plots.Figure {
	return plots.Figure{Title: r.Heading(), Note: r.Caption(about...), Known: knownMethods}
}

// Heading is the title of the report's figure.
func (r *Report) Heading() string { return r.ID + ": " + r.Title }

// Caption is the note below the report's figure: where its numbers are from, and the given sentences.
func (r *Report) Caption(about ...string) string {
	scale := r.Scale
	if len(r.Set) > 0 {
		scale += " with " + strings.Join(r.Set, ", ")
	}
	sentences := []string{fmt.Sprintf("Scale %s on %s.", scale, r.on())}
	for _, sentence := range []string{r.Plan.Taken(), r.Encoder} {
		if sentence != "" {
			sentences = append(sentences, sentence)
		}
	}
	sentences = append(sentences, about...)
	if ran := r.origins(); ran != "" {
		sentences = append(sentences, fmt.Sprintf("Run on %s.", ran))
	}
	if shipped := r.drawnShipped(); len(shipped) == r.rowsDrawn() && len(shipped) > 0 {
		sentences = append(sentences, "All results are the project's own, shipped with vlpx.")
	} else if len(shipped) > 0 {
		sentences = append(sentences, fmt.Sprintf("Shipped with vlpx: %s.", strings.Join(shipped, ", ")))
	}
	switch n := r.Unreadable.count(); {
	case n == 1:
		sentences = append(sentences, "One image could not be read.")
	case n > 1:
		sentences = append(sentences, fmt.Sprintf("%d images could not be read.", n))
	}
	if others := codeNote(r.ofCode()); others != "" {
		sentences = append(sentences, others)
	}
	return strings.Join(sentences, " ")
}

// SpreadNote tells what a figure's marks of spread, such as "error bars", are, and over how many seeds.
func (r *Report) SpreadNote(marks string) string {
	fewest, most := 0, 0
	for _, row := range r.Rows {
		if n := row.seeds(); n > 0 {
			most = max(most, n)
			if fewest == 0 || n < fewest {
				fewest = n
			}
		}
	}
	switch {
	case most <= 1:
		return "One seed: no spread is known."
	case fewest == most:
		return fmt.Sprintf("Means over %d seeds; %s are one standard deviation.", most, marks)
	}
	note := fmt.Sprintf("Means over %d to %d seeds; %s are one standard deviation", fewest, most, marks)
	if fewest == 1 {
		note += ", which one seed has not"
	}
	return note + "."
}

// FirstSeed are the epochs of the first row's first seed that has a result; none while there is none.
func (r *Report) FirstSeed() []train.Record {
	if len(r.Rows[0].Results) == 0 {
		return nil
	}
	return r.Rows[0].Results[0].Epochs
}

// FirstSeedOnly tells of which seed a figure of FirstSeed is.
func (r *Report) FirstSeedOnly() string {
	for _, row := range r.Rows {
		if len(row.Results) > 0 {
			return fmt.Sprintf("Seed %d.", row.Results[0].Seed)
		}
	}
	return ""
}

// Bars compares the rows: a panel of own-caption retrieval, one without re-ranking, one of each other group of columns. Columns that are
// not in per cent, such as a sum of recalls, have a panel of their own, named after them. More rows than can be told apart by their bars
// are drawn as dots.
func Bars(r *Report) (plots.Drawing, error) {
	if r.rowsDrawn() > mostBars {
		return r.dots()
	}
	var titles []string
	panels := map[string][]Column{}
	var drawn []Column
	for _, c := range r.Plan.Artifact.Columns {
		if c.Metric == "" || !r.has(c) {
			continue
		}
		title := r.panelOf(c)
		switch {
		case c.Reported && c.Unit != field.Percent:
			title = c.Name
		case c.Unit == "" && slices.ContainsFunc(r.Plan.Artifact.Columns, func(other Column) bool {
			return other.Unit != "" &&
				r.panelOf(other) == title
		}):
			title += ": " + c.Name
		}
		if panels[title] == nil {
			titles = append(titles, title)
		}
		panels[title], drawn = append(panels[title], c), append(drawn, c)
	}
	about := []string{r.SpreadNote("error bars")}
	for _, c := range drawn {
		if c.Panel.Note != "" {
			about = once(about, c.Panel.Note)
		}
	}
	f := r.NewFigure(append(about, r.partialIn(drawn)...)...)
	for _, title := range titles {
		f.Panels = append(f.Panels, r.bars(title, panels[title]))
	}
	return Drawn(f)
}

// panelOf is the title of the panel of bars that a column is in.
func (r *Report) panelOf(c Column) string {
	if r.Plan.fineTuned() {
		return cmp.Or(c.Panel.Tuned, c.Panel.Title, c.Group)
	}
	return cmp.Or(c.Panel.Title, c.Group)
}

// fineTuned tells whether every row is: by a tuning after its pre-training, or on a framework whose stage after that it is.
func (p *Planned) fineTuned() bool {
	for i, row := range p.Artifact.Rows {
		staged := false
		if len(p.Rows[i]) > 0 {
			_, staged = p.Rows[i][0].Train.Framework.Framework.(framework.Following)
		}
		if row.Tune == nil && !staged {
			return false
		}
	}
	return true
}

// bars is a panel of a group of bars for each of the columns.
func (r *Report) bars(title string, columns []Column) plots.Bars {
	bars := plots.Bars{Title: title, YLabel: barsLabel(columns)}
	for _, c := range columns {
		bars.Groups = append(bars.Groups, c.bar())
	}
	for _, row := range r.Rows {
		if row.seeds() == 0 {
			continue
		}
		series := plots.BarSeries{Name: row.Name}
		for _, c := range columns {
			mean, std := row.spread(c)
			series.Mean, series.Std = append(series.Mean, mean), append(series.Std, std)
		}
		bars.Series = append(bars.Series, series)
	}
	return bars
}

// barsLabel names the vertical axis of columns in one panel.
func barsLabel(columns []Column) string {
	first := columns[0]
	switch {
	case len(columns) == 1:
		return first.Label()
	case first.Unit == "":
		return strings.ToLower(first.Group)
	}
	return fmt.Sprintf("%s (%s)", cmp.Or(first.Panel.Axis, "share"), first.Unit)
}

// Drawn is a figure, or nothing where it has no panel.
func Drawn(f plots.Figure) (plots.Drawing, error) {
	if len(f.Panels) == 0 {
		return nil, nil
	}
	return f, nil
}

// seeds are as many as a figure has of a row: of this store, or shipped where it has none.
func (row RowReport) seeds() int {
	if len(row.Results) == 0 && row.shipped.of != nil {
		return len(row.shipped.Runs)
	}
	return len(row.Results)
}

// spread is what a figure has of a row in a column; NaN where there is no value, and the standard deviation of a single one.
func (row RowReport) spread(c Column) (mean, std float64) {
	if v, ok := row.shipped.Metrics[c.Key()]; ok && len(row.Results) == 0 {
		if v[2] < 2 {
			return v[0], math.NaN()
		}
		return v[0], v[1]
	}
	return stat.MeanStdDev(c.Values(row.Results), nil)
}

// Curves follows the columns over the epochs; retrieval is on the validation split, without re-ranking.
func Curves(r *Report) (plots.Drawing, error) {
	return r.CurvesOf(r.Panels(r.Plan.Artifact.Columns, r.Rows))
}

// CurvesOf are panels of the artifact's columns over the epochs as a figure.
func (r *Report) CurvesOf(panels []plots.Panel) (plots.Drawing, error) {
	about := []string{r.SpreadNote("bands")}
	if slices.ContainsFunc(r.Plan.Artifact.Columns, func(c Column) bool { return c.Panel == ownCaptions }) {
		about = append(about, OnValidation)
	}
	if missing := r.withoutPanel(panels); len(missing) > 0 {
		about = append(about, fmt.Sprintf("Not measured over the epochs: %s.", strings.Join(missing, ", ")))
	}
	followed := slices.DeleteFunc(slices.Clone(r.Plan.Artifact.Columns), func(c Column) bool {
		return !slices.ContainsFunc(panels, func(p plots.Panel) bool { return p.(plots.Lines).Title == c.Heading() })
	})
	f := r.NewFigure(append(about, r.partialIn(followed)...)...)
	f.Panels = panels
	return Drawn(f)
}

// withoutPanel are the columns of the caller's choice that no panel has.
func (r *Report) withoutPanel(panels []plots.Panel) []string {
	var missing []string
	for _, c := range r.Plan.Artifact.Columns {
		if r.chosen && !slices.ContainsFunc(panels, func(p plots.Panel) bool { return p.(plots.Lines).Title == c.Heading() }) {
			missing = append(missing, c.Heading())
		}
	}
	return missing
}

// Panels are a panel for each column that some of the rows have, over the epochs.
func (r *Report) Panels(columns []Column, rows []RowReport) []plots.Panel {
	var panels []plots.Panel
	for _, c := range columns {
		lines := plots.Lines{Title: c.Heading(), XLabel: "epoch", YLabel: c.Label()}
		for _, row := range rows {
			if len(row.Results) == 0 {
				continue
			}
			series := plots.Series{Name: row.Name}
			for e := range row.Results[0].Epochs {
				var values []float64
				for _, result := range row.Results {
					v, ok := c.in(result.Epochs[e])
					if byCosine, cosine := strings.CutPrefix(c.Metric, eval.CosinePrefix); cosine && !ok && r.chosen {
						v, ok = EpochValue(result.Epochs[e], byCosine) // an epoch that does not re-rank
					}
					if ok {
						values = append(values, v)
					}
				}
				if len(values) == 0 {
					continue
				}
				mean, std := stat.MeanStdDev(values, nil)
				series.X, series.Mean, series.Std = append(series.X, float64(e+1)), append(series.Mean, mean), append(series.Std, std)
			}
			if len(series.X) > 0 {
				lines.Series = append(lines.Series, series)
			}
		}
		if len(lines.Series) > 0 {
			panels = append(panels, lines)
		}
	}
	return panels
}
