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
	"vlpx.internal/vlpx/framework"
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
func firstInput(t *testing.T, tr *trainer) Input {
	t.Helper()
	var err error
	if tr.steps, err = tr.sampler.Epoch(0); err != nil {
		t.Fatal(err)
	}
	pairs, err := tr.sampler.Next()
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.loader.Submit(loader.Request{Pairs: pairs}); err != nil {
		t.Fatal(err)
	}
	batch, err := tr.loader.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in := tr.input(batch)
	in.Rate = 1e-2
	return in
}

// assessed is the sum of the named losses of a mini-batch, without dropout, by a copy of the store.
func assessed(t *testing.T, tr *trainer, in Input, which negative.Objectives) float64 {
	t.Helper()
	path, store := filepath.Join(t.TempDir(), CheckpointName), model.NewStore()
	if err := SaveCheckpoint(path, tr.store, nil); err != nil {
		t.Fatal(err)
	}
	var none any
	if err := LoadCheckpoint(path, store, &none); err != nil {
		t.Fatal(err)
	}
	c := tr.job.Config
	exec, err := model.NewExec(tr.job.Backend, store, func(s *model.Scope, x []*Node) []*Node {
		s.Store().SetTraining(x[0].Graph(), false)
		batch := framework.Batch{Pixels: x[0], IDs: x[1], Masked: x[2], Labels: x[3], Noise: x[4], Progress: x[5]}
		return []*Node{c.Framework.Losses(s, c.Method, batch, negative.AllObjectives()).Of(which)}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	n, side := c.BatchSize, c.Framework.Vision.Image
	ids := func(x []int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, n, c.MaxLen) }
	out, err := framework.Call(exec, tensors.FromFlatDataAndDimensions(in.Pixels, n, side, side, 3), ids(in.IDs), ids(in.Masked),
		ids(in.Labels), tensors.FromFlatDataAndDimensions(in.Noise, 2, n, n), tensors.FromScalar(float32(in.Progress)))
	if err != nil {
		t.Fatal(err)
	}
	defer framework.Release(out)
	return float64(tensors.ToScalar[float32](out[0]))
}

// The improvement is the loss without dropout before the update less that after it, both on the step's own mini-batch.
func TestImprovement(t *testing.T) {
	for _, which := range []negative.Objectives{{MLM: true}, negative.AllObjectives()} {
		for _, dropout := range []float64{0, 0.1} {
			t.Run(fmt.Sprintf("%s, dropout %g", which, dropout), func(t *testing.T) {
				method := negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 4, Hidden: 4, Blocks: 1, Objectives: which})
				method.Matching = nextOnes{}
				job := smallest(t, method)
				job.Config.Framework.Text.Dropout = dropout
				tr, err := newTrainer(job)
				if err != nil {
					t.Fatal(err)
				}
				defer tr.close()
				if err := tr.store.InitializeVariables(job.Backend, nil); err != nil {
					t.Fatal(err)
				}
				in := firstInput(t, tr)
				before := assessed(t, tr, in, which)
				out, err := tr.step.Run(in)
				if err != nil {
					t.Fatal(err)
				}
				want := before - assessed(t, tr, in, which)
				if math.Abs(out.Improvement-want) > 1e-6*before+1e-6 {
					t.Errorf("got an improvement of %g, want %g", out.Improvement, want)
				}
				trained := 0.0
				for loss, in := range map[float64]bool{out.ITC: which.ITC, out.ITM: which.ITM, out.MLM: which.MLM} {
					if in {
						trained += loss
					}
				}
				if same := math.Abs(trained-before) < 1e-4; same != (dropout == 0) {
					t.Errorf("got a loss of %g in training and %g without dropout", trained, before)
				}
				if math.Abs(want) < 1e-2 {
					t.Errorf("an improvement of %g is too small to tell anything", want)
				}
			})
		}
	}
}

func TestNoImprovementWithoutReward(t *testing.T) {
	tr, err := newTrainer(smallest(t, plain))
	if err != nil {
		t.Fatal(err)
	}
	defer tr.close()
	out, err := tr.step.Run(firstInput(t, tr))
	if err != nil {
		t.Fatal(err)
	}
	if out.Improvement != 0 {
		t.Errorf("got an improvement of %g, want 0", out.Improvement)
	}
}
