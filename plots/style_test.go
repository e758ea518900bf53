package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func TestRoundTicks(t *testing.T) {
	for _, v := range []struct {
		low, high float64
		ticks     int
		want      string
	}{
		{0, 60, 6, "0 10 20 30 40 50 60"},
		{8, 59, 6, "10 20 30 40 50"},
		{-0.3, 0.3, 6, "-0.3 -0.2 -0.1 0.0 0.1 0.2 0.3"},
		{0.0061, 0.0479, 5, "0.01 0.02 0.03 0.04"},
		{1, 4, 3, "1 2 3 4"},
		{0, 3e6, 6, "0 500000 1e+06 1.5e+06 2e+06 2.5e+06 3e+06"},
		{10, 86, 3, "20 40 60 80"},
		{2, 2, 5, "2"},
	} {
		var labels []string
		for _, tick := range roundTicks(v.ticks).Ticks(v.low, v.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != v.want {
			t.Errorf("%v to %v: got %s, want %s", v.low, v.high, got, v.want)
		}
	}
}

// TestTicksAreFewAndDistinct holds for any range that curves can have.
func TestTicksAreFewAndDistinct(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		low := rapid.Float64Range(-1e4, 1e4).Draw(rt, "low")
		span := rapid.Float64Range(1e-3, 1e4).Draw(rt, "span")
		seen := map[string]bool{}
		ticks := roundTicks(6).Ticks(low, low+span)
		for _, tick := range ticks {
			if seen[tick.Label] {
				rt.Errorf("label %s stands twice", tick.Label)
			}
			seen[tick.Label] = true
			if slack := 1e-6 * span; tick.Value < low-slack || tick.Value > low+span+slack {
				rt.Errorf("tick at %v lies outside %v to %v", tick.Value, low, low+span)
			}
		}
		if len(ticks) < 2 || len(ticks) > 7 {
			rt.Errorf("got %d ticks, want 2 to 7", len(ticks))
		}
	})
}

// TestLooksDiffer: a figure of many methods never draws two alike, in print or on a screen.
func TestLooksDiffer(t *testing.T) {
	seen := map[string]int{}
	for k := range 280 {
		l := lookOf(k)
		look := fmt.Sprintf("%v %v %T", l.color, l.dash, l.glyph)
		if other, ok := seen[look]; ok {
			t.Errorf("series %d and %d look the same", other, k)
		}
		seen[look] = k
	}
}

func TestLetters(t *testing.T) {
	for k, want := range map[int]string{0: "a", 25: "z", 26: "aa", 51: "az", 52: "ba"} {
		if got := letter(k); got != want {
			t.Errorf("panel %d: got %s, want %s", k, got, want)
		}
	}
}

func TestWrapped(t *testing.T) {
	style := Sans.lettering(labelSize)
	text := "one two three four"
	if got := wrapped(text, style, style.Width("one two")); got != "one two\nthree\nfour" {
		t.Errorf("got %q", got)
	}
	if got := wrapped(text, style, style.Width(text)); got != text {
		t.Errorf("got %q, want it on one line", got)
	}
}

// TestFitted: whatever the text, no line is too wide, none too many, and only an ellipsis stands for what is left out.
func TestFitted(t *testing.T) {
	style := Sans.lettering(tickSize)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`([a-zäöüß]{1,12} ){0,12}[a-zA-Z]{1,40}`).Draw(rt, "text")
		width := vg.Length(rapid.Float64Range(20, 120).Draw(rt, "width"))
		lines := rapid.IntRange(1, 5).Draw(rt, "lines")
		got := strings.Split(fitted(text, style, width, lines), "\n")
		if len(got) > lines {
			rt.Errorf("got %d lines, want at most %d", len(got), lines)
		}
		for _, line := range got {
			if style.Width(line) > width {
				rt.Errorf("line %q is %v wide, want at most %v", line, style.Width(line), width)
			}
		}
		if all := strings.Join(got, " "); !strings.Contains(all, ellipsis) && all != text {
			rt.Errorf("got %q, want %q", all, text)
		}
	})
	if got := fitted("one two three", style, style.Width("one two"), 1); got != "one t"+ellipsis && got != "one"+ellipsis {
		t.Errorf("got %q, want what fits on one line", got)
	}
}

// TestStagesDarken: in grey, too, each stage is darker than the one before it, and the first stands out from paper.
func TestStagesDarken(t *testing.T) {
	luminance := func(c color.NRGBA) float64 { // of sRGB, 0 to 1
		linear := func(v uint8) float64 { return math.Pow(float64(v)/255, 2.2) }
		return .2126*linear(c.R) + .7152*linear(c.G) + .0722*linear(c.B)
	}
	for stages := range 41 {
		last := 0.56
		for k := range stages {
			at := luminance(stageOf(k, stages).color)
			if at >= last {
				t.Errorf("stage %d of %d has luminance %.3f, want less than %.3f", k, stages, at, last)
			}
			last = at
		}
	}
	if got, want := stageOf(0, 1), stageOf(8, 9); got.color != want.color {
		t.Errorf("a single stage is %v, want %v as the last of several", got.color, want.color)
	}
}

