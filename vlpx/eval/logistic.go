package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// logistic is multinomial logistic regression with an L2 penalty on its weights, not on its bias: it minimises the mean cross entropy of n
// images plus |W|^2/(2 C n), which is scikit-learn's objective over C n.
type logistic struct {
	*softmax
	images rows
	at     []float64 // where loss and gradient are known
	loss   float64
}

// newLogistic starts at zero.
func newLogistic(of seen) *logistic {
	return &logistic{softmax: newSoftmax(of.width, len(of.classes)), images: rowsOf(of)}
}

// objective is the penalised loss at weights [width+1, classes], flat; it leaves its gradient.
func (l *logistic) objective(weights []float64, c float64) float64 {
	if l.at != nil && slices.Equal(l.at, weights) {
		return l.loss
	}
	l.at = append(l.at[:0], weights...)
	copy(l.weights.Data, weights)
	penalty := 1 / (c * float64(l.images.Rows))
	l.loss = l.backward(l.images)
	penalised := len(weights) - l.weights.Cols
	for i, w := range weights[:penalised] {
		l.loss += penalty * w * w / 2
		l.gradient.Data[i] += penalty * w
	}
	return l.loss
}

// L-BFGS ends where no component of the gradient is larger than flat, scikit-learn's tolerance, or after so many iterations.
const (
	logisticFlat       = 1e-4
	logisticIterations = 1000
)

// fit goes on from the weights that it has to the least of the objective at C.
func (l *logistic) fit(ctx context.Context, c float64) error {
	l.at = nil
	problem := optimize.Problem{
		Func:   func(w []float64) float64 { return l.objective(w, c) },
		Grad:   func(to, w []float64) { l.objective(w, c); copy(to, l.gradient.Data) },
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	settings := optimize.Settings{GradientThreshold: logisticFlat, MajorIterations: logisticIterations,
		Converger: optimize.NeverTerminate{}}
	found, err := optimize.Minimize(problem, slices.Clone(l.weights.Data), &settings, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// rounding may end a line search near the least
	if err != nil && (found == nil || !(floats.Norm(found.Gradient, math.Inf(1)) < 10*logisticFlat)) {
		return fmt.Errorf("eval: logistic regression at C = %.3g: %w", c, err)
	}
	copy(l.weights.Data, found.X)
	return nil
}

// standards make representations of length 1, and then of mean 0 and standard deviation 1 in each component over the images that they are
// of.
type standards struct{ mean, deviation []float64 }

// standardsOf are those of images; a component that does not vary becomes 0.
func standardsOf(of seen) standards {
	s, n := standards{make([]float64, of.width), make([]float64, of.width)}, float64(len(of.class))
	direction := make([]float32, of.width)
	for i := range of.class {
		unit(direction, of.row(i))
		for d, x := range direction {
			s.mean[d] += float64(x) / n
		}
	}
	for i := range of.class {
		unit(direction, of.row(i))
		for d, x := range direction {
			s.deviation[d] += (float64(x) - s.mean[d]) * (float64(x) - s.mean[d]) / n
		}
	}
	for d, variance := range s.deviation {
		if s.deviation[d] = math.Sqrt(variance); s.deviation[d] < 1e-6 { // float32 tells components of unit vectors apart down to here
			s.deviation[d] = 1
		}
	}
	return s
}

// of are images with standardised representations.
func (s standards) of(images seen) seen {
	features := make([]float32, len(images.features))
	for i := range images.class {
		row := features[i*images.width : (i+1)*images.width]
		unit(row, images.row(i))
		for d, x := range row {
			row[d] = float32((float64(x) - s.mean[d]) / s.deviation[d])
		}
	}
	images.features = features
	return images
}
