package mafa

import (
	"fmt"
	"slices"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// figure7 shows images that became positives of a text (MAFA, Figure 7).
var figure7 = paper.Artifact{
	ID:      "mafa/figure7",
	Title:   "New positives found, with respect to the texts",
	Gallery: true,
	Look: "Whether the images that Con-D connects with a caption are as it says: a cross marks one that is, a grey frame one that " +
		"is not. No figure means that it connects none.",
	Rows:   []plan.Row{plan.MethodRow("MAFA")},
	Table:  ofTexts.table,
	Figure: ofTexts.figure,
}

// figure8 shows texts that became positives of an image (MAFA, Figure 8).
var figure8 = paper.Artifact{
	ID:      "mafa/figure8",
	Title:   "New positives found, with respect to the images",
	Gallery: true,
	Look: "Whether the captions that Con-D connects with an image are true of it: a cross marks one that is, a grey frame one " +
		"that is not. Its errors may be near misses, such as another colour, or have nothing in common with the image.",
	Rows:   []plan.Row{plan.MethodRow("MAFA")},
	Table:  ofImages.table,
	Figure: ofImages.figure,
}

// connecting shows the new positives of one side.
type connecting struct {
	of func(negative.Judgements) []negative.NewPositive
	// pair puts a connection's image and text in place, as pairs.
	pair func(negative.NewPositive) (image, text int)
	// found is the caption below the picture of what was found.
	found func(a paper.Album, c negative.NewPositive) string
}

var (
	ofTexts = connecting{
		of:    func(c negative.Judgements) []negative.NewPositive { return c.NewImages },
		pair:  func(c negative.NewPositive) (image, text int) { return c.Found, c.Anchor },
		found: func(_ paper.Album, c negative.NewPositive) string { return fmt.Sprintf("found (%.4f)", c.Score) },
	}
	ofImages = connecting{
		of:   func(c negative.Judgements) []negative.NewPositive { return c.NewTexts },
		pair: func(c negative.NewPositive) (image, text int) { return c.Anchor, c.Found },
		found: func(a paper.Album, c negative.NewPositive) string {
			return fmt.Sprintf("found (%.4f): %s", c.Score, a.Caption(c.Found))
		},
	}
)

// kept are the new positives that each of the last epochs of the first seed kept.
func (k connecting) kept(r *paper.Report) [][]negative.NewPositive {
	var epochs [][]negative.NewPositive
	for _, record := range r.FirstSeed() {
		if c := record.Observed.Judgements(); c != nil && len(k.of(*c)) > 0 {
			epochs = append(epochs, k.of(*c))
		}
	}
	return epochs
}

// table has a line for each of them.
func (k connecting) table(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("The first seed's, from its last epochs: the first ones that Con-D gives a probability above its threshold, each of " +
		"another image. True pair: the caption is true of the image, where that is known.")
	t.Heading = "anchor's caption"
	t.Columns = []tables.Column{{Name: "found caption"}, {Name: "ITM score", Format: "%.4f"}, {Name: "true pair"}}
	t.Rows = r.Rows[0].Unfinished()
	a, err := paper.NewAlbum(r)
	if err != nil {
		return t, err
	}
	for _, c := range slices.Concat(k.kept(r)...) {
		t.Rows = append(t.Rows, tables.Row{Name: a.Caption(c.Anchor), Cells: []tables.Cell{
			{{Text: a.Caption(c.Found)}}, {tables.Number(float64(c.Score))}, {{Text: paper.MarkWord(a.Mark(k.pair(c)))}},
		}})
	}
	return t, nil
}

// figure has those of the last epoch that has any, two a row: the anchor's picture with its caption, and what was found for it.
func (k connecting) figure(r *paper.Report) (plots.Drawing, error) {
	epochs := k.kept(r)
	if len(epochs) == 0 {
		return nil, nil
	}
	a, err := paper.NewAlbum(r)
	if err != nil {
		return nil, err
	}
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), "In brackets: Con-D's probability that the pair is true.")}
	for two := range slices.Chunk(epochs[len(epochs)-1], 2) {
		var row plots.PictureRow
		for _, c := range two {
			own, err := a.Image(c.Anchor)
			if err != nil {
				return nil, err
			}
			other, err := a.Image(c.Found)
			if err != nil {
				return nil, err
			}
			row.Pictures = append(row.Pictures, plots.Picture{Image: own, Caption: a.Caption(c.Anchor)},
				plots.Picture{Image: other, Caption: k.found(a, c), Mark: a.Mark(k.pair(c))})
		}
		f.Rows = append(f.Rows, row)
	}
	return f, nil
}
