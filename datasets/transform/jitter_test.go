package transform

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// pixel is an image of one.
func pixel(r, g, b uint8) RGB { return RGB{Width: 1, Height: 1, Pix: []uint8{r, g, b}} }

func TestJitters(t *testing.T) {
	for _, test := range []struct {
		name   string
		in     RGB
		change func(RGB)
		want   []uint8
	}{
		// Mean (0+0+255)/3 = 85; 85 + 0.5*(v-85) = 42.5 and 170, cut.
		{"Contrast 0.5", grey([]uint8{0, 0, 255}), func(m RGB) { m.Contrast(0.5) }, []uint8{42, 42, 42, 42, 42, 42, 170, 170, 170}},
		// Mean 1.5, rounded up to 2.
		{"Contrast 0", grey([]uint8{1, 2}), func(m RGB) { m.Contrast(0) }, []uint8{2, 2, 2, 2, 2, 2}},
		{"Contrast clips", grey([]uint8{0, 200}), func(m RGB) { m.Contrast(2) }, []uint8{0, 0, 0, 255, 255, 255}},
		// 0.299*255 = 76.245, 0.587*255 = 149.685, 0.114*255 = 29.07.
		{"Greyscale red", pixel(255, 0, 0), RGB.Greyscale, []uint8{76, 76, 76}},
		{"Greyscale green", pixel(0, 255, 0), RGB.Greyscale, []uint8{150, 150, 150}},
		{"Greyscale blue", pixel(0, 0, 255), RGB.Greyscale, []uint8{29, 29, 29}},
		{"Greyscale white", pixel(255, 255, 255), RGB.Greyscale, []uint8{255, 255, 255}},
		// 76 + 0.5*(255-76) = 165.5, 76 - 0.5*76 = 38.
		{"Saturation 0.5", pixel(255, 0, 0), func(m RGB) { m.Saturation(0.5) }, []uint8{165, 38, 38}},
		{"Saturation clips", pixel(200, 0, 0), func(m RGB) { m.Saturation(2) }, []uint8{255, 0, 0}},
		{"Hue by a third", pixel(255, 10, 20), func(m RGB) { m.Hue(1.0 / 3) }, []uint8{20, 255, 10}},
		{"Hue back by a third", pixel(255, 10, 20), func(m RGB) { m.Hue(-1.0 / 3) }, []uint8{10, 20, 255}},
		{"Hue by a half", pixel(200, 100, 0), func(m RGB) { m.Hue(0.5) }, []uint8{0, 100, 200}},
		{"Hue of red by a twelfth", pixel(100, 0, 0), func(m RGB) { m.Hue(1.0 / 12) }, []uint8{100, 50, 0}},
		{"Hue of a grey", pixel(7, 7, 7), func(m RGB) { m.Hue(0.3) }, []uint8{7, 7, 7}},
	} {
		test.change(test.in)
		if !slices.Equal(test.in.Pix, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, test.in.Pix, test.want)
		}
	}
}

// hsv is the textbook's way there and back: hue in turns, saturation and value.
func hsv(r, g, b float64) (h, s, v float64) {
	v = max(r, g, b)
	low := min(r, g, b)
	if v == low {
		return 0, 0, v
	}
	switch v {
	case r:
		h = math.Mod((g-b)/(v-low)/6+1, 1)
	case g:
		h = (2 + (b-r)/(v-low)) / 6
	default:
		h = (4 + (r-g)/(v-low)) / 6
	}
	return h, (v - low) / v, v
}

func rgb(h, s, v float64) [3]float64 {
	sector, f := math.Modf(6 * h)
	p, q, u := v*(1-s), v*(1-s*f), v*(1-s*(1-f))
	return [...][3]float64{{v, u, p}, {q, v, p}, {p, v, u}, {p, q, v}, {u, p, v}, {v, p, q}}[int(sector)%6]
}

// Saturation, contrast and hue by their definitions in float64; truncated values may be one below where float32 falls short of a whole
// number.
func TestJittersAgainstDefinitions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, factor, turns := drawRGB(t), rapid.Float64Range(0, 2).Draw(t, "factor"), rapid.Float64Range(-0.5, 0.5).Draw(t, "turns")
		grey := func(p []uint8) float64 {
			return math.Floor(0.299*float64(p[0]) + 0.587*float64(p[1]) + 0.114*float64(p[2]) + 0.5)
		}
		mean := 0.0
		for i := 0; i < len(m.Pix); i += 3 {
			mean += grey(m.Pix[i:i+3]) / float64(len(m.Pix)/3)
		}
		saturated, contrasted, turned := m.clone(), m.clone(), m.clone()
		saturated.Saturation(factor)
		contrasted.Contrast(factor)
		turned.Hue(turns)
		clip := func(x float64) float64 { return min(max(x, 0), 255) }
		for i := 0; i < len(m.Pix); i += 3 {
			p := m.Pix[i : i+3]
			h, s, v := hsv(float64(p[0]), float64(p[1]), float64(p[2]))
			round := rgb(math.Mod(h+turns+1, 1), s, v)
			for c := range 3 {
				// The grey may be one off where it lies between two whole numbers in PIL's weights, a rounded mean half of one.
				for name, x := range map[string][3]float64{
					"saturation": {float64(saturated.Pix[i+c]), clip(grey(p) + factor*(float64(p[c])-grey(p))), 2.01},
					"contrast":   {float64(contrasted.Pix[i+c]), clip(mean + factor*(float64(p[c])-mean)), 2.51},
					"hue":        {float64(turned.Pix[i+c]), round[c], 0.51},
				} {
					if math.Abs(x[0]-x[1]) > x[2] {
						t.Fatalf("%s of %v, channel %d: got %v, want %v", name, p, c, x[0], x[1])
					}
				}
			}
		}
	})
}

