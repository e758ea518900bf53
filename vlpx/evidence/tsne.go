package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
)

// TSNE lays points out in the plane so that near ones stay near: t-SNE (van der Maaten and Hinton, 2008), all pairs compared, so for a few
// thousand points at most. The implementations in Go that there are draw from a source of their own, so that no layout comes twice.
type TSNE struct {
	Perplexity float64 // about how many neighbours a point has; at most a third of the other points
	Iterations int
}

// What van der Maaten's own implementation takes: early exaggeration of the similarities, and gradient descent with momentum and a gain
// for each coordinate.
const (
	exaggeration      = 4
	exaggerated       = 100 // iterations
	momentumSwitch    = 250 // iterations
	earlyMomentum     = 0.5
	lateMomentum      = 0.8
	leastGain         = 0.01
	perplexityTries   = 50
	perplexityMargin  = 1e-5
	smallestLikeness  = 1e-12
	firstSpread       = 1e-4
	smallestTSNERate  = 50.0
	pointsForTSNERate = 12 // the rate is a twelfth of the number of points, or the smallest one
)

// Layout returns the coordinates of the rows of features [points, dim] in the plane, [points, 2]; the same for the same rng.
func (t TSNE) Layout(rng *rand.Rand, features []float32, dim int) ([]float64, error) {
	if dim < 1 || len(features)%dim != 0 {
		return nil, fmt.Errorf("evidence: t-SNE of %d numbers in rows of %d; rows must be whole", len(features), dim)
	}
	n := len(features) / dim
	if most := float64(n-1) / 3; !(t.Perplexity > 0 && t.Perplexity <= most) || t.Iterations < 1 {
		return nil, fmt.Errorf("evidence: t-SNE of %d points with a perplexity of %g in %d iterations; take a perplexity above 0 and up "+
			"to %.4g, and some iterations",
			n, t.Perplexity, t.Iterations, most)
	}
	for i, x := range features {
		if x-x != 0 {
			return nil, fmt.Errorf("evidence: t-SNE: number %d of point %d is not finite", i%dim, i/dim)
		}
	}
	likeness := t.likeness(features, dim, n)
	places := make([]float64, 2*n)
	for i := range places {
		places[i] = firstSpread * rng.NormFloat64()
	}
	t.descend(likeness, places)
	return places, nil
}

// likeness is the joint probability of each two points by a Gaussian around each whose entropy is the perplexity's, [points, points].
func (t TSNE) likeness(features []float32, dim, n int) []float64 {
	p := make([]float64, n*n)
	squares, row := make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range n {
			squares[j] = 0
			for d := range dim {
				x := float64(features[i*dim+d]) - float64(features[j*dim+d])
				squares[j] += x * x
			}
		}
		t.conditional(squares, i, row)
		for j := range n {
			p[i*n+j] += row[j] / float64(2*n)
			p[j*n+i] += row[j] / float64(2*n)
		}
	}
	for i := range p {
		p[i] = max(p[i], smallestLikeness)
	}
	return p
}

// conditional fills in the probabilities of a point's neighbours by their squared distances, with the precision that gives the perplexity.
func (t TSNE) conditional(squares []float64, own int, p []float64) {
	target := math.Log(t.Perplexity)
	nearest := math.Inf(1)
	for j, s := range squares {
		if j != own {
			nearest = min(nearest, s)
		}
	}
	precision, low, high := 1.0, 0.0, math.Inf(1)
	for range perplexityTries {
		sum, weighted := 0.0, 0.0
		for j, s := range squares {
			if p[j] = 0; j != own {
				p[j] = math.Exp(-precision * (s - nearest)) // a common factor changes nothing
				sum, weighted = sum+p[j], weighted+p[j]*(s-nearest)
			}
		}
		floats.Scale(1/sum, p)
		entropy := math.Log(sum) + precision*weighted/sum
		if math.Abs(entropy-target) < perplexityMargin {
			return
		}
		if entropy > target {
			low = precision
		} else {
			high = precision
		}
		if precision *= 2; !math.IsInf(high, 1) {
			precision = (low + high) / 2
		}
	}
}

// descend moves places [points, 2] down the gradient of the divergence.
func (t TSNE) descend(p, places []float64) {
	n := len(places) / 2
	rate := max(smallestTSNERate, float64(n)/pointsForTSNERate)
	step, gain, gradient, q := make([]float64, 2*n), make([]float64, 2*n), make([]float64, 2*n), make([]float64, n*n)
	for k := range gain {
		gain[k] = 1
	}
	for iteration := range t.Iterations {
		sum := 0.0
		for i := range n {
			for j := range i {
				x, y := places[2*i]-places[2*j], places[2*i+1]-places[2*j+1]
				q[i*n+j] = 1 / (1 + x*x + y*y)
				sum += 2 * q[i*n+j]
			}
		}
		scale := 1.0
		if iteration < exaggerated {
			scale = exaggeration
		}
		clear(gradient)
		for i := range n {
			for j := range i {
				force := 4 * (scale*p[i*n+j] - q[i*n+j]/sum) * q[i*n+j]
				for axis := range 2 {
					pull := force * (places[2*i+axis] - places[2*j+axis])
					gradient[2*i+axis] += pull
					gradient[2*j+axis] -= pull
				}
			}
		}
		momentum := earlyMomentum
		if iteration >= momentumSwitch {
			momentum = lateMomentum
		}
		for k, d := range gradient {
			if (d > 0) != (step[k] > 0) {
				gain[k] += 0.2
			} else {
				gain[k] = max(0.8*gain[k], leastGain)
			}
			step[k] = momentum*step[k] - rate*gain[k]*d
		}
		floats.Add(places, step)
	}
}
