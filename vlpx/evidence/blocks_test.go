package evidence

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/internal/test/must"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// R's linear model and limma's moderation; see testdata/blocks.R.
func TestBlocksAgainstR(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/blocks.json"))(t)
	var want map[string]float64
	must.Do(t, json.Unmarshal(text, &want))
	y := [][]float64{{44.2, 44.28, 44.4, 43.9}, {44.48, 43.6, 43.52, 43.1}, {38.64, 37.84, 37.56, 38.2}, {42.68, 42.76, 42.56, 41.9},
		{45.64, 44.64, 43.44, 46.2}}
	b := NewBlocks(y)
	is := func(name string, got float64) {
		t.Helper()
		near(t, name, got, want[name], 1e-9)
	}
	is("variance", b.Variance())
	second := b.Pooled([]float64{-1, 1, 0, 0, 0})
	low, high := second.Interval()
	is("difference", second.Difference)
	is("p", second.P)
	is("low", low)
	is("high", high)
	is("equivalence", second.Equivalence(1))
	gain := b.Pooled([]float64{1, -1, -1, 1, 0})
	is("gain", gain.Difference)
	is("gain_p", gain.P)
	prior, freedom := fitPrior(b.variances, 3)
	is("prior", prior)
	is("prior_freedom", freedom)
	moderated := b.Moderated([]float64{-1, 0, 0, 0, 1})
	is("moderated_sd", moderated.SD)
	is("moderated_p", moderated.P)
	is("paired_p", PairedT(y[4], y[0]).P)
	apart, apartFreedom := fitPrior([]float64{.01, .2, 1, 4, 30, .5}, 3)
	is("apart", apart)
	is("apart_freedom", apartFreedom)
	alike, infinite := fitPrior([]float64{1, 1.1, .9, 1.05}, 3)
	is("alike", alike)
	if !math.IsInf(infinite, 1) {
		t.Errorf("variances that are alike: got %v prior degrees of freedom, want no end", infinite)
	}
	near(t, "power", Design{11, .05 / 6, 1}.Power(1, 8), want["power"], 1e-4)
}

// Of two rows all three are one test.
func TestPooledOfTwoRowsIsPaired(t *testing.T) {
	a, b := []float64{11, 22, 33.5}, []float64{10, 20, 30}
	want, two := PairedT(a, b), NewBlocks([][]float64{a, b})
	for name, got := range map[string]Test{"pooled": two.Pooled([]float64{1, -1}), "moderated": two.Moderated([]float64{1, -1}),
		"paired": two.Paired([]float64{1, -1})} {
		near(t, name+", p", got.P, want.P, 1e-12)
		near(t, name+", sd", got.SD, want.SD, 1e-12)
	}
}

