package plots

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// walk are points in the order of their X, at random places of a width.
func walk(rt *rapid.T) (points []vg.Point, width float64) {
	n := rapid.IntRange(1, 3000).Draw(rt, "points")
	width = rapid.Float64Range(1, 300).Draw(rt, "width")
	draws := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
	for k := range n {
		x := width * (float64(k) + draws.Float64()) / float64(n)
		points = append(points, vg.Point{X: vg.Length(x), Y: vg.Length(draws.NormFloat64())})
	}
	return points, width
}

// TestStripsAreThePoints: put together they are the points again, and none is wider than a strip.
func TestStripsAreThePoints(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		points, _ := walk(rt)
		next := 0
		for _, run := range strips(points, meanStrip) {
			if len(run) == 0 || run[len(run)-1].X-run[0].X > meanStrip {
				rt.Fatalf("strip %v", run)
			}
			for _, p := range run {
				if p != points[next] {
					rt.Fatalf("got %v, want %v as point %d", p, points[next], next)
				}
				next++
			}
		}
		if next != len(points) {
			rt.Errorf("got %d points, want %d", next, len(points))
		}
	})
}

// TestEnvelopeHoldsTheExtremes: it is of few points whatever the number of theirs, and reaches as high and as low.
func TestEnvelopeHoldsTheExtremes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		points, width := walk(rt)
		polygon := envelope(points)
		if most := 2 * (int(width/float64(rangeStrip)) + 1); len(polygon) > most {
			rt.Errorf("%d corners, want at most %d", len(polygon), most)
		}
		reach := func(points []vg.Point) (low, high vg.Length) {
			low, high = points[0].Y, points[0].Y
			for _, p := range points {
				low, high = min(low, p.Y), max(high, p.Y)
			}
			return low, high
		}
		low, high := reach(polygon)
		if wantLow, wantHigh := reach(points); low != wantLow || high != wantHigh {
			rt.Errorf("got %v to %v, want %v to %v", low, high, wantLow, wantHigh)
		}
	})
}

func TestMeans(t *testing.T) {
	got := means([]vg.Point{{X: 0, Y: 1}, {X: 1, Y: 3}, {X: 3, Y: 2}, {X: 4, Y: 10}, {X: 7, Y: 20}})
	if want := []vg.Point{{X: 4. / 3, Y: 2}, {X: 5.5, Y: 15}}; len(got) != 2 || got[0].Y != want[0].Y || got[1] != want[1] {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestEpochsAreNotDense: the points of a few epochs are drawn one by one, those of thousands of steps are not.
func TestEpochsAreNotDense(t *testing.T) {
	at := func(n int) []vg.Point {
		var points []vg.Point
		for k := range n {
			points = append(points, vg.Point{X: 150 * vg.Length(k) / vg.Length(n)})
		}
		return points
	}
	for n, want := range map[int]bool{1: false, 2: false, 5: false, 100: false, 5000: true} {
		if got := dense(at(n)); got != want {
			t.Errorf("%d points: dense %v, want %v", n, got, want)
		}
	}
}
