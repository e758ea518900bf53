package albef

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
)

// assigned runs assign on rows of features.
func assigned(t *testing.T, features [][]float32, noise, draws []float32) (left, right, labels []int32) {
	t.Helper()
	n := len(features)
	exec := must.Get(model.NewExec(enginetest.PureGo(t), model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		l, r, y := assign(in[0], in[1], in[2])
		return []*Node{l, r, y}
	}))(t)
	defer exec.Finalize()
	out := must.Get(exec.Call(tensors.FromValue(features), tensors.FromFlatDataAndDimensions(noise, 2, n, n),
		tensors.FromFlatDataAndDimensions(draws, 2, n)))(t)
	of := tensors.MustCopyFlatData[int32]
	return of(out[0]), of(out[1]), of(out[2])
}

// Two images a caption against a loop.
func TestAssignAgainstLoop(t *testing.T) {
	const n, dim = 7, 3
	r := random.Stream(9, "features")
	features := make([][]float32, n)
	for i := range features {
		var square float64
		for range dim {
			x := r.NormFloat64()
			features[i], square = append(features[i], float32(x)), square+x*x
		}
		for d := range dim {
			features[i][d] /= float32(math.Sqrt(square))
		}
	}
	seen := map[int32]bool{}
	for trial := range 5 {
		draws := random.Stream(9, "draws", trial)
		noise, uniform := make([]float32, 2*n*n), make([]float32, 2*n)
		for k := range noise {
			noise[k] = float32(-math.Log(draws.ExpFloat64()))
		}
		for k := range uniform {
			uniform[k] = draws.Float32()
		}
		left, right, labels := assigned(t, features, noise, uniform)
		for i := range n {
			var others []int32
			for j := range int32(n) {
				if int(j) != i {
					others = append(others, j)
				}
			}
			logit := func(j int32) (z float64) {
				for d := range dim {
					z += float64(features[i][d]) * float64(features[j][d])
				}
				return z/0.07 + float64(noise[i*n+int(j)])
			}
			slices.SortFunc(others, func(a, b int32) int { return map[bool]int{true: -1, false: 1}[logit(a) > logit(b)] })
			want := [3]int32{others[0], others[1], 2}
			if uniform[i] > 1./3 {
				want = [3]int32{others[0], int32(i), 1}
				if uniform[n+i] > 0.5 {
					want = [3]int32{int32(i), others[0], 0}
				}
			}
			if got := [3]int32{left[i], right[i], labels[i]}; got != want {
				t.Errorf("trial %d, caption %d: got images and label %v, want %v", trial, i, got, want)
			}
			seen[labels[i]] = true
		}
	}
	if len(seen) != 3 {
		t.Errorf("only labels %v came up", seen)
	}
}

// Over many draws the other image comes up in proportion to exp(u u / 0.07), and a third of the captions have none of their own.
func TestAssignmentShares(t *testing.T) {
	const trials = 3000
	angle := func(x float64) []float32 { return []float32{float32(math.Cos(x)), float32(math.Sin(x))} }
	features := [][]float32{angle(0), angle(0.2), angle(0.45), angle(-0.3)}
	n := len(features)
	counts, none := make([]float64, n), 0.0
	var noise, uniform []float32
	r := random.Stream(2, "shares")
	on := enginetest.PureGo(t)
	exec := must.Get(model.NewExec(on, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
		l, r, y := assign(in[0], in[1], in[2])
		return []*Node{l, r, y}
	}))(t)
	defer exec.Finalize()
	for range trials {
		noise, uniform = noise[:0], uniform[:0]
		for range 2 * n * n {
			noise = append(noise, float32(-math.Log(r.ExpFloat64())))
		}
		for range 2 * n {
			uniform = append(uniform, r.Float32())
		}
		out := must.Get(exec.Call(tensors.FromValue(features), tensors.FromFlatDataAndDimensions(noise, 2, n, n),
			tensors.FromFlatDataAndDimensions(uniform, 2, n)))(t)
		left, right, labels := tensors.MustCopyFlatData[int32](out[0]), tensors.MustCopyFlatData[int32](out[1]),
			tensors.MustCopyFlatData[int32](out[2])
		switch labels[0] {
		case 0:
			counts[right[0]]++
		case 1:
			counts[left[0]]++
		case 2:
			counts[left[0]]++
			none++
		}
	}
	var total float64
	weight := func(j int) float64 { return math.Exp(float64(features[j][0]) / 0.07) } // the first is (1, 0)
	for j := 1; j < n; j++ {
		total += weight(j)
	}
	within := func(name string, got, share float64) {
		if deviation := math.Sqrt(share * (1 - share) / trials); math.Abs(got/trials-share) > 4*deviation {
			t.Errorf("%s: got a share of %.3f, want %.3f", name, got/trials, share)
		}
	}
	within("own", counts[0], 0)
	for j := 1; j < n; j++ {
		within("other", counts[j], weight(j)/total)
	}
	within("none of its own", none, 1./3)
}