// FALCON's table 1 at three seeds of an older regime: R@1 as reconstructed from counts of queries, in the order of seeds that leaves the
// most residual, and the other columns by the bound that the standard deviations of the rows give. Pooling decides 15 of its 28 claims
// where the paired t-test decides 4.
func TestPooledDecidesFifteenOfTable1(t *testing.T) {
	names := []string{"FALCON", "ALBEF", "GRIT-VLP", "DiHT", "SRCL", "MAFA", "Hard", "Hardening", "Softening", "Easy", "InfoNCE"}
	text := NewBlocks([][]float64{{42.8, 45.2, 46}, {41.6, 41.2, 40.4}, {38.6, 41, 40}, {40.2, 42.6, 40.4}, {41.2, 42.6, 42.8},
		{43.6, 44.8, 45.2}, {41.8, 45, 44.4}, {39.4, 41.4, 42.4}, {45, 44.4, 44.4}, {43.6, 40.4, 43.4}, {42.4, 42.4, 40.8}})
	image := NewBlocks([][]float64{{44.2, 44.28, 44.4}, {44.48, 43.6, 43.52}, {38.64, 37.84, 37.56}, {42.68, 42.76, 42.56},
		{42.72, 43.04, 42.6}, {45.64, 44.64, 43.44}, {44.6, 43.88, 43.84}, {42.28, 43.72, 42.24}, {45.08, 44.52, 44.8},
		{43.8, 44.2, 44.68}, {43.32, 43.56, 43.72}})
	near(t, "text, residual", math.Sqrt(text.Variance()), 1.181, 1e-3)
	near(t, "image, residual", math.Sqrt(image.Variance()), .5196, 1e-3)
	var pooled, paired []float64
	claim := func(b Blocks, better, than string) {
		weights, rows := make([]float64, len(names)), [2][]float64{}
		for i, name := range names {
			switch name {
			case better:
				weights[i], rows[0] = 1, b.values[i]
			case than:
				weights[i], rows[1] = -1, b.values[i]
			}
		}
		pooled, paired = append(pooled, b.Pooled(weights).P), append(paired, PairedT(rows[0], rows[1]).P)
	}
	for _, than := range names[1:9] {
		claim(text, "FALCON", than)
		claim(image, "FALCON", than)
	}
	near(t, "FALCON above ALBEF in text R@1", pooled[0], .0013, 1e-4)
	claim(text, "GRIT-VLP", "ALBEF")
	claim(image, "GRIT-VLP", "ALBEF")
	claim(text, "ALBEF", "DiHT")
	claim(text, "ALBEF", "SRCL")
	claim(image, "Hard", "Easy")
	bound := func(difference, printed float64, sds ...float64) { // printed is the paired p
		squares := 0.
		for _, sd := range sds {
			squares += sd * sd / 10
		}
		pooled, paired = append(pooled, newTest(3, difference, math.Sqrt(2*squares), 20).P), append(paired, printed)
	}
	recall := []float64{.3402, .2838, .3487, .1222, .1973, .0231, .1155, .1286, .1804, .08, .0231}
	bound(2.3334, .023, recall...)
	bound(1.7734, .011, recall...)
	precision := []float64{.13, .4169, .141, .3552, .3707, .494, .1289, .0265, .3072, .1706, .2804}
	bound(2.8219, .008, precision...)
	bound(.2206, .431, precision...)
	bound(4.1733, .021, .2117, 1.3631, .3607, .64, .2078, .6886, .1222, .4772, .8554, .3274, .9042)
	for _, difference := range []float64{-2.309, -2.2582} { // counted false negatives, paired
		p := newTest(3, difference, .01, 2).P
		pooled, paired = append(pooled, p), append(paired, p)
	}
	for name, c := range map[string]struct {
		p    []float64
		want int
	}{"pooled": {pooled, 15}, "paired": {paired, 4}} {
		decided := 0
		for _, p := range Holm(c.p) {
			if p < .05 {
				decided++
			}
		}
		if decided != c.want || len(c.p) != 28 {
			t.Errorf("%s: %d of %d claims are decided, want %d of 28", name, decided, len(c.p), c.want)
		}
	}
}

// simulation has the shares of draws in which a test of a row against another has a p below .05.
type simulation struct {
	pooled, moderated, paired float64
	shared                    float64 // pooled and paired, which a verdict takes
	another                   float64 // pooled, of two other rows
	pooledFamily, family      float64 // any of six claims after Holm: pooled, and shared
	found                     float64 // the first of them: pooled after Bonferroni, and shared
	equivalent                float64 // shared
}

// simulated are 2,000 draws of 11 rows in 8 blocks whose blocks differ, with a true effect on the first row.
func simulated(effect, firstSD float64, seed uint64) (s simulation) {
	const draws, rows, blocks = 2000, 11, 8
	r := rand.New(rand.NewPCG(seed, 1))
	against := func(i, j int) []float64 {
		weights := make([]float64, rows)
		weights[i], weights[j] = 1, -1
		return weights
	}
	for range draws {
		y := make([][]float64, rows)
		for i := range y {
			y[i] = make([]float64, blocks)
		}
		for k := range blocks {
			world := 3 * r.NormFloat64()
			for i := range y {
				y[i][k] = world + r.NormFloat64()
			}
			y[0][k] = world + effect + firstSD*r.NormFloat64()
		}
		b := NewBlocks(y)
		count := func(share *float64, hit bool) {
			if hit {
				*share += 1. / draws
			}
		}
		first, own := b.Pooled(against(0, 1)), b.Paired(against(0, 1))
		count(&s.pooled, first.P < .05)
		count(&s.moderated, b.Moderated(against(0, 1)).P < .05)
		count(&s.paired, own.P < .05)
		count(&s.shared, first.P < .05 && own.P < .05)
		count(&s.another, b.Pooled(against(2, 1)).P < .05)
		count(&s.found, first.P < .05/6 && own.P < .05)
		count(&s.equivalent, first.Equivalence(1) < .05 && own.Equivalence(1) < .05)
		var p, shared []float64
		for other := 1; other <= 6; other++ {
			p, shared = append(p, b.Pooled(against(0, other)).P), append(shared, b.Paired(against(0, other)).P)
		}
		pooled, both := false, false
		for k, corrected := range Holm(p) {
			pooled, both = pooled || corrected < .05, both || corrected < .05 && shared[k] < .05
		}
		count(&s.pooledFamily, pooled)
		count(&s.family, both)
	}
	return s
}

