package plots_test

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
)

var (
	red  = color.NRGBA{R: 220, A: 255}
	blue = color.NRGBA{B: 220, A: 255}
)

// flagOf is an image red above and blue below, whose bounds do not begin at zero.
func flagOf(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(3, 4, 3+width, 4+height))
	for k := range width * height {
		c := red
		if k/width >= height/2 {
			c = blue
		}
		img.Set(3+k%width, 4+k/width, c)
	}
	return img
}

// picked has all that pictures can hold: rows of unequal length, long names and captions, umlauts, all marks, several aspects.
func picked() plots.Pictures {
	return plots.Pictures{
		Title: "What is picked",
		Rows: []plots.PictureRow{
			{Name: "a flag, red above and blue below, that hangs from a balcony of the old town hall", Pictures: []plots.Picture{
				{Image: flagOf(32, 32), Caption: "the anchor"},
				{Image: flagOf(60, 20), Caption: "Größere Flaggen hängen über der Straße, und darunter gehen Leute, die es eilig haben, " +
					"zum Markt",
					Mark: plots.TruePair},
				{Image: flagOf(20, 300), Caption: "Donaudampfschifffahrtsgesellschaftskapitän", Mark: plots.FalsePair},
			}},
			{Pictures: []plots.Picture{{Image: flagOf(640, 480), Mark: plots.FalsePair}}},
		},
	}
}

// TestPicturesKeepAspectAndPlace: an image of any size fills 68 points of an inch's 72, its top above.
func TestPicturesKeepAspectAndPlace(t *testing.T) {
	for _, v := range []struct{ width, height, wantWidth, wantHeight int }{
		{32, 32, 68, 68}, {60, 20, 68, 23}, {20, 40, 34, 68}, {1000, 500, 68, 34}, {1, 2, 34, 68},
	} {
		img := drawn(t, plots.Pictures{Rows: []plots.PictureRow{{Pictures: []plots.Picture{{Image: flagOf(v.width, v.height)}}}}})
		var reds, blues image.Rectangle
		for y := range img.Bounds().Max.Y {
			for x := range img.Bounds().Max.X {
				pixel := image.Rect(x, y, x+1, y+1)
				switch r, g, b, _ := img.At(x, y).RGBA(); {
				case g < 0x1000 && r > b:
					reds = reds.Union(pixel)
				case g < 0x1000 && b > r:
					blues = blues.Union(pixel)
				}
			}
		}
		all := reds.Union(blues)
		if math.Abs(float64(all.Dx()-v.wantWidth)) > 1 || math.Abs(float64(all.Dy()-v.wantHeight)) > 1 {
			t.Errorf("%d x %d: printed at %v, want %d x %d", v.width, v.height, all.Size(), v.wantWidth, v.wantHeight)
		}
		if reds.Max.Y > blues.Min.Y+1 {
			t.Errorf("%d x %d: red at %v is not above blue at %v", v.width, v.height, reds, blues)
		}
	}
}

// TestPDFPicturesStandUpright follows the transformations of a page down to its image.
func TestPDFPicturesStandUpright(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, (plots.Pictures{Rows: []plots.PictureRow{{Pictures: []plots.Picture{{Image: flagOf(32, 32)}}}}}).PDF(&b))
	var page, pixels []byte
	streams := regexp.MustCompile(`(?s)<<([^<>]*(?:<<[^<>]*>>[^<>]*)*)>>\s*stream\r?\n(.*?)\r?\nendstream`)
	for _, m := range streams.FindAllSubmatch(b.Bytes(), -1) {
		z, err := zlib.NewReader(bytes.NewReader(m[2]))
		if err != nil {
			continue
		}
		text, _ := io.ReadAll(z)
		switch {
		case bytes.Contains(m[1], []byte("/Subtype /Image")):
			pixels = text
		case bytes.Contains(text, []byte(" Do")):
			page = text
		}
	}
	if len(page) == 0 || len(pixels) < 4 {
		t.Fatalf("found a page of %d bytes and an image of %d", len(page), len(pixels))
	}
	up := []float64{1} // what one unit upwards becomes, on the stack of transformations
	words := strings.Fields(string(page))
	for k, word := range words {
		last := len(up) - 1
		switch word {
		case "q":
			up = append(up, up[last])
		case "Q":
			up = up[:last]
		case "cm":
			d := must.Get(strconv.ParseFloat(words[k-3], 64))(t)
			up[last] *= d
		}
		if word == "Do" {
			first := color.NRGBA{pixels[1], pixels[2], pixels[3], 255} // after the row's filter; PDF's images begin at their top
			if want := map[bool]color.NRGBA{true: red, false: blue}[up[last] > 0]; first != want {
				t.Errorf("the image begins with %v under a vertical scale of %v, want %v", first, up[last], want)
			}
			return
		}
	}
	t.Error("no image on the page")
}

