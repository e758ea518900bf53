package lab

import (
	"testing"

	"vlpx.internal/plots"
)

// In words a panel of dots has its measure, and the rows are the figure's series.
func TestDescribedDots(t *testing.T) {
	rows := []plots.DotRow{{Name: "A"}, {Name: "B"}}
	got := described(plots.Figure{Title: "T", Panels: []plots.Panel{plots.Dots{Title: "R@1 (%)", Rows: rows},
		plots.Dots{Title: "mAP (%)", Rows: rows}}})
	if want := "T. dots of R@1 (%); dots of mAP (%). Series: A, B."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// In words a figure's pictures are those that its marks warn of: true pairs among negatives, or what is wrong of what was written.
func TestDescribedPictures(t *testing.T) {
	row := func(name string, marks ...plots.Mark) plots.PictureRow {
		r := plots.PictureRow{Name: name}
		for _, m := range marks {
			r.Pictures = append(r.Pictures, plots.Picture{Mark: m})
		}
		return r
	}
	got := described(plots.Pictures{Title: "T", Rows: []plots.PictureRow{
		row("found", plots.Unmarked, plots.TruePair, plots.FalsePair), row("written", plots.Unmarked, plots.Wrong, plots.Right,
			plots.Wrong),
		row("all right", plots.Right),
	}})
	want := "T. found: 3 pictures, 1 marked as true pair; written: 4 pictures, 2 marked as wrong; all right: 1 pictures, 0 marked as wrong."
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
