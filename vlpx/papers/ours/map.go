package ours

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// costMap says where false negatives cost what. Each place is trained with them and without exactly them, and nothing else differs.
var costMap = paper.Artifact{
	ID:    "vlpx/map",
	Title: "What false negatives cost, by their share in a mini-batch, with and without a matching head",
	Look: "At which share of false negatives leaving them out gains a point, whether embeddings and re-ranking pay alike, and whether a " +
		"model without a matching head pays at all. Whoever knows the share of data of her own finds it on the axis of random mini-batches.",
	Note: "A place is a density of the captions and a kind of mini-batch. What it costs is the difference between a run without the false " +
		"ones, which the relation names, and one with them, of the same scenes, warm start and order. Captions say least at mid. " +
		"MAFA counts 20 to 28 % of false ones among the hardest of COCO under GRIT-VLP's mini-batches (its tables 1 and 9).",
	Rows:    mapRows(),
	Columns: slices.Concat(mapColumns(), []paper.Column{paper.FalseInBatch(), paper.FalseHardest()}),
	Claims: slices.Concat(
		costs("ALBEF", "half", inGroups, paper.ColumnOf(eval.IRMAP)), costs("ALBEF", "mid", inGroups, paper.ColumnOf(eval.IRMAP)),
		costs("ALBEF", "mid", inGroups, paper.Cosine(eval.IRMAP)), costs("ALBEF", "mid", atRandom, paper.ColumnOf(eval.IRMAP)),
		costs("CLIP", "half", inGroups, paper.Cosine(eval.IRMAP)), costs("CLIP", "mid", inGroups, paper.Cosine(eval.IRMAP)),
		costs("CLIP", "mid", atRandom, paper.Cosine(eval.IRMAP)),
	),
	Table:  costTable,
	Figure: costFigure,
}

// Kinds of mini-batches of the map, as its rows name them.
const (
	atRandom = "uniform"
	inGroups = "GRIT"
)

// mapRows are every place of the map, with its false negatives and without them.
func mapRows() []plan.Row {
	var rows []plan.Row
	for _, p := range mapPlaces() {
		row := plan.UniformRow()
		if p.batches == inGroups {
			row = plan.MethodRow("GRIT-VLP")
		}
		if p.framework == "CLIP" {
			row = row.On("clip")
		}
		row = row.Varying(func(s *scale.Scale) { s.Scenes.Density = p.density })
		rows = append(rows, row.As(p.name()), row.As(p.without()).With(func(_ scale.Scale, m *negative.Method) { m.LeftOut = negative.Exact{} }))
	}
	return rows
}

// mapPlace is one of the map.
type mapPlace struct{ framework, density, batches string }

func mapPlaces() (all []mapPlace) {
	for _, framework := range []string{"ALBEF", "CLIP"} {
		for _, batches := range []string{atRandom, inGroups} {
			for _, density := range []string{"spec", "half", "mid"} {
				all = append(all, mapPlace{framework, density, batches})
			}
		}
	}
	return all
}

func (p mapPlace) name() string    { return p.framework + " " + p.density + " " + p.batches }
func (p mapPlace) without() string { return p.name() + " without the false ones" }

// costs is the claim that a place's false negatives cost something in a column.
func costs(framework, density, batches string, in paper.Column) []paper.Claim {
	p := mapPlace{framework, density, batches}
	return []paper.Claim{{Better: p.without(), Than: p.name(), In: in}}
}

// mapColumns are those in which false negatives may cost something; those of re-ranking have a value in ALBEF alone.
func mapColumns() []paper.Column {
	return []paper.Column{paper.ColumnOf(eval.TRMAP), paper.ColumnOf(eval.IRMAP), paper.Cosine(eval.TRMAP), paper.Cosine(eval.IRMAP)}
}

// costTable has a line a place: the false ones among its hardest negatives, and what they cost.
func costTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("Mean ± standard deviation over seeds. Points gained: without the false ones less with them, seed by seed.")
	t.Note += r.ShippedNote()
	t.Heading = "place"
	t.Columns = []tables.Column{{Group: "False negatives (%)", Name: "in batch"}, {Group: "False negatives (%)", Name: "hardest"}}
	for _, c := range mapColumns() {
		t.Columns = append(t.Columns, tables.Column{Group: c.Group + ", points gained", Name: c.Name})
	}
	for _, p := range mapPlaces() {
		line := tables.Row{Name: p.name(), Cells: []tables.Cell{
			{valueOf(r.ValuesOf(p.name(), paper.FalseInBatch()))}, {valueOf(r.ValuesOf(p.name(), paper.FalseHardest()))},
		}}
		for _, c := range mapColumns() {
			line.Cells = append(line.Cells, tables.Cell{valueOf(r.Differences(p.without(), p.name(), c))})
		}
		t.Rows = append(t.Rows, line)
	}
	return t, nil
}

