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
	// Items lets the candidates of the anchor's own image share its target evenly, and keeps other captions of the image from being
	// picked as negatives, as in fine-tuning (METHODS.md 15.3). Without it other captions of the image count as negatives.
	Items bool `json:",omitempty"`
}

// noItem is the image of the queue's first random vectors, which belong to none.
const noItem = -100

// Momentum implements Distiller.
func (d Distilled) Momentum() float64 { return d.Decay }

// Softened implements Softening.
func (d Distilled) Softened(alpha float64) Contrast {
	d.Alpha = alpha
	return d
}

// Unqueued is a contrast without the queue of Distilled, if it is one.
func Unqueued(c Contrast) Contrast {
	if d, queues := c.(Distilled); queues {
		d.Queue = 0
		return d
	}
	return c
}

// DistilsAlone reports whether what a contrast adds is a momentum model alone, of which a framework without a contrastive loss can learn.
func DistilsAlone(c Contrast) bool {
	d, distils := c.(Distilled)
	return distils && d.Queue == 0 && !d.Items
}

// Mix implements Distiller: Alpha, reached linearly over epoch 0.
func (d Distilled) Mix(progress *Node) *Node { return MulScalar(MinScalar(progress, 1), d.Alpha) }

// Connects implements Connecting.
func (Distilled) Connects() {}

// ListsNegatives implements Listing.
func (Distilled) ListsNegatives() {}

// NeedsItems implements Itemised.
func (d Distilled) NeedsItems() bool { return d.Items }

// ITC implements Contrast. It uses the queue as it was before this batch, then enqueues the batch.
func (d Distilled) ITC(f Features) Contrasted {
	images := d.candidates(f.State, "image", f.MomentumImage)
	texts := d.candidates(f.State, "text", f.MomentumText)
	tau, batch := f.Temperature, f.Image.Shape().Dim(0)
	i2t := objective.Similarities(f.Image, texts, tau)
	t2i := objective.Similarities(f.Text, images, tau)
	mix := d.Mix(f.Progress)
	i2tTargets, t2iTargets := f.Targets(i2t)
	if d.Items {
		items := d.candidates(f.State, "item", InsertAxes(f.Items, 1))
		i2tTargets = objective.Positives(f.Items, Squeeze(items, 1), i2t.DType())
		t2iTargets = i2tTargets
	}
	soft := func(targets, anchors, keys *Node) *Node {
		teacher := Softmax(objective.Similarities(StopGradient(anchors), keys, StopGradient(tau)), -1)
		return objective.Softened(targets, teacher, mix)
	}
	inBatch := func(z *Node) *Node {
		z = Slice(z, AxisRange(), AxisRange(0, batch))
		if d.Items {
			return withoutSiblings(z, f.Items)
		}
		return z
	}
	labels := soft(i2tTargets, f.MomentumImage, texts)
	c := Contrasted{
		Loss: f.Loss(i2t, t2i, labels, soft(t2iTargets, f.MomentumText, images)),
		I2T:  inBatch(i2t), T2I: inBatch(t2i),
	}
	if d.Alpha > 0 {
		c.Labels = labels
	}
	return c
}

// mostKept bounds the numbers of a queue. Those of ALBEF are 16.8 million.
const mostKept = 1 << 29

// Declare implements Stateful: queues of random unit vectors, so that the first steps contrast against noise as in the
// published code, [Queue, dim], and a pointer to the batch-sized block that the next batch overwrites. With Items a queue of the
// images that they belong to, too.
func (d Distilled) Declare(state *model.Scope, run Start) error {
	if d.Queue == 0 {
		return nil
	}
	if d.Queue < 0 || d.Queue%run.BatchSize != 0 {
		return fmt.Errorf("negative: a queue of %d pairs; want 0 or a multiple of the batch size %d", d.Queue, run.BatchSize)
	}
	if d.Items {
		items := make([]int32, d.Queue)
		for i := range items {
			items[i] = noItem
		}
		if err := d.Put(state, "item", tensors.FromFlatDataAndDimensions(items, d.Queue, 1), tensors.FromScalar(int32(0))); err != nil {
			return err
		}
	}
	if d.Queue > mostKept/run.Dim {
		return fmt.Errorf("negative: a queue of %d pairs with %d numbers each; take %d pairs at most (settings momentumqueue, "+
			"tuning.queue)", d.Queue, run.Dim, mostKept/run.Dim)
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

// Put makes the queue of a side from its first rows and the block that the next batch overwrites. The rows of "image" and "text"
// are unit vectors, [Queue, dim], those of "item" images, int32 [Queue, 1].
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

// withoutSiblings replaces the similarities [batch, batch] of pairs of the same item by minus infinity in effect, but for the
// own pair's: no matching picks them.
func withoutSiblings(z, items *Node) *Node {
	same := Equal(InsertAxes(items, 1), InsertAxes(items, 0))
	siblings := LogicalAnd(same, LogicalNot(Diagonal(z.Graph(), z.Shape().Dim(0))))
	return Where(siblings, ConstAs(z, -1e30), z)
}

// ALBEF distils a momentum model's view of the batch and a queue into the targets (Li et al., 2021; METHODS.md 1).
func ALBEF(queue int) Method {
	return Method{
		Name:     "ALBEF",
		Batches:  Uniform{},
		Contrast: Distilled{Alpha: 0.4, Decay: 0.995, Queue: queue},
		Matching: Sampled{},
		Masking:  0.15,
	}
}

// RetrievalTuning is ALBEF's fine-tuning for retrieval (METHODS.md 15.3); alpha is the weight of the soft targets, 0 for none.
func RetrievalTuning(alpha float64, queue int) Method {
	return Method{
		Batches:  Uniform{},
		Contrast: Distilled{Alpha: alpha, Decay: 0.995, Queue: queue, Items: true},
		Matching: Sampled{},
	}
}

// OwnLabelTuning is fine-tuning for retrieval without momentum encoders: by the labels of the mini-batch.
func OwnLabelTuning() Method {
	return Method{Batches: Uniform{}, Contrast: InfoNCE{Items: true}, Matching: Sampled{}}
}

var albef = Entry{
	Name:   "ALBEF",
	Source: "Li et al., 2021; METHODS.md 1",
	What:   "soft targets of momentum encoders and a queue",
	At:     func(s Sizes) Method { return ALBEF(s.MomentumQueue) },
}
