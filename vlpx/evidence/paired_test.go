package evidence_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/evidence"
)

// Differences of 1, 2 and 3 have t = 2 / (1/sqrt 3) = 3.4641; with two degrees of freedom p = 1 - t/sqrt(2 + t^2) = 0.0742.
// With one degree p = 1 - 2 atan(t)/pi: differences of 1 and 3 have t = 2, p = 0.2952.
func TestPairedTByHand(t *testing.T) {
	for _, c := range []struct {
		name              string
		a, b              []float64
		difference, sd, p float64
	}{
		{"two degrees", []float64{11, 22, 33}, []float64{10, 20, 30}, 2, 1, 1 - math.Sqrt(12.0/14)},
		{"one degree", []float64{1, 3}, []float64{0, 0}, 2, math.Sqrt2, 1 - 2*math.Atan(2)/math.Pi},
		{"the other way", []float64{10, 20, 30}, []float64{11, 22, 33}, -2, 1, 1 - math.Sqrt(12.0/14)},
		{"no mean", []float64{1, -1}, []float64{0, 0}, 0, math.Sqrt2, 1},
		{"always the same", []float64{5, 6, 7}, []float64{4, 5, 6}, 1, 0, math.NaN()},
		{"the same but for rounding", []float64{.3, .4}, []float64{.1, .2}, .2, 0, math.NaN()},
		{"equal", []float64{5, 6}, []float64{5, 6}, 0, 0, 1},
	} {
		got := evidence.PairedT(c.a, c.b)
		if got.N != len(c.a) || math.Abs(got.Difference-c.difference) > 1e-12 || math.Abs(got.SD-c.sd) > 1e-12 ||
			got.Freedom != float64(len(c.a)-1) ||
			!(math.Abs(got.P-c.p) <= 1e-12 || math.IsNaN(got.P) && math.IsNaN(c.p)) {
			t.Errorf("%s: got %+v; want %v ± %v, p %v", c.name, got, c.difference, c.sd, c.p)
		}
	}
}

// Under no difference p is uniform.
func TestPairedTOfNoise(t *testing.T) {
	const trials = 4000
	r := rand.New(rand.NewPCG(1, 2))
	var p []float64
	for range trials {
		var a, b [3]float64
		for i := range a {
			a[i], b[i] = r.NormFloat64(), r.NormFloat64()
		}
		p = append(p, evidence.PairedT(a[:], b[:]).P)
	}
	uniform := make([]float64, trials)
	for i := range uniform {
		uniform[i] = (float64(i) + 0.5) / trials
	}
	stat.SortWeighted(p, nil)
	// Kolmogorov-Smirnov at 0.001 against the even spread: 1.95 / sqrt(trials).
	if distance := stat.KolmogorovSmirnov(p, nil, uniform, nil); distance > 1.95/math.Sqrt(trials) {
		t.Errorf("p differs from uniform by %v", distance)
	}
}

// Recalls of two methods under the same three seeds.
func ExamplePairedT() {
	t := evidence.PairedT([]float64{44.1, 45.0, 44.7}, []float64{41.0, 42.2, 41.5})
	fmt.Printf("%+.2f, p = %.3f\n", t.Difference, t.P)
	// Output: +3.03, p = 0.002
}
