package plots_test

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
)

// many is a figure of several measures of many rows: with intervals, without, a missing one, a name of several lines.
func many() plots.Figure {
	names := []string{"ALBEF", "GRIT-VLP", "DiHT", "SRCL", "MAFA", "Progressive-Hardening", "FALCON", "GRIT-VLP, searchspace=960, " +
		"temperature=.1, epochs=10"}
	panel := func(title string, scale, spread float64) plots.Dots {
		d := plots.Dots{Title: title}
		for k, name := range names {
			mean := scale * float64((k*5)%8+3)
			d.Rows = append(d.Rows, plots.DotRow{Name: name, Mean: mean, Low: mean - spread*float64(k), High: mean + spread*float64(k)})
		}
		return d
	}
	missing, labelled := panel("False negatives in batch (%)", .3, 0), panel("Text Retrieval: R@10 (%)", 9, 1)
	missing.Rows[3].Mean, labelled.XLabel = nan, "recall (%)"
	return plots.Figure{Title: "Many methods", Note: "Means over three seeds; bars are one standard deviation.", Columns: 5,
		Panels: []plots.Panel{
			panel("Text Retrieval: R@1 (%)", 1, .1), labelled, panel("Image Retrieval: R@1 (%)", 1e-3, 1e-4), missing,
			panel("Without re-ranking: IR mAP (%)", 6, .2),
			panel("RSum", 50, 5),
		}}
}

// The rows are named once a row of panels, and every name is there, however long.
func TestDotsNameTheirRowsOnce(t *testing.T) {
	texts := func(f plots.Figure) string {
		var b strings.Builder
		must.Do(t, f.SVG(&b))
		return b.String()
	}
	text := texts(many())
	for _, name := range []string{"ALBEF", "Progressive-Hardening"} {
		if got := strings.Count(text, ">"+name+"<"); got != 2 {
			t.Errorf("%s stands %d times in two rows of panels, want twice", name, got)
		}
	}
	for _, part := range []string{"searchspace=960,", "epochs=10"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q: a name is cut", part)
		}
	}
	other := many()
	other.Panels = other.Panels[:2]
	second := other.Panels[1].(plots.Dots)
	second.Rows = second.Rows[1:]
	other.Panels[1] = second
	if got := strings.Count(texts(other), ">GRIT-VLP<"); got != 2 {
		t.Errorf("GRIT-VLP stands %d times in panels of other rows, want in each", got)
	}
}

// Panels stay on the page beside names of any length.
func TestDotsOfLongNamesStayOnThePage(t *testing.T) {
	for length := 10; length < 40; length++ {
		f := many()
		f.Panels = f.Panels[:5]
		for k := range f.Panels {
			d := plots.Dots{Title: "R@1"}
			for row, mean := range []float64{79, 4, 51} {
				d.Rows = append(d.Rows, plots.DotRow{Name: strings.Repeat("a", length), Mean: mean, Low: mean - float64(row), High: mean + 2})
			}
			f.Panels[k] = d
		}
		var b strings.Builder
		must.Do(t, f.SVG(&b))
		for _, place := range regexp.MustCompile(`[ML](-?[0-9.]+),`).FindAllStringSubmatch(b.String(), -1) {
			if x := must.Get(strconv.ParseFloat(place[1], 64))(t); x < 0 || x > plots.PageWidth.Points() {
				t.Fatalf("names of %d letters: something is drawn at %v points", length, x)
			}
		}
	}
}

// A panel is as high as asked for, else the higher the more rows it has.
func TestHeight(t *testing.T) {
	height := func(f plots.Figure) float64 {
		var b strings.Builder
		must.Do(t, f.SVG(&b))
		points := must.Get(strconv.ParseFloat(regexp.MustCompile(`height="([^"]+)pt"`).FindStringSubmatch(b.String())[1], 64))(t)
		return points
	}
	few, all, asked := many(), many(), many()
	for k := range few.Panels {
		d := few.Panels[k].(plots.Dots)
		d.Rows = d.Rows[:3]
		few.Panels[k] = d
	}
	asked.Height = 5 * vg.Inch
	if a, b, c := height(few), height(all), height(asked); a >= b || b >= c {
		t.Errorf("got heights of %v points of three rows, %v of eight and %v of panels of five inches", a, b, c)
	}
	curves, low := learning(), learning()
	low.Height = 1.2 * vg.Inch
	if a, b := height(low), height(curves); a >= b {
		t.Errorf("got heights of %v points where 1.2 inches are asked for, and %v", a, b)
	}
}

func TestDotsRejects(t *testing.T) {
	for _, v := range []struct {
		rows []plots.DotRow
		want string
	}{
		{nil, `dots "T": no value to draw among 0 rows`},
		{[]plots.DotRow{{Name: "r", Mean: nan}}, "no value to draw among 1 rows"},
		{[]plots.DotRow{{Name: "r", Mean: 1, Low: 2, High: 0}}, `row "r": the interval goes from 2 to 0`},
	} {
		err := plots.Figure{Panels: []plots.Panel{plots.Dots{Title: "T", Rows: v.rows}}}.PNG(io.Discard, 72)
		if err == nil || !strings.Contains(err.Error(), v.want) {
			t.Errorf("got %v, want %q", err, v.want)
		}
	}
	one := plots.Dots{Rows: []plots.DotRow{{Name: "alone", Mean: 0, Low: nan, High: nan}}}
	if err := (plots.Figure{Panels: []plots.Panel{one}}).PNG(io.Discard, 72); err != nil {
		t.Errorf("one row without an interval: %v", err)
	}
}
