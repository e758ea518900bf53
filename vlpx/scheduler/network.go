package scheduler

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"vlpx.internal/vlpx/random"
)

// Network is the shape of the policy's residual MLP: Linear(Inputs to Hidden) and ReLU; Blocks times h <- h +
// ReLU(Linear(h)); Linear(Hidden to 2) (FALCON, section 3.2 and Table 5: 100, 256, 2; where the ReLUs stand is our reading,
// METHODS.md 14.3).
type Network struct {
	Inputs int // M, the quantiles of a state
	Hidden int
	Blocks int
	// Open makes Beta's parameters softplus(z) + 1e-4 of the outputs z, so that the density may be unbounded at the ends. They
	// are 1 + softplus(z) by default: the density is bounded and has one mode.
	Open bool `json:",omitempty"`
}

const outputs = 2 // of the network: one for each parameter of Beta

// beta turns the outputs for one row into a distribution.
func (n Network) beta(z []float32) Beta {
	least := 1.0
	if n.Open {
		least = 1e-4
	}
	return Beta{A: least + softplus(float64(z[0])), B: least + softplus(float64(z[1]))}
}

func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// sigmoid is the derivative of softplus.
func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// weights returns the number of weights and biases.
func (n Network) weights() int {
	return (n.Inputs+1)*n.Hidden + n.Blocks*(n.Hidden+1)*n.Hidden + (n.Hidden+1)*outputs
}

// layers lays the network's layers over a slice of as many numbers as it has weights: weights, or their gradient.
func (n Network) layers(numbers []float32) []linear {
	var layers []linear
	add := func(in, out int) {
		layers = append(layers, linear{
			weight: blas32.General{Rows: out, Cols: in, Stride: in, Data: numbers[:in*out]},
			bias:   numbers[in*out : (in+1)*out],
		})
		numbers = numbers[(in+1)*out:]
	}
	add(n.Inputs, n.Hidden)
	for range n.Blocks {
		add(n.Hidden, n.Hidden)
	}
	add(n.Hidden, outputs)
	return layers
}

// linear is the layer y = W x + b.
type linear struct {
	weight blas32.General // W, [out, in]: gonum's products by rows are the fast ones
	bias   []float32      // b, [out]
}

// draw fills layer k of the network as PyTorch's nn.Linear does: uniform within 1/sqrt(in) of 0.
func (l linear) draw(seed uint64, k int) {
	r := random.Stream(seed, "scheduler", "layer", k)
	bound := float32(1 / math.Sqrt(float64(l.weight.Cols)))
	for _, numbers := range [][]float32{l.weight.Data, l.bias} {
		for i := range numbers {
			numbers[i] = bound * (2*r.Float32() - 1)
		}
	}
}

// apply sets y to W x + b.
func (l linear) apply(x, y []float32) {
	copy(y, l.bias)
	blas32.Gemv(blas.NoTrans, 1, l.weight, vector(x), 1, vector(y))
}

// activations are what the network makes of some rows, kept for the way back.
type activations struct {
	// inputs of each layer, [rows, in]. The first are the states, the next what the layers before have added up.
	inputs []blas32.General
	// results of each layer, [rows, out], but for the last after ReLU. Those of the first are the inputs of the second.
	results []blas32.General
	// Gradients of a loss: by the last layer's results, by the other layers' results before ReLU, and by their inputs.
	last, before, input blas32.General
}

func (n Network) activations(rows int) *activations {
	a := &activations{
		inputs: []blas32.General{matrix(rows, n.Inputs), matrix(rows, n.Hidden)},
		last:   matrix(rows, outputs), before: matrix(rows, n.Hidden), input: matrix(rows, n.Hidden),
	}
	a.results = []blas32.General{a.inputs[1]}
	for range n.Blocks {
		a.inputs = append(a.inputs, matrix(rows, n.Hidden))
		a.results = append(a.results, matrix(rows, n.Hidden))
	}
	a.results = append(a.results, matrix(rows, outputs))
	return a
}

// forward runs one row, whose state is in a.inputs, through the layers.
func (a *activations) forward(layers []linear, r int) {
	for k, layer := range layers {
		x, y := row(a.inputs[k], r), row(a.results[k], r)
		layer.apply(x, y)
		if k == len(layers)-1 {
			return
		}
		for i := range y {
			y[i] = max(y[i], 0)
		}
		if k > 0 {
			next := row(a.inputs[k+1], r)
			for i := range next {
				next[i] = x[i] + y[i]
			}
		}
	}
}

// backward turns the gradient a.last of a loss into that by the weights. It must follow forward of every row.
func (a *activations) backward(layers, gradient []linear) {
	z := a.last
	for k := len(layers) - 1; ; k-- {
		blas32.Gemm(blas.Trans, blas.NoTrans, 1, z, a.inputs[k], 0, gradient[k].weight)
		clear(gradient[k].bias)
		for r := range z.Rows {
			blas32.Axpy(1, vector(row(z, r)), vector(gradient[k].bias))
		}
		if k == 0 {
			return
		}
		shortcut := float32(1)
		if k == len(layers)-1 {
			shortcut = 0
		}
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, z, layers[k].weight, shortcut, a.input)
		z = a.before
		for i, y := range a.results[k-1].Data {
			z.Data[i] = 0
			if y > 0 {
				z.Data[i] = a.input.Data[i]
			}
		}
	}
}

// matrix returns a matrix of zeros. Its rows begin at addresses that 16 divides, as Go's allocator aligns every multiple of 16
// bytes: where gonum begins its sums of four, and so how they are rounded, depends on the vector's address.
func matrix(rows, cols int) blas32.General {
	stride := (cols + 3) &^ 3
	return blas32.General{Rows: rows, Cols: cols, Stride: stride, Data: make([]float32, rows*stride)}
}

func row(m blas32.General, r int) []float32 { return m.Data[r*m.Stride:][:m.Cols] }

func vector(x []float32) blas32.Vector { return blas32.Vector{N: len(x), Inc: 1, Data: x} }
