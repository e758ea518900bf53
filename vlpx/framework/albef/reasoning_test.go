package albef

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
	"vlpx.internal/vlpx/weights"
)

// deep has two text and three fusion layers.
func deep() Model {
	a := small()
	a.Text.Layers, a.Text.Fusion = 2, 3
	return a
}

// begun is a store with a framework's first values.
func begun(t *testing.T, f framework.Framework, m negative.Method, on compute.Backend, seed uint64) *model.Store {
	t.Helper()
	store := model.NewStore()
	use := framework.Use{Method: m, Batch: 4, Image: 16, Tokens: 5}
	must.Do(t, framework.Initialise(f, use, on, store, negative.Start{Pairs: 9, BatchSize: 4, Dim: framework.Dim(f), Epochs: 1,
		Seed: seed}))
	return store
}

// valuesOf are a store's.
func valuesOf(t *testing.T, store *model.Store) weights.Values {
	t.Helper()
	values := weights.Values{}
	for v := range store.Scope(framework.Model).IterVariables() {
		values[v.Path()] = v.MustValue()
	}
	return values
}

// gaussian are numbers about 0.
func gaussian(n int, name string) []float32 {
	r, x := random.Stream(3, name), make([]float32, n)
	for k := range x {
		x[k] = float32(r.NormFloat64())
	}
	return x
}

var publishedLayer = regexp.MustCompile(`^text_encoder\.encoder\.layer\.(\d+)\.`)

// Layer l of the fusion layers of pre-training becomes layers L+2(l-L) and L+2(l-L)+1, by published names; all else but the head stays.
func TestFollowRenamesAsPublished(t *testing.T) {
	a, on := deep(), enginetest.PureGo(t)
	r := Reasoning{a}
	earlier := valuesOf(t, begun(t, a, negative.Plain(), on, 5))
	old := must.Get(earlier.Published(weights.ALBEF(framework.Model)))(t)
	first := must.Get(r.Follow(earlier))(t)
	store := begun(t, r, negative.Plain(), on, 6)
	now := valuesOf(t, store)
	for path := range first {
		if now[path] == nil {
			t.Errorf("%s is made, and the model has none", path)
		}
	}
	for path := range now {
		switch {
		case first[path] != nil:
			now[path] = first[path]
		case earlier[path] != nil:
			now[path] = earlier[path]
		case !strings.HasPrefix(path, framework.Model+"/verdict/"):
			t.Errorf("%s has no first value of the earlier model", path)
		}
	}
	published := must.Get(now.Published(weights.NLVR(framework.Model, 2, 3)))(t)
	layers := map[int]bool{}
	for name, value := range published {
		from := name
		if at := publishedLayer.FindStringSubmatch(name); at != nil {
			layer, _ := strconv.Atoi(at[1])
			layers[layer] = true
			if layer >= 2 {
				from = fmt.Sprintf("text_encoder.encoder.layer.%d.%s", 2+(layer-2)/2, name[len(at[0]):])
			}
		}
		from = strings.Replace(from, "text_encoder.", "text_encoder.bert.", 1)
		if strings.HasPrefix(name, "cls_head.") {
			continue
		}
		if want := old[from]; want == nil || !value.Equal(want) {
			t.Errorf("%s is not %s of pre-training", name, from)
		}
	}
	if len(layers) != 2+6 {
		t.Errorf("got %d layers, want 8", len(layers))
	}
	for _, later := range []framework.Following{r, Assignment{a}} {
		if made, err := later.Follow(now); err != nil || made != nil {
			t.Errorf("of a model with two layers for each: got %d values, %v; want none", len(made), err)
		}
	}
	must.Fail(t, must.Err(r.Follow(valuesOf(t, begun(t, small(), negative.Plain(), on, 5)))), "2 text and 3 fusion",
		"of a model of fewer layers")
}

