package evidence

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
)

// Blocks is a randomised block design with all of its values: value = row + block + error. Its error variance is taken to be one for all
// rows, which counted false negatives are not, nor values of different measures.
type Blocks struct {
	values    [][]float64
	variances []float64 // of each row's errors
}

// NewBlocks takes values of one measure, [rows][blocks], at least two by two.
func NewBlocks(values [][]float64) Blocks {
	b := Blocks{values: values}
	rows, blocks := float64(len(values)), float64(len(values[0]))
	means := make([]float64, len(values[0])) // of the blocks
	for _, row := range values {
		floats.AddScaled(means, 1/rows, row)
	}
	grand := stat.Mean(means, nil)
	for _, row := range values {
		mean, squares := stat.Mean(row, nil), 0.
		for k, v := range row {
			residual := v - mean - means[k] + grand
			squares += residual * residual
		}
		b.variances = append(b.variances, squares*rows/(rows-1)/(blocks-1))
	}
	return b
}

// Variance is the residual mean square.
func (b Blocks) Variance() float64 { return stat.Mean(b.variances, nil) }

// freedom are the degrees of freedom of Variance.
func (b Blocks) freedom() float64 { return float64((len(b.values) - 1) * (len(b.values[0]) - 1)) }

// contrast is a contrast's value in each block, with the sum of its squared weights, one a row.
func (b Blocks) contrast(weights []float64) (values []float64, squares float64) {
	values = make([]float64, len(b.values[0]))
	for i, w := range weights {
		floats.AddScaled(values, w, b.values[i])
	}
	return values, floats.Dot(weights, weights)
}

// Pooled tests a contrast of the rows' means by the residual mean square of all rows. Of two rows it is the paired t-test.
func (b Blocks) Pooled(weights []float64) Test {
	values, squares := b.contrast(weights)
	return newTest(len(values), stat.Mean(values, nil), math.Sqrt(squares*b.Variance()), b.freedom())
}

// Moderated tests a contrast by its own variance over the blocks, drawn towards the rows' common one as far as the rows' variances are
// alike (Smyth, Stat. Appl. Genet. Mol. Biol. 3(1), 2004). Where they are as alike as chance would have them, it is Pooled; where they
// differ without end, it is the paired t-test.
func (b Blocks) Moderated(weights []float64) Test {
	values, squares := b.contrast(weights)
	mean, own := stat.MeanVariance(values, nil)
	freedom := float64(len(values) - 1)
	prior, of := fitPrior(b.variances, freedom)
	if math.IsInf(of, 1) {
		return newTest(len(values), mean, math.Sqrt(squares*prior), b.freedom())
	}
	variance := (of*squares*prior + freedom*own) / (of + freedom)
	return newTest(len(values), mean, math.Sqrt(variance), min(of+freedom, b.freedom()))
}

// Paired tests a contrast by its own variance over the blocks alone.
func (b Blocks) Paired(weights []float64) Test {
	values, _ := b.contrast(weights)
	mean, sd := stat.MeanStdDev(values, nil)
	return newTest(len(values), mean, sd, float64(len(values)-1))
}

// Unblocked tests a contrast by what alone is known of rows: mean, standard deviation and number of runs. It takes the runs as if no block
// were shared, which errs on the safe side. The variance is pooled over the rows, or else each row's own.
func Unblocked(rows [][3]float64, weights []float64, blocks int, pooled bool) Test {
	difference, common, own := 0., 0., 0.
	for i, row := range rows {
		variance := row[1] * row[1]
		difference += weights[i] * row[0]
		common += variance / float64(len(rows))
		own += weights[i] * weights[i] * variance
	}
	freedom := float64(blocks - 1)
	if pooled {
		return newTest(blocks, difference, math.Sqrt(floats.Dot(weights, weights)*common), freedom*float64(len(rows)))
	}
	return newTest(blocks, difference, math.Sqrt(own), freedom)
}

// fitPrior fits a scaled F distribution to variances of some degrees of freedom by the moments of their logarithms, as limma's fitFDist
// does: the prior variance and its degrees of freedom, infinite where the variances differ by no more than chance.
func fitPrior(variances []float64, freedom float64) (variance, priorFreedom float64) {
	sorted := slices.Sorted(slices.Values(variances))
	median := stat.Mean(sorted[(len(sorted)-1)/2:len(sorted)/2+1], nil)
	if median == 0 {
		median = 1
	}
	floored, logs := make([]float64, len(variances)), make([]float64, len(variances))
	for i, v := range variances {
		floored[i] = max(v, 1e-5*median)
		logs[i] = math.Log(floored[i]) - mathext.Digamma(freedom/2) + math.Log(freedom/2)
	}
	mean, spread := stat.MeanVariance(logs, nil)
	if spread -= trigamma(freedom / 2); !(spread > 0) {
		return stat.Mean(floored, nil), math.Inf(1)
	}
	priorFreedom = 2 * trigammaInverse(spread)
	return math.Exp(mean + mathext.Digamma(priorFreedom/2) - math.Log(priorFreedom/2)), priorFreedom
}

func trigamma(x float64) float64 { return mathext.Zeta(2, x) }

// trigammaInverse solves trigamma(x) = y by Newton's method, which converges from below (Smyth, 2004, appendix).
func trigammaInverse(y float64) float64 {
	switch {
	case y > 1e7:
		return 1 / math.Sqrt(y)
	case y < 1e-6:
		return 1 / y
	}
	x := .5 + 1/y
	for range 50 {
		at := trigamma(x)
		step := at * (1 - at/y) / (-2 * mathext.Zeta(3, x))
		if x += step; -step/x < 1e-8 {
			break
		}
	}
	return x
}
