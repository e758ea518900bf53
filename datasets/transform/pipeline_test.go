package transform

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// gradient is an image with a corner that is not the origin.
func gradient(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(5, 7, 5+width, 7+height))
	for y := 7; y < 7+height; y++ {
		for x := 5; x < 5+width; x++ {
			m.SetRGBA(x, y, color.RGBA{uint8(3 * x), uint8(5 * y), uint8(x * y), 255})
		}
	}
	return m
}

func TestResize(t *testing.T) {
	m := gradient(4, 4)
	same := Resize(m, m.Bounds(), 4)
	if got, want := same.Pix[:6], []uint8{15, 35, 35, 18, 35, 42}; !slices.Equal(got, want) {
		t.Errorf("same size: got %v, want %v", got, want)
	}
	part := Resize(m, image.Rect(6, 8, 7, 9), 2) // one pixel, (6, 8)
	for i := 0; i < len(part.Pix); i += 3 {
		if got, want := part.Pix[i:i+3], []uint8{18, 40, 48}; !slices.Equal(got, want) {
			t.Errorf("one pixel: got %v, want %v", got, want)
		}
	}
	// A step edge halved: Catmull-Rom over eight pixels, centre between them, weights summing to one; far from the edge
	// the values stay.
	edge := image.NewGray(image.Rect(0, 0, 32, 32))
	for i := range edge.Pix {
		edge.Pix[i] = uint8(200 * (i % 32 / 16))
	}
	half := Resize(edge, edge.Bounds(), 16)
	if half.Pix[0] != 0 || half.Pix[3*15] != 200 {
		t.Errorf("edge: got %d and %d, want 0 and 200", half.Pix[0], half.Pix[3*15])
	}
}

// Black is -mean/deviation, white (1-mean)/deviation.
func TestNormalise(t *testing.T) {
	out := make([]float32, 6)
	CLIP.Normalise(RGB{Width: 2, Height: 1, Pix: []uint8{0, 0, 0, 255, 255, 255}}, out)
	want := []float64{-1.79226, -1.75210, -1.48022, 1.93034, 2.07488, 2.14589}
	for i := range want {
		if math.Abs(float64(out[i])-want[i]) > 1e-4 {
			t.Errorf("value %d: got %v, want %v", i, out[i], want[i])
		}
	}
}

func TestRandomCrop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bounds := image.Rect(0, 0, rapid.IntRange(1, 300).Draw(t, "width"), rapid.IntRange(1, 300).Draw(t, "height"))
		bounds = bounds.Add(image.Pt(rapid.IntRange(-9, 9).Draw(t, "left"), rapid.IntRange(-9, 9).Draw(t, "top")))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		crop := RandomCrop(rng, bounds, [2]float64{0.2, 1})
		if crop.Empty() || !crop.In(bounds) {
			t.Fatalf("got %v, want a part of %v", crop, bounds)
		}
	})
}

// On a large square a draw of share a fits when |log ratio| <= -log a, which has the chance min(1, -log a / log 4/3); the
// mean of a under that is 0.36021/0.66902 = 0.5384 (standard error 0.003). The bounds hold up to rounding.
func TestRandomCropStatistics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const side, draws = 1000, 4000
	mean := 0.0
	for range draws {
		crop := RandomCrop(rng, image.Rect(0, 0, side, side), [2]float64{0.2, 1})
		share := float64(crop.Dx()*crop.Dy()) / (side * side)
		if ratio := float64(crop.Dx()) / float64(crop.Dy()); ratio < 0.745 || ratio > 1.34 || share < 0.199 {
			t.Fatalf("got %v: share %v, ratio %v", crop, share, ratio)
		}
		mean += share / draws
	}
	if math.Abs(mean-0.5384) > 0.012 {
		t.Errorf("mean share: got %v, want 0.5384", mean)
	}
	// Nothing of the ratio fits in a strip: the largest central part, 13 x 10.
	if got, want := RandomCrop(rng, image.Rect(0, 0, 1000, 10), [2]float64{0.2, 1}), image.Rect(493, 0, 506, 10); got != want {
		t.Errorf("strip: got %v, want %v", got, want)
	}
}

