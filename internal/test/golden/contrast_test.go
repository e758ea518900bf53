package golden_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// value is a golden tensor for a graph.
func value(c golden.Case, path ...string) *tensors.Tensor {
	x := c.Tensor(path...)
	if len(x.Shape) == 0 && len(x.Float) == 1 {
		return tensors.FromScalar(x.Float[0])
	}
	return tensors.FromFlatDataAndDimensions(x.Float, x.Shape...)
}

// run builds a graph in float64 on the pure-Go engine and returns its outputs, flat.
func run(t *testing.T, store *model.Store, inputs []*tensors.Tensor, build func(s *model.Scope, in []*Node) []*Node) [][]float64 {
	t.Helper()
	return pureGo(t).run(t, store, inputs, build)
}

// The scope that golden checks give a contrast for its variables.
const state = "/state"

// withGradients returns the loss, further outputs, and the gradients of the loss.
func withGradients(loss *Node, of []*Node, more ...*Node) []*Node {
	return append(append([]*Node{loss}, more...), Gradient(loss, of...)...)
}

func checkInfoNCE(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "image_feat"), value(c, "inputs", "text_feat"), value(c, "inputs", "logit_scale")}
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		z := negative.InfoNCE{}.ITC(negative.Features{Image: in[0], Text: in[1], Temperature: Reciprocal(in[2])})
		return withGradients(z.Loss, in, z.I2T)
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "logits", got[1], c.Tensor("expected", "logits_per_image").Float)
	near(t, c, "image gradient", got[2], c.Tensor("expected", "grad", "image_feat").Float)
	near(t, c, "text gradient", got[3], c.Tensor("expected", "grad", "text_feat").Float)
	near(t, c, "scale gradient", got[4], c.Tensor("expected", "grad", "logit_scale").Float)
	read(t, c)
}

func checkConsistency(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "image_cls"), value(c, "inputs", "text_cls"), value(c, "inputs", "temp")}
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		u, w := framework.Normalise(in[0]), framework.Normalise(in[1])
		z := negative.Consistency{Weight: 0.2}.ITC(negative.Features{Image: u, Text: w, Temperature: in[2]})
		return withGradients(z.Loss, in, z.I2T, z.T2I, u, w)
	})
	for i, name := range []string{"loss_ita", "sim_i2t", "sim_t2i", "image_feat_store", "text_feat_store"} {
		near(t, c, name, got[i], c.Tensor("expected", name).Float)
	}
	for i, name := range []string{"image_cls", "text_cls", "temp"} {
		near(t, c, name+" gradient", got[5+i], c.Tensor("expected", "grad", name).Float)
	}
	read(t, c)
}

func checkDiHT(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "image_feat"), value(c, "inputs", "text_feat")}
	tau, alpha, beta := c.Float("params", "tau"), c.Float("params", "alpha"), c.Float("params", "beta")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		both := func(weightGradient bool) []*Node {
			contrast := negative.HNNCE{Alpha: alpha, Beta: beta, WeightGradient: weightGradient}
			z := contrast.ITC(negative.Features{Image: in[0], Text: in[1], Temperature: ConstAs(in[0], tau)})
			return withGradients(z.Loss, in)
		}
		return append(both(true), both(false)...)
	})
	for i, gradients := range []string{"grad", "grad_weights_stopped"} {
		near(t, c, "loss", got[3*i], c.Tensor("expected", "loss").Float)
		near(t, c, gradients+" of images", got[3*i+1], c.Tensor("expected", gradients, "image_feat").Float)
		near(t, c, gradients+" of texts", got[3*i+2], c.Tensor("expected", gradients, "text_feat").Float)
	}
	read(t, c)
}

func checkRegulated(t *testing.T, c golden.Case) {
	var inputs []*tensors.Tensor
	for _, name := range []string{"image_feat", "text_feat", "ref_image_feat", "ref_text_feat"} {
		inputs = append(inputs, value(c, "inputs", name))
	}
	tau, alpha := c.Float("params", "tau"), c.Float("params", "alpha")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		z := negative.Regulated{Epochs: 1}.ITC(negative.Features{Image: in[0], Text: in[1], ReferenceImage: in[2], ReferenceText: in[3],
			Temperature: ConstAs(in[0], tau), Progress: ConstAs(in[0], 1-alpha)})
		return withGradients(z.Loss, in[:2])
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "image gradient", got[1], c.Tensor("expected", "grad", "image_feat").Float)
	near(t, c, "text gradient", got[2], c.Tensor("expected", "grad", "text_feat").Float)
	read(t, c)
}

