package lab

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"gonum.org/v1/plot/font/liberation"

	"vlpx.internal/plots"
)

// enlarged is how much larger a figure is on the page than in print, where its letters have 7 points.
const enlarged = 1.4

var svgSize = regexp.MustCompile(`<svg width="([0-9.]+)pt" height="([0-9.]+)pt"`)

// svgElement draws a figure as an element of the page, which is sharp at any size and smaller than a PNG.
func svgElement(d plots.Drawing) (template.HTML, error) {
	var b bytes.Buffer
	if err := d.SVG(&b); err != nil {
		return "", err
	}
	at := svgSize.FindSubmatchIndex(b.Bytes())
	if at == nil {
		return "", fmt.Errorf("the figure's SVG does not tell its size in points")
	}
	var pixels [2]int
	for i := range pixels {
		points, err := strconv.ParseFloat(string(b.Bytes()[at[2+2*i]:at[3+2*i]]), 64)
		if err != nil {
			return "", err
		}
		pixels[i] = int(math.Round(enlarged * points * 96 / 72))
	}
	rest := b.Bytes()[at[1]:] // without the XML declaration
	return template.HTML(fmt.Sprintf("<svg role=\"img\" aria-label=\"%s\" width=\"%d\" height=\"%d\"%s",
		html.EscapeString(described(d)), pixels[0], pixels[1], rest)), nil
}

// fontFaces are the figures' fonts as a style sheet. A reader without them would see their texts in another font, clipped.
var fontFaces = sync.OnceValues(func() (template.CSS, error) {
	var b strings.Builder
	for _, face := range liberation.Collection() {
		if face.Font.Variant != "Sans" || face.Font.Style != font.StyleNormal {
			continue
		}
		weight := "normal"
		if face.Font.Weight == font.WeightBold {
			weight = "bold"
		}
		var file bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &file); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "@font-face { font-family: 'Liberation Sans'; font-weight: %s; src: url(data:font/ttf;base64,%s); }\n", weight,
			base64.StdEncoding.EncodeToString(file.Bytes()))
	}
	return template.CSS(b.String()), nil
})

// described says in words what a drawing shows. The numbers are in the table beside it.
func described(d plots.Drawing) string {
	switch d := d.(type) {
	case plots.Figure:
		var panels, series []string
		for _, p := range d.Panels {
			panel, names := describedPanel(p)
			panels = append(panels, panel)
			for _, name := range names {
				if !slices.Contains(series, name) {
					series = append(series, name)
				}
			}
		}
		text := fmt.Sprintf("%s. %s.", d.Title, strings.Join(panels, "; "))
		if len(series) > 0 {
			text += " Series: " + strings.Join(series, ", ") + "."
		}
		return text
	case plots.Pictures:
		var rows []string
		for _, row := range d.Rows {
			marked, as := 0, plots.TruePair
			for _, p := range row.Pictures {
				if p.Mark == plots.Wrong || p.Mark == plots.Right {
					as = plots.Wrong
				}
				if p.Mark == as {
					marked++
				}
			}
			rows = append(rows, fmt.Sprintf("%s: %d pictures, %d marked as %s", row.Name, len(row.Pictures), marked, as))
		}
		return fmt.Sprintf("%s. %s.", d.Title, strings.Join(rows, "; "))
	}
	return "The figure of the artifact."
}

// describedPanel says what a panel shows, and names its series.
func describedPanel(p plots.Panel) (text string, series []string) {
	switch p := p.(type) {
	case plots.Lines:
		for _, s := range p.Series {
			series = append(series, s.Name)
		}
		return titled(p.Title, fmt.Sprintf("%s against %s", p.YLabel, p.XLabel)), series
	case plots.Bars:
		for _, s := range p.Series {
			series = append(series, s.Name)
		}
		return titled(p.Title, fmt.Sprintf("bars of %s for %s", p.YLabel, strings.Join(p.Groups, ", "))), series
	case plots.Dots:
		for _, r := range p.Rows {
			series = append(series, r.Name)
		}
		return "dots of " + p.Title, series
	case plots.Heat:
		return titled(p.Title, fmt.Sprintf("heat map of %s against %s", p.YLabel, p.XLabel)), nil
	}
	return "a panel", nil
}

func titled(title, text string) string {
	if title == "" {
		return text
	}
	return title + ": " + text
}
