package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Paths of the matrix that learns, and of its adapters.
const (
	adapted  = "/model/text/layer_0/mlp/in/weights"
	adapterA = Optimiser + "/lora.a" + adapted
	adapterB = Optimiser + "/lora.b" + adapted
)

// slowProduct is A [in, rank] times B [rank, out], row by row.
func slowProduct(a, b []float64, rank int) (product []float64) {
	out := len(b) / rank
	for i := range len(a) / rank {
		for j := range out {
			sum := 0.0
			for k := range rank {
				sum += a[i*rank+k] * b[k*out+j]
			}
			product = append(product, sum)
		}
	}
	return product
}

// inFloat64 are numbers in float64.
func inFloat64(of []float32) (all []float64) {
	for _, x := range of {
		all = append(all, float64(x))
	}
	return all
}

// The loss is the sum of w^4/4 over all weights, whose gradient is w^3. The matrix is its first value plus A B, learned by AdamW of A and B
// in a loop over single numbers; nothing else moves.
func TestLoRAAgainstALoop(t *testing.T) {
	for _, o := range []AdamW{
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, LoRA: 2},
		{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.5, ClipNorm: 0.1, LoRA: 1},
	} {
		store, first := model.NewStore(), []float64{1, -2, 0.25, 1.5, -0.5, 3}
		put(t, store, adapted, [][]float32{{1, -2, 0.25}, {1.5, -0.5, 3}})
		frozen := map[string][]float32{"/model/text/layer_0/mlp/in/bias": {0.5, -1, 2}, "/model/text/word/embedding": {0.5, 1}}
		for path, value := range frozen {
			put(t, store, path, value)
		}
		exec := must.Get(model.NewExec(enginetest.PureGo(t), store, func(s *model.Scope, in []*Node) []*Node {
			g := in[0].Graph()
			s.Store().SetTraining(g, true)
			loss := ScalarZero(g, in[0].DType())
			for v := range s.Store().Scope(framework.Model).IterVariables() {
				loss = Add(loss, DivScalar(ReduceAllSum(Square(Square(v.NodeValue(g)))), 4))
			}
			return []*Node{lora{o, 7}.Update(s.Store(), loss, in[0], nil)}
		}))(t)
		defer exec.Finalize()
		must.Get(exec.Call(float32(0)))(t) // draws A
		if same := vector(t, store, adapted); fmt.Sprint(inFloat64(same)) != fmt.Sprint(first) {
			t.Errorf("rank %d: at first the matrix is %v, want %v", o.LoRA, same, first)
		}
		a, b := inFloat64(vector(t, store, adapterA)), make([]float64, 3*o.LoRA)
		for _, x := range a {
			if x == 0 || math.Abs(x) > 1/math.Sqrt2 {
				t.Errorf("rank %d: A has a first value of %g, want one in ±1/√2", o.LoRA, x)
			}
		}
		slow := slowAdamW{AdamW: o, mean: map[string][]float64{}, variance: map[string][]float64{}}
		learn := map[string][]float64{"a": a, "b": b}
		for step, rate := range []float64{0, 0.1, 0.03, 0.03, 0.01} {
			w := slowProduct(a, b, o.LoRA)
			gradients := map[string][]float64{"a": make([]float64, len(a)), "b": make([]float64, len(b))}
			for i := range w {
				w[i] += first[i]
				for k := range o.LoRA {
					row, column, d := i/3, i%3, w[i]*w[i]*w[i]
					gradients["a"][row*o.LoRA+k] += d * b[k*3+column]
					gradients["b"][k*3+column] += d * a[row*o.LoRA+k]
				}
			}
			want := slow.update(learn, gradients, map[string]bool{"a": true, "b": true}, rate)
			if step == 0 {
				continue // which was made
			}
			out := must.Get(exec.Call(float32(rate)))(t)
			if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-want) > 1e-5*want {
				t.Errorf("rank %d, step %d: got gradient norm %g, want %g", o.LoRA, step, got, want)
			}
			product := slowProduct(a, b, o.LoRA)
			for i, got := range vector(t, store, adapted) {
				if want := first[i] + product[i]; math.Abs(float64(got)-want) > 3e-5 {
					t.Errorf("rank %d, step %d: number %d is %g, want %g", o.LoRA, step, i, got, want)
				}
			}
		}
		for path, value := range frozen {
			if got := vector(t, store, path); fmt.Sprint(got) != fmt.Sprint(value) {
				t.Errorf("%s is frozen, and went from %v to %v", path, value, got)
			}
		}
	}
}