func TestJitterOfNothingKeepsTheImage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawRGB(t)
		before := m.clone()
		m.Contrast(1)
		m.Saturation(1)
		m.Hue(0)
		m.Hue(-1)
		ColourJitter{Chance: 1}.Apply(rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed"))), m)
		if !slices.Equal(m.Pix, before.Pix) {
			t.Fatalf("got %v, want %v", m.Pix, before.Pix)
		}
		m.Greyscale()
		for i := 0; i < len(m.Pix); i += 3 {
			if m.Pix[i] != m.Pix[i+1] || m.Pix[i] != m.Pix[i+2] {
				t.Fatalf("grey: got %v", m.Pix[i:i+3])
			}
		}
		once := m.clone()
		m.Greyscale()
		m.Saturation(rapid.Float64Range(0, 2).Draw(t, "factor"))
		m.Hue(rapid.Float64Range(-0.5, 0.5).Draw(t, "turns"))
		if !slices.Equal(m.Pix, once.Pix) {
			t.Fatalf("a grey image: got %v, want %v", m.Pix, once.Pix)
		}
	})
}

// The same draws are taken whether an image is changed or not, so that what follows is not moved.
func TestDrawsOfJitterAndBlur(t *testing.T) {
	after := func(chance float64) uint64 {
		rng := rand.New(rand.NewPCG(3, 4))
		m := Resize(gradient(8, 8), image.Rect(5, 7, 13, 15), 8)
		ColourJitter{Chance: chance, Brightness: 0.4, Contrast: 0.4, Saturation: 0.2, Hue: 0.1}.Apply(rng, m)
		GaussianBlur{Chance: chance, Sigma: [2]float64{0.1, 2}}.Apply(rng, m)
		return rng.Uint64()
	}
	if after(0) != after(1) {
		t.Error("an image that is changed takes other draws than one that is not")
	}
	rng, fresh := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(3, 4))
	ColourJitter{}.Apply(rng, pixel(1, 2, 3))
	GaussianBlur{}.Apply(rng, pixel(1, 2, 3))
	if rng.Uint64() != fresh.Uint64() {
		t.Error("settings of zero take draws, which changes those of pipelines without them")
	}
}

// Four of five images are changed, and half of these become darker.
func TestJitterApplies(t *testing.T) {
	rng, changed, dark := rand.New(rand.NewPCG(5, 6)), 0, 0
	const draws = 4000
	for range draws {
		m := pixel(200, 100, 50)
		ColourJitter{Chance: 0.8, Brightness: 0.4}.Apply(rng, m)
		if m.Pix[0] != 200 {
			changed++
		}
		if m.Pix[0] < 200 {
			dark++
		}
	}
	if share := float64(changed) / draws; share < 0.77 || share > 0.82 {
		t.Errorf("changed images: got %v, want 0.8", share)
	}
	if share := float64(dark) / float64(changed); share < 0.46 || share > 0.54 {
		t.Errorf("darker ones of these: got %v, want a half", share)
	}
}

func TestSogCLRIsValid(t *testing.T) {
	if err := SogCLR(32).Validate(); err != nil {
		t.Error(err)
	}
	for _, p := range []Pipeline{
		{Size: 8, Greyscale: -1}, {Size: 8, Greyscale: 2}, {Size: 8, Greyscale: math.NaN()},
		{Size: 8, Jitter: ColourJitter{Chance: 2}}, {Size: 8, Jitter: ColourJitter{Chance: 1, Hue: 0.6}},
		{Size: 8, Jitter: ColourJitter{Chance: 1, Brightness: -1}}, {Size: 8, Jitter: ColourJitter{Chance: 1, Contrast: math.NaN()}},
		{Size: 8, Blur: GaussianBlur{Chance: 1}}, {Size: 8, Blur: GaussianBlur{Chance: 1, Sigma: [2]float64{2, 1}}},
		{Size: 8, Blur: GaussianBlur{Chance: 1, Sigma: [2]float64{1, 100}}},
		{Size: 8, Blur: GaussianBlur{Chance: -1, Sigma: [2]float64{1, 2}}},
	} {
		if p.Validate() == nil {
			t.Errorf("%+v: got nil, want an error", p)
		}
	}
}

// BenchmarkSogCLR takes the views of images of 32 and of 224 pixels.
func BenchmarkSogCLR(b *testing.B) {
	for name, size := range map[string]int{"32": 32, "224": 224} {
		b.Run(name, func(b *testing.B) {
			m, p, out, rng := gradient(size, size), SogCLR(size), make([]float32, size*size*3), rand.New(rand.NewPCG(1, 1))
			b.ReportAllocs()
			for b.Loop() {
				p.Apply(rng, m, out)
			}
		})
	}
}
