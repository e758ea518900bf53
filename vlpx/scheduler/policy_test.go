package scheduler

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"vlpx.internal/vlpx/random"
)

var small = []Network{{Inputs: 3, Hidden: 5, Blocks: 2}, {Inputs: 4, Hidden: 6, Open: true}, {Inputs: 1, Hidden: 1, Blocks: 1}}

// drawRows draws states around 1, [anchors, width], and a quantile for each.
func drawRows(r *rand.Rand, anchors, width int) (states []float32, quantiles []float64) {
	states, quantiles = make([]float32, anchors*width), make([]float64, anchors)
	for i := range states {
		states[i] = 0.5 + r.Float32()
	}
	for t := range quantiles {
		quantiles[t] = 0.05 + 0.9*r.Float64()
	}
	return states, quantiles
}

// slowBeta is the network in float64, layer by layer, one number at a time.
func slowBeta(n Network, weights []float64, state []float32) Beta {
	linear := func(x []float64, out int) []float64 {
		y := slices.Clone(weights[len(x)*out:][:out])
		for i := range y {
			for j := range x {
				y[i] += weights[i*len(x)+j] * x[j]
			}
		}
		weights = weights[(len(x)+1)*out:]
		return y
	}
	h := make([]float64, len(state))
	for j := range state {
		h[j] = float64(state[j])
	}
	h = linear(h, n.Hidden)
	for i := range h {
		h[i] = max(h[i], 0)
	}
	for range n.Blocks {
		for i, y := range linear(h, n.Hidden) {
			h[i] += max(y, 0)
		}
	}
	z := linear(h, 2)
	if n.Open {
		return Beta{math.Log(1+math.Exp(z[0])) + 1e-4, math.Log(1+math.Exp(z[1])) + 1e-4}
	}
	return Beta{1 + math.Log(1+math.Exp(z[0])), 1 + math.Log(1+math.Exp(z[1]))}
}

func slowLogProbability(n Network, weights []float64, states []float32, quantiles []float64) float64 {
	sum := 0.0
	for t, q := range quantiles {
		sum += slowBeta(n, weights, states[t*n.Inputs:][:n.Inputs]).LogDensity(q)
	}
	return sum
}

func doubles(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

func TestForward(t *testing.T) {
	for _, n := range append(small, Network{Inputs: 100, Hidden: 64, Blocks: 2}) {
		p := NewPolicy(n, 1e-4, 3)
		states, quantiles := drawRows(random.Stream(1, "forward"), 20, n.Inputs)
		for i := range quantiles {
			state := states[i*n.Inputs:][:n.Inputs]
			got, want := p.Predict(state), slowBeta(n, doubles(p.weights), state)
			near(t, got.A, want.A, 1e-5, "%+v: A of row %d", n, i)
			near(t, got.B, want.B, 1e-5, "%+v: B of row %d", n, i)
		}
	}
}

func TestGradient(t *testing.T) {
	const advantage, h = 0.7, 1e-6
	for _, n := range small {
		p := NewPolicy(n, 1e-4, 5)
		states, quantiles := drawRows(random.Stream(1, "gradient"), 9, n.Inputs)
		p.differentiate(states, quantiles, -3) // whose scratch must not show
		p.differentiate(states, quantiles, advantage)
		weights := doubles(p.weights)
		loss := func() float64 { return -advantage * slowLogProbability(n, weights, states, quantiles) }
		for i, w := range weights {
			weights[i] = w + h
			above := loss()
			weights[i] = w - h
			below := loss()
			weights[i] = w
			near(t, float64(p.gradient[i]), (above-below)/(2*h), 1e-4, "%+v: derivative by weight %d", n, i)
		}
	}
}

func TestUpdateAscends(t *testing.T) {
	n := Network{Inputs: 4, Hidden: 16, Blocks: 2}
	states, quantiles := drawRows(random.Stream(1, "ascent"), 8, n.Inputs)
	for i := range quantiles {
		quantiles[i] = 0.9
	}
	p := NewPolicy(n, 1e-2, 1)
	for range 300 {
		p.Update(states, quantiles, 1)
	}
	near(t, p.Predict(states[:4]).Mean(), 0.9, 0.02, "mean after praise")

	p = NewPolicy(n, 1e-2, 1)
	before := p.Predict(states[:4]).Density(0.9)
	for range 30 {
		p.Update(states, quantiles, -1)
	}
	if after := p.Predict(states[:4]).Density(0.9); after > before/2 {
		t.Errorf("the density at 0.9 went from %v to %v under blame", before, after)
	}
}

// Rows of two kinds want two quantiles.
func TestUpdateDependsOnTheState(t *testing.T) {
	n := Network{Inputs: 2, Hidden: 16, Blocks: 1}
	states := []float32{2, 0, 0, 2, 2, 0, 0, 2}
	quantiles := []float64{0.2, 0.8, 0.25, 0.75}
	p := NewPolicy(n, 1e-2, 1)
	for range 400 {
		p.Update(states, quantiles, 1)
	}
	near(t, p.Predict(states[:2]).Mean(), 0.225, 0.02, "mean of the first kind")
	near(t, p.Predict(states[2:4]).Mean(), 0.775, 0.02, "mean of the second kind")
}

func TestUpdateIgnoresTheOrderOfRows(t *testing.T) {
	n := Network{Inputs: 7, Hidden: 12, Blocks: 2}
	r := random.Stream(1, "order")
	states, quantiles := drawRows(r, 30, n.Inputs)
	p, shuffled := NewPolicy(n, 1e-4, 1), NewPolicy(n, 1e-4, 1)
	var movedStates []float32
	var movedQuantiles []float64
	for _, i := range r.Perm(len(quantiles)) {
		movedStates = append(movedStates, states[i*n.Inputs:][:n.Inputs]...)
		movedQuantiles = append(movedQuantiles, quantiles[i])
	}
	p.differentiate(states, quantiles, 1)
	shuffled.differentiate(movedStates, movedQuantiles, 1)
	for i := range p.gradient {
		near(t, float64(shuffled.gradient[i]), float64(p.gradient[i]), 1e-5, "derivative by weight %d", i)
	}
}

// Numbers must not move with the processors or with the address of the states.
func TestUpdateIsReproducible(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	n := Network{Inputs: 101, Hidden: 130, Blocks: 2}
	states, quantiles := drawRows(random.Stream(1, "reproducible"), 65, n.Inputs)
	var want []float32
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		for offset := range 4 {
			p := NewPolicy(n, 1e-3, 1)
			moved := append(make([]float32, offset), states...)[offset:]
			for range 2 {
				p.Update(moved, quantiles, 0.3)
			}
			first := p.Predict(moved[:n.Inputs])
			got := append(slices.Clone(p.weights), float32(first.A), float32(first.B))
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d processors, states moved by %d: other numbers", processors, offset)
			}
		}
	}
}

