package paper

import (
	"context"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/train"
)

// BenchmarkFALCONEpoch trains GRIT-VLP and FALCON at mini side by side, a step of one and a step of the other in turn, and
// reports what FALCON's scheduled epochs take over GRIT-VLP's in per cent, next to the share of operations that its reward
// adds to a step. The difference of the two is the cost of features, policy, chain and the scheduler's update. Run it with
// -benchtime 1x; it takes about two minutes on two cores, with -short seconds.
func BenchmarkFALCONEpoch(b *testing.B) {
	backend, scale := usual(b)
	scale.Epochs = 3
	scale = inShort(scale)
	set, job := onScenes(b, backend, scale)
	added := rewardShare(b, backend, job(scale, plan.MethodRow("FALCON").Method(scale)).Config)
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		var both [2]*stepper
		for i, name := range []string{"GRIT-VLP", "FALCON"} {
			both[i] = newStepper(ctx, job(scale, plan.MethodRow(name).Method(scale)))
		}
		steps := len(datasets.Pairs(set)) / scale.BatchSize
		var seconds [2]float64
		for step := range scale.Epochs * steps {
			for turn := range both {
				i := (turn + step) % 2
				took := must.Get(both[i].step())(b)
				if step >= steps { // epoch 0 is uniform for both
					seconds[i] += took.Seconds()
				}
			}
		}
		for _, s := range both {
			s.turn <- struct{}{}
			must.Do(b, <-s.ended)
		}
		cancel()
		over := 100 * (seconds[1]/seconds[0] - 1)
		b.ReportMetric(over, "%over")
		b.ReportMetric(added, "%reward")
		b.ReportMetric(over-added, "%scheduler")
		b.ReportMetric(1000*seconds[0]/float64((scale.Epochs-1)*steps), "GRIT-ms/step")
		b.ReportMetric(0, "ns/op")
	}
}

// stepper trains a job one step at a time.
type stepper struct {
	turn, made chan struct{}
	ended      chan error
}

func newStepper(ctx context.Context, job train.Job) *stepper {
	s := &stepper{turn: make(chan struct{}), made: make(chan struct{}), ended: make(chan error, 1)}
	job.Report = func(train.Report) {
		select {
		case s.made <- struct{}{}:
		case <-ctx.Done():
			return
		}
		select {
		case <-s.turn:
		case <-ctx.Done():
		}
	}
	go func() {
		select {
		case <-s.turn:
		case <-ctx.Done():
			return
		}
		m, _, err := train.Train(ctx, job)
		if err == nil {
			m.Close()
		}
		s.ended <- err
	}()
	return s
}

func (s *stepper) step() (time.Duration, error) {
	begun := time.Now()
	s.turn <- struct{}{}
	select {
	case <-s.made:
		return time.Since(begun), nil
	case err := <-s.ended:
		return 0, err
	}
}

// rewardShare is how many per cent of operations in matrix products a reward adds to a step.
func rewardShare(b *testing.B, backend compute.Backend, c train.Config) float64 {
	store := model.NewStore()
	defer store.Finalize()
	start := negative.Start{Pairs: 10_000, BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: 1, Seed: c.Seed}
	must.Do(b, framework.Initialise(c.Framework.Framework, c.Use(), backend, store, start))
	var step, with float64
	exec := model.MustNewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		g := in[0].Graph()
		s.Store().SetTraining(g, true)
		nodes := field.Nodes{}
		for k, f := range c.Inputs() {
			nodes[f.Name] = in[k]
		}
		told := c.Framework.Step(s, c.Use(), nodes)
		norm := c.Optimiser.Update(s.Store(), told.Of(c.Framework.Framework, negative.All), ScalarOne(g, dtypes.Float32), nil)
		step = operations(b, norm)
		after := told.Again(c.Method.Batches.(negative.Rewarded).Reward())
		with = operations(b, norm, after)
		return []*Node{norm, after}
	})
	defer exec.Finalize()
	values := randomInput(b, c)
	var in []*tensors.Tensor
	for _, f := range c.Inputs() {
		in = append(in, values[f.Name])
	}
	out := must.Get(framework.Call(exec, in...))(b)
	framework.Release(out)
	return 100 * (with - step) / step
}

func operations(b *testing.B, results ...*Node) float64 {
	b.Helper()
	count := must.Get(engine.Operations(results...))(b)
	return count
}
