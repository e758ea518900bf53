package paper

import (
	"fmt"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
	"vlpx.internal/vlpx/eval"
)

// srclFigure5 and srclFigure6 show what ALBEF and SRCL retrieve for a few captions (SRCL, Figures 5 and 6). The captions were chosen
// before there was a model: see eval.Examples.
var (
	srclFigure5 = examplesArtifact("srcl/figure5", "Retrieval examples", 0)
	srclFigure6 = examplesArtifact("srcl/figure6", "Retrieval examples, further ones", 1)
)

// examplesEach is how many captions a figure shows.
const examplesEach = 4

// examplesArtifact shows the part-th lot of the captions.
func examplesArtifact(id, title string, part int) Artifact {
	return Artifact{
		ID: id, Title: title,
		Look: "Whether what SRCL ranks behind the own image is closer to the caption than what ALBEF does: the paper sees a trend from full " +
			"to partial agreement. The relation tells which images the caption is true of.",
		Rows:   []Row{MethodRow("ALBEF"), srclRow("SRCL", 0)},
		Table:  func(r *Report) (plots.Table, error) { return examplesTable(r, part) },
		Figure: func(r *Report) (plots.Drawing, error) { return examplesFigure(r, part) },
	}
}

// examplesTable tells where the own image stands among the first ones, and how many of those are true.
func examplesTable(r *Report, part int) (plots.Table, error) {
	t := r.schedulerTable("The first seed's five images for each caption: the place of the caption's own image among them, and how many of " +
		"them the caption is true of, by the cosine and after re-ranking by image-text matching.")
	t.Columns = []plots.Column{{Name: "caption"}, {Group: "Own image", Name: "cosine"}, {Group: "Own image", Name: "re-ranked"},
		{Group: "True of five", Name: "cosine"}, {Group: "True of five", Name: "re-ranked"}}
	a, err := testAlbum(r)
	if err != nil {
		return t, err
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.unfinished()...)
		if len(row.results) > 0 && len(row.results[0].Retrieved) == 0 {
			t.Rows = append(t.Rows, plots.TableRow{Name: row.Name, Status: "its run is of an older version, which kept no examples"})
		}
		for _, x := range row.examples(part) {
			t.Rows = append(t.Rows, plots.TableRow{Name: row.Name, Cells: []plots.Cell{
				{{Text: a.caption(x.Caption)}}, {{Text: a.ownAmong(x.Cosine, x.Caption)}}, {{Text: a.ownAmong(x.Matched, x.Caption)}},
				{{Text: a.trueAmong(x.Cosine, x.Caption)}}, {{Text: a.trueAmong(x.Matched, x.Caption)}},
			}})
		}
	}
	return t, nil
}

// testAlbum is that of the test split.
func testAlbum(r *Report) (album, error) {
	set, err := r.plan.Data.TestSet()
	if err != nil {
		return album{}, err
	}
	return albumOf(set), nil
}

// ownAmong is the place of a caption's own image among some, from 1; empty where it is not among them.
func (a album) ownAmong(images []int, caption int) string {
	if k := slices.Index(images, a.pairs[caption].Image); k >= 0 {
		return fmt.Sprint(k + 1)
	}
	return ""
}

// trueAmong counts the images that a caption is true of; empty where nothing is known of that.
func (a album) trueAmong(images []int, caption int) string {
	if a.relation == nil {
		return ""
	}
	n := 0
	for _, image := range images {
		if a.mark(a.pairOf(image), caption) == plots.TruePair {
			n++
		}
	}
	return fmt.Sprint(n)
}

// pairOf is the first pair of an image.
func (a album) pairOf(image int) int {
	return slices.IndexFunc(a.pairs, func(p datasets.Pair) bool { return p.Image == image })
}

// examplesFigure has a row of pictures for each caption and method, by the cosine, since the paper looks at the embedding.
func examplesFigure(r *Report, part int) (plots.Drawing, error) {
	f := plots.Pictures{Title: r.heading(), Note: r.caption(r.firstSeedOnly(), "Test split, without re-ranking. Numbers are ranks.")}
	a, err := testAlbum(r)
	if err != nil {
		return nil, err
	}
	for k := range examplesEach {
		for _, row := range r.Rows {
			examples := row.examples(part)
			if k >= len(examples) {
				continue
			}
			line, err := a.retrieved(examples[k])
			if err != nil {
				return nil, err
			}
			line.Name = row.Name + ": " + a.caption(examples[k].Caption)
			f.Rows = append(f.Rows, line)
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}

// retrieved are the pictures of an example.
func (a album) retrieved(x eval.Retrieved) (plots.PictureRow, error) {
	var line plots.PictureRow
	for k, image := range x.Cosine {
		pair := a.pairOf(image)
		picture, err := a.image(pair)
		if err != nil {
			return line, err
		}
		place := fmt.Sprint(k + 1)
		if image == a.pairs[x.Caption].Image {
			place += ", its own image"
		}
		line.Pictures = append(line.Pictures, plots.Picture{Image: picture, Caption: place, Mark: a.mark(pair, x.Caption)})
	}
	return line, nil
}

// examples are the part-th lot of the examples of the first seed; none in results of older versions.
func (row RowReport) examples(part int) []eval.Retrieved {
	if len(row.results) == 0 {
		return nil
	}
	all := row.results[0].Retrieved
	return all[min(part*examplesEach, len(all)):min((part+1)*examplesEach, len(all))]
}