func TestPicturesNameTheMarksThatOccur(t *testing.T) {
	only := func(marks ...plots.Mark) plots.Pictures {
		var row plots.PictureRow
		for _, m := range marks {
			row.Pictures = append(row.Pictures, plots.Picture{Image: flagOf(2, 2), Mark: m})
		}
		return plots.Pictures{Rows: []plots.PictureRow{row}}
	}
	for _, v := range []struct {
		drawing plots.Pictures
		want    string
	}{
		{only(plots.Unmarked), ""},
		{only(plots.TruePair, plots.TruePair), "true pair"},
		{only(plots.FalsePair, plots.Unmarked), "no true pair"},
		{only(plots.FalsePair, plots.TruePair), "true pair no true pair"},
		{only(plots.Right, plots.Wrong, plots.Unmarked), "wrong right"},
	} {
		var b bytes.Buffer
		must.Do(t, v.drawing.SVG(&b))
		if got := strings.Join(strings.Fields(strings.Trim(words(t, b.Bytes()), "[]")), " "); got != v.want {
			t.Errorf("got %q, want %q", got, v.want)
		}
	}
}

func TestPicturesSVGHoldsItsText(t *testing.T) {
	var b bytes.Buffer
	must.Do(t, picked().SVG(&b))
	all := words(t, b.Bytes())
	for _, want := range []string{"What is picked", "a flag, red above", "the anchor", "Größere", "Straße", "Donaudampf", "…"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
	if strings.Contains(all, "Markt") {
		t.Error("a caption of more than four lines stands there to its end")
	}
	if got := strings.Count(b.String(), "data:image/png;base64,"); got != 4 {
		t.Errorf("got %d images, want 4", got)
	}
}

func TestPicturesReject(t *testing.T) {
	good := plots.Picture{Image: flagOf(2, 2)}
	row := func(p ...plots.Picture) plots.PictureRow { return plots.PictureRow{Name: "dogs", Pictures: p} }
	for _, v := range []struct {
		rows []plots.PictureRow
		want string
	}{
		{nil, `plots: pictures "T": no rows`},
		{[]plots.PictureRow{row(good), row()}, `pictures "T": row 2 ("dogs"): no pictures; leave the row out`},
		{[]plots.PictureRow{row(good, plots.Picture{})}, `row 1 ("dogs"), column 2: no image`},
		{[]plots.PictureRow{row(plots.Picture{Image: flagOf(0, 3)})}, `row 1 ("dogs"), column 1: an image without pixels, of (0,3)`},
		{[]plots.PictureRow{row(plots.Picture{Image: flagOf(2, 2), Mark: 7})}, `column 1: mark 7 is none of`},
	} {
		p := plots.Pictures{Title: "T", Rows: v.rows}
		png := func(w io.Writer) error { return p.PNG(w, 0) }
		for name, write := range map[string]func(io.Writer) error{"PNG": png, "PDF": p.PDF, "SVG": p.SVG} {
			var b bytes.Buffer
			if err := write(&b); err == nil || !strings.Contains(err.Error(), v.want) || b.Len() > 0 {
				t.Errorf("%s: got %v and %d bytes, want %q and none", name, err, b.Len(), v.want)
			}
		}
	}
	must.Fail(t, picked().PNG(io.Discard, 2401), `pictures "What is picked": 2401 dots per inch`, "2401 dots per inch")
}