// The loss of a step is the cross entropy of what each caption alone is assigned, and moves no projection, which does not decay either.
func TestAssignmentStep(t *testing.T) {
	a, on := Assignment{small()}, enginetest.PureGo(t)
	store := begun(t, a, negative.Plain(), on, 5)
	use := framework.Use{Method: negative.Plain(), Batch: 3, Image: 16, Tokens: 5}
	ids := []int32{2, 5, 6, 3, 0, 2, 7, 8, 9, 3, 2, 10, 3, 0, 0}
	pixels, noise := gaussian(3*16*16*3, "pixels"), gaussian(2*3*3, "noise")
	draws := []float32{0.9, 0.2, 0.5, 0.7, 0.7, 0.1} // the first left, the second has none, the third right
	exec := must.Get(model.NewExec(on, store, func(s *model.Scope, in []*Node) []*Node {
		forward := a.Step(s, use, field.Nodes{field.Image: in[0], field.Captions: in[1], field.Noise: in[2], field.Assignment: in[3]})
		online := s.Store().Scope(framework.Model)
		left, right, labels := assign(a.ALBEF.EncodeImage(online, in[0]).Feature, in[2], in[3])
		return []*Node{forward.Of(a, negative.All), left, right, labels}
	}))(t)
	defer exec.Finalize()
	out := must.Get(exec.Call(tensors.FromFlatDataAndDimensions(pixels, 3, 16, 16, 3), tensors.FromFlatDataAndDimensions(ids, 3, 5),
		tensors.FromFlatDataAndDimensions(noise, 2, 3, 3), tensors.FromFlatDataAndDimensions(draws, 2, 3)))(t)
	n := must.Get(framework.NewInference(a, framework.Use{Image: 16, Tokens: 5}, on, store))(t)
	defer n.Close()
	left, right, labels := tensors.MustCopyFlatData[int32](out[1]), tensors.MustCopyFlatData[int32](out[2]),
		tensors.MustCopyFlatData[int32](out[3])
	if !slices.Equal(labels, []int32{0, 2, 1}) {
		t.Fatalf("got labels %v", labels)
	}
	var want float64
	for row, label := range labels {
		image := func(i int32) []float32 { return pixels[int(i)*16*16*3 : (int(i)+1)*16*16*3] }
		logits := must.Get(n.Assign(ids[5*row:5*row+5], image(left[row]), image(right[row])))(t)
		var total float64
		for _, z := range logits {
			total += math.Exp(float64(z))
		}
		want += (math.Log(total) - float64(logits[label])) / 3
	}
	if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-want) > 1e-5 {
		t.Errorf("got a loss of %g, want %g", got, want)
	}
	for v := range store.Scope(framework.Model).IterVariables() {
		if is := strings.HasPrefix(v.Path(), framework.Model+"/vision_projection/"); is == v.Trainable {
			t.Errorf("%s is trained: %t", v.Path(), v.Trainable)
		}
	}
}
