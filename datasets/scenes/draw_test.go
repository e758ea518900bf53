package scenes

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"vlpx.internal/internal/test/must"
)

// TestCoverage compares the area that the drawn pixels cover with the area of the shape.
func TestCoverage(t *testing.T) {
	area := map[Shape]float64{ // of radius one
		Square:   4 * squareHalf * squareHalf,
		Disc:     math.Pi,
		Triangle: 2,
		Cross:    2*2*2*armHalf - 4*armHalf*armHalf,
		Diamond:  2,
		Ring:     math.Pi * (1 - hole*hole),
		Star:     4 * starWaist,
		// Two half discs of radius .5, a triangle of base 2 and height 1.5, and what of the other halves is beyond its edges,
		// .75/sqrt(3.25) from their middles.
		Heart: math.Pi*.25 + 1.5 + 2*(.25*math.Acos(1.5/math.Sqrt(3.25))-.75/math.Sqrt(3.25)*math.Sqrt(.25-.75*.75/3.25)),
		Frame: 4 * (squareHalf*squareHalf - gap*gap),
	}
	for shape, unit := range area {
		for size := Small; size <= Big; size++ {
			for _, pixels := range []int{32, 50, 128} {
				o := Object{Attributes{shape, Red, size, Plain}, 2, 1}
				canvas := make([]rgb, pixels*pixels)
				look{world: &firstWorld, size: pixels}.drawObject(canvas, o)
				got := 0.
				for _, p := range canvas {
					got += p[0] / firstWorld.paint[Red][0]
				}
				rad := radius[size] * float64(pixels) / Cells
				want := unit * rad * rad
				if tolerance := .9 * rad; math.Abs(got-want) > tolerance {
					t.Errorf("%v %v at %d pixels covers %.2f pixels, want %.2f +- %.2f", size, shape, pixels, got, want, tolerance)
				}
			}
		}
	}
}

// A box holds all that is drawn of an object, and no smaller one of whole pixels does where a pixel is small.
func TestBoxes(t *testing.T) {
	const pixels = 400
	for _, shape := range allWords.shapes {
		for size := Small; size <= Big; size++ {
			o := Object{Attributes{shape, Red, size, Plain}, 2, 1}
			canvas := make([]rgb, pixels*pixels)
			look{world: &firstWorld, size: pixels}.drawObject(canvas, o)
			left, top, right, bottom := pixels, pixels, 0, 0
			for k, p := range canvas {
				if p[0] > 0 {
					x, y := k%pixels, k/pixels
					left, top, right, bottom = min(left, x), min(top, y), max(right, x+1), max(bottom, y+1)
				}
			}
			b := o.box()
			for _, side := range [][2]float64{{b.Left, float64(left)}, {b.Top, float64(top)}, {b.Right, float64(right)},
				{b.Bottom, float64(bottom)}} {
				if got := side[0] * pixels; math.Abs(got-side[1]) > 1.5 {
					t.Errorf("%v %v: the box %+v, and drawn are %d to %d across and %d to %d down of %d", size, shape, b, left, right, top,
						bottom, pixels)
					break
				}
			}
		}
	}
}

func TestDrawPixels(t *testing.T) {
	s := Scene{Ground: Snow, Objects: []Object{{Attributes{Square, Green, Big, Striped}, 0, 3}}}
	img := look{world: &firstWorld, size: 32, ground: dimGround}.draw(s, nil)
	for _, test := range []struct {
		what string
		x, y int
		want color.NRGBA
	}{
		// Snow is .5 of 255 on every component; dim grounds have half of it.
		{"ground", 20, 4, color.NRGBA{64, 64, 64, 255}},
		// Green is (.12, .80, .20), in even rows.
		{"even row", 4, 28, color.NRGBA{31, 204, 51, 255}},
		// Odd rows are at .35 of it.
		{"odd row", 4, 29, color.NRGBA{11, 71, 18, 255}},
	} {
		if got := img.NRGBAAt(test.x, test.y); got != test.want {
			t.Errorf("%s at (%d, %d): got %v, want %v", test.what, test.x, test.y, got, test.want)
		}
	}
}

// TestShapesAreDistinct holds that two objects that differ in one attribute differ in many pixels, at the smallest size
// that models see.
func TestShapesAreDistinct(t *testing.T) {
	draw := func(a Attributes) []rgb {
		canvas := make([]rgb, 32*32)
		look{world: &firstWorld, size: 32}.drawObject(canvas, Object{a, 0, 0})
		return canvas
	}
	difference := func(a, b []rgb) (sum float64) {
		for k := range a {
			for c := range a[k] {
				sum += math.Abs(a[k][c] - b[k][c])
			}
		}
		return sum
	}
	for _, w := range worlds {
		for k, a := range w.shown.shapes {
			for _, b := range w.shown.shapes[k+1:] {
				for _, size := range sizes {
					for _, texture := range textures {
						x, y := Attributes{a, Yellow, size, texture}, Attributes{b, Yellow, size, texture}
						// A pixel of yellow on black differs by 2.02.
						if got := difference(draw(x), draw(y)) / 2.02; got < 2 {
							t.Errorf("%v and %v, %v %v, differ by %.2f pixels, want at least 2", a, b, size, texture, got)
						}
					}
				}
			}
		}
	}
}

func TestNoise(t *testing.T) {
	// Snow at full brightness is .5: far from where values are clipped.
	s := Scene{Ground: Snow}
	img := look{world: &firstWorld, size: 128, ground: brightGround, noise: .05}.draw(s, stream(1, 0, forPixels, 0))
	var sum, squares, n float64
	for k, v := range img.Pix {
		if k%4 == 3 {
			continue
		}
		d := float64(v)/255 - .5
		sum, squares, n = sum+d, squares+d*d, n+1
	}
	if mean := sum / n; math.Abs(mean) > .002 {
		t.Errorf("mean of the noise: got %.4f, want 0", mean)
	}
	if sd := math.Sqrt(squares / n); math.Abs(sd-.05) > .001 {
		t.Errorf("standard deviation of the noise: got %.4f, want .05", sd)
	}
}

func BenchmarkImage(b *testing.B) {
	for _, size := range []int{32, 128, 256} {
		b.Run(fmt.Sprintf("%dpx", size), func(b *testing.B) {
			all := must.Get(New(Config{Size: size}))(b)
			set := must.Get(all.Split("train"))(b)
			set.Captions(0)
			b.ResetTimer()
			for i := range b.N {
				must.Get(set.Image(b.Context(), i%set.Len()))(b)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "images/s")
		})
	}
}
