package plots

import (
	"bytes"
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"

	"vlpx.internal/internal/test/must"
)

// svgText is a text element of an SVG page.
type svgText struct {
	text  string
	width float64 // points
	size  vg.Length
	bold  bool
	font  string
}

// svgTexts reads the text elements of a page, which must be well-formed.
func svgTexts(t *testing.T, page []byte) (texts []svgText) {
	t.Helper()
	size := regexp.MustCompile(`font-size:(\d+)px`)
	family := regexp.MustCompile(`font-family:([^;]*);`)
	inside := false
	d := xml.NewDecoder(bytes.NewReader(page))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in %q", err, page)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if inside = token.Name.Local == "text"; !inside {
				continue
			}
			of := svgText{}
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "textLength":
					of.width = must.Get(strconv.ParseFloat(a.Value, 64))(t)
				case "style":
					points := must.Get(strconv.Atoi(size.FindStringSubmatch(a.Value)[1]))(t)
					of.size, of.bold, of.font = vg.Points(float64(points)), strings.Contains(a.Value, "font-weight:bold"),
						family.FindStringSubmatch(a.Value)[1]
				}
			}
			texts = append(texts, of)
		case xml.CharData:
			if inside {
				texts[len(texts)-1].text += string(token)
			}
		case xml.EndElement:
			inside = false
		}
	}
}

// check tells of texts that do not have the width and the font that they were laid out with.
func (s svgText) check(t *testing.T) {
	t.Helper()
	style := Sans.lettering(s.size)
	if s.bold {
		style = Sans.headline(s.size)
	}
	if want := style.Width(s.text).Points(); math.Abs(s.width-want) > .006 {
		t.Errorf("%q is %v points wide, want %.2f", s.text, s.width, want)
	}
	if s.font != "'Liberation Sans',Arial,Helvetica,sans-serif" {
		t.Errorf("%q is in %s", s.text, s.font)
	}
}

// odd are texts that look like parts of the page.
var odd = []string{
	"plain", "<text x=", "a & b < c > \"d\"", ">text</text>", "text", "font-family:Liberation Sans;", "data:image/jpg;", "</svg>",
	"<![CDATA[", "é→−α", "&#0;",
}

// Whatever a figure's texts are, the page is well-formed, holds them as they are, and gives each its own width.
func FuzzSVG(f *testing.F) {
	for k, text := range odd {
		f.Add(text, odd[(k+1)%len(odd)])
	}
	f.Add("\x00\x1f", "\xff")
	f.Add("two\nlines", "")
	f.Fuzz(func(t *testing.T, title, name string) {
		if len(title)+len(name) > 200 {
			return
		}
		d := Figure{Title: title, Panels: []Panel{Lines{Title: name, XLabel: title, Series: []Series{
			{Name: name, X: []float64{1, 2}, Mean: []float64{1, 2}}, {Name: "b", X: []float64{1, 2}, Mean: []float64{2, 1}},
		}}}}
		var b bytes.Buffer
		must.Do(t, d.SVG(&b))
		texts := svgTexts(t, b.Bytes())
		if len(texts) < 5 {
			t.Fatalf("%d texts in %q", len(texts), b.String())
		}
		valid := strings.IndexFunc(title+name, func(r rune) bool { return r < ' ' || r == 0xfffd || r == 0xfffe || r == 0xffff }) < 0
		for _, text := range texts {
			if valid { // of others the width is that of the text before it is mended
				text.check(t)
			}
		}
	})
}

// The texts of a canvas come out in their places, whatever they are.
func TestSVGTextsAreAsTheyWere(t *testing.T) {
	c := &printedSVG{Canvas: vgsvg.New(100, 100)}
	style := Sans.lettering(7)
	face := style.Handler.Cache().Lookup(style.Font, style.Font.Size)
	for k, text := range odd {
		c.FillString(face, vg.Point{X: 1, Y: vg.Length(k)}, text)
	}
	var b bytes.Buffer
	must.Get(c.WriteTo(&b))(t)
	page := must.Get(c.fixed(b.String()))(t)
	texts := svgTexts(t, []byte(page))
	if len(texts) != len(odd) {
		t.Fatalf("got %d texts, want %d", len(texts), len(odd))
	}
	for k, text := range texts {
		if text.text != odd[k] {
			t.Errorf("text %d: got %q, want %q", k, text.text, odd[k])
		}
		text.check(t)
	}

	// Should vgsvg write texts otherwise one day, a figure fails rather than lose them.
	for name, other := range map[string]string{
		"one less":  strings.Replace(b.String(), "<text ", "<tspan ", 1),
		"one more":  b.String() + "<text ",
		"cut short": strings.Replace(b.String(), ">text</text>", ">te</text>", 1),
	} {
		if got, err := c.fixed(other); err == nil {
			t.Errorf("%s: got %q, want an error", name, got)
		}
	}
}