// A verdict is on its own row, whatever else is in the batch and however long the padding, and depends on which image is the left one.
func TestJudgeIsPerRow(t *testing.T) {
	r, on := Reasoning{deep()}, enginetest.PureGo(t)
	store := begun(t, r, negative.Plain(), on, 5)
	asked := func(tokens int) *framework.Inference {
		n := must.Get(framework.NewInference(r, framework.Use{Image: 16, Tokens: tokens}, on, store))(t)
		t.Cleanup(n.Close)
		return n
	}
	const size = 16 * 16 * 3
	left, right := gaussian(2*size, "left"), gaussian(2*size, "right")
	judge := func(n *framework.Inference, ids []int32, left, right []float32) []float32 {
		t.Helper()
		logits := must.Get(n.Judge(ids, left, right))(t)
		return logits
	}
	both := judge(asked(6), []int32{2, 5, 6, 3, 0, 0, 2, 7, 8, 9, 10, 3}, left, right)
	alone := judge(asked(4), []int32{2, 5, 6, 3}, left[:size], right[:size])
	near(t, "logits", both[:2], alone)
	turned := judge(asked(4), []int32{2, 5, 6, 3}, right[:size], left[:size])
	if math.Abs(float64(turned[0]-alone[0])) < 1e-4 {
		t.Errorf("got %v with the images exchanged, %v without", turned, alone)
	}
	if _, err := asked(4).Assign([]int32{2, 5, 6, 3}, left[:size], right[:size]); err == nil {
		t.Error("a model that judges assigns")
	}
}

// With momentum distillation the loss is (1-a) times the cross entropy of the verdict and a times that of the momentum model's, whose
// weights have moved before; a is reached over epoch 0.
func TestDistilledVerdicts(t *testing.T) {
	r, on := Reasoning{small()}, enginetest.PureGo(t)
	m := negative.Plain()
	m.Contrast = negative.Distilled{Alpha: 0.4, Decay: 0.75}
	store, other := begun(t, r, m, on, 5), valuesOf(t, begun(t, r, negative.Plain(), on, 6))
	average := map[string][]float64{}
	for v := range store.Scope(framework.Momentum).IterVariables() {
		path := framework.Model + strings.TrimPrefix(v.Path(), framework.Momentum)
		online := tensors.MustCopyFlatData[float32](store.GetVariable(path).MustValue())
		must.Do(t, v.SetValue(other[path]))
		for k, x := range tensors.MustCopyFlatData[float32](other[path]) {
			average[v.Path()] = append(average[v.Path()], 0.75*float64(x)+0.25*float64(online[k]))
		}
	}
	use := framework.Use{Method: m, Batch: 3, Image: 16, Tokens: 5}
	must.Do(t, framework.Check(r, use))
	verdicts := []int32{1, 0, 1}
	images := func(name string) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(gaussian(3*16*16*3, name), 3, 16, 16, 3)
	}
	for _, progress := range []float32{0.5, 3} {
		exec := must.Get(model.NewExec(on, store, func(s *model.Scope, in []*Node) []*Node {
			ids := Const(in[0].Graph(), [][]int32{{2, 5, 6, 3, 0}, {2, 7, 8, 9, 3}, {2, 10, 3, 0, 0}})
			forward := r.Step(s, use, field.Nodes{field.Captions: ids, field.Verdict: Const(in[0].Graph(), verdicts), field.Image: in[0],
				field.Other:    in[1],
				field.Progress: in[2]})
			judge := func(root string) *Node { return r.Judge(s.Store().Scope(root), ids, in[0], in[1]) }
			return []*Node{forward.Of(r, negative.All), judge(framework.Model), judge(framework.Momentum)}
		}))(t)
		out := must.Get(exec.Call(images("left"), images("right"), progress))(t)
		if progress < 1 {
			for path, want := range average {
				for k, got := range tensors.MustCopyFlatData[float32](store.GetVariable(path).MustValue()) {
					if math.Abs(float64(got)-want[k]) > 1e-6 {
						t.Fatalf("%s: got %g, want the moving average %g", path, got, want[k])
					}
				}
			}
		}
		online, taught := tensors.MustCopyFlatData[float32](out[1]), tensors.MustCopyFlatData[float32](out[2])
		var want float64
		a := 0.4 * math.Min(1, float64(progress))
		for row, verdict := range verdicts {
			logs := func(x []float32) [2]float64 {
				total := math.Log(math.Exp(float64(x[2*row])) + math.Exp(float64(x[2*row+1])))
				return [2]float64{float64(x[2*row]) - total, float64(x[2*row+1]) - total}
			}
			own, soft := logs(online), logs(taught)
			want -= ((1-a)*own[verdict] + a*(math.Exp(soft[0])*own[0]+math.Exp(soft[1])*own[1])) / 3
		}
		if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-want) > 1e-5 {
			t.Errorf("progress %g: got a loss of %g, want %g", progress, got, want)
		}
		exec.Finalize()
	}
}