// Batches of another size need other scratch.
func TestUpdateOfAnySize(t *testing.T) {
	n := small[0]
	p, fresh := NewPolicy(n, 1e-3, 1), NewPolicy(n, 1e-3, 1)
	states, quantiles := drawRows(random.Stream(1, "size"), 9, n.Inputs)
	p.forward(states, len(quantiles))
	p.Update(states[:4*n.Inputs], quantiles[:4], 1)
	fresh.Update(states[:4*n.Inputs], quantiles[:4], 1)
	if !slices.Equal(p.weights, fresh.weights) {
		t.Error("an update depends on what was computed before")
	}
}

func TestFirstWeights(t *testing.T) {
	n := Network{Inputs: 100, Hidden: 64, Blocks: 1}
	p, same, other := NewPolicy(n, 1e-4, 1), NewPolicy(n, 1e-4, 1), NewPolicy(n, 1e-4, 2)
	if !slices.Equal(p.weights, same.weights) || slices.Equal(p.weights, other.weights) {
		t.Error("the seed does not decide the first weights")
	}
	for k, layer := range p.layers {
		bound := 1 / math.Sqrt(float64(layer.weight.Cols))
		for _, numbers := range [][]float32{layer.weight.Data, layer.bias} {
			if low, high := float64(slices.Min(numbers)), float64(slices.Max(numbers)); low < -bound || high > bound {
				t.Errorf("layer %d: weights from %v to %v, want within %v", k, low, high, bound)
			}
		}
		// The variance of a uniform draw is bound^2/3.
		square := 0.0
		for _, w := range layer.weight.Data {
			square += float64(w) * float64(w) / float64(len(layer.weight.Data))
		}
		near(t, square/(bound*bound/3), 1, 0.2, "layer %d: variance, relative", k)
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	p := NewPolicy(Network{Inputs: 100, Hidden: 64, Blocks: 2}, 1e-4, 1)
	state := make([]float32, 100)
	if n := testing.AllocsPerRun(10, func() { p.Predict(state) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestMisuse(t *testing.T) {
	p := NewPolicy(small[0], 1e-4, 1)
	for name, call := range map[string]func(){
		"no inputs":       func() { NewPolicy(Network{Hidden: 1}, 1e-4, 1) },
		"negative blocks": func() { NewPolicy(Network{Inputs: 1, Hidden: 1, Blocks: -1}, 1e-4, 1) },
		"short state":     func() { p.Predict(make([]float32, 2)) },
		"a state too few": func() { p.Update(make([]float32, 3), []float64{0.5, 0.5}, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			call()
		})
	}
}
