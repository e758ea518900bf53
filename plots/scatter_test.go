package plots_test

import (
	"bytes"
	"image/png"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/plots"
)

// A point is drawn in its group's colour, and a legend names the groups.
func TestScatter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	panel := func(title string) plots.Scatter {
		s := plots.Scatter{Title: title}
		for k, name := range []string{"bear", "bee", "boy"} {
			g := plots.PointGroup{Name: name}
			for range 30 {
				g.X, g.Y = append(g.X, 4*float64(k)+r.NormFloat64()), append(g.Y, float64(k*k)+r.NormFloat64())
			}
			s.Groups = append(s.Groups, g)
		}
		return s
	}
	var b bytes.Buffer
	f := plots.Figure{Title: "Classes", Panels: []plots.Panel{panel("SogCLR"), panel("+ GloFND")}}
	must.Do(t, f.PNG(&b, 0))
	m := must.Get(png.Decode(&b))(t)
	colours := map[[3]uint32]int{}
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			red, green, blue, _ := m.At(x, y).RGBA()
			colours[[3]uint32{red >> 8, green >> 8, blue >> 8}]++
		}
	}
	for _, c := range [][3]uint32{{0x00, 0x72, 0xB2}, {0xD5, 0x5E, 0x00}, {0x00, 0x9E, 0x73}} {
		if colours[c] < 100 {
			t.Errorf("%d pixels of colour %x, want those of 60 points and a sample", colours[c], c)
		}
	}
	b.Reset()
	if err := f.SVG(&b); err != nil || !strings.Contains(b.String(), "bear") {
		t.Errorf("the legend does not name a group (%v)", err)
	}
}

func TestFaultyScatters(t *testing.T) {
	for want, s := range map[string]plots.Scatter{
		"no points":                   {Groups: []plots.PointGroup{{Name: "a"}}},
		"2 values of X, 1 of Y":       {Groups: []plots.PointGroup{{X: []float64{1, 2}, Y: []float64{1}}}},
		"point 1 lies at 2, NaN":      {Groups: []plots.PointGroup{{X: []float64{1, 2}, Y: []float64{1, nan}}}},
		`group "b": 0 values of X, 1`: {Groups: []plots.PointGroup{{Name: "b", Y: []float64{1}}}},
	} {
		err := (plots.Figure{Panels: []plots.Panel{s}}).PNG(io.Discard, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	one := plots.Scatter{Groups: []plots.PointGroup{{Name: "alone", X: []float64{1}, Y: []float64{1}}}}
	if err := (plots.Figure{Panels: []plots.Panel{one}}).PDF(io.Discard); err != nil {
		t.Error(err)
	}
}
