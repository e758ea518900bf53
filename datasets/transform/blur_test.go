package transform

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The slow and obvious blur: one float64 sum over the pixels around, with the outermost ones going on.
func TestBlurAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, sigma := drawRGB(t), rapid.Float64Range(0.1, 4).Draw(t, "sigma")
		before := m.clone()
		m.Blur(sigma)
		radius := int(math.Ceil(3 * sigma))
		for y := range m.Height {
			for x := range m.Width {
				for c := range 3 {
					var sum, all float64
					for v := -radius; v <= radius; v++ {
						for u := -radius; u <= radius; u++ {
							weight := math.Exp(-float64(u*u+v*v) / (2 * sigma * sigma))
							sum += weight * float64(before.at(min(max(x+u, 0), m.Width-1), min(max(y+v, 0), m.Height-1), c))
							all += weight
						}
					}
					if got, want := float64(m.at(x, y, c)), sum/all; math.Abs(got-want) > 0.52 {
						t.Fatalf("(%d, %d) channel %d: got %v, want %v", x, y, c, got, want)
					}
				}
			}
		}
	})
}

// Weights of sigma 1: 0.39905, 0.24204, 0.05401 and 0.00443 of a sum of 2.5066 - 0.0023; a point of 200 in the middle becomes 200 times
// products of these, such as 200*0.39905^2 = 31.8.
func TestBlurOfAPoint(t *testing.T) {
	m := grey([]uint8{0, 0, 0, 0, 0}, []uint8{0, 0, 0, 0, 0}, []uint8{0, 0, 200, 0, 0}, []uint8{0, 0, 0, 0, 0}, []uint8{0, 0, 0, 0, 0})
	m.Blur(1)
	outer, inner := []uint8{1, 3, 4, 3, 1}, []uint8{3, 12, 19, 12, 3}
	checkGrey(t, "Blur 1", m, grey(outer, inner, []uint8{4, 19, 32, 19, 4}, inner, outer))
}

// A constant image stays, at every width; where nothing is near the edges the mean stays.
func TestBlurKeepsConstantsAndMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sigma := rapid.Float64Range(0.01, maxSigma).Draw(t, "sigma")
		level := rapid.Uint8().Draw(t, "level")
		m := grey(slices.Repeat([]uint8{level}, 5), slices.Repeat([]uint8{level}, 5))
		before := m.clone()
		m.Blur(sigma)
		if !slices.Equal(m.Pix, before.Pix) {
			t.Fatalf("sigma %g: got %v, want all %d", sigma, m.Pix, level)
		}
	})
	const side = 40
	m := RGB{Width: side, Height: side, Pix: slices.Repeat([]uint8{100}, 3*side*side)}
	rng, before := rand.New(rand.NewPCG(1, 1)), 0
	for y := 10; y < 30; y++ {
		for i := 3 * 10; i < 3*30; i++ {
			m.row(y)[i] = uint8(rng.IntN(256))
		}
	}
	mean := func() (sum int) {
		for _, v := range m.Pix {
			sum += int(v)
		}
		return sum
	}
	before = mean()
	m.Blur(2)
	if change := float64(mean()-before) / float64(len(m.Pix)); math.Abs(change) > 0.05 {
		t.Errorf("the mean moves by %g", change)
	}
}

func TestPipelineBlursLast(t *testing.T) {
	m, p := gradient(16, 16), Pipeline{Size: 16, Blur: GaussianBlur{Chance: 1, Sigma: [2]float64{1.5, 1.5}}}
	got, want := make([]float32, 16*16*3), make([]float32, 16*16*3)
	p.Apply(rand.New(rand.NewPCG(1, 1)), m, got)
	blurred := Resize(m, image.Rect(5, 7, 21, 23), 16)
	blurred.Blur(1.5)
	CLIP.Normalise(blurred, want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got[:6], want[:6])
	}
}
