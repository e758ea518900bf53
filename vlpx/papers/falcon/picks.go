package falcon

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// figure4 shows what the scheduler picks for a few anchors (FALCON, Figure 4).
var figure4 = paper.Artifact{
	ID:      "falcon/figure4",
	Title:   "What the scheduler picks: anchors with candidates at their sampled quantile",
	Gallery: true,
	Look: "Whether the picks come closer to their anchors over training, and how many of the close ones are true pairs: those the " +
		"scheduler should keep away from. A dashed frame marks a false negative.",
	Rows:   []plan.Row{plan.MethodRow("FALCON")},
	Table:  picksTable,
	Figure: picksFigure,
}

// picksTable has a line for each picture of picksFigure.
func picksTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("The first seed's. True pair: either caption is true of the other's image, where that is known.")
	t.Heading = "anchor"
	t.Columns = []tables.Column{{Name: "class"}, {Name: "epoch"}, {Name: "quantile", Format: "%.2f"}, {Name: "Beta (a, b)"},
		{Name: "picked"}, {Name: "true pair"}}
	t.Rows = r.Rows[0].Unfinished()
	g, err := newGallery(r)
	if g == nil || err != nil {
		return t, err
	}
	for class := range negative.Complexity {
		for _, a := range g.followed(class) {
			for _, p := range a.picks {
				t.Rows = append(t.Rows, tables.Row{Name: g.Caption(a.pair), Cells: []tables.Cell{
					{{Text: negative.Complexity[class]}}, {{Text: fmt.Sprint(p.epoch)}}, {tables.Number(p.Quantile)},
					{{Text: fmt.Sprintf("%.2f, %.2f", p.Beta.A, p.Beta.B)}}, {{Text: g.Caption(p.Picked)}},
					{{Text: paper.MarkWord(g.markPick(p.Choice))}},
				}})
			}
		}
	}
	return t, nil
}

// picksFigure has a row of pictures for two anchors of each complexity, of the first seed.
func picksFigure(r *paper.Report) (plots.Drawing, error) {
	g, err := newGallery(r)
	if g == nil || err != nil {
		return nil, err
	}
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), "q: the quantile of hardness at which the pair was picked.")}
	for class := range negative.Complexity {
		for _, a := range g.followed(class) {
			picture, err := g.Image(a.pair)
			if err != nil {
				return nil, err
			}
			row := plots.PictureRow{
				Name:     fmt.Sprintf("%s: %s", negative.Complexity[class], g.Caption(a.pair)),
				Pictures: []plots.Picture{{Image: picture, Caption: "anchor"}},
			}
			for _, p := range a.picks {
				if picture, err = g.Image(p.Picked); err != nil {
					return nil, err
				}
				row.Pictures = append(row.Pictures, plots.Picture{
					Image: picture, Mark: g.markPick(p.Choice),
					Caption: fmt.Sprintf("epoch %d, q = %.2f: %s", p.epoch, p.Quantile, g.Caption(p.Picked)),
				})
			}
			f.Rows = append(f.Rows, row)
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}

// gallery is what a report shows of single anchors, of its first seed.
type gallery struct {
	paper.Album
	classes []negative.CaptionClass
	picks   map[int][]pick // of each followed pair, in the epochs shown
}

// anchor is a followed pair with its picks.
type anchor struct {
	pair  int
	picks []pick
}

// pick is what was picked in an epoch, counted from 1.
type pick struct {
	epoch int
	negative.Choice
}

// newGallery is nil while there is nothing to show.
func newGallery(r *paper.Report) (*gallery, error) {
	epochs := paper.SomeEpochs(paper.ScheduledEpochs(r.FirstSeed()))
	if len(epochs) == 0 {
		return nil, nil
	}
	a, err := paper.NewAlbum(r)
	if err != nil {
		return nil, err
	}
	g := &gallery{Album: a, classes: epochs[0].Observed.Scheduling().Classes, picks: map[int][]pick{}}
	for _, record := range epochs {
		for _, p := range record.Observed.Scheduling().Followed {
			g.picks[p.Anchor] = append(g.picks[p.Anchor], pick{record.Epoch + 1, p})
		}
	}
	return g, nil
}

// followed are the first two anchors of a class. The last pair of a mini-batch has no pick, so that some anchors lack one in an
// epoch; those come after the others.
func (g *gallery) followed(class int) []anchor {
	const each = 2
	var anchors []anchor
	for pair, picks := range g.picks {
		n := len(strings.Fields(g.Caption(pair)))
		if words := g.classes[class].Words; words[0] <= n && n <= words[1] {
			anchors = append(anchors, anchor{pair, picks})
		}
	}
	slices.SortFunc(anchors, func(a, b anchor) int {
		if missing := len(b.picks) - len(a.picks); missing != 0 {
			return missing
		}
		return a.pair - b.pair
	})
	return anchors[:min(each, len(anchors))]
}

// markPick tells whether anchor and picked are a true pair: one of the captions is true of the other's image.
func (g *gallery) markPick(p negative.Choice) plots.Mark {
	there, back := g.Mark(p.Anchor, p.Picked), g.Mark(p.Picked, p.Anchor)
	switch {
	case there == plots.TruePair || back == plots.TruePair:
		return plots.TruePair
	case there == plots.Unmarked || back == plots.Unmarked:
		return plots.Unmarked
	}
	return plots.FalsePair
}
