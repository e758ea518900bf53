package train

import (
	"math"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// widened is a store with the values of another one in float64, without windows.
func widened(t *testing.T, of *model.Store) *model.Store {
	t.Helper()
	to := model.NewStore()
	for v := range of.RootScope().IterVariables() {
		if below(v, negative.WindowScope) {
			continue
		}
		value := must.Get(v.Value())(t)
		copied := must.Get(value.Clone())(t)
		if value.DType() == dtypes.Float32 {
			numbers := make([]float64, value.Size())
			for i, x := range tensors.MustCopyFlatData[float32](value) {
				numbers[i] = float64(x)
			}
			copied = tensors.FromFlatDataAndDimensions(numbers, value.Shape().Dimensions...)
		}
		w := must.Get(to.CreateVariable(v.Path(), copied))(t)
		w.SetTrainable(v.Trainable)
	}
	return to
}

// wideSteps make the steps of a configuration in float64, on the same mini-batches: their losses, in the order of Losses.
func wideSteps(t *testing.T, tr *trainer, store *model.Store) func(in field.Values) []float64 {
	t.Helper()
	c := tr.job.Config
	exec := must.Get(model.NewExec(tr.job.Backend, store, func(scope *model.Scope, in []*Node) []*Node {
		defer framework.Orderly()
		nodes := field.Nodes{}
		for k, f := range tr.step.inputs {
			if nodes[f.Name] = in[k]; in[k].DType() == dtypes.Float32 {
				nodes[f.Name] = ConvertDType(in[k], dtypes.Float64)
			}
		}
		forward := c.Learn(scope, nodes, tr.room())
		var losses []*Node
		for _, name := range c.Framework.Losses() {
			if loss := forward.Losses[name]; loss != nil {
				losses = append(losses, loss)
			}
		}
		return losses
	}))(t)
	t.Cleanup(exec.Finalize)
	return func(in field.Values) []float64 {
		t.Helper()
		var inputs []any
		for _, f := range tr.step.inputs {
			inputs = append(inputs, in[f.Name])
		}
		var losses []float64
		for _, x := range must.Get(exec.Call(inputs...))(t) {
			losses = append(losses, tensors.ToScalar[float64](x))
		}
		return losses
	}
}

// A whole run in float32 stays with the same run in float64: losses of each step, and weights at the end. Draws, masks and mini-batches are
// the host's, the same for both; dropout, which draws in the graph by the type's bits, is left out. Weights whose gradient is zero but for
// rounding, such as keys' biases, are moved by Adam whatever that is, so that weights are compared as a whole. Of the engines pure Go alone
// has float64.
func TestRunsInFloat64(t *testing.T) {
	onALBEF := func(m negative.Method) Job {
		job := smallest(t, m)
		change(&job, withoutDropout)
		return job
	}
	for name, job := range map[string]Job{
		"InfoNCE": onALBEF(negative.Plain()), "GRIT-VLP": onALBEF(negative.GRITVLP(8, 16)), "ALBEF": onALBEF(negative.ALBEF(8)),
		"DiHT": onALBEF(negative.DiHT()), "CLIP": onCLIP(t, negative.Plain(), false), "CLIP's ResNet": onCLIP(t, negative.Plain(), true),
		"SimCLR": onSimCLR(t, negative.Plain(), true), "UNITER": onUNITER(t, negative.Plain(), 0),
		"BLIP-2's second stage": onGenerative(t),
	} {
		t.Run(name, func(t *testing.T) {
			tr := must.Get(newTrainer(job))(t)
			defer tr.close()
			store := widened(t, tr.store)
			step := wideSteps(t, tr, store)
			var worst float64
			steps := 0
			for tr.Epoch < job.Config.Epochs {
				tr.steps = must.Get(tr.sampler.Epoch(tr.Epoch))(t)
				for submitted := 0; tr.Step < tr.steps; tr.Step++ {
					submitted = must.Get(tr.submit(submitted))(t)
					batch := must.Get(tr.next(t.Context()))(t)
					in := tr.fields(batch)
					want := step(in)
					out := must.Get(tr.run(in))(t)
					k := 0
					for _, loss := range job.Config.Framework.Losses() {
						if got, has := out.Losses[loss]; has {
							worst = max(worst, math.Abs(got-want[k])/math.Max(1, math.Abs(want[k])))
							k++
						}
					}
					must.Do(t, tr.observe(batch, out))
					out.Release()
					in.Release()
					steps++
				}
				must.Do(t, tr.keep(t.Context(), tr.record()))
			}
			var apart, size, n float64
			for v := range tr.store.Scope(framework.Model).IterVariables() {
				wide := tensors.MustCopyFlatData[float64](must.Get(store.GetVariable(v.Path()).Value())(t))
				for i, x := range tensors.MustCopyFlatData[float32](must.Get(v.Value())(t)) {
					apart, size, n = apart+math.Pow(float64(x)-wide[i], 2), size+wide[i]*wide[i], n+1
				}
			}
			share := math.Sqrt(apart / size)
			t.Logf("%d steps: losses differ by %.1e at most, weights by %.1e of their root mean square", steps, worst, share)
			limit := 5e-5
			if name == "SimCLR" {
				limit = 3e-4 // its head normalises over eight views, which amplifies rounding
			}
			if steps < 6 || n == 0 || worst > limit || !(share < 2e-3) {
				t.Error("the runs are too far apart, or are none")
			}
		})
	}
}