// checkSmoothed holds a case in which Con-D connects no pairs.
func checkSmoothed(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "image_cls"), value(c, "inputs", "text_cls"), value(c, "inputs", "temp")}
	epoch := c.Float("params", "epoch")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		z := negative.Smoothed{Alpha: 0.5}.ITC(negative.Features{Image: framework.Normalise(in[0]), Text: framework.Normalise(in[1]),
			Temperature: in[2], Progress: ConstAs(in[2], epoch)})
		return withGradients(z.Loss, in)
	})
	near(t, c, "loss_ita", got[0], c.Tensor("expected", "loss_ita").Float)
	for i, name := range []string{"image_cls", "text_cls", "temp"} {
		near(t, c, name+" gradient", got[1+i], c.Tensor("expected", "grad_ita", name).Float)
	}
	read(t, c)
}

// checkPositives holds the contrast of retrieval fine-tuning: ALBEF's, with every candidate of the anchor's item a positive, and
// what its matching draws negatives by, which the published code leaves without normalisation. Where the case does not distil, the
// positives alone are the targets.
func checkPositives(t *testing.T, c golden.Case) {
	names := []string{"image_cls", "text_cls", "temp", "image_cls_m", "text_cls_m", "idx"}
	var inputs []*tensors.Tensor
	for _, name := range names[:5] {
		inputs = append(inputs, value(c, "inputs", name))
	}
	items := func(name string) []int32 {
		var items []int32
		for _, item := range c.Ints("inputs", name) {
			items = append(items, int32(item))
		}
		return items
	}
	batch, queued := items("idx"), items("idx_queue")
	inputs = append(inputs, tensors.FromValue(batch))
	tuning := negative.Distilled{Decay: 0.995, Queue: len(queued), Items: true}
	distils := c.Bool("params", "distill")
	if distils {
		tuning.Alpha = c.Float("params", "alpha")
	}
	store := model.NewStore()
	queues := map[string]*tensors.Tensor{"item": tensors.FromFlatDataAndDimensions(queued, len(queued), 1)}
	for _, side := range []string{"image", "text"} {
		x := c.Tensor("inputs", side+"_queue")
		queues[side] = tensors.FromFlatDataAndDimensions(transposed(x.Float, x.Shape[0], x.Shape[1]), x.Shape[1], x.Shape[0])
	}
	read(t, c)
	for side, queue := range queues {
		must.Do(t, tuning.Put(store.Scope(state), side, queue, tensors.FromScalar(int32(0))))
	}
	got := run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		z := tuning.ITC(negative.Features{
			Image: framework.Normalise(in[0]), Text: framework.Normalise(in[1]), Temperature: in[2], Progress: OnesLike(in[2]),
			State: s.Store().Scope(state), MomentumImage: framework.Normalise(in[3]), MomentumText: framework.Normalise(in[4]),
			Items: in[5],
		})
		drawn := func(similarities *Node) *Node { return Softmax(objective.MaskDiagonal(similarities), -1) }
		candidates := Concatenate([]*Node{in[5], Const(in[5].Graph(), queued)}, 0)
		positives := objective.Positives(in[5], candidates, in[0].DType())
		out := withGradients(z.Loss, in[:3], positives, drawn(z.I2T), drawn(z.T2I))
		if distils {
			out = append(out, z.Labels)
		}
		return out
	})
	near(t, c, "loss_ita", got[0], c.Tensor("expected", "loss_ita").Float)
	near(t, c, "sim_targets", got[1], c.Tensor("expected", "sim_targets").Float)
	if distils {
		near(t, c, "sim_i2t_targets", got[7], c.Tensor("expected", "sim_i2t_targets").Float)
	}
	near(t, c, "text weights", got[2], normalised(c.Tensor("expected", "itm_weights_text_for_image").Float, len(batch)))
	near(t, c, "image weights", got[3], normalised(c.Tensor("expected", "itm_weights_image_for_text").Float, len(batch)))
	for i, name := range names[:3] {
		near(t, c, name+" gradient", got[4+i], c.Tensor("expected", "grad", name).Float)
	}
	read(t, c)
}

