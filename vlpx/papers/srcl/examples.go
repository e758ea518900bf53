package srcl

import (
	"fmt"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// figure5 and figure6 show what ALBEF and SRCL retrieve for a few captions (SRCL, Figures 5 and 6). The captions were chosen
// before there was a model: see eval.Examples.
var (
	figure5 = examplesArtifact("srcl/figure5", "Retrieval examples", 0)
	figure6 = examplesArtifact("srcl/figure6", "Retrieval examples, further ones", 1)
)

// examplesEach is how many captions a figure shows.
const examplesEach = 4

// examplesArtifact shows the part-th lot of the captions.
func examplesArtifact(id, title string, part int) paper.Artifact {
	return paper.Artifact{
		ID: id, Title: title, Gallery: true,
		Look: "Whether what SRCL ranks behind the own image is closer to the caption than what ALBEF does: the paper sees a trend " +
			"from full to partial agreement. The relation tells which images the caption is true of. The captions were " +
			"chosen before there was a model.",
		Rows:   []plan.Row{plan.MethodRow("ALBEF"), regulatedRow("SRCL", 0)},
		Table:  func(r *paper.Report) (tables.Table, error) { return examplesTable(r, part) },
		Figure: func(r *paper.Report) (plots.Drawing, error) { return examplesFigure(r, part) },
	}
}

// examplesTable tells where the own image stands among the first ones, and how many of those are true.
func examplesTable(r *paper.Report, part int) (tables.Table, error) {
	t := r.NewTable("The first seed's five images for each caption: the place of the caption's own image among them, and how many of " +
		"them the caption is true of, by the cosine and after re-ranking by image-text matching.")
	t.Columns = []tables.Column{{Name: "caption"}, {Group: "Own image", Name: "cosine"}, {Group: "Own image", Name: "re-ranked"},
		{Group: "True of five", Name: "cosine"}, {Group: "True of five", Name: "re-ranked"}}
	a, err := paper.TestAlbum(r)
	if err != nil {
		return t, err
	}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		if len(row.Results) > 0 && len(eval.RetrievedImages.Of(row.Results[0].Examples)) == 0 {
			t.Rows = append(t.Rows, tables.Row{Name: row.Name, Status: "its run is of an older version, which kept no examples"})
		}
		for _, x := range examples(row, part) {
			t.Rows = append(t.Rows, tables.Row{Name: row.Name, Cells: []tables.Cell{
				{{Text: a.Caption(x.Caption)}}, {{Text: ownAmong(a, x.Cosine, x.Caption)}}, {{Text: ownAmong(a, x.Matched, x.Caption)}},
				{{Text: trueAmong(a, x.Cosine, x.Caption)}}, {{Text: trueAmong(a, x.Matched, x.Caption)}},
			}})
		}
	}
	return t, nil
}

// ownAmong is the place of a caption's own image among some, from 1; empty where it is not among them.
func ownAmong(a paper.Album, images []int, caption int) string {
	if k := slices.Index(images, a.Pairs[caption].Image); k >= 0 {
		return fmt.Sprint(k + 1)
	}
	return ""
}

// trueAmong counts the images that a caption is true of; empty where nothing is known of that, or there are none.
func trueAmong(a paper.Album, images []int, caption int) string {
	if a.Relation == nil || len(images) == 0 {
		return ""
	}
	n := 0
	for _, image := range images {
		if a.Mark(pairOf(a, image), caption) == plots.TruePair {
			n++
		}
	}
	return fmt.Sprint(n)
}

// pairOf is the first pair of an image.
func pairOf(a paper.Album, image int) int {
	return slices.IndexFunc(a.Pairs, func(p datasets.Pair) bool { return p.Image == image })
}

// examplesFigure has a row of pictures for each caption and method, by the cosine, since the paper looks at the embedding.
func examplesFigure(r *paper.Report, part int) (plots.Drawing, error) {
	f := plots.Pictures{Title: r.Heading(), Note: r.Caption(r.FirstSeedOnly(), "Test split, without re-ranking. Numbers are ranks.")}
	a, err := paper.TestAlbum(r)
	if err != nil {
		return nil, err
	}
	for k := range examplesEach {
		for _, row := range r.Rows {
			shown := examples(row, part)
			if k >= len(shown) {
				continue
			}
			line, err := retrieved(a, shown[k])
			if err != nil {
				return nil, err
			}
			line.Name = row.Name + ": " + a.Caption(shown[k].Caption)
			f.Rows = append(f.Rows, line)
		}
	}
	if len(f.Rows) == 0 {
		return nil, nil
	}
	return f, nil
}

// retrieved are the pictures of an example.
func retrieved(a paper.Album, x eval.Retrieved) (plots.PictureRow, error) {
	var line plots.PictureRow
	for k, image := range x.Cosine {
		pair := pairOf(a, image)
		picture, err := a.Image(pair)
		if err != nil {
			return line, err
		}
		place := fmt.Sprint(k + 1)
		if image == a.Pairs[x.Caption].Image {
			place += ", its own image"
		}
		line.Pictures = append(line.Pictures, plots.Picture{Image: picture, Caption: place, Mark: a.Mark(pair, x.Caption)})
	}
	return line, nil
}

// examples are the part-th lot of the examples of the first seed; none in results of older versions.
func examples(row paper.RowReport, part int) []eval.Retrieved {
	if len(row.Results) == 0 {
		return nil
	}
	all := eval.RetrievedImages.Of(row.Results[0].Examples)
	return all[min(part*examplesEach, len(all)):min((part+1)*examplesEach, len(all))]
}
