package ours

import (
	"cmp"
	"context"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	blip2 "vlpx.internal/vlpx/framework/blip2/preset"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// captions shows what the models of MAFA's tables 8 and 19 write of some pictures. The pictures were chosen before there was a model:
// evenly over the test split.
var captions = paper.Artifact{
	ID:    "vlpx/captions",
	Title: "Captions that BLIP-2 writes, by its second stage and after fine-tuning",
	Look: "What a wrong caption gets wrong, whether MAFA's first stage makes fewer of them, and what fine-tuning on clean " +
		"captions mends. The scene tells which are true. Without a frame a sentence is none of the captions' grammar, so that " +
		"nothing tells whether it is true.",
	Rows:       []plan.Row{blip2.Row("").OnWebCaptions(), blip2.Row("MAFA").OnWebCaptions()},
	Downstream: []plan.Downstream{blip2.Generation, blip2.Captioning},
	Table:      captionsTable,
	Figure:     captionsFigure,
}

// captionsShown is how many pictures are shown at most.
const captionsShown = 6

// nothing stands for a text without words: a model may end one at once.
const nothing = "(nothing)"

// writer is a row's model that writes, by the downstream task that trains it.
type writer struct{ task, name string }

var writers = []writer{{blip2.Generation.Name, "second stage"}, {blip2.Captioning.Name, "fine-tuned"}}

// written are some captions of the first seed of a row that has them, evenly over those that were written.
func (w writer) written(row paper.RowReport) []eval.WrittenCaption {
	result, _ := row.First(w.task)
	return evenly(eval.WrittenCaptions.Of(result.Examples), captionsShown)
}

// evenly takes at most so many of a list, evenly, the first among them.
func evenly[T any](all []T, most int) []T {
	most = min(most, len(all))
	var some []T
	for k := range most {
		some = append(some, all[k*len(all)/most])
	}
	return some
}

// captionsTable has a line for each picture of captionsFigure.
func captionsTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable(
		"The first seed's captions of some pictures of the test split, chosen evenly, beside the first of each picture's own. " +
			"Cut is one that did not end; true has no answer where the sentence is none of the captions' language, or that is not known.")
	t.Columns = []tables.Column{{Name: "stage"}, {Name: "own caption"}, {Name: "written"}, {Name: "true"}}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		for _, w := range writers {
			for _, c := range w.written(row) {
				text := cmp.Or(c.Caption, nothing)
				if c.Cut {
					text += " (cut)"
				}
				t.Rows = append(t.Rows, tables.Row{Name: row.Name, Cells: []tables.Cell{
					{{Text: w.name}}, {{Text: c.Own}}, {{Text: text}}, {{Text: trueWord(c)}},
				}})
			}
		}
	}
	return t, nil
}

// trueWord says in a table whether a caption is true; empty where it is not known.
func trueWord(c eval.WrittenCaption) string {
	return map[plots.Mark]string{plots.Right: "yes", plots.Wrong: "no"}[captionMark(c)]
}

// captionMark tells whether a caption is true.
func captionMark(c eval.WrittenCaption) plots.Mark {
	switch {
	case c.Known && c.True:
		return plots.Right
	case c.Known:
		return plots.Wrong
	}
	return plots.Unmarked
}

// captionsFigure has a row of pictures for each model, the same ones, with what it writes below them.
func captionsFigure(r *paper.Report) (plots.Drawing, error) {
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), "Test split. Below each picture is what the model writes "+
		"of it; without a frame it is "+
		"no sentence of the captions' language, or that is not known.")}
	a, err := paper.TestAlbum(r)
	if err != nil {
		return nil, err
	}
	for _, w := range writers {
		for _, row := range r.Rows {
			line := plots.PictureRow{Name: row.Name + ", " + w.name}
			for _, c := range w.written(row) {
				picture, err := a.Set.Image(context.Background(), c.Image)
				if err != nil {
					return nil, err
				}
				line.Pictures = append(line.Pictures, plots.Picture{Image: picture, Caption: cmp.Or(c.Caption, nothing),
					Mark: captionMark(c)})
			}
			if len(line.Pictures) > 0 {
				f.Rows = append(f.Rows, line)
			}
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}
