package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"vlpx.internal/internal/test/must"
)

// clusters are points around three far centres in ten dimensions.
func clusters(each int) (features []float32, of []int) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 3 * each {
		for d := range 10 {
			x := 0.3 * r.NormFloat64()
			if d == k%3 {
				x += 8
			}
			features = append(features, float32(x))
		}
		of = append(of, k%3)
	}
	return features, of
}

// Points of a cluster stay together: the nearest other point in the plane is of the same one.
func TestTSNEKeepsNeighbours(t *testing.T) {
	features, of := clusters(40)
	places := must.Get(TSNE{Perplexity: 10, Iterations: 400}.Layout(rand.New(rand.NewPCG(3, 4)), features, 10))(t)
	for i := range of {
		nearest, least := -1, math.Inf(1)
		for j := range of {
			if d := math.Hypot(places[2*i]-places[2*j], places[2*i+1]-places[2*j+1]); j != i && d < least {
				nearest, least = j, d
			}
		}
		if of[nearest] != of[i] {
			t.Errorf("point %d of cluster %d lies beside %d of cluster %d", i, of[i], nearest, of[nearest])
		}
	}
	again, _ := TSNE{Perplexity: 10, Iterations: 400}.Layout(rand.New(rand.NewPCG(3, 4)), features, 10)
	for k := range places {
		if places[k] != again[k] {
			t.Fatalf("coordinate %d: %v, and %v for the same draws", k, places[k], again[k])
		}
	}
}

// The likeness of each point's neighbours has the entropy that the perplexity asks for.
func TestTSNEPerplexity(t *testing.T) {
	features, _ := clusters(10)
	squares, p := make([]float64, 30), make([]float64, 30)
	for j := range squares {
		for d := range 10 {
			x := float64(features[d]) - float64(features[j*10+d])
			squares[j] += x * x
		}
	}
	for _, perplexity := range []float64{2, 5, 9} {
		TSNE{Perplexity: perplexity}.conditional(squares, 0, p)
		entropy := 0.0
		for _, x := range p {
			if x > 0 {
				entropy -= x * math.Log(x)
			}
		}
		if math.Abs(math.Exp(entropy)-perplexity) > 1e-3 {
			t.Errorf("perplexity %v: got %v", perplexity, math.Exp(entropy))
		}
	}
}

// Equal points have a layout, too.
func TestTSNEOfEqualPoints(t *testing.T) {
	places := must.Get(TSNE{Perplexity: 2, Iterations: 50}.Layout(rand.New(rand.NewPCG(1, 1)), make([]float32, 24), 3))(t)
	for k, x := range places {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("coordinate %d is %v", k, x)
		}
	}
}

func TestTSNEErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		t        TSNE
		features []float32
		want     string
	}{
		{TSNE{Perplexity: 2, Iterations: 5}, make([]float32, 7), "rows must be whole"},
		{TSNE{Perplexity: 30, Iterations: 5}, make([]float32, 20), "perplexity above 0 and up to 3"},
		{TSNE{Perplexity: 2}, make([]float32, 20), "some iterations"},
		{TSNE{Perplexity: 2, Iterations: 5}, append(make([]float32, 19), float32(math.NaN())), "number 1 of point 9 is not finite"},
	} {
		must.Fail(t, must.Err(c.t.Layout(r, c.features, 2)), c.want, "%+v", c.t)
	}
}