func valueOf(values []float64) tables.Value {
	mean, std := stat.MeanStdDev(values, nil)
	return tables.Value{Mean: mean, Std: std, N: len(values)}
}

// Placed is the figure of vlpx/map with a mark where data lie whose mini-batches have a share of false negatives, in per cent; nothing
// where the map has no results. A share of 0 has no place on the axis.
func Placed(r *paper.Report, share float64) (plots.Drawing, error) {
	f := mapped(r, "The mark on the line of 0 is your data's share in a mini-batch.")
	if !(share > 0) {
		return paper.Drawn(f)
	}
	for k, panel := range f.Panels {
		lines := panel.(plots.Lines)
		digits := math.Pow(10, 1-math.Floor(math.Log10(share)))
		lines.Series = append(lines.Series, plots.Series{Name: "your data", X: []float64{math.Round(share*digits) / digits}, Mean: []float64{0}})
		f.Panels[k] = lines
	}
	return paper.Drawn(f)
}

// Nearest are the lines of vlpx/map's table of the places with uniform mini-batches whose share of false ones is nearest to one in per
// cent by its logarithm, one a framework; none where the map has no results.
func Nearest(r *paper.Report, share float64) (tables.Table, error) {
	t, err := costTable(r)
	if err != nil {
		return t, err
	}
	t.Title, t.Heading = "What leaving false negatives out gained where they were as many", "nearest place"
	best, rows := map[string]float64{}, map[string]tables.Row{}
	for k, p := range mapPlaces() {
		of := r.ValuesOf(p.name(), paper.FalseInBatch())
		if p.batches != atRandom || len(of) == 0 {
			continue
		}
		away := math.Abs(math.Log(stat.Mean(of, nil) / max(share, 1e-9)))
		if least, some := best[p.framework]; !some || away < least {
			best[p.framework], rows[p.framework] = away, t.Rows[k]
		}
	}
	t.Rows = nil
	for _, framework := range slices.Sorted(maps.Keys(rows)) {
		t.Rows = append(t.Rows, rows[framework])
	}
	return t, nil
}

// costFigure has a panel a framework and column: a curve a kind of mini-batch, over the share of false ones in it. (Among the hardest it
// ends at a half.)
func costFigure(r *paper.Report) (plots.Drawing, error) {
	return paper.Drawn(mapped(r))
}

// mapped is costFigure's figure, with sentences for its note.
func mapped(r *paper.Report, about ...string) plots.Figure {
	f := r.NewFigure(append([]string{"Means over seeds; bands are one standard deviation of the differences."}, about...)...)
	for _, of := range []struct {
		framework string
		column    paper.Column
	}{
		{"ALBEF", paper.ColumnOf(eval.IRMAP)}, {"ALBEF", paper.Cosine(eval.IRMAP)}, {"CLIP", paper.Cosine(eval.IRMAP)},
	} {
		panel := plots.Lines{Title: of.framework + ", " + of.column.Heading(), XLabel: "false in a mini-batch (%)", LogX: true,
			YLabel: "points gained without them"}
		for _, batches := range []string{atRandom, inGroups} {
			if s := costSeries(r, of.framework, batches, of.column); len(s.X) > 0 {
				panel.Series = append(panel.Series, s)
			}
		}
		if len(panel.Series) > 0 {
			f.Panels = append(f.Panels, panel)
		}
	}
	return f
}

// costSeries is what the places of a kind of mini-batch cost, from the fewest false ones to the most; shares have two digits.
func costSeries(r *paper.Report, framework, batches string, c paper.Column) plots.Series {
	type point struct{ share, mean, std float64 }
	var points []point
	for _, p := range mapPlaces() {
		gained, share := r.Differences(p.without(), p.name(), c), r.ValuesOf(p.name(), paper.FalseInBatch())
		at := stat.Mean(share, nil)
		if p.framework != framework || p.batches != batches || len(gained) == 0 || !(at > 0) {
			continue
		}
		mean, std := stat.MeanStdDev(gained, nil)
		digits := math.Pow(10, 1-math.Floor(math.Log10(at)))
		points = append(points, point{math.Round(at*digits) / digits, mean, std})
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.share, b.share) })
	s := plots.Series{Name: batches}
	for _, p := range points {
		s.X, s.Mean, s.Std = append(s.X, p.share), append(s.Mean, p.mean), append(s.Std, p.std)
	}
	return s
}