func TestPipelineIsAFunctionOfItsSeed(t *testing.T) {
	m, p := gradient(60, 40), ALBEF(16)
	before := slices.Clone(m.Pix)
	run := func(seed uint64) []float32 {
		out := make([]float32, 16*16*3)
		p.Apply(rand.New(rand.NewPCG(seed, 0)), m, out)
		return out
	}
	if !slices.Equal(run(3), run(3)) {
		t.Error("the same seed gave different pixels")
	}
	if slices.Equal(run(3), run(4)) {
		t.Error("different seeds gave the same pixels")
	}
	if !slices.Equal(m.Pix, before) {
		t.Error("the image was changed")
	}
}

func TestZeroPipelineResizes(t *testing.T) {
	m := gradient(30, 20)
	got, want := make([]float32, 8*8*3), make([]float32, 8*8*3)
	Pipeline{Size: 8}.Apply(nil, m, got)
	CLIP.Normalise(Resize(m, m.Bounds(), 8), want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got[:6], want[:6])
	}
}

func TestPipelineJSON(t *testing.T) {
	for _, test := range []struct {
		pipeline Pipeline
		want     string
	}{
		{Pipeline{Size: 64}, `{"size":64}`},
		{ALBEF(64), `{"size":64,"crop":[0.2,1],"flip":true,"randaugment":{"ops":2,"magnitude":7}}`},
		{Pipeline{Size: 8, Greyscale: 0.2, Jitter: ColourJitter{Chance: 1, Hue: 0.1},
			Blur: GaussianBlur{Chance: 1, Sigma: [2]float64{0.1, 2}}},
			`{"size":8,"jitter":{"chance":1,"brightness":0,"contrast":0,"saturation":0,"hue":0.1},"greyscale":0.2,"blur":{"chance":1,"sigma":[0.1,2]}}`},
	} {
		got, err := json.Marshal(test.pipeline)
		if err != nil || string(got) != test.want {
			t.Errorf("got %s (%v), want %s", got, err, test.want)
		}
		var back Pipeline
		if err := json.Unmarshal(got, &back); err != nil || back != test.pipeline {
			t.Errorf("read back: got %+v (%v), want %+v", back, err, test.pipeline)
		}
	}
}

func TestValidate(t *testing.T) {
	if err := ALBEF(64).Validate(); err != nil {
		t.Errorf("ALBEF: got %v, want nil", err)
	}
	for _, p := range []Pipeline{
		{}, {Size: 8, Crop: [2]float64{0, 1}}, {Size: 8, Crop: [2]float64{0.5, 0.2}}, {Size: 8, Crop: [2]float64{0.5, 2}},
		{Size: 8, Crop: [2]float64{math.NaN(), 1}}, {Size: 8, RandAugment: RandAugment{Ops: -1}},
		{Size: 8, RandAugment: RandAugment{Ops: 1, Magnitude: 11}},
	} {
		if p.Validate() == nil {
			t.Errorf("%+v: got nil, want an error", p)
		}
	}
}

// Every operation is drawn about as often as the others, and applied half of the time.
func TestRandAugmentApplies(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	source := Resize(gradient(40, 40), image.Rect(5, 7, 45, 47), 40)
	changed, draws := 0, 2000
	for range draws {
		m := source.clone()
		RandAugment{Ops: 1, Magnitude: 7}.Apply(rng, m)
		if !slices.Equal(m.Pix, source.Pix) {
			changed++
		}
	}
	// Nine of ten operations change this image, half of the time: 0.45.
	if share := float64(changed) / float64(draws); share < 0.40 || share > 0.50 {
		t.Errorf("changed images: got %v, want about 0.45", share)
	}
}

func BenchmarkALBEF(b *testing.B) {
	photo := image.NewYCbCr(image.Rect(0, 0, 128, 128), image.YCbCrSubsampleRatio420)
	for i := range photo.Y {
		photo.Y[i] = uint8(i * 7)
	}
	p, out, rng := ALBEF(64), make([]float32, 64*64*3), rand.New(rand.NewPCG(1, 1))
	b.ReportAllocs()
	for b.Loop() {
		p.Apply(rng, photo, out)
	}
}
