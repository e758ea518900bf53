package train

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Input is one mini-batch on the host.
type Input struct {
	Pixels              []float32 // [batch, side, side, 3], normalised
	IDs, Masked, Labels []int32   // [batch, tokens]; see framework.Batch
	Noise               []float32 // standard Gumbel draws, [2, batch, batch]
	Progress            float64   // epochs done, a fraction
	Rate                float64   // learning rate
}

// Output is what one step tells about the mini-batch, as it was before the update.
type Output struct {
	ITC, ITM, MLM, GradientNorm, Temperature float64
	Image, Text                              []float32 // normalised embeddings, [batch, Embed]
	HardestImages, HardestTexts              []int32   // see framework.Losses, [batch]
	// Improvement is how much the update lowered the losses that the method's Reward names on this mini-batch, in nats; 0
	// where the method is not negative.Rewarded.
	Improvement float64
}

// Loss is the sum of the three losses.
func (o Output) Loss() float64 { return o.ITC + o.ITM + o.MLM }

// Step is the compiled training step: losses, gradients, the update and what it improved in one call.
type Step struct {
	exec                *model.Exec
	batch, side, tokens int
	rewarded            bool
}

// NewStep prepares the step of a configuration on a backend; the store holds the initialised model. It compiles at the
// first call.
func NewStep(backend compute.Backend, store *model.Store, c Config) (*Step, error) {
	learner, rewarded := c.Method.Batches.(negative.Rewarded)
	exec, err := model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		g := in[0].Graph()
		s.Store().SetTraining(g, true)
		batch := framework.Batch{Pixels: in[0], IDs: in[1], Masked: in[2], Labels: in[3], Noise: in[4], Progress: in[5]}
		losses := c.Framework.Losses(s, c.Method, batch)
		reassess := func() *Node {
			s.Store().SetTraining(g, false)
			defer s.Store().SetTraining(g, true)
			return c.Framework.Reassess(s, c.Method, batch, losses.Pairs, learner.Reward())
		}
		var before *Node
		if rewarded {
			before = losses.Of(learner.Reward())
			if _, distils := c.Method.Contrast.(negative.Distiller); distils || c.Framework.Text.Dropout > 0 {
				before = reassess() // the training pass was not the same
			}
		}
		norm := c.Optimiser.Update(s.Store(), framework.Model, losses.Total(), in[6])
		out := []*Node{losses.ITC, losses.ITM, losses.MLM, norm, losses.Temperature, losses.Image, losses.Text,
			losses.HardestImages, losses.HardestTexts}
		if rewarded {
			out = append(out, Sub(before, reassess()))
		}
		return out
	})
	if err != nil {
		return nil, fmt.Errorf("train: building the step: %w", err)
	}
	return &Step{exec: exec, batch: c.BatchSize, side: c.Framework.Vision.Image, tokens: c.MaxLen, rewarded: rewarded}, nil
}

// Run makes one step.
func (s *Step) Run(in Input) (Output, error) {
	ids := func(x []int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, s.batch, s.tokens) }
	results, err := framework.Call(s.exec,
		tensors.FromFlatDataAndDimensions(in.Pixels, s.batch, s.side, s.side, 3),
		ids(in.IDs), ids(in.Masked), ids(in.Labels),
		tensors.FromFlatDataAndDimensions(in.Noise, 2, s.batch, s.batch),
		tensors.FromScalar(float32(in.Progress)), tensors.FromScalar(float32(in.Rate)))
	if err != nil {
		return Output{}, fmt.Errorf("train: running the step: %w", err)
	}
	defer framework.Release(results)
	scalar := func(i int) float64 { return float64(tensors.ToScalar[float32](results[i])) }
	out := Output{ITC: scalar(0), ITM: scalar(1), MLM: scalar(2), GradientNorm: scalar(3), Temperature: scalar(4)}
	if s.rewarded {
		out.Improvement = scalar(9)
	}
	if out.Image, err = tensors.CopyFlatData[float32](results[5]); err != nil {
		return out, err
	}
	if out.Text, err = tensors.CopyFlatData[float32](results[6]); err != nil {
		return out, err
	}
	if out.HardestImages, err = tensors.CopyFlatData[int32](results[7]); err != nil {
		return out, err
	}
	out.HardestTexts, err = tensors.CopyFlatData[int32](results[8])
	return out, err
}

// Close frees the compiled step.
func (s *Step) Close() { s.exec.Finalize() }

// finite reports whether every loss and the gradient are numbers.
func (o Output) finite() bool {
	sum := o.ITC + o.ITM + o.MLM + o.GradientNorm + o.Temperature + o.Improvement
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}
