package transform

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestWarps(t *testing.T) {
	square := func() RGB { return grey([]uint8{1, 2, 3}, []uint8{4, 5, 6}, []uint8{7, 8, 9}) }
	for _, test := range []struct {
		name   string
		change func(RGB)
		want   RGB
	}{
		{"TranslateX 1", func(m RGB) { m.TranslateX(1) }, grey([]uint8{2, 3, 128}, []uint8{5, 6, 128}, []uint8{8, 9, 128})},
		{"TranslateX -2", func(m RGB) { m.TranslateX(-2) }, grey([]uint8{128, 128, 1}, []uint8{128, 128, 4}, []uint8{128, 128, 7})},
		{"TranslateY 1", func(m RGB) { m.TranslateY(1) }, grey([]uint8{4, 5, 6}, []uint8{7, 8, 9}, []uint8{128, 128, 128})},
		// Halfway between neighbours, rounded up; (3+128)/2 = 65.5.
		{"TranslateX 0.5", func(m RGB) { m.TranslateX(0.5) }, grey([]uint8{2, 3, 66}, []uint8{5, 6, 67}, []uint8{8, 9, 69})},
		{"ShearX 1", func(m RGB) { m.ShearX(1) }, grey([]uint8{1, 2, 3}, []uint8{128, 4, 5}, []uint8{128, 128, 7})},
		{"ShearX -1", func(m RGB) { m.ShearX(-1) }, grey([]uint8{1, 2, 3}, []uint8{5, 6, 128}, []uint8{9, 128, 128})},
		{"ShearY 1", func(m RGB) { m.ShearY(1) }, grey([]uint8{1, 128, 128}, []uint8{4, 2, 128}, []uint8{7, 5, 3})},
		{"FlipHorizontal", RGB.FlipHorizontal, grey([]uint8{3, 2, 1}, []uint8{6, 5, 4}, []uint8{9, 8, 7})},
	} {
		m := square()
		test.change(m)
		checkGrey(t, test.name, m, test.want)
	}
}

// A quarter turn counter-clockwise about (1.5, 1.5) takes pixel (x, y) from (3-y, x): a row and a column come from outside.
func TestRotateQuarter(t *testing.T) {
	m := grey([]uint8{1, 2, 3}, []uint8{4, 5, 6}, []uint8{7, 8, 9})
	m.Rotate(90)
	checkGrey(t, "Rotate 90", m, grey([]uint8{128, 128, 128}, []uint8{3, 6, 9}, []uint8{2, 5, 8}))
}

// The slow and obvious rotation: one float64 sum over all pixels with triangular weights.
func TestRotateAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRGB(t)
		degrees := rapid.Float64Range(-180, 180).Draw(t, "degrees")
		before := m.clone()
		m.Rotate(degrees)
		angle := degrees * math.Pi / 180
		cx, cy := float64(m.Width)/2, float64(m.Height)/2
		for y := range m.Height {
			for x := range m.Width {
				dx, dy := float64(x)-cx, float64(y)-cy
				fromX := math.Cos(angle)*dx - math.Sin(angle)*dy + cx
				fromY := math.Sin(angle)*dx + math.Cos(angle)*dy + cy
				for c := range 3 {
					want := 0.0
					for v := -20; v < 30; v++ {
						for u := -20; u < 30; u++ {
							weight := max(0, 1-math.Abs(fromX-float64(u))) * max(0, 1-math.Abs(fromY-float64(v)))
							want += weight * float64(before.at(u, v, c))
						}
					}
					if got := float64(m.at(x, y, c)); math.Abs(got-want) > 0.51 {
						t.Fatalf("(%d, %d) channel %d: got %v, want %v", x, y, c, got, want)
					}
				}
			}
		}
	})
}
