package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// Differences of 1, 2 and 3 have t = 2 / (1/sqrt 3) = 3.4641; with two degrees of freedom p = 1 - t/sqrt(2 + t^2) = 0.0742.
// With one degree p = 1 - 2 atan(t)/pi: differences of 1 and 3 have t = 2, p = 0.2952.
func TestPairedTByHand(t *testing.T) {
	for _, c := range []struct {
		name          string
		a, b          []float64
		difference, p float64
	}{
		{"two degrees", []float64{11, 22, 33}, []float64{10, 20, 30}, 2, 1 - math.Sqrt(12.0/14)},
		{"one degree", []float64{1, 3}, []float64{0, 0}, 2, 1 - 2*math.Atan(2)/math.Pi},
		{"the other way", []float64{10, 20, 30}, []float64{11, 22, 33}, -2, 1 - math.Sqrt(12.0/14)},
		{"no mean", []float64{1, -1}, []float64{0, 0}, 0, 1},
		{"always the same", []float64{5, 6, 7}, []float64{4, 5, 6}, 1, math.NaN()},
		{"equal", []float64{5, 6}, []float64{5, 6}, 0, 1},
	} {
		difference, p := PairedT(c.a, c.b)
		if math.Abs(difference-c.difference) > 1e-12 || !(math.Abs(p-c.p) <= 1e-12 || math.IsNaN(p) && math.IsNaN(c.p)) {
			t.Errorf("%s: got %v, p %v; want %v, p %v", c.name, difference, p, c.difference, c.p)
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
		_, x := PairedT(a[:], b[:])
		p = append(p, x)
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

func TestJudge(t *testing.T) {
	high, low := Column{Group: "IR", Name: "R@1"}, Column{Name: "rank", Lower: true}
	more, less := []float64{10.1, 10.3, 10}, []float64{1, 1.1, 0.9}
	for _, c := range []struct {
		name         string
		in           Column
		better, than []float64
		want         Verdict
		text         string
	}{
		{"more is better", high, more, less, Supported, "A above B in IR R@1"},
		{"more, against the claim", high, less, more, Contradicted, "A above B in IR R@1"},
		{"less is better", low, less, more, Supported, "A below B in rank"},
		{"less, against the claim", low, more, less, Contradicted, "A below B in rank"},
		{"noise", high, []float64{1, 5, 2}, []float64{3, 1, 4}, Undecided, "A above B in IR R@1"},
		{"no difference at all", high, less, less, Undecided, "A above B in IR R@1"},
		{"always the same difference", high, []float64{5, 6}, []float64{4, 5}, Undecided, "A above B in IR R@1"},
		{"one seed", high, more[:1], less[:1], Untested, "A above B in IR R@1"},
		{"nothing", high, nil, nil, Untested, "A above B in IR R@1"},
	} {
		f := judge(Claim{Better: "A", Than: "B", In: c.in, Source: "Table 1"}, c.better, c.than)
		if f.Verdict != c.want || f.Text != c.text || f.Source != "Table 1" {
			t.Errorf("%s: got %+v, want %s, %q", c.name, f, c.want, c.text)
		}
		if tested := f.Difference != nil; tested != (c.want != Untested) {
			t.Errorf("%s: tested: got %v", c.name, tested)
		}
	}
}

// Recalls of two methods under the same three seeds.
func ExamplePairedT() {
	difference, p := PairedT([]float64{44.1, 45.0, 44.7}, []float64{41.0, 42.2, 41.5})
	fmt.Printf("%+.2f, p = %.3f\n", difference, p)
	// Output: +3.03, p = 0.002
}
