package train

import (
	"errors"
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
	Pixels              []float32 // normalised, or the tokens of a locked encoder, [batch, encoder.ViT.Input...]
	IDs, Masked, Labels []int32   // [batch, tokens]; see framework.Batch
	Noise               []float32 // standard Gumbel draws, [2, batch, batch]
	Progress            float64   // epochs done, a fraction
	Rate                float64   // learning rate

	// What only some methods need; see framework.Batch. The others leave it empty.
	Items []int32   // [batch]
	Truth []float32 // [batch, batch]
	Fresh []int32   // [2 batch, tokens]
	// Room is the number of rows for new positives in MLM, at most 2 batch; each number is a graph of its own to compile.
	Room int
	// Soft asks for Output.Labels, which can be large.
	Soft bool
}

// Output is what one step tells about the mini-batch, as it was before the update.
type Output struct {
	ITC, ITM, MLM, GradientNorm, Temperature float64
	Image, Text                              []float32 // normalised embeddings, [batch, Embed]
	HardestImages, HardestTexts              []int32   // see framework.Losses, [batch]
	// Improvement is how much the update lowered the losses that the method's Reward names on this mini-batch, in nats; 0
	// where the method is not negative.Rewarded.
	Improvement float64
	// Weights are those of the negatives, [batch, batch], and Labels the image anchors' soft targets, [batch, candidates], where
	// they were asked for; see negative.Contrasted. Connected is what became of the picked negatives. Each is nil where the method has none.
	Weights, Labels []float32
	Connected       *Connected
	// Joined is the number of new positives in MLM. With more than Input.Room the step has changed nothing: make it again with more room.
	Joined int
}

// Connected are the negatives that a method's Positives had judged; see negative.Candidates. All are [batch].
type Connected struct {
	Images, Texts           []int32
	ImageScores, TextScores []float32
}

// Loss is the sum of the three losses.
func (o Output) Loss() float64 { return o.ITC + o.ITM + o.MLM }

// Step is the compiled training step: losses, gradients, the update and what it improved in one call.
type Step struct {
	execs           map[int]*model.Exec // by the room for new positives
	build           func(room int) (*model.Exec, error)
	batch, tokens   int
	image           []int // the shape of an image
	rewarded        bool
	needs           framework.Needs
	weights, labels bool
	connects, joins bool
}

// NewStep prepares the step of a configuration on a backend; the store holds the initialised model. It compiles at the
// first call with each Input.Room.
func NewStep(backend compute.Backend, store *model.Store, c Config) (*Step, error) {
	_, rewarded := c.Method.Batches.(negative.Rewarded)
	step := &Step{
		execs: map[int]*model.Exec{}, batch: c.BatchSize, image: c.Framework.Vision.Input(), tokens: c.MaxLen, rewarded: rewarded,
		needs: framework.NeedsOf(c.Method, c.objectives()), connects: c.Method.Positives != nil,
	}
	graph := func(s *model.Scope, in []*Node, room int) []*Node {
		defer framework.Orderly()
		batch := framework.Batch{Pixels: in[0], IDs: in[1], Masked: in[2], Labels: in[3], Noise: in[4], Progress: in[5], Room: room}
		more := in[7:]
		next := func(needed bool, node **Node) {
			if needed {
				*node, more = more[0], more[1:]
			}
		}
		next(step.needs.Items, &batch.Items)
		next(step.needs.Truth, &batch.Truth)
		next(step.needs.Fresh, &batch.Fresh)
		learned := c.Learn(s, batch, in[6])
		orZero := func(loss *Node) *Node {
			if loss == nil {
				return ZerosLike(learned.Norm)
			}
			return loss
		}
		out := []*Node{learned.ITC, orZero(learned.ITM), orZero(learned.MLM), learned.Norm, learned.Temperature, learned.Image, learned.Text,
			learned.HardestImages, learned.HardestTexts}
		if rewarded {
			out = append(out, learned.Improvement)
		}
		if step.weights = learned.Weights != nil; step.weights {
			out = append(out, learned.Weights)
		}
		if step.labels = learned.Labels != nil; step.labels {
			out = append(out, learned.Labels)
		}
		if k := learned.Connections; k != nil {
			out = append(out, k.Images, k.Texts, k.ImageScores, k.TextScores)
		}
		if step.joins = learned.Joined != nil; step.joins {
			out = append(out, learned.Joined)
		}
		return out
	}
	step.build = func(room int) (*model.Exec, error) {
		exec, err := model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node { return graph(s, in, room) })
		if err != nil {
			return nil, fmt.Errorf("train: building the step: %w", err)
		}
		return exec, nil
	}
	return step, nil
}

// Run makes one step.
func (s *Step) Run(in Input) (Output, error) {
	ids := func(x []int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, s.batch, s.tokens) }
	inputs := []*tensors.Tensor{
		framework.Rows(in.Pixels, s.image...),
		ids(in.IDs), ids(in.Masked), ids(in.Labels),
		tensors.FromFlatDataAndDimensions(in.Noise, 2, s.batch, s.batch),
		tensors.FromScalar(float32(in.Progress)), tensors.FromScalar(float32(in.Rate)),
	}
	if s.needs.Items {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(in.Items, s.batch))
	}
	if s.needs.Truth {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(in.Truth, s.batch, s.batch))
	}
	if s.needs.Fresh {
		inputs = append(inputs, tensors.FromFlatDataAndDimensions(in.Fresh, 2*s.batch, s.tokens))
	}
	exec := s.execs[in.Room]
	if exec == nil {
		var err error
		if exec, err = s.build(in.Room); err != nil {
			return Output{}, err
		}
		s.execs[in.Room] = exec
	}
	results, err := framework.Call(exec, inputs...)
	if err != nil {
		return Output{}, fmt.Errorf("train: running the step: %w", err)
	}
	defer framework.Release(results)
	scalar := func(i int) float64 { return float64(tensors.ToScalar[float32](results[i])) }
	out := Output{ITC: scalar(0), ITM: scalar(1), MLM: scalar(2), GradientNorm: scalar(3), Temperature: scalar(4)}
	var copied []error
	floats := func(i int) []float32 {
		values, err := tensors.CopyFlatData[float32](results[i])
		copied = append(copied, err)
		return values
	}
	positions := func(i int) []int32 {
		values, err := tensors.CopyFlatData[int32](results[i])
		copied = append(copied, err)
		return values
	}
	out.Image, out.Text, out.HardestImages, out.HardestTexts = floats(5), floats(6), positions(7), positions(8)
	at := 9
	next := func() int { at++; return at - 1 }
	if s.rewarded {
		out.Improvement = scalar(next())
	}
	if s.weights {
		out.Weights = floats(next())
	}
	if s.labels {
		if at := next(); in.Soft {
			out.Labels = floats(at)
		}
	}
	if s.connects {
		out.Connected = &Connected{Images: positions(next()), Texts: positions(next()), ImageScores: floats(next()), TextScores: floats(next())}
	}
	if s.joins {
		out.Joined = int(scalar(next()))
	}
	return out, errors.Join(copied...)
}

// Close frees the compiled steps.
func (s *Step) Close() {
	for _, exec := range s.execs {
		exec.Finalize()
	}
}

// finite reports whether every loss and the gradient are numbers.
func (o Output) finite() bool {
	sum := o.ITC + o.ITM + o.MLM + o.GradientNorm + o.Temperature + o.Improvement
	return !math.IsNaN(sum) && !math.IsInf(sum, 0)
}