// Of ALBEF the matrices of layers alone move, each by the product of its adapters, which have few numbers. A job that is stopped goes on to
// the same weights.
func TestLoRAOfALBEF(t *testing.T) {
	job := smallest(t, negative.ALBEF(8))
	job.Config.Optimiser.LoRA = 1
	first := must.Get(First(job))(t)
	before, values := variables(t, first.store, framework.Model), map[string][]float64{}
	for path := range before {
		values[path] = inFloat64(vector(t, first.store, path))
	}
	must.Do(t, must.Err2(Train(t.Context(), job)))
	after := must.Get(Load(job.Backend, job.Config, job.Tokenizer, job.Dir))(t)
	moved := 0
	for v := range after.store.Scope(framework.Model).IterVariables() {
		if changed := variables(t, after.store, framework.Model)[v.Path()] != before[v.Path()]; changed != adaptable(v) {
			t.Errorf("%s changed: %t", v.Path(), changed)
		} else if changed {
			moved++
		}
	}
	stopped := job
	stopped.Dir = t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	stopped.Report = func(r Report) {
		if r.Step == 2 {
			cancel()
		}
	}
	if _, _, err := Train(ctx, stopped); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	store, _ := saved(t, stopped.Dir)
	var trained, all int
	for v := range store.IterVariables() {
		switch path := v.Path(); {
		case strings.HasPrefix(path, framework.Model+"/"):
			all += v.Shape().Size()
		case strings.HasPrefix(path, Optimiser+"/lora."):
			trained += v.Shape().Size()
		}
	}
	if trained == 0 || 5*trained > all {
		t.Errorf("%d numbers learn of %d, want a fifth at most", trained, all)
	}
	for path := range before {
		if store.GetVariable(Optimiser+"/lora.a"+path) == nil {
			continue
		}
		moved--
		a, b := inFloat64(vector(t, store, Optimiser+"/lora.a"+path)), inFloat64(vector(t, store, Optimiser+"/lora.b"+path))
		product := slowProduct(a, b, 1)
		for i, got := range vector(t, store, path) {
			if want := values[path][i] + product[i]; math.Abs(float64(got)-want) > 1e-6 {
				t.Errorf("%s[%d]: got %g, want %g", path, i, got, want)
			}
		}
	}
	if moved != 0 {
		t.Errorf("%d matrices moved without adapters", moved)
	}
	stopped.Report = nil
	must.Do(t, must.Err2(Train(t.Context(), stopped)))
	again := must.Get(Load(job.Backend, job.Config, job.Tokenizer, stopped.Dir))(t)
	same(t, "resumed", variables(t, again.store, framework.Model), variables(t, after.store, framework.Model))
}

// What has no matrices of layers, too high a rank, and rates that are of weights are refused before the first step.
func TestLoRAMistakes(t *testing.T) {
	job := onSimCLR(t, plain, false)
	job.Config.LARS, job.Config.Optimiser = LARS{}, AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, LoRA: 2}
	must.Fail(t, must.Err2(Train(t.Context(), job)), "has no matrix of a transformer's layers")
	job = smallest(t, negative.Plain())
	job.Config.Optimiser.LoRA = 4096
	must.Fail(t, must.Err2(Train(t.Context(), job)), "low-rank adapters of rank 4096")
	job.Config.Optimiser.LoRA, job.Config.Optimiser.LayerDecay = 2, 0.5
	must.Fail(t, job.Config.Validate(), "adapters beside a decay by layers")
	job.Config.Optimiser.LoRA, job.Config.Optimiser.LayerDecay = -1, 0
	must.Fail(t, job.Config.Validate(), "the adapters' rank at 0 or above")
}