// normalised divides the rows of a matrix by their sums.
func normalised(x []float64, columns int) []float64 {
	out := make([]float64, len(x))
	for at := 0; at < len(x); at += columns {
		var sum float64
		for _, v := range x[at : at+columns] {
			sum += v
		}
		for k, v := range x[at : at+columns] {
			out[at+k] = v / sum
		}
	}
	return out
}

// checkDistilled holds the loss, its gradients, and the queue after the batch joined it. Cases whose pointer is not at the
// start of a batch-sized block cannot arise: the queue is a multiple of the batch.
func checkDistilled(t *testing.T, c golden.Case) {
	names := []string{"image_cls", "text_cls", "temp", "image_cls_m", "text_cls_m"}
	var inputs []*tensors.Tensor
	for _, name := range names {
		inputs = append(inputs, value(c, "inputs", name))
	}
	queue := negative.Distilled{Alpha: c.Float("params", "alpha"), Decay: 0.995, Queue: c.Tensor("inputs", "image_queue").Shape[1]}
	batch := c.Tensor("inputs", "image_cls").Shape[0]
	store := model.NewStore()
	for _, side := range []string{"image", "text"} {
		x := c.Tensor("inputs", side+"_queue")
		read(t, c)
		rows := tensors.FromFlatDataAndDimensions(transposed(x.Float, x.Shape[0], x.Shape[1]), x.Shape[1], x.Shape[0])
		pointer := tensors.FromScalar(int32(c.Int("params", "queue_ptr") / batch))
		must.Do(t, queue.Put(store.Scope(state), side, rows, pointer))
	}
	got := run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		u, w := framework.Normalise(in[0]), framework.Normalise(in[1])
		z := queue.ITC(negative.Features{
			Image: u, Text: w, Temperature: in[2], Progress: OnesLike(in[2]), State: s.Store().Scope(state),
			MomentumImage: framework.Normalise(in[3]), MomentumText: framework.Normalise(in[4]),
		})
		return withGradients(z.Loss, in[:3], z.I2T, z.T2I)
	})
	near(t, c, "loss_ita", got[0], c.Tensor("expected", "loss_ita").Float)
	columns := batch + queue.Queue
	near(t, c, "sim_i2t in the batch", got[1], left(c.Tensor("expected", "sim_i2t").Float, batch, columns))
	near(t, c, "sim_t2i in the batch", got[2], left(c.Tensor("expected", "sim_t2i").Float, batch, columns))
	for i, name := range names[:3] {
		near(t, c, name+" gradient", got[3+i], c.Tensor("expected", "grad", name).Float)
	}
	for _, side := range []string{"image", "text"} {
		want := c.Tensor("expected", side+"_queue_after")
		after := tensors.MustCopyFlatData[float64](store.GetVariable(state + "/" + side + "/queue").MustValue())
		near(t, c, side+" queue", after, transposed(want.Float, want.Shape[0], want.Shape[1]))
		pointer := tensors.ToScalar[int32](store.GetVariable(state + "/" + side + "/pointer").MustValue())
		if want := c.Ints("expected", "queue_ptr_after")[0] / batch; int(pointer) != want {
			t.Errorf("%s pointer: got block %d, want %d", side, pointer, want)
		}
	}
	read(t, c)
}

func checkSampled(t *testing.T, c golden.Case) {
	// The draws are given: noise that decides for them makes the sampler pick them.
	images, texts := c.Ints("params", "neg_image_for_text"), c.Ints("params", "neg_text_for_image")
	batch := len(images)
	similarities := func(u, w, tau *Node, more []*Node) negative.Contrasted {
		return negative.Contrasted{
			I2T: objective.Similarities(u, framework.Normalise(more[1]), tau),
			T2I: objective.Similarities(w, framework.Normalise(more[0]), tau),
		}
	}
	inputs := []*tensors.Tensor{value(c, "inputs", "image_cls_m"), value(c, "inputs", "text_cls_m"),
		tensors.FromFlatDataAndDimensions(decisive(images, texts), 2, batch, batch)}
	got := checkITM(t, c, negative.Sampled{}, similarities, inputs)
	near(t, c, "text weights", got[0], c.Tensor("expected", "sampling_weights_text_for_image").Float)
	near(t, c, "image weights", got[1], c.Tensor("expected", "sampling_weights_image_for_text").Float)
}

