package srcl

import (
	"fmt"
	"math"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// figure7 shows the weights of one mini-batch (SRCL, Figure 7). The paper's are of Flickr30K's test images and text anchors,
// ours of a mini-batch of training and of image anchors.
var figure7 = paper.Artifact{
	ID:      "srcl/figure7",
	Title:   "Weights of a batch as a heat map",
	Gallery: true,
	Look: "Whether the cells with a frame, the false negatives, are the pale ones. The paper's example has a weight of 0.12. " +
		"Where a whole picture has one shade, the weights are close together.",
	Rows:   weighedRows(),
	Table:  weightsTable,
	Figure: heatFigure,
}

// figure8 shows negatives with low weights (SRCL, Figure 8).
var figure8 = paper.Artifact{
	ID:      "srcl/figure8",
	Title:   "Negatives with low weight",
	Gallery: true,
	Look: "Whether the captions with the lowest weights are true of the anchor, and how low the weights are; the paper's are not more " +
		"than 0.2.",
	Rows:   weighedRows(),
	Table:  lowestTable,
	Figure: lowestFigure,
}

func weighedRows() []plan.Row {
	return []plan.Row{regulatedRow("SRCL", 0), regulatedRow(sharpSRCL, negative.Sharp)}
}

// lowestShown is how many negatives of a row a figure shows, two side by side.
const lowestShown = 6

// weightsTable tells of the weights over training, over all seeds.
func weightsTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("Weights of the image anchors' negatives, whose mean is one, over all seeds: mean ± standard deviation; AUC is " +
		"how often a false negative weighs less than a true one.")
	t.Columns = []tables.Column{{Name: "epoch"}, {Group: "Weight", Name: "false negatives", Format: "%.2f"},
		{Group: "Weight", Name: "true negatives", Format: "%.2f"}, {Name: "AUC", Unit: "%"}}
	for _, threshold := range negative.WeightThresholds {
		t.Columns = append(t.Columns, tables.Column{Group: "Negatives below", Name: fmt.Sprint(threshold), Unit: "%"})
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		for e, w := range weighings(row.Results) {
			line := tables.Row{Name: row.Name, Cells: []tables.Cell{
				{{Text: fmt.Sprint(e + 1)}}, {paper.SpreadOf(w.False.Moments)}, {paper.SpreadOf(w.True.Moments)},
				{tables.Number(100 * w.AUC())},
			}}
			for _, threshold := range negative.WeightThresholds {
				line.Cells = append(line.Cells, tables.Cell{tables.Number(100 * w.All.Below(threshold))})
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return t, nil
}

// weighings are the weights of the seeds added up, epoch by epoch; none where the results tell of none.
func weighings(results []run.Result) []negative.Weighing {
	var epochs []negative.Weighing
	for _, result := range results {
		for e, record := range result.Epochs {
			if record.Observed.Weighing() == nil {
				continue
			}
			for len(epochs) <= e {
				epochs = append(epochs, negative.Weighing{})
			}
			epochs[e].All.Merge(record.Observed.Weighing().All)
			epochs[e].False.Merge(record.Observed.Weighing().False)
			epochs[e].True.Merge(record.Observed.Weighing().True)
		}
	}
	return epochs
}

// heatFigure has a panel a row: the last epoch's mini-batch of the row's first seed.
func heatFigure(r *paper.Report) (plots.Drawing, error) {
	f := r.NewFigure(r.FirstSeedOnly(), "A mini-batch of the last epoch; the own pairs, in grey, have no weight.")
	a, err := paper.NewAlbum(r)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		if w := firstWeighing(row); w != nil {
			f.Panels = append(f.Panels, heat(a, row.Name, w))
		}
	}
	return paper.Drawn(f)
}

// firstWeighing is the last epoch of the first seed's; nil where there is none.
func firstWeighing(row paper.RowReport) *negative.Weighing {
	if len(row.Results) == 0 {
		return nil
	}
	return lastWeighing(row.Results[0])
}

// heat is the mini-batch of a row as a panel.
func heat(a paper.Album, name string, w *negative.Weighing) plots.Heat {
	h := plots.Heat{Title: name, XLabel: "caption", YLabel: "anchor: image", ZLabel: "weight"}
	n := len(w.Pairs)
	for i, anchor := range w.Pairs {
		values := append([]float64{}, w.Batch[i*n:(i+1)*n]...)
		values[i] = math.NaN() // the own pair has no weight
		marked := make([]bool, n)
		for j, negative := range w.Pairs {
			marked[j] = i != j && a.Mark(anchor, negative) == plots.TruePair
		}
		h.Values, h.Marked = append(h.Values, values), append(h.Marked, marked)
	}
	return h
}

// lowestTable has a line for each of the first seed's negatives with the lowest weights of the last epoch.
func lowestTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("The first seed's, of the last epoch; an anchor at most once, and other captions of its image left out.")
	t.Columns = []tables.Column{{Name: "anchor"}, {Name: "caption of the negative"}, {Name: "weight", Format: "%.2f"},
		{Name: "true of the anchor"}}
	a, err := paper.NewAlbum(r)
	if err != nil {
		return t, err
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		for _, x := range lowest(row, math.MaxInt) {
			t.Rows = append(t.Rows, tables.Row{Name: row.Name, Cells: []tables.Cell{
				{{Text: a.Caption(x.Anchor)}}, {{Text: a.Caption(x.Negative)}}, {tables.Number(x.Weight)},
				{{Text: paper.MarkWord(a.Mark(x.Anchor, x.Negative))}},
			}})
		}
	}
	return t, nil
}

// lowestFigure shows some of them with their anchors.
func lowestFigure(r *paper.Report) (plots.Drawing, error) {
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), "Numbers are the weights of the negatives, whose "+
		"mean is one.")}
	a, err := paper.NewAlbum(r)
	if err != nil {
		return nil, err
	}
	for _, row := range r.Rows {
		for k, x := range lowest(row, lowestShown) {
			anchor, err := a.Image(x.Anchor)
			if err != nil {
				return nil, err
			}
			negative, err := a.Image(x.Negative)
			if err != nil {
				return nil, err
			}
			if k%2 == 0 {
				f.Rows = append(f.Rows, plots.PictureRow{})
			}
			if k == 0 {
				f.Rows[len(f.Rows)-1].Name = row.Name
			}
			line := &f.Rows[len(f.Rows)-1]
			line.Pictures = append(line.Pictures, plots.Picture{Image: anchor, Caption: "anchor: " + a.Caption(x.Anchor)}, plots.Picture{
				Image: negative, Caption: fmt.Sprintf("%.2f: %s", x.Weight, a.Caption(x.Negative)), Mark: a.Mark(x.Anchor, x.Negative),
			})
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}

// lowest are the negatives with the lowest weights, so many at most, of the last epoch of the first seed.
func lowest(row paper.RowReport, most int) []negative.Weighed {
	w := firstWeighing(row)
	if w == nil {
		return nil
	}
	return w.Lowest[:min(most, len(w.Lowest))]
}