// Reasoning takes mini-batches of a method and momentum distillation, and nothing else.
func TestReasoningRefuses(t *testing.T) {
	left := negative.Plain()
	left.LeftOut = negative.Exact{}
	for _, f := range []framework.Framework{Reasoning{small()}, Assignment{small()}} {
		use := framework.Use{Method: negative.Plain(), Batch: 4, Image: 16, Tokens: 5}
		must.Do(t, framework.Check(f, use))
		for _, m := range []negative.Method{negative.ALBEF(8), negative.MAFA(8, 8), negative.GRITVLP(8, 8), left} {
			use.Method = m
			var lacking *framework.Lacking
			if err := framework.Check(f, use); !errors.As(err, &lacking) {
				t.Errorf("%s by %s: got %v, want one that leaves a row out", f.Name(), m.Name, err)
			}
		}
		for _, spoil := range []func(*framework.Use){
			func(u *framework.Use) { u.Image = 8 }, func(u *framework.Use) { u.Tokens = 10 }, func(u *framework.Use) { u.Tokens = 2 },
			func(u *framework.Use) { u.Objectives = negative.Of(negative.ITM) },
		} {
			use := framework.Use{Method: negative.Plain(), Batch: 4, Image: 16, Tokens: 5}
			spoil(&use)
			if framework.Check(f, use) == nil {
				t.Errorf("%s: no error of %+v", f.Name(), use)
			}
		}
	}
	if err := (Assignment{small()}).Check(framework.Use{Method: negative.Plain(), Batch: 2, Image: 16, Tokens: 5}); err == nil {
		t.Error("a mini-batch of two has two other images")
	}
	if names := (Reasoning{small()}).Losses(); !slices.Equal(names, []negative.Loss{negative.NLVR}) {
		t.Errorf("got the losses %v", names)
	}
}

// Of as many layers as published every tensor has its published name, tied ones under both, and no other has one; the momentum copy, too.
func TestReasoningHasPublishedNames(t *testing.T) {
	var listed struct{ Tensors map[string][]any }
	content, err := os.ReadFile(filepath.Join("..", "..", "weights", "testdata", "manifests", "albef_nlvr.json"))
	if err == nil {
		err = json.Unmarshal(content, &listed)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, m := small(), negative.Plain()
	a.Vision.Layers, a.Text.Layers, a.Text.Fusion = 12, 6, 6
	m.Contrast = negative.Distilled{Alpha: 0.4, Decay: 0.995}
	store := begun(t, Reasoning{a}, m, enginetest.PureGo(t), 5)
	values := valuesOf(t, store)
	for v := range store.Scope(framework.Momentum).IterVariables() {
		values[v.Path()] = v.MustValue()
	}
	published := must.Get(values.Published(weights.NLVR(framework.Model, 6, 6), weights.NLVRMomentum(framework.Momentum, 6, 6)))(t)
	for name, described := range listed.Tensors {
		if published[name] == nil || published[name].Shape().Rank() != len(described)-1 {
			t.Errorf("%s of %d axes is not written", name, len(described)-1)
		}
	}
	for name := range published {
		if listed.Tensors[name] == nil {
			t.Errorf("%s is written, and is none of the published model's", name)
		}
	}
}
