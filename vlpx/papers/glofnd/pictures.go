package glofnd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// Pictures of anchors with what was taken for their false negatives in a mini-batch of the last epoch (GloFND, Figures 1, 5 and 6). The
// mini-batch is the first one of that epoch, the same for all methods; its images are shown in their order.
var (
	figure1 = foundArtifact("glofnd/figure1", "Anchors with the false negatives found", []plan.Row{unimodal("GloFND").As(sogCLRGloFND)}, 0)
	figure5 = foundArtifact("glofnd/figure5", "Anchors with the false negatives found by GloFND and FNC",
		[]plan.Row{unimodal("GloFND").As(sogCLRGloFND), unimodal("FNC").As(sogCLRFNC)}, 0)
	figure6 = foundArtifact("glofnd/figure6", "Anchors with the false negatives found, further examples",
		[]plan.Row{unimodal("GloFND").As(sogCLRGloFND)}, 1)
)

// What a figure shows at most.
const (
	anchorsEach  = 6
	picturesEach = 6
)

// foundArtifact shows the part-th lot of anchors for which the first row found something.
func foundArtifact(id, title string, rows []plan.Row, part int) paper.Artifact {
	return paper.Artifact{
		ID: id, Title: title,
		Look: "Whether what is found looks like the anchor, and whether its number differs between anchors, as a threshold of each " +
			"anchor allows and a quantile of the mini-batch does not. A frame marks those of the anchor's class.",
		Data: images, Rows: rows,
		Table:  foundTable,
		Figure: func(r *paper.Report) (plots.Drawing, error) { return foundFigure(r, part) },
	}
}

// foundTable tells how many negatives of that mini-batch each row found.
func foundTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("The first seed's first mini-batch of the last epoch: negatives that were taken for false of an anchor, and anchors " +
		"that have so many.")
	t.Columns = []tables.Column{{Name: "anchors"}, {Name: "found an anchor", Format: "%.1f"}, {Name: "at most"}, {Name: "anchors without"},
		{Name: "of the anchor's class", Unit: "%"}}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		shown := lastShown(row)
		if len(shown) == 0 {
			continue
		}
		set, err := row.Data.TrainingSet()
		if err != nil {
			return t, err
		}
		all, most, without, right := 0, 0, 0, 0
		for _, a := range shown {
			all, most = all+len(a.Found), max(most, len(a.Found))
			if len(a.Found) == 0 {
				without++
			}
			for _, other := range a.Found {
				if mark(set, a.Anchor, other) == plots.TruePair {
					right++
				}
			}
		}
		t.Rows = append(t.Rows, tables.Row{Name: row.Name, Cells: []tables.Cell{
			{{Text: fmt.Sprint(len(shown))}}, {tables.Number(float64(all) / float64(len(shown)))}, {{Text: fmt.Sprint(most)}},
			{{Text: fmt.Sprint(without)}},
			{tables.Number(100 * float64(right) / float64(max(all, 1)))},
		}})
	}
	return t, nil
}

// lastShown are the anchors of the first seed's last epoch; none where it tells of none.
func lastShown(row paper.RowReport) []negative.ShownAnchor {
	if len(row.Results) == 0 {
		return nil
	}
	epochs := row.Results[0].Epochs
	if last := epochs[len(epochs)-1]; last.Observed.Found() != nil {
		return last.Observed.Found().Shown
	}
	return nil
}

// foundFigure has a row of pictures for each anchor and method.
func foundFigure(r *paper.Report, part int) (plots.Drawing, error) {
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), fmt.Sprintf("The anchor, then up to %d of what was "+
		"taken for its "+
		"false negatives in a mini-batch of the last epoch. A true pair are two images of a class.", picturesEach))}
	first := slices.DeleteFunc(slices.Clone(lastShown(r.Rows[0])), func(a negative.ShownAnchor) bool { return len(a.Found) == 0 })
	if len(first) == 0 {
		return nil, nil
	}
	set, err := r.Rows[0].Data.TrainingSet()
	if err != nil {
		return nil, err
	}
	from := min(part*anchorsEach, len(first))
	for _, chosen := range first[from:min(from+anchorsEach, len(first))] {
		for _, row := range r.Rows {
			shown := lastShown(row)
			k := slices.IndexFunc(shown, func(a negative.ShownAnchor) bool { return a.Anchor == chosen.Anchor })
			if k < 0 {
				continue
			}
			line, err := anchorRow(set, shown[k])
			if err != nil {
				return nil, err
			}
			if len(r.Rows) > 1 {
				line.Name = row.Name
			}
			f.Rows = append(f.Rows, line)
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}

// anchorRow are the pictures of an anchor and of what was found for it.
func anchorRow(set datasets.Set, a negative.ShownAnchor) (plots.PictureRow, error) {
	var line plots.PictureRow
	for k, image := range append([]int{a.Anchor}, a.Found[:min(picturesEach, len(a.Found))]...) {
		picture, err := set.Image(context.Background(), image)
		if err != nil {
			return line, err
		}
		one := plots.Picture{Image: picture, Caption: className(set, image), Mark: mark(set, a.Anchor, image)}
		if k == 0 {
			one.Caption, one.Mark = strings.TrimSuffix("anchor: "+one.Caption, ": "), plots.Unmarked
		}
		line.Pictures = append(line.Pictures, one)
	}
	return line, nil
}

// className is that of an image; empty where there are no classes.
func className(set datasets.Set, image int) string {
	if labelled, ok := set.(datasets.Labelled); ok {
		return labelled.Classes()[labelled.Class(image)]
	}
	return ""
}

// mark tells whether two images are of one class.
func mark(set datasets.Set, anchor, other int) plots.Mark {
	labelled, ok := set.(datasets.Labelled)
	switch {
	case !ok:
		return plots.Unmarked
	case labelled.Class(anchor) == labelled.Class(other):
		return plots.TruePair
	}
	return plots.FalsePair
}
