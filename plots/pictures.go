package plots

import (
	"errors"
	"fmt"
	"image"
	"io"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Pictures is a grid of images with captions, in rows of an anchor and what was picked for it. Rows may differ in length.
type Pictures struct {
	Title    string
	Note     string // below the legend
	Rows     []PictureRow
	Typeface Typeface // of all letters
}

// PictureRow is a row of pictures and its name, wrapped at their left.
type PictureRow struct {
	Name     string // such as the anchor's caption; may be empty
	Pictures []Picture
}

// Picture is an image of any size, printed at one width or height with its aspect kept.
type Picture struct {
	Image   image.Image
	Caption string // below it, in up to four lines and then an ellipsis; may be empty
	Mark    Mark
}

// PNG implements [Drawing].
func (p Pictures) PNG(w io.Writer, dpi int) error { return writePNG(w, p, dpi) }

// PDF implements [Drawing].
func (p Pictures) PDF(w io.Writer) error { return writePDF(w, p) }

// SVG implements [Drawing].
func (p Pictures) SVG(w io.Writer) error { return writeSVG(w, p) }

func (p Pictures) sheet() (sheet, error) {
	if err := p.check(); err != nil {
		return sheet{}, err
	}
	l := p.layout()
	return sheet{fmt.Sprintf("pictures %q", p.Title), p.Title, l.width, l.height, l.draw}, nil
}

// check reports the first picture that cannot be drawn; rows and pictures count from 1.
func (p Pictures) check() error {
	if err := p.Typeface.check(); err != nil {
		return err
	}
	if len(p.Rows) == 0 {
		return fmt.Errorf("plots: pictures %q: no rows", p.Title)
	}
	for r, row := range p.Rows {
		if len(row.Pictures) == 0 {
			return fmt.Errorf("plots: pictures %q: row %d (%q): no pictures; leave the row out", p.Title, r+1, row.Name)
		}
		for c, picture := range row.Pictures {
			if err := picture.check(); err != nil {
				return fmt.Errorf("plots: pictures %q: row %d (%q), column %d: %w", p.Title, r+1, row.Name, c+1, err)
			}
		}
	}
	return nil
}

func (p Picture) check() error {
	switch {
	case p.Image == nil:
		return errors.New("no image")
	case p.Image.Bounds().Empty():
		return fmt.Errorf("an image without pixels, of %v", p.Image.Bounds().Size())
	case p.Mark < Unmarked || p.Mark > Right:
		return fmt.Errorf("mark %d is none of those from Unmarked to Right", p.Mark)
	}
	return nil
}

// size is that of the picture as printed, its longer side given.
func (p Picture) size(side vg.Length) vg.Point {
	pixels := p.Image.Bounds().Size()
	scale := side / vg.Length(max(pixels.X, pixels.Y))
	return vg.Point{X: scale * vg.Length(pixels.X), Y: scale * vg.Length(pixels.Y)}
}

// pictureLayout is where the parts of a grid of pictures go.
type pictureLayout struct {
	width, height vg.Length
	face          Typeface
	side          vg.Length // the longer one of a picture
	title         title
	names         vg.Length // width of the names, with the gap after them; zero if no row has one
	grid          vg.Length // width of the names and pictures
	rows          []pictureRow
	foot          foot
}

// pictureRow is a row with its texts in lines that fit.
type pictureRow struct {
	PictureRow
	name            string
	captions        []string
	pictures, below vg.Length // heights of the tallest picture and of what the row needs below that
}

// layout has pictures of the usual size, or smaller ones where a page could not hold them.
func (p Pictures) layout() pictureLayout {
	l := p.layoutAt(pictureSize)
	for l.height > PageHeight && l.side > pictureLeast {
		l = p.layoutAt(l.side - 2)
	}
	return l
}

func (p Pictures) layoutAt(side vg.Length) pictureLayout {
	l := pictureLayout{face: p.Typeface, side: side}
	var columns int
	var used [Right + 1]bool
	for _, row := range p.Rows {
		columns = max(columns, len(row.Pictures))
		if row.Name != "" {
			l.names = nameWidth + pictureGap
		}
		for _, picture := range row.Pictures {
			used[picture.Mark] = true
		}
		l.rows = append(l.rows, row.layout(p.Typeface, side))
	}
	marks := legend{face: p.Typeface}
	for _, m := range inLegend {
		if used[m] {
			marks.keys = append(marks.keys, key{name: m.String(), label: m.String(), sample: framed, mark: m})
		}
	}
	l.grid = l.names + vg.Length(columns)*(side+pictureGap) - pictureGap
	inner := max(l.grid, picturesLeast)
	l.title = newTitle(p.Title, p.Typeface, inner)
	if p.Title != "" {
		l.title.height += captionGap // frames reach beyond their pictures
	}
	l.foot = newFoot(marks, p.Note, inner)
	l.width = inner + 2*margin
	l.height = l.title.height + l.foot.height + 2*margin
	for _, row := range l.rows {
		l.height += row.pictures + row.below + rowGap
	}
	return l
}

func (r PictureRow) layout(face Typeface, side vg.Length) pictureRow {
	row := pictureRow{PictureRow: r}
	caption := captionStyle(face)
	for _, picture := range r.Pictures {
		row.pictures = max(row.pictures, picture.size(side).Y)
		lines := ""
		if picture.Caption != "" {
			lines = fitted(picture.Caption, caption, side, captionLines)
			row.below = max(row.below, captionGap+paragraphHeight(caption, lines))
		}
		row.captions = append(row.captions, lines)
	}
	if r.Name != "" {
		name := face.lettering(labelSize)
		row.name = fitted(r.Name, name, nameWidth, nameLines)
		row.below = max(row.below, paragraphHeight(name, row.name)-row.pictures)
	}
	return row
}

func (l pictureLayout) draw(c draw.Canvas) {
	l.title.draw(c)
	l.foot.draw(c)
	at := vg.Point{X: c.Center().X - l.grid/2, Y: c.Max.Y - l.title.height}
	for _, row := range l.rows {
		row.draw(c, at, l)
		at.Y -= row.pictures + row.below + rowGap
	}
}

// draw puts the row below and to the right of a point. Its pictures stand on one line, so that captions are close to them.
func (r pictureRow) draw(c draw.Canvas, at vg.Point, l pictureLayout) {
	name, caption := l.face.lettering(labelSize), captionStyle(l.face)
	paragraph(c, name, at, r.name)
	floor := at.Y - r.pictures
	for k, picture := range r.Pictures {
		middle := at.X + l.names + vg.Length(k)*(l.side+pictureGap) + l.side/2
		size := picture.size(l.side)
		place := vg.Rectangle{Min: vg.Point{X: middle - size.X/2, Y: floor}, Max: vg.Point{X: middle + size.X/2, Y: floor + size.Y}}
		c.DrawImage(place, picture.Image)
		picture.Mark.draw(c, place)
		paragraph(c, caption, vg.Point{X: middle, Y: floor - captionGap}, r.captions[k])
	}
}

func captionStyle(face Typeface) text.Style {
	style := face.lettering(tickSize)
	style.XAlign = draw.XCenter
	return style
}