// TestLegendOfStages: a series looks the same in all panels, and stages do not use up the colours of other series.
func TestLegendOfStages(t *testing.T) {
	long := func(name string) Series {
		return Series{Name: name, X: make([]float64, 100), Mean: make([]float64, 100)}
	}
	short := func(name string) Series { return Series{Name: name, X: make([]float64, 3), Mean: make([]float64, 3)} }
	l := newLegend([]Panel{
		Lines{Series: []Series{long("late"), short("ALBEF")}},
		Lines{Series: []Series{long("early"), short("late"), long("latest")}, Ordered: true},
		Lines{Series: []Series{long("FALCON")}},
	}, nil, Sans)
	want := []key{
		{name: "late", label: "late", sample: curve, stage: true}, {name: "ALBEF", label: "ALBEF", sample: curve},
		{name: "early", label: "early", sample: stroke, stage: true}, {name: "latest", label: "latest", sample: stroke, stage: true},
		{name: "FALCON", label: "FALCON", sample: stroke},
	}
	if !slices.Equal(l.keys, want) {
		t.Errorf("got keys %v, want %v", l.keys, want)
	}
	for name, want := range map[string]look{
		"late": stageOf(0, 3), "early": stageOf(1, 3), "latest": stageOf(2, 3), "ALBEF": lookOf(0), "FALCON": lookOf(1),
	} {
		if got := l.looks[name]; got.color != want.color || len(got.dash) != len(want.dash) {
			t.Errorf("%s: got look %v, want %v", name, got, want)
		}
	}
}

// TestKnownLooks: a series of the list looks the same in every figure, and no other series looks like it.
func TestKnownLooks(t *testing.T) {
	of := func(names ...string) legend {
		l := Lines{}
		for _, name := range names {
			l.Series = append(l.Series, Series{Name: name, X: []float64{1}, Mean: []float64{1}})
		}
		return newLegend([]Panel{l}, []string{"ALBEF", "MAFA"}, Sans)
	}
	for _, v := range []struct {
		legend legend
		want   map[string]int
	}{
		{of("MAFA"), map[string]int{"MAFA": 1}},
		{of("mine", "MAFA", "other"), map[string]int{"mine": 0, "MAFA": 1, "other": 2}},
		{of("MAFA", "ALBEF", "mine"), map[string]int{"MAFA": 1, "ALBEF": 0, "mine": 2}},
	} {
		for name, want := range v.want {
			if got := v.legend.looks[name]; got.color != lookOf(want).color {
				t.Errorf("%s among %v: got %v, want the look of series %d", name, v.want, got, want)
			}
		}
	}
}

func TestMarksThinOut(t *testing.T) {
	for points, want := range map[int]int{1: 1, 12: 1, 13: 2, 30: 3, 31: 0, 100: 0} {
		s := Series{Mean: make([]float64, points), X: make([]float64, points)}
		if got := s.marks(); got != want {
			t.Errorf("%d points: a mark at every %d, want %d", points, got, want)
		}
	}
	alone := Series{Mean: make([]float64, 36), X: make([]float64, 36)}
	alone.Mean[1] = math.NaN()
	if got := alone.marks(); got != 3 {
		t.Errorf("a point that stands alone among 36: a mark at every %d, want 3", got)
	}
}

func TestWestern(t *testing.T) {
	for text, want := range map[string][]string{
		"0.07 ± 0.01 – é…": {"0.07 \xb1 0.01 \x96 \xe9\x85"}, "τ = 7": {"", " = 7"}, "a→−b": {"a", "", "b"}, "字": {""},
	} {
		var got []string
		for rest := text; rest != ""; {
			part, encoded := westernPart(rest)
			got, rest = append(got, encoded), rest[len(part):]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestStraightColours: the components of a transparent colour reach a PDF as they are.
func TestStraightColours(t *testing.T) {
	if r, g, b, a := (straight{R: 200, G: 100, B: 50, A: 36}).RGBA(); r>>8 != 200 || g>>8 != 100 || b>>8 != 50 || a>>8 != 36 {
		t.Errorf("got %d %d %d %d, want 200 100 50 36", r>>8, g>>8, b>>8, a>>8)
	}
}

// TestBarsDiffer: bars of a figure differ in colour or hatch, those side by side in hatch, which is left in grey.
func TestBarsDiffer(t *testing.T) {
	seen := map[string]int{}
	for k := range len(palette()) * int(hatches) {
		l := lookOf(k)
		bar := fmt.Sprint(l.fill(), l.hatch)
		if other, taken := seen[bar]; taken {
			t.Errorf("series %d and %d have the same bars", other, k)
		}
		seen[bar] = k
		if l.hatch == lookOf(k+1).hatch {
			t.Errorf("series %d and %d have the same hatch", k, k+1)
		}
	}
}
