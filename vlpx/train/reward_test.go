package train

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// nextOnes gives each text the next image and each image the next text of four, whatever their similarities.
type nextOnes struct{}

func (nextOnes) Pairs(c negative.Contrasted, _ *Node) negative.Pairs {
	g := c.I2T.Graph()
	return negative.Pairs{
		Images: Const(g, []int32{0, 1, 2, 3, 1, 2, 3, 0, 0, 1, 2, 3}),
		Texts:  Const(g, []int32{0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 0}),
		Labels: Const(g, []int32{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}),
	}
}

// firstInput is the first mini-batch of a run, at a learning rate at which one step matters.
func firstInput(t *testing.T, tr *trainer) field.Values {
	t.Helper()
	tr.steps = must.Get(tr.sampler.Epoch(0))(t)
	pairs := must.Get(tr.sampler.Next())(t)
	must.Do(t, tr.loader.Submit(loader.Request{Pairs: pairs}))
	batch := must.Get(tr.loader.Next(t.Context()))(t)
	in := tr.fields(tr.apart(batch, 0))
	with(in, field.Rate, []float32{1e-2})
	return in
}

// assessed is the sum of the named losses of a mini-batch, without dropout, by a copy of the store.
func assessed(t *testing.T, tr *trainer, in field.Values, which negative.Objectives) float64 {
	t.Helper()
	path, store := filepath.Join(t.TempDir(), CheckpointName), model.NewStore()
	must.Do(t, SaveCheckpoint(path, tr.store, nil))
	var none any
	must.Do(t, LoadCheckpoint(path, store, &none))
	c := tr.job.Config
	exec := must.Get(model.NewExec(tr.job.Backend, store, func(s *model.Scope, x []*Node) []*Node {
		s.Store().SetTraining(x[0].Graph(), false)
		nodes := field.Nodes{}
		for k, f := range c.Inputs() {
			nodes[f.Name] = x[k]
		}
		f := c.Framework.Framework
		return []*Node{f.Step(s, c.Use(), nodes).Of(f, which)}
	}))(t)
	defer exec.Finalize()
	var inputs []*tensors.Tensor
	for _, f := range c.Inputs() {
		inputs = append(inputs, in[f.Name])
	}
	out := must.Get(framework.Run(exec, inputs...))(t)
	defer framework.Release(out)
	return float64(tensors.ToScalar[float32](out[0]))
}

// The improvement is the loss without dropout before the update less that after it, both on the step's own mini-batch.
func TestImprovement(t *testing.T) {
	for _, which := range []negative.Objectives{negative.Of(negative.MLM), negative.Of(negative.ITC, negative.ITM, negative.MLM)} {
		for _, dropout := range []float64{0, 0.1} {
			t.Run(fmt.Sprintf("%s, dropout %g", which, dropout), func(t *testing.T) {
				method := negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 4, Hidden: 4, Blocks: 1, Objectives: which})
				method.Matching = nextOnes{}
				job := smallest(t, method)
				change(&job, func(a *albef.Model) { a.Text.Dropout = dropout })
				tr := must.Get(newTrainer(job))(t)
				defer tr.close()
				must.Do(t, tr.store.InitializeVariables(job.Backend, nil))
				in := firstInput(t, tr)
				before := assessed(t, tr, in, which)
				out := must.Get(tr.step.Run(in, 0))(t)
				want := before - assessed(t, tr, in, which)
				if math.Abs(out.Float(field.Improvement)-want) > 1e-6*before+1e-6 {
					t.Errorf("got an improvement of %g, want %g", out.Float(field.Improvement), want)
				}
				trained := 0.0
				for name, loss := range out.Losses {
					if which.Has(name) {
						trained += loss
					}
				}
				if same := math.Abs(trained-before) < 1e-4; same != (dropout == 0) {
					t.Errorf("got a loss of %g in training and %g without dropout", trained, before)
				}
				if math.Abs(want) < 1e-2 {
					t.Errorf("an improvement of %g is too small to report anything", want)
				}
			})
		}
	}
}

// The temperature learns where the losses are built again before the update, too, since a pass without dropout gives others: the gradient
// is by the value which the training loss has.
func TestRewardedTemperatureLearns(t *testing.T) {
	job := smallest(t, scheduledByITC())
	tr := must.Get(newTrainer(job))(t)
	defer tr.close()
	must.Get(tr.step.Run(firstInput(t, tr), 0))(t).Release()
	if mean := vector(t, tr.store, Optimiser+"/mean/model/temperature")[0]; mean == 0 {
		t.Error("its gradient is 0")
	}
}

func TestNoImprovementWithoutReward(t *testing.T) {
	tr := must.Get(newTrainer(smallest(t, plain)))(t)
	defer tr.close()
	out := must.Get(tr.step.Run(firstInput(t, tr), 0))(t)
	if out.Has(field.Improvement) {
		t.Errorf("got an improvement of %g, want none", out.Float(field.Improvement))
	}
}
