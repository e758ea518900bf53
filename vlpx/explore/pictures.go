package explore

import (
	"fmt"
	"slices"

	"vlpx.internal/plots"
)

// picturesEach is how many pictures stand in a row.
const picturesEach = 7

// Pictures shows the anchor and its negatives, most similar first, by rank and cosine: captions with the images that they were
// written for, or images. The marks tell with which of them the anchor is a true pair.
func (v View) Pictures() plots.Pictures {
	anchor := "the caption's own image"
	if v.Side == OfImage {
		anchor = "anchor: " + v.Anchor.Caption
	}
	pictures := []plots.Picture{{Image: v.Anchor.Image, Caption: anchor}}
	for _, n := range v.Nearest {
		caption := fmt.Sprintf("%d (%.2f)", n.Rank, n.Cosine)
		if v.Side == OfImage {
			caption += ": " + n.Caption
		}
		pictures = append(pictures, plots.Picture{Image: n.Image, Caption: caption, Mark: n.Verdict})
	}
	f := plots.Pictures{Title: v.title()}
	for row := range slices.Chunk(pictures, picturesEach) {
		f.Rows = append(f.Rows, plots.PictureRow{Pictures: row})
	}
	return f
}
