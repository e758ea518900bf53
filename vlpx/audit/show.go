package audit

import (
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/judgements"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
)

// said is what a table says of a pair.
func (c Candidate) said() string {
	switch {
	case !c.Known:
		return ""
	case c.True:
		return "yes"
	}
	return "no"
}

// Table has a row for each of the first n candidates.
func (r *Report) Table(n int) tables.Table {
	n = min(n, len(r.Candidates))
	t := tables.Table{
		Title: fmt.Sprintf("Captions of %s that may be true of other images, by %s", r.Set.Name(), r.Model), Heading: "image",
		Columns: []tables.Column{{Name: "caption", Breaks: true}, {Name: "of"}},
		Note: fmt.Sprintf("%d of %d candidates, by %s. of: the image that the caption was written for. Equal captions of several images are "+
			"no candidates.", n, len(r.Candidates), r.By),
	}
	for score := range scores {
		if r.Has[score] {
			t.Columns = append(t.Columns, tables.Column{Name: score.String(), Format: "%.3f"})
		}
	}
	if r.Has[ConD] {
		t.Note += " Con-D: " + r.ConD + "."
	}
	if len(r.Unreadable) > 0 {
		t.Note += fmt.Sprintf(" Images that cannot be read and are left out: %d, such as %s.", len(r.Unreadable), r.Unreadable[0])
	}
	known := r.Trues+r.Falses > 0
	if known {
		t.Columns = append(t.Columns, tables.Column{Name: "true"})
	}
	for _, c := range r.Candidates[:n] {
		row := tables.Row{Name: r.Set.Key(c.Image), Cells: []tables.Cell{{{Text: c.Caption}}, {{Text: r.Set.Key(c.Of)}}}}
		for score, x := range c.Scores {
			if r.Has[score] {
				row.Cells = append(row.Cells, tables.Cell{tables.Number(x)})
			}
		}
		if known {
			row.Cells = append(row.Cells, tables.Cell{{Text: c.said()}})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// WriteCSV writes the first n candidates for a person to judge, as package judgements reads them: the column true says what is known, and
// is empty where that is nothing.
func (r *Report) WriteCSV(w io.Writer, n int) error {
	of := r.Candidates[:min(n, len(r.Candidates))]
	return writeCSV(w, "rank", of, func(k int) string { return strconv.Itoa(k + 1) }, r.Split, r.Set)
}

// writeCSV writes candidates of a split for a person to judge, with a first column of one's own.
func writeCSV(w io.Writer, heading string, of []Candidate, first func(k int) string, split string, set datasets.Set) error {
	table := csv.NewWriter(w)
	header := []string{heading, judgements.True, judgements.Caption, judgements.Split, judgements.Image, judgements.Of}
	for score := range scores {
		header = append(header, score.String())
	}
	if err := table.Write(header); err != nil {
		return err
	}
	for k, c := range of {
		record := []string{first(k), c.said()}
		for _, text := range []string{c.Caption, split, set.Key(c.Image), set.Key(c.Of)} {
			record = append(record, judgements.Cell(text))
		}
		for _, x := range c.Scores {
			text := ""
			if !math.IsNaN(x) {
				text = strconv.FormatFloat(x, 'f', 4, 64)
			}
			record = append(record, text)
		}
		if err := table.Write(record); err != nil {
			return err
		}
	}
	table.Flush()
	return table.Error()
}

const (
	galleryRows   = 8 // captions in a gallery
	galleryPerRow = 6 // images of each, its own first
)

// Gallery shows the captions of the hardest candidates: the image that each was written for, and those that it may be true of, too, with
// what is known of them.
func (r *Report) Gallery(ctx context.Context) (plots.Pictures, error) {
	g := plots.Pictures{
		Title: fmt.Sprintf("Captions of %s and images that they may be true of, too", r.Set.Name()),
		Note:  fmt.Sprintf("First the image that the caption was written for, then others by %s; %s.", r.By, r.Model),
	}
	places := map[int]int{} // rows by texts
	for _, c := range r.Candidates {
		row, shown := places[c.text]
		if !shown {
			if len(g.Rows) == galleryRows {
				continue
			}
			row = len(g.Rows)
			places[c.text] = row
			own, err := r.picture(ctx, c.Of)
			if err != nil {
				return g, err
			}
			own.Caption = "its own"
			g.Rows = append(g.Rows, plots.PictureRow{Name: c.Caption, Pictures: []plots.Picture{own}})
		}
		if len(g.Rows[row].Pictures) == galleryPerRow {
			continue
		}
		one, err := r.picture(ctx, c.Image)
		if err != nil {
			return g, err
		}
		one.Caption = fmt.Sprintf("%.2f", c.Scores[r.By])
		if c.Known {
			one.Mark = map[bool]plots.Mark{true: plots.TruePair, false: plots.FalsePair}[c.True]
		}
		g.Rows[row].Pictures = append(g.Rows[row].Pictures, one)
	}
	return g, nil
}

// picture is an image of the set; a grey one where it cannot be read.
func (r *Report) picture(ctx context.Context, i int) (plots.Picture, error) {
	img, err := r.Set.Image(ctx, i)
	if ctx.Err() != nil {
		return plots.Picture{}, ctx.Err()
	}
	if err != nil {
		img = image.NewGray(image.Rect(0, 0, 1, 1))
	}
	return plots.Picture{Image: img}, nil
}
