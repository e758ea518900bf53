package plots

import (
	"bytes"
	"image"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"vlpx.internal/internal/test/must"
)

func TestTypefaceNames(t *testing.T) {
	for _, name := range TypefaceNames() {
		if face, ok := TypefaceNamed(name); !ok || face.String() != name || face.check() != nil {
			t.Errorf("%s is named as %v, %v", name, face, ok)
		}
	}
	if face, ok := TypefaceNamed("garamond"); ok {
		t.Errorf("garamond is %v", face)
	}
	picture := PictureRow{Pictures: []Picture{{Image: image.NewGray(image.Rect(0, 0, 1, 1))}}}
	for _, d := range []Drawing{
		Figure{Typeface: typefaces, Panels: []Panel{Scatter{Groups: []PointGroup{{X: []float64{1}, Y: []float64{1}}}}}},
		Pictures{Typeface: -1, Rows: []PictureRow{picture}},
	} {
		must.Fail(t, d.SVG(&bytes.Buffer{}), "none of the typefaces")
	}
}

// A drawing of each kind names or embeds its typeface in each format, titles too, and no other one.
func TestTypefaces(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 8, 8))
	line := []Series{{Name: "FALCON", X: []float64{1, 2}, Mean: []float64{1, 2}}}
	bars := []BarSeries{{Name: "MAFA", Mean: []float64{1}}}
	slopes := []RankSeries{{Name: "FALCON", Mean: [2]float64{1, 1}}}
	cells := [][]float64{{1, 2}}
	dots := []DotRow{{Name: "SRCL", Mean: 1}}
	png := map[string]Typeface{}
	for face := range typefaces {
		for _, d := range []Drawing{
			Figure{Typeface: face, Title: "Title", Note: "note", Panels: []Panel{Lines{Title: "l", YLabel: "R@1", Series: line},
				Bars{YLabel: "R@1", Groups: []string{"g"}, Series: bars}, Ranks{Left: "a", Right: "b", Series: slopes},
				Heat{ZLabel: "z", Values: cells}, Dots{XLabel: "x", Rows: dots}}},
			Pictures{Typeface: face, Title: "Title", Note: "note", Rows: []PictureRow{{Name: "row",
				Pictures: []Picture{{Image: gray, Caption: "caption", Mark: TruePair}}}}},
		} {
			var pixels, svg, pdf bytes.Buffer
			must.Do(t, d.PNG(&pixels, 40))
			must.Do(t, d.SVG(&svg))
			must.Do(t, d.PDF(&pdf))
			if other, ok := png[pixels.String()]; ok {
				t.Errorf("%T in %v is the same image as in %v", d, face, other)
			}
			png[pixels.String()] = face
			families := map[string]bool{}
			for _, text := range svgTexts(t, svg.Bytes()) {
				families[text.font] = true
			}
			want := map[Typeface]string{Sans: "'Liberation Sans',Arial,Helvetica,sans-serif",
				Times: "'Liberation Serif','Times New Roman',Times,serif"}[face]
			if len(families) > 1 || families[want] != (want != "") {
				t.Errorf("%T in %v: the SVG page has the fonts %v, want %q", d, face, families, want)
			}
			fonts := regexp.MustCompile(`/BaseFont /(\w+)`).FindAllStringSubmatch(pdf.String(), -1)
			embedded := strings.Count(pdf.String(), "/FontFile2")
			switch want := map[Typeface]string{Sans: "LiberationSans", Times: "LiberationSerif"}[face]; {
			case want == "" && len(fonts)+embedded != 0:
				t.Errorf("%T in %v: the PDF has the fonts %v, want outlines", d, face, fonts)
			case want != "" && (len(fonts) != 1 || fonts[0][1] != want || embedded != 1):
				t.Errorf("%T in %v: the PDF has the fonts %v, %d embedded; want %s", d, face, fonts, embedded, want)
			}
		}
	}
}

// No letter of a figure vanishes in any typeface and format: one that the font lacks comes from another, and one that all lack is a box.
func TestLettersDoNotVanish(t *testing.T) {
	for face := range typefaces {
		for _, style := range []text.Style{face.lettering(10), face.headline(10)} {
			for _, letter := range strings.Split("×±ταβγλμσΔ–%−≤≥→…≈∞é日⚠", "") {
				if style.Width(letter) <= 0 {
					t.Errorf("%s in %v has no width", letter, face)
				}
				if boxOf(drawn(style, letter)).Empty() {
					t.Errorf("%s in %v is not in the image", letter, face)
				}
				var b bytes.Buffer
				svg := &printedSVG{Canvas: vgsvg.New(200, 100)}
				style.Handler.Draw(svg, letter, style, vg.Point{X: 100, Y: 50})
				must.Get(svg.WriteTo(&b))(t)
				if page := must.Get(svg.fixed(b.String()))(t); !strings.Contains(page, letter) && !strings.Contains(page, "<path") {
					t.Errorf("%s in %v is not in the SVG page", letter, face)
				}
				b.Reset()
				pdf := vgpdf.New(200, 100)
				style.Handler.Draw(westernPDF{pdf}, letter, style, vg.Point{X: 100, Y: 50})
				must.Get(pdf.WriteTo(&b))(t)
				if page := PageOf(t, b.Bytes()); !strings.Contains(page, "Tj") && !strings.Contains(page, "\nf\n") {
					t.Errorf("%s in %v is not in the PDF page: %s", letter, face, page)
				}
			}
		}
	}
}

// A text of several fonts stands where one of one font would: it ends at a point on its right, and lines are equally high.
func TestTextsStandInPlace(t *testing.T) {
	place := boxOf(drawn(Sans.lettering(20), "HI"))
	for face := range typefaces {
		if got := boxOf(drawn(face.lettering(20), "HI")); got.Max.Y != place.Max.Y || got.Dy() < place.Dy()-1 || got.Dy() > place.Dy()+1 {
			t.Errorf("HI in %v is at %v, want it as high as %v", face, got, place)
		}
		style := face.lettering(20)
		style.XAlign = draw.XRight
		if got := boxOf(drawn(style, "λ日λH")); got.Max.X > 100 || got.Max.X < 98 {
			t.Errorf("%v: a text on the left of 100 ends at %d", face, got.Max.X)
		}
		if got, want := style.Height("λ\nH"), Sans.lettering(20).Height("λ\nH"); got != want {
			t.Errorf("%v: two lines are %v high, want %v", face, got, want)
		}
	}
}

// drawn is an image of a text at 100, 50, a pixel a point.
func drawn(style text.Style, s string) image.Image {
	c := vgimg.NewWith(vgimg.UseWH(200, 100), vgimg.UseDPI(72))
	style.Handler.Draw(pixelPNG{c}, s, style, vg.Point{X: 100, Y: 50})
	return c.Image()
}

// boxOf is the least rectangle around what is dark.
func boxOf(m image.Image) (box image.Rectangle) {
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			if r, _, _, _ := m.At(x, y).RGBA(); r < 0xc000 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}
