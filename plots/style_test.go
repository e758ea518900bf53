package plots

import (
	"fmt"
	"strings"
	"testing"

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
	style := lettering(labelSize)
	text := "one two three four"
	if got := wrapped(text, style, style.Width("one two")); got != "one two\nthree\nfour" {
		t.Errorf("got %q", got)
	}
	if got := wrapped(text, style, style.Width(text)); got != text {
		t.Errorf("got %q, want it on one line", got)
	}
}

func TestWestern(t *testing.T) {
	if got, want := western("τ = 0.07 ± 0.01 → é 字"), "tau = 0.07 \xb1 0.01 -> \xe9 ?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