func checkHardest(t *testing.T, c golden.Case) {
	checkITM(t, c, negative.Hardest{}, func(u, w, tau *Node, _ []*Node) negative.Contrasted {
		return negative.Contrasted{I2T: objective.Similarities(u, w, tau), T2I: objective.Similarities(w, u, tau)}
	}, nil)
}

// checkITM recomputes an ITM case, whose fusion is the element-wise product of the [CLS] vectors under a linear head, and
// returns the in-batch probabilities without the own pairs.
func checkITM(t *testing.T, c golden.Case, m negative.Matching, similarities func(u, w, tau *Node, more []*Node) negative.Contrasted,
	more []*tensors.Tensor) [][]float64 {
	t.Helper()
	names := []string{"image_cls", "text_cls", "itm_weight", "itm_bias"}
	var inputs []*tensors.Tensor
	for _, name := range names {
		inputs = append(inputs, value(c, "inputs", name))
	}
	inputs = append(append(inputs, value(c, "inputs", "temp")), more...)
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		z := similarities(framework.Normalise(in[0]), framework.Normalise(in[1]), in[4], in[5:])
		var noise *Node
		if len(in) > 7 {
			noise = in[7]
		}
		pairs := m.Pairs(z, noise)
		float := func(x *Node) *Node { return ConvertDType(x, in[0].DType()) }
		batch := in[0].Shape().Dim(0)
		rows := func(of, x *Node) *Node { return MatMul(OneHot(of, batch, x.DType()), x) }
		logits := MatMul(Mul(rows(pairs.Texts, in[1]), rows(pairs.Images, in[0])), Transpose(in[2], 0, 1))
		logits = Add(logits, InsertAxes(in[3], 0))
		loss := objective.ITM(logits, pairs.Labels, nil)
		weights := func(z *Node) *Node { return Mul(Softmax(z, -1), OneMinus(float(Diagonal(z.Graph(), batch)))) }
		return withGradients(loss, in[:4], logits, float(pairs.Labels), float(pairs.Images), float(pairs.Texts),
			weights(z.I2T), weights(z.T2I))
	})
	near(t, c, "loss_itm", got[0], c.Tensor("expected", "loss_itm").Float)
	near(t, c, "itm_logits", got[1], c.Tensor("expected", "itm_logits").Float)
	near(t, c, "itm_labels", got[2], c.Tensor("expected", "itm_labels").Float)
	pairs := c.Matrix("expected", "pairs_image_text")
	read(t, c)
	for r, pair := range pairs {
		if got[3][r] != pair[0] || got[4][r] != pair[1] {
			t.Errorf("pair %d: got image %v with text %v, want %v", r, got[3][r], got[4][r], pair)
		}
	}
	for i, name := range names {
		near(t, c, name+" gradient", got[7+i], c.Tensor("expected", "grad", name).Float)
	}
	read(t, c)
	return got[5:7]
}

func checkMovingAverage(t *testing.T, c golden.Case) {
	decay, steps := c.Float("params", "momentum"), c.Int("params", "steps")
	average, weights := value(c, "inputs", "param_m"), c.Tensor("inputs", "param")
	read(t, c)
	for k := range steps {
		got := run(t, model.NewStore(), []*tensors.Tensor{average, tensors.FromFlatDataAndDimensions(weights.Float, weights.Shape...)},
			func(_ *model.Scope, in []*Node) []*Node { return []*Node{framework.MovingAverage(in[0], in[1], decay)} })[0]
		near(t, c, "average", got, c.Tensor("expected", "param_m_after_each_step", string(rune('0'+k))).Float)
		average = tensors.FromFlatDataAndDimensions(got, weights.Shape...)
		for i := range weights.Float {
			weights.Float[i] *= 1.5 // as the case notes, between its steps
		}
	}
	read(t, c)
}

func transposed(x []float64, rows, cols int) []float64 {
	out := make([]float64, len(x))
	for i := range rows {
		for j := range cols {
			out[j*rows+i] = x[i*cols+j]
		}
	}
	return out
}

// left is the first batch columns of a matrix of the given number of columns.
func left(x []float64, batch, columns int) []float64 {
	var out []float64
	for at := 0; at < len(x); at += columns {
		out = append(out, x[at:at+batch]...)
	}
	return out
}
