package negative

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
)

// compiled builds a graph on the pure-Go engine and returns what runs it; results are flat, as float64.
func compiled(t *testing.T, store *model.Store, build func(s *model.Scope, in []*Node) []*Node) func(in ...any) [][]float64 {
	t.Helper()
	backend := enginetest.PureGo(t)
	exec := must.Get(model.NewExec(backend, store, build))(t)
	return func(in ...any) [][]float64 {
		t.Helper()
		results := must.Get(exec.Call(in...))(t)
		var flat [][]float64
		for _, x := range results {
			flat = append(flat, floats(t, x))
		}
		return flat
	}
}

// floats are the numbers of a float32 or int32 tensor.
func floats(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	var out []float64
	switch values := x.Value().(type) {
	case int32:
		return []float64{float64(values)}
	case []int32:
		for _, v := range values {
			out = append(out, float64(v))
		}
	default:
		numbers := must.Get(tensors.CopyFlatData[float32](x))(t)
		for _, v := range numbers {
			out = append(out, float64(v))
		}
	}
	return out
}

func close64(t *testing.T, name string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d values, want %d", name, len(got), len(want))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 2e-5*math.Max(1, math.Abs(want[i]))) {
			t.Fatalf("%s: value %d: got %v, want %v", name, i, got[i], want[i])
		}
	}
}

// slowSimilarities are the cosines over tau of anchors and keys [*, dim].
func slowSimilarities(anchors, keys []float32, dim int, tau float64) [][]float64 {
	var z [][]float64
	for a := 0; a < len(anchors); a += dim {
		var row []float64
		for k := 0; k < len(keys); k += dim {
			var dot float64
			for d := range dim {
				dot += float64(anchors[a+d]) * float64(keys[k+d])
			}
			row = append(row, dot/tau)
		}
		z = append(z, row)
	}
	return z
}

func slowSoftmax(row []float64) []float64 {
	var total float64
	out := make([]float64, len(row))
	for i, x := range row {
		out[i] = math.Exp(x - slices.Max(row))
		total += out[i]
	}
	for i := range out {
		out[i] /= total
	}
	return out
}

// slowCE is the mean cross entropy of the logits' rows under the targets of an anchor.
func slowCE(logits [][]float64, targets func(anchor int) []float64) float64 {
	var loss float64
	for i, row := range logits {
		for j, p := range slowSoftmax(row) {
			loss -= targets(i)[j] * math.Log(p) / float64(len(logits))
		}
	}
	return loss
}

// slowOwn is the target of the own pair among n candidates.
func slowOwn(n int) func(int) []float64 {
	return func(i int) []float64 {
		row := make([]float64, n)
		row[i] = 1
		return row
	}
}

// plainly runs a contrast without variables: the loss, I2T, T2I and the loss's gradients of image, text and temperature.
func plainly(t *testing.T, c Contrast, u, w []float32, dim int, tau float64) [][]float64 {
	t.Helper()
	run := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		z := c.ITC(Features{Image: in[0], Text: in[1], Temperature: in[2]})
		return append([]*Node{z.Loss, z.I2T, z.T2I}, Gradient(z.Loss, in...)...)
	})
	batch := len(u) / dim
	return run(tensors.FromFlatDataAndDimensions(u, batch, dim), tensors.FromFlatDataAndDimensions(w, batch, dim), float32(tau))
}

// Two orthogonal pairs at temperature 1: every anchor gives its own e/(1+e), so the loss is ln(1 + 1/e).
func TestInfoNCEByHand(t *testing.T) {
	unit := []float32{1, 0, 0, 1}
	close64(t, "loss", plainly(t, InfoNCE{}, unit, unit, 2, 1)[0], []float64{0.3132616875})
}

// Without its consistency term GRIT-VLP's contrast has InfoNCE's value, but another gradient: keys are detached (METHODS.md
// 17.1). What a side loses by that is what it got as the key of the other.
func TestConsistencyWithoutWeight(t *testing.T) {
	const dim, tau = 4, 0.2
	u, w := embeddings(5, dim, 1)
	plain, detached := plainly(t, InfoNCE{}, u, w, dim, tau), plainly(t, Consistency{}, u, w, dim, tau)
	for i, name := range []string{"loss", "I2T", "T2I"} {
		close64(t, name, detached[i], plain[i])
	}
	close64(t, "gradient of the temperature", detached[5], plain[5])
	for i, name := range []string{"image", "text"} {
		var change float64
		for k := range plain[3+i] {
			change = max(change, math.Abs(plain[3+i][k]-detached[3+i][k]))
		}
		if change < 1e-3 {
			t.Errorf("gradient of the %s: got InfoNCE's own, want another", name)
		}
	}
}

func TestConsistencyAgainstLoop(t *testing.T) {
	const batch, dim, tau = 5, 4, 0.3
	u, w := embeddings(batch, dim, 2)
	i2t, t2i := slowSimilarities(u, w, dim, tau), slowSimilarities(w, u, dim, tau)
	own := (slowCE(i2t, slowOwn(batch)) + slowCE(t2i, slowOwn(batch))) / 2
	crossed := (slowCE(i2t, func(i int) []float64 { return slowSoftmax(t2i[i]) }) +
		slowCE(t2i, func(i int) []float64 { return slowSoftmax(i2t[i]) })) / 2
	for _, c := range []struct {
		contrast Consistency
		want     float64
	}{
		{Consistency{Weight: 0.2}, own + 0.2*crossed},
		{Consistency{Weight: 0.2, Convex: true}, 0.8*own + 0.2*crossed},
		{Consistency{Weight: 1, Convex: true}, crossed},
	} {
		t.Run(fmt.Sprintf("%+v", c.contrast), func(t *testing.T) {
			got := plainly(t, c.contrast, u, w, dim, tau)
			close64(t, "loss", got[0], []float64{c.want})
			close64(t, "I2T", got[1], slices.Concat(i2t...))
			close64(t, "T2I", got[2], slices.Concat(t2i...))
		})
	}
}

// An outcome that the step cannot use is refused with what is wanted.
func TestAssertOfAContrast(t *testing.T) {
	backend := enginetest.PureGo(t)
	g := NewGraph(backend, "assert")
	square, row, loss := Zeros(g, shapes.Make(dtypes.Float32, 4, 4)), Zeros(g, shapes.Make(dtypes.Float32, 4)),
		ScalarZero(g, dtypes.Float32)
	if err := exceptions.TryCatch[error](func() {
		Contrasted{Loss: loss, I2T: square, T2I: square}.assert("negative.InfoNCE.ITC",
			4)
	}); err != nil {
		t.Errorf("a whole outcome: %v", err)
	}
	for says, c := range map[string]Contrasted{
		"loss that negative.InfoNCE.ITC returns is missing": {I2T: square, T2I: square},
		"is of shape (Float32)[4]; return a scalar":         {Loss: row, I2T: square, T2I: square},
		"I2T that negative.InfoNCE.ITC returns is missing":  {Loss: loss, T2I: square},
		"T2I that negative.InfoNCE.ITC returns is of shape": {Loss: loss, I2T: square, T2I: row},
	} {
		must.Fail(t, exceptions.TryCatch[error](func() { c.assert("negative.InfoNCE.ITC", 4) }), says)
	}
}
