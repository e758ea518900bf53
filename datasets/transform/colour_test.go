package transform

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// grey is an image of width len(rows[0]) whose three channels are equal.
func grey(rows ...[]uint8) RGB {
	m := RGB{Width: len(rows[0]), Height: len(rows)}
	for _, row := range rows {
		for _, v := range row {
			m.Pix = append(m.Pix, v, v, v)
		}
	}
	return m
}

// channel lists one channel of an image.
func channel(m RGB, c int) []uint8 {
	var values []uint8
	for i := c; i < len(m.Pix); i += 3 {
		values = append(values, m.Pix[i])
	}
	return values
}

func checkGrey(t *testing.T, name string, got, want RGB) {
	t.Helper()
	for c := range 3 {
		if !slices.Equal(channel(got, c), channel(want, c)) {
			t.Errorf("%s, channel %d: got %v, want %v", name, c, channel(got, c), channel(want, c))
		}
	}
}

func TestColourOperations(t *testing.T) {
	for _, test := range []struct {
		name   string
		in     RGB
		change func(RGB)
		want   RGB
	}{
		// (v-50)*255/100: 75 -> 63.75, cut to 63.
		{"AutoContrast", grey([]uint8{50, 75, 100, 150}), RGB.AutoContrast, grey([]uint8{0, 63, 127, 255})},
		{"AutoContrast of one value", grey([]uint8{7, 7, 7}), RGB.AutoContrast, grey([]uint8{7, 7, 7})},
		// 13.6, 136, 346.8 at 1.36.
		{"Brightness 1.36", grey([]uint8{10, 100, 255}), func(m RGB) { m.Brightness(1.36) }, grey([]uint8{13, 136, 255})},
		{"Brightness 0", grey([]uint8{10, 100, 255}), func(m RGB) { m.Brightness(0) }, grey([]uint8{0, 0, 0})},
		// Three pixels are too few for a step of one: nothing happens.
		{"Equalize of few pixels", grey([]uint8{1, 2, 3}), RGB.Equalize, grey([]uint8{1, 2, 3})},
		// Smooth centre: (8*13 + 5*39)/13 = 23; 23 + 2*(39-23) = 55.
		{"Sharpness 2", grey([]uint8{13, 13, 13}, []uint8{13, 39, 13}, []uint8{13, 13, 13}), func(m RGB) { m.Sharpness(2) },
			grey([]uint8{13, 13, 13}, []uint8{13, 55, 13}, []uint8{13, 13, 13})},
		{"Sharpness 0", grey([]uint8{13, 13, 13}, []uint8{13, 39, 13}, []uint8{13, 13, 13}), func(m RGB) { m.Sharpness(0) },
			grey([]uint8{13, 13, 13}, []uint8{13, 23, 13}, []uint8{13, 13, 13})},
		// Clipped: smooth (8*0+5*200)/13 = 76.9 -> 77; 77 + 2*123 = 323.
		{"Sharpness clips", grey([]uint8{0, 0, 0}, []uint8{0, 200, 0}, []uint8{0, 0, 0}), func(m RGB) { m.Sharpness(2) },
			grey([]uint8{0, 0, 0}, []uint8{0, 255, 0}, []uint8{0, 0, 0})},
		{"Sharpness without inside", grey([]uint8{1, 200}), func(m RGB) { m.Sharpness(2) }, grey([]uint8{1, 200})},
	} {
		test.change(test.in)
		checkGrey(t, test.name, test.in, test.want)
	}
}

// 510 pixels of 10 and 255 of 20 and 30 of 40: 765 are below the brightest, so a step is 3 pixels;
// 10 -> (1+0)/3 = 0, 20 -> (1+510)/3 = 170, 40 -> (1+765)/3 = 255.
func TestEqualize(t *testing.T) {
	row := slices.Concat(slices.Repeat([]uint8{10}, 510), slices.Repeat([]uint8{20}, 255), slices.Repeat([]uint8{40}, 30))
	m := grey(row)
	m.Equalize()
	want := slices.Concat(slices.Repeat([]uint8{0}, 510), slices.Repeat([]uint8{170}, 255), slices.Repeat([]uint8{255}, 30))
	checkGrey(t, "Equalize", m, grey(want))
}

func TestChannelsAreApart(t *testing.T) {
	m := RGB{Width: 2, Height: 1, Pix: []uint8{0, 10, 5, 255, 20, 5}}
	m.AutoContrast()
	if want := []uint8{0, 0, 5, 255, 255, 5}; !slices.Equal(m.Pix, want) {
		t.Errorf("AutoContrast: got %v, want %v", m.Pix, want)
	}
}

// drawRGB generates small images.
func drawRGB(t *rapid.T) RGB {
	m := RGB{Width: rapid.IntRange(1, 9).Draw(t, "width"), Height: rapid.IntRange(1, 9).Draw(t, "height")}
	m.Pix = rapid.SliceOfN(rapid.Uint8(), 3*m.Width*m.Height, 3*m.Width*m.Height).Draw(t, "pix")
	return m
}

func TestFactorOneKeepsTheImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRGB(t)
		before := m.clone()
		m.Sharpness(1)
		m.Brightness(1)
		m.ShearX(0)
		m.ShearY(0)
		m.TranslateX(0)
		m.TranslateY(0)
		m.Rotate(0)
		m.FlipHorizontal()
		m.FlipHorizontal()
		if !slices.Equal(m.Pix, before.Pix) {
			t.Fatalf("got %v, want %v", m.Pix, before.Pix)
		}
	})
}
