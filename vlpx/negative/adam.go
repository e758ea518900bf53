package negative

import . "github.com/gomlx/gomlx/core/graph"

// adam is Adam for numbers of samples, of which a step sees only some: its bias is corrected by the epoch and not by how often a sample
// was seen, as GloFND's and FastCLIP's codes have it (METHODS.md 9 and 10.1).
type adam struct {
	beta1, beta2 *Node // scalars
	epsilon      float64
}

// of returns the moments after a gradient and the step to take against it, before the rate; all [samples].
//
//   - epoch: that of the step, from 0; a scalar.
func (o adam) of(gradient, mean, variance, epoch *Node) (newMean, newVariance, step *Node) {
	mix := func(old, new, beta *Node) *Node { return Add(Mul(old, beta), Mul(new, OneMinus(beta))) }
	corrected := func(x, beta *Node) *Node { return Div(x, OneMinus(Pow(beta, OnePlus(epoch)))) }
	newMean, newVariance = mix(mean, gradient, o.beta1), mix(variance, Square(gradient), o.beta2)
	return newMean, newVariance, Div(corrected(newMean, o.beta1), AddScalar(Sqrt(corrected(newVariance, o.beta2)), o.epsilon))
}
