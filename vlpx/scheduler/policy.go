package scheduler

import "fmt"

// Policy predicts from an anchor's state the distribution of its next negative's hardness, and learns which choices made the
// MLM loss fall (FALCON, section 3; METHODS.md 14.3 and 14.4). It is not for concurrent use. Its numbers depend neither on
// the number of processors nor on where its arguments lie in memory.
type Policy struct {
	network   Network
	weights   []float32 // of all layers
	gradient  []float32
	layers    []linear // over weights
	gradients []linear // over gradient
	optimiser adamW
	one, many *activations // scratch: of one row, and of as many as the last batch had
}

// NewPolicy returns a policy with first weights drawn for the seed as PyTorch's nn.Linear draws them, and AdamW at the given
// rate (1e-4 in FALCON, Table 5) with PyTorch's defaults: betas 0.9 and 0.999, weight decay 0.01 on matrices and biases. It
// panics if the network has no inputs, no hidden units, or a negative number of blocks.
func NewPolicy(n Network, rate float64, seed uint64) *Policy {
	if n.Inputs < 1 || n.Hidden < 1 || n.Blocks < 0 {
		panic(fmt.Sprintf("scheduler: %+v is no network; give it at least one input and one hidden unit", n))
	}
	p := &Policy{
		network:   n,
		weights:   make([]float32, n.weights()),
		gradient:  make([]float32, n.weights()),
		optimiser: newAdamW(rate, n.weights()),
		one:       n.activations(1),
		many:      n.activations(0),
	}
	p.layers, p.gradients = n.layers(p.weights), n.layers(p.gradient)
	for k, layer := range p.layers {
		layer.draw(seed, k)
	}
	return p
}

// Predict returns the distribution for an anchor's state, [M]. FALCON's states are softmaxes with entries near 1/M; whoever
// wants them larger scales them before.
func (p *Policy) Predict(state []float32) Beta {
	p.mustFit(state, 1)
	copy(p.one.inputs[0].Data, state)
	p.one.forward(p.layers, 0)
	return p.beta(p.one, 0)
}

// Update makes one step of gradient ascent on advantage * sum_t log Beta(q_t; policy(state_t)) (FALCON, section 3.3;
// METHODS.md 14.4). A positive advantage makes the quantiles chosen more likely, a negative one less.
//
//   - states: of a batch's anchors, [anchors, M].
//   - quantiles: drawn for them, [anchors], each in (0, 1).
//   - advantage: how much the batch made the MLM loss fall, in nats; finite, for the weights would keep a NaN.
func (p *Policy) Update(states []float32, quantiles []float64, advantage float64) {
	p.differentiate(states, quantiles, advantage)
	p.optimiser.update(p.weights, p.gradient)
}

// differentiate sets p.gradient to that of the loss -advantage * log probability.
func (p *Policy) differentiate(states []float32, quantiles []float64, advantage float64) {
	p.forward(states, len(quantiles))
	for t, q := range quantiles {
		z := row(p.many.results[len(p.layers)-1], t)
		a, b := p.beta(p.many, t).Gradient(q)
		by := row(p.many.last, t)
		by[0] = float32(-advantage * a * sigmoid(float64(z[0])))
		by[1] = float32(-advantage * b * sigmoid(float64(z[1])))
	}
	p.many.backward(p.layers, p.gradients)
}

// forward runs states, [anchors, M], through the network and leaves the results in p.many.
func (p *Policy) forward(states []float32, anchors int) {
	const grain = 8 // anchors that are worth a goroutine
	p.mustFit(states, anchors)
	if p.many.last.Rows != anchors {
		p.many = p.network.activations(anchors)
	}
	split(anchors, grain, func(from, to int) {
		for t := from; t < to; t++ {
			copy(row(p.many.inputs[0], t), states[t*p.network.Inputs:])
			p.many.forward(p.layers, t)
		}
	})
}

func (p *Policy) mustFit(states []float32, anchors int) {
	if len(states) != anchors*p.network.Inputs {
		panic(fmt.Sprintf("scheduler: states of %d numbers for %d anchors, want %d each", len(states), anchors, p.network.Inputs))
	}
}

// beta is the distribution for a row that went forward.
func (p *Policy) beta(a *activations, r int) Beta {
	return p.network.beta(row(a.results[len(p.layers)-1], r))
}
