package plots

import (
	"bytes"
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Drawing is what can be written as an image: a [Figure] or [Pictures]. Each method writes the whole drawing or, where it is
// faulty, nothing.
type Drawing interface {
	// PNG writes an image of the given dots per inch, 0 for 150.
	PNG(w io.Writer, dpi int) error
	// PDF writes one page with its font embedded. Titles, letters outside of the western alphabet and those of [ComputerModern], whose
	// font is of a kind that cannot be embedded, are drawn as outlines.
	PDF(w io.Writer) error
	// SVG writes text as text, in a Liberation font or the reader's own of that kind, set to the width of the former. ComputerModern is
	// drawn as outlines.
	SVG(w io.Writer) error
}

// sheet is a drawing laid out.
type sheet struct {
	name          string // for errors
	title         string // what a reader's window calls it
	width, height vg.Length
	draw          func(draw.Canvas)
}

// layouter checks a drawing and lays it out.
type layouter interface{ sheet() (sheet, error) }

func writePNG(w io.Writer, d layouter, dpi int) error {
	s, err := d.sheet()
	if err != nil {
		return err
	}
	if dpi < 0 || dpi > 2400 {
		return fmt.Errorf("plots: %s: %d dots per inch; want 1 to 2400, or 0 for 150", s.name, dpi)
	}
	if dpi == 0 {
		dpi = 150
	}
	c := vgimg.NewWith(vgimg.UseWH(s.width, s.height), vgimg.UseDPI(dpi))
	return s.write(w, pixelPNG{c}, vgimg.PngCanvas{Canvas: c})
}

func writePDF(w io.Writer, d layouter) error {
	s, err := d.sheet()
	if err != nil {
		return err
	}
	c := vgpdf.New(s.width, s.height)
	var b bytes.Buffer
	if err := s.write(&b, westernPDF{c}, c); err != nil {
		return err
	}
	titled, err := withTitle(b.Bytes(), s.title)
	if err != nil {
		return fmt.Errorf("plots: %s: %w", s.name, err)
	}
	_, err = w.Write(titled)
	return err
}

func writeSVG(w io.Writer, d layouter) error {
	s, err := d.sheet()
	if err != nil {
		return err
	}
	c := &printedSVG{Canvas: vgsvg.New(s.width, s.height)}
	var b bytes.Buffer
	if err := s.write(&b, c, c.Canvas); err != nil {
		return err
	}
	page, err := c.fixed(b.String())
	if err != nil {
		return fmt.Errorf("plots: %s: %w", s.name, err)
	}
	_, err = io.WriteString(w, page)
	return err
}

// write draws the sheet on a canvas of its size and writes that out, whole or not at all.
func (s sheet) write(w io.Writer, c vg.CanvasSizer, out io.WriterTo) error {
	page := draw.New(c)
	page.SetColor(paper)
	page.Fill(page.Rectangle.Path())
	s.draw(draw.Crop(page, margin, -margin, margin, -margin))
	var b bytes.Buffer
	if _, err := out.WriteTo(&b); err != nil {
		return fmt.Errorf("plots: %s: %w", s.name, err)
	}
	_, err := w.Write(b.Bytes())
	return err
}