// Without an effect the tests err at their level. Holm's over six claims against one row errs at most so.
func TestErrorsOfNoEffect(t *testing.T) {
	s := simulated(0, 1, 1)
	t.Logf("%+v", s)
	for name, got := range map[string]float64{"pooled": s.pooled, "moderated": s.moderated, "paired": s.paired, "another pooled": s.another} {
		near(t, name, got, .05, .01)
	}
	if s.family > .06 || s.shared > .06 {
		t.Errorf("got %v of the draws with an error among six claims, %v of one; want at most .05 and 1 for chance", s.family, s.shared)
	}
}

// Where one row's errors have twice or three times the spread, the pooled test of its claims errs too often, and that of the others too
// seldom. The paired test errs at its level, and the moderated one stands between them. What a verdict takes errs at most at its level for
// a claim; for any of six against that row, twice as often.
func TestErrorsOfUnequalVariances(t *testing.T) {
	for _, c := range []struct{ sd, pooled, moderated, another, pooledFamily, family float64 }{
		{2, .16, .12, .03, .15, .10}, {3, .25, .13, .01, .24, .11},
	} {
		s := simulated(0, c.sd, 2)
		t.Logf("first row's sd %v: %+v", c.sd, s)
		near(t, "paired", s.paired, .05, .01)
		near(t, "pooled", s.pooled, c.pooled, .02)
		near(t, "moderated", s.moderated, c.moderated, .02)
		near(t, "another pooled", s.another, c.another, .02)
		near(t, "any of six, pooled", s.pooledFamily, c.pooledFamily, .02)
		near(t, "any of six", s.family, c.family, .02)
		if s.shared > .06 {
			t.Errorf("a claim: got %v of the draws with an error, want at most .05 and 1 for chance", s.shared)
		}
	}
}

// The power that is printed is the one that is found, and an effect of the margin is called equivalent in one draw of twenty at most.
func TestPowerIsFound(t *testing.T) {
	sd := math.Sqrt2 // of a difference of two rows in one block
	for _, power := range []float64{.5, .8} {
		chance := 4 * math.Sqrt(power*(1-power)/2000)
		near(t, "power, pooled", simulated(Design{11, .05, 1}.Detectable(8, power)*sd, 1, 3).pooled, power, chance)
		near(t, "power", simulated(Design{11, .05 / 6, .05}.Detectable(8, power)*sd, 1, 3).found, power, chance)
	}
	if s := simulated(1, 1, 4); s.equivalent > .06 {
		t.Errorf("an effect of the margin is called equivalent in %v of the draws, want at most .05", s.equivalent)
	}
	r := rand.New(rand.NewPCG(5, 1))
	small := make([]float64, 2000)
	for k := range small {
		var a, b [8]float64
		for i := range a {
			a[i], b[i] = 1+.3*r.NormFloat64(), .3*r.NormFloat64()
		}
		if PairedT(a[:], b[:]).Equivalence(1) < .05 {
			small[k] = 1
		}
	}
	near(t, "equivalence at its margin", stat.Mean(small, nil), .05, .01)
}

func TestEquivalenceOfNothing(t *testing.T) {
	equal, shifted := PairedT([]float64{1, 2}, []float64{1, 2}), PairedT([]float64{2, 3}, []float64{1, 2})
	if got := equal.Equivalence(1); got != 0 {
		t.Errorf("equal pairs: got %v, want 0", got)
	}
	if got := shifted.Equivalence(1); !math.IsNaN(got) {
		t.Errorf("pairs that all differ by the same: got %v, want NaN", got)
	}
}
