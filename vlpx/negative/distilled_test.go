package negative

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// distilling runs ALBEF's contrast: the loss, I2T, T2I, and the gradients of image, text, temperature and both momentum sides.
func distilling(t *testing.T, d Distilled, store *model.Store) func(u, w, um, wm []float32, dim int, tau, progress float64) [][]float64 {
	t.Helper()
	run := compiled(t, store, func(s *model.Scope, in []*Node) []*Node {
		z := d.ITC(Features{Image: in[0], Text: in[1], MomentumImage: in[2], MomentumText: in[3], Temperature: in[4],
			Progress: in[5], State: s.Store().Scope("/state")})
		return append([]*Node{z.Loss, z.I2T, z.T2I}, Gradient(z.Loss, in[0], in[1], in[4], in[2], in[3])...)
	})
	return func(u, w, um, wm []float32, dim int, tau, progress float64) [][]float64 {
		rows := func(x []float32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, len(x)/dim, dim) }
		return run(rows(u), rows(w), rows(um), rows(wm), float32(tau), float32(progress))
	}
}

// Without queue and soft targets ALBEF's contrast is InfoNCE against the momentum encoders' keys, which carry no gradient.
func TestDistilledWithoutQueueAndTeacher(t *testing.T) {
	const batch, dim, tau = 4, 3, 0.2
	u, w := embeddings(batch, dim, 3)
	um, wm := embeddings(batch, dim, 4)
	got := distilling(t, Distilled{}, model.NewStore())(u, w, um, wm, dim, tau, 1)
	i2t, t2i := slowSimilarities(u, wm, dim, tau), slowSimilarities(w, um, dim, tau)
	close64(t, "loss", got[0], []float64{(slowCE(i2t, slowOwn(batch)) + slowCE(t2i, slowOwn(batch))) / 2})
	close64(t, "I2T", got[1], slices.Concat(i2t...))
	close64(t, "T2I", got[2], slices.Concat(t2i...))
	for i, name := range []string{"image", "text", "temperature"} {
		if slices.Max(got[3+i]) == 0 && slices.Min(got[3+i]) == 0 {
			t.Errorf("gradient of %s: got zero", name)
		}
	}
	for i, name := range []string{"momentum image", "momentum text"} {
		close64(t, "gradient of "+name, got[6+i], make([]float64, batch*dim))
	}
}

// Over several mini-batches the queue is a ring of blocks. Each batch contrasts with the queue as it was before it, and the
// soft targets' weight grows over epoch 0 (METHODS.md 1.3 and 1.4).
func TestDistilledAgainstRing(t *testing.T) {
	const batch, dim, tau = 2, 3, 0.25
	d := Distilled{Alpha: 0.4, Decay: 0.995, Queue: 3 * batch}
	store := model.NewStore()
	must.Do(t, d.Declare(store.Scope("/state"), Start{BatchSize: batch, Dim: dim, Seed: 5}))
	queue := func(side string) []float32 {
		flat := must.Get(tensors.CopyFlatData[float32](store.GetVariable("/state/" + side + "/queue").MustValue()))(t)
		return flat
	}
	step := distilling(t, d, store)
	images, texts := queue("image"), queue("text")
	for k, progress := range []float64{0, 0.25, 0.5, 0.75, 1, 1.5, 7} {
		u, w := embeddings(batch, dim, uint64(10+k))
		um, wm := embeddings(batch, dim, uint64(20+k))
		alpha := 0.4 * math.Min(1, progress)
		side := func(anchor, teacher, keys []float32) float64 {
			taught := slowSimilarities(teacher, keys, dim, tau)
			return slowCE(slowSimilarities(anchor, keys, dim, tau), func(i int) []float64 {
				target := slowSoftmax(taught[i])
				for j, own := range slowOwn(len(target))(i) {
					target[j] = alpha*target[j] + (1-alpha)*own
				}
				return target
			})
		}
		want := (side(u, um, slices.Concat(wm, texts)) + side(w, wm, slices.Concat(um, images))) / 2
		got := step(u, w, um, wm, dim, tau, progress)
		close64(t, "loss", got[0], []float64{want})
		close64(t, "I2T", got[1], slices.Concat(slowSimilarities(u, wm, dim, tau)...))

		at := k % 3 * batch * dim
		copy(images[at:], um)
		copy(texts[at:], wm)
		if got := queue("image"); !slices.Equal(got, images) {
			t.Fatalf("image queue after batch %d: got %v, want %v", k, got, images)
		}
		if got := queue("text"); !slices.Equal(got, texts) {
			t.Fatalf("text queue after batch %d: got %v, want %v", k, got, texts)
		}
	}
}

func TestDistilledDeclare(t *testing.T) {
	const dim = 8
	absurd := Distilled{Queue: 3 << 22}.Declare(model.NewStore().Scope("/state"), Start{BatchSize: 3, Dim: 1 << 16})
	must.Fail(t, absurd, "take 8192 pairs at most")
	d := Distilled{Queue: 6}
	declare := func(seed uint64) [][]float32 {
		store := model.NewStore()
		must.Do(t, d.Declare(store.Scope("/state"), Start{BatchSize: 3, Dim: dim, Seed: seed}))
		var queues [][]float32
		for _, side := range []string{"image", "text"} {
			v := store.GetVariable("/state/" + side + "/queue")
			if v.Trainable {
				t.Errorf("the %s queue is trained", side)
			}
			flat := must.Get(tensors.CopyFlatData[float32](v.MustValue()))(t)
			queues = append(queues, flat)
		}
		return queues
	}
	one, again, other := declare(1), declare(1), declare(2)
	if !slices.Equal(one[0], again[0]) || slices.Equal(one[0], other[0]) || slices.Equal(one[0], one[1]) {
		t.Error("the queues are not drawn by seed and side")
	}
	for row := range d.Queue {
		var square float64
		for _, x := range one[0][row*dim : (row+1)*dim] {
			square += float64(x) * float64(x)
		}
		if math.Abs(square-1) > 1e-6 {
			t.Errorf("row %d: got the squared length %v, want 1", row, square)
		}
	}
	for _, queue := range []int{4, -3} {
		err := Distilled{Queue: queue}.Declare(model.NewStore().Scope("/state"), Start{BatchSize: 3, Dim: dim})
		if err == nil || !strings.Contains(err.Error(), "multiple of the batch size 3") {
			t.Errorf("queue of %d: got error %v, want one about the batch size", queue, err)
		}
	}
}
