package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// twoSample is the power of a two-sided t-test of two groups of n, which the tables print: its noncentrality is effect sqrt(n/2), with
// 2n-2 degrees of freedom.
func twoSample(effect, n, level float64) float64 {
	critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 2*n - 2}.Quantile(1 - level/2)
	return beyond(critical, 2*n-2, effect*math.Sqrt(n/2)) + beyond(critical, 2*n-2, -effect*math.Sqrt(n/2))
}

// Cohen, "A power primer", Psychological Bulletin 112 (1992), table 2: the size of each of two groups for a power of .8, by effect and
// level. One more or fewer is his rounding.
func TestPowerOfCohensTable(t *testing.T) {
	for effect, sizes := range map[float64]map[float64]float64{
		.2: {.01: 586, .05: 393, .10: 310},
		.5: {.01: 95, .05: 64, .10: 50},
		.8: {.01: 38, .05: 26, .10: 20},
	} {
		for level, n := range sizes {
			if fewer, more := twoSample(effect, n-1, level), twoSample(effect, n+1, level); fewer >= .8 || more < .8 {
				t.Errorf("effect %v at %v: got powers %v and %v of %v and %v a group; .8 must be between", effect, level, fewer,
					more, n-1, n+1)
			}
		}
	}
}

// The examples of R's power.t.test: 20 a group find one standard deviation with power .8689528, and .9 takes 22.02110 a group, of a
// one-sided test 17.84713. R leaves out the other tail, which is below 1e-7 here.
func TestPowerOfRsExamples(t *testing.T) {
	if got := twoSample(1, 20, .05); math.Abs(got-.8689528) > 1e-6 {
		t.Errorf("got power %v, want .8689528", got)
	}
	if got := twoSample(1, 22.02110, .05); math.Abs(got-.9) > 1e-6 {
		t.Errorf("got power %v of 22.02110 a group, want .9", got)
	}
	const n = 17.84713
	critical := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 2*n - 2}.Quantile(.95)
	if got := beyond(critical, 2*n-2, math.Sqrt(n/2)); math.Abs(got-.9) > 1e-6 {
		t.Errorf("got power %v of a one-sided test, want .9", got)
	}
}

// integrated is the noncentral t's upper tail by its definition, (Z + shift) / sqrt(chi squared / freedom), added up over the chi.
func integrated(t, freedom, shift float64) float64 {
	const steps = 100_000
	logGamma, _ := math.Lgamma(freedom / 2)
	sum, top := 0., 1+20/math.Sqrt(2*freedom)
	for k := range steps {
		u := (float64(k) + .5) / steps * top
		density := math.Exp(math.Ln2 + freedom/2*math.Log(freedom/2) - logGamma + (freedom-1)*math.Log(u) - freedom*u*u/2)
		sum += density * distuv.UnitNormal.CDF(shift-t*u)
	}
	return sum * top / steps
}

func TestNoncentralTAgainstItsIntegral(t *testing.T) {
	for _, c := range []struct{ t, freedom, shift float64 }{
		{12.706, 1, 20}, {12.706, 1, -20}, {4.303, 2, 5}, {2.776, 4, 3.76}, {2.776, 4, 0}, {0, 4, 1}, {2.0, 60, 2.8}, {1.96, 999, 2.8},
		{190, 1, 48},
		{2.1, 17.5, -.3}, {30, 3, 40},
	} {
		if got, want := beyond(c.t, c.freedom, c.shift), integrated(c.t, c.freedom, c.shift); math.Abs(got-want) > 1e-8 {
			t.Errorf("above %v, %v degrees, noncentrality %v: got %v, want %v", c.t, c.freedom, c.shift, got, want)
		}
	}
}

var paired = Design{Rows: 2, Level: .05, Own: 1}

// Of more rows the power is added up over the variances. Where the contrast's own does not count, that is a noncentral t; where the pooled
// one does not, a paired test.
func TestPowerOverVariances(t *testing.T) {
	for _, effect := range []float64{0, .5, 1, 2} {
		for rows, blocks := range map[int]int{3: 5, 4: 8, 11: 8} {
			freedom, shift := float64((rows-1)*(blocks-1)), effect*math.Sqrt(float64(blocks))
			critical := criticalT(.01, freedom)
			want := beyond(critical, freedom, shift) + beyond(critical, freedom, -shift)
			if got := (Design{rows, .01, 1}).Power(effect, blocks); math.Abs(got-want) > 1e-4 {
				t.Errorf("effect %v, %d rows in %d blocks: got %v, want %v", effect, rows, blocks, got, want)
			}
			want = paired.Power(effect, blocks)
			if got := (Design{rows, 1, .05}).Power(effect, blocks); math.Abs(got-want) > 1e-4 {
				t.Errorf("effect %v, %d rows in %d blocks, its own rows: got %v, want %v", effect, rows, blocks, got, want)
			}
		}
	}
}

// With no effect the power is the level.
func TestPowerOfNoEffect(t *testing.T) {
	for _, n := range []int{2, 3, 5, 100} {
		if got := paired.Power(0, n); math.Abs(got-.05) > 1e-9 {
			t.Errorf("%d pairs: got %v, want .05", n, got)
		}
	}
}

// What three, five and ten seeds can show, in standard deviations, and that they do, in one trial of five.
func TestDetectable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 3, 5, 10} {
		effect := paired.Detectable(n, .8)
		if got := paired.Power(effect, n); math.Abs(got-.8) > 1e-6 {
			t.Errorf("%d pairs: the effect %v has power %v, want .8", n, effect, got)
		}
		const trials = 4000
		found := 0
		for range trials {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i] = effect + r.NormFloat64()
			}
			if PairedT(a, b).P < .05 {
				found++
			}
		}
		if got := float64(found) / trials; math.Abs(got-.8) > 4*math.Sqrt(.8*.2/trials) {
			t.Errorf("%d pairs: the effect %v is found in %v of the trials, want .8", n, effect, got)
		}
	}
	if got := paired.Detectable(5, .8); math.Abs(got-1.68) > .005 {
		t.Errorf("five pairs: got %v standard deviations, want 1.68", got)
	}
}

func TestBlocksNeeded(t *testing.T) {
	for _, effect := range []float64{3, 1.68, -1.68, 1, .5, .1} {
		n, enough := paired.BlocksNeeded(effect, .8)
		if !enough || paired.Power(math.Abs(effect), n) < .8 || paired.Power(math.Abs(effect), n-1) >= .8 {
			t.Errorf("effect %v: got %d pairs (%v), which are not the fewest", effect, n, enough)
		}
	}
	// G*Power's and Cohen's paired test of half a standard deviation takes 34 pairs.
	if n, _ := paired.BlocksNeeded(.5, .8); n != 34 {
		t.Errorf("half a standard deviation: got %d pairs, want 34", n)
	}
	if n, enough := paired.BlocksNeeded(1e12, .8); n != 2 || !enough {
		t.Errorf("an enormous effect: got %d pairs (%v), want 2", n, enough)
	}
	for _, effect := range []float64{0, .05} {
		if n, enough := paired.BlocksNeeded(effect, .8); n != MostBlocks || enough {
			t.Errorf("effect %v: got %d pairs, enough %v; want %d, which are not", effect, n, enough, MostBlocks)
		}
	}
}
