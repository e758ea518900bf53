package negative

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// Distilled is ALBEF's contrast: momentum distillation, with a queue of momentum embeddings as further candidates
// (METHODS.md 1.3 and 1.4). Keys are constants: gradient reaches the online embeddings and the temperature only.
type Distilled struct {
	// Alpha is the weight of the soft targets (0.4), reached linearly over epoch 0.
	Alpha float64
	// Decay of the momentum encoders (0.995).
	Decay float64
	// Queue is the number of past pairs kept as candidates (65,536), a multiple of the batch size; 0 for none.
	Queue int
}

// Momentum implements Distiller.
func (d Distilled) Momentum() float64 { return d.Decay }

// Mix implements Distiller: Alpha, reached linearly over epoch 0.
func (d Distilled) Mix(progress *Node) *Node { return MulScalar(MinScalar(progress, 1), d.Alpha) }

// ITC implements Contrast. It uses the queue as it was before this batch, then enqueues the batch.
func (d Distilled) ITC(f Features) Contrasted {
	images := d.candidates(f.State, "image", f.MomentumImage)
	texts := d.candidates(f.State, "text", f.MomentumText)
	tau, batch := f.Temperature, f.Image.Shape().Dim(0)
	i2t := objective.Similarities(f.Image, texts, tau)
	t2i := objective.Similarities(f.Text, images, tau)
	own, mix := objective.Own(i2t), d.Mix(f.Progress)
	soft := func(anchors, keys *Node) *Node {
		teacher := Softmax(objective.Similarities(StopGradient(anchors), keys, StopGradient(tau)), -1)
		return objective.Softened(own, teacher, mix)
	}
	inBatch := func(z *Node) *Node { return Slice(z, AxisRange(), AxisRange(0, batch)) }
	return Contrasted{
		Loss: objective.ITC(i2t, t2i, soft(f.MomentumImage, texts), soft(f.MomentumText, images)),
		I2T:  inBatch(i2t), T2I: inBatch(t2i),
	}
}

// Declare implements Stateful: queues of random unit vectors, so that the first steps contrast against noise as in the
// published code, [Queue, dim], and a pointer to the batch-sized block that the next batch overwrites.
func (d Distilled) Declare(state *model.Scope, run Start) error {
	if d.Queue == 0 {
		return nil
	}
	if d.Queue < 0 || d.Queue%run.BatchSize != 0 {
		return fmt.Errorf("negative: a queue of %d pairs; want 0 or a multiple of the batch size %d", d.Queue, run.BatchSize)
	}
	for _, side := range []string{"image", "text"} {
		r := random.Stream(run.Seed, "queue", side)
		rows := make([]float32, d.Queue*run.Dim)
		for at := 0; at < len(rows); at += run.Dim {
			unit(r, rows[at:at+run.Dim])
		}
		queue := tensors.FromFlatDataAndDimensions(rows, d.Queue, run.Dim)
		if err := d.Put(state, side, queue, tensors.FromScalar(int32(0))); err != nil {
			return err
		}
	}
	return nil
}

// Put makes the queue of a side, "image" or "text", from unit vectors [Queue, dim] and the block that the next batch overwrites.
func (Distilled) Put(state *model.Scope, side string, queue, pointer *tensors.Tensor) error {
	for name, value := range map[string]*tensors.Tensor{"queue": queue, "pointer": pointer} {
		v, err := state.At("%s", side).CreateVariable(name, value)
		if err != nil {
			return fmt.Errorf("negative: the %s queue: %w", side, err)
		}
		v.SetTrainable(false)
	}
	return nil
}

// unit draws a direction uniformly.
func unit(r *rand.Rand, row []float32) {
	var square float64
	for i := range row {
		x := r.NormFloat64()
		row[i] = float32(x)
		square += x * x
	}
	for i := range row {
		row[i] /= float32(math.Sqrt(square))
	}
}

// candidates returns the batch's keys followed by the queue of a side, [batch+Queue, dim], and enqueues the keys.
func (d Distilled) candidates(state *model.Scope, side string, keys *Node) *Node {
	keys = StopGradient(keys)
	if d.Queue == 0 {
		return keys
	}
	g, batch, dim := keys.Graph(), keys.Shape().Dim(0), keys.Shape().Dim(1)
	blocks := d.Queue / batch
	queue, pointer := state.At("%s", side).GetVariable("queue"), state.At("%s", side).GetVariable("pointer")
	before, at := queue.NodeValue(g), pointer.NodeValue(g)

	here := Equal(Iota(g, shapes.Make(dtypes.Int32, blocks, 1, 1), 0), ExpandLeftToRank(at, 3))
	after := Where(BroadcastToDims(here, blocks, batch, dim), BroadcastToDims(InsertAxes(keys, 0), blocks, batch, dim),
		Reshape(before, blocks, batch, dim))
	queue.SetNodeValue(Reshape(after, d.Queue, dim))
	next := AddScalar(at, 1)
	pointer.SetNodeValue(Where(Equal(next, Scalar(g, dtypes.Int32, blocks)), ZerosLike(next), next))
	return Concatenate([]*Node{keys, before}, 0)
}
