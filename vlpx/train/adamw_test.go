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

// slowAdamW is AdamW as Loshchilov and Hutter write it (algorithm 2), one number after another in float64.
type slowAdamW struct {
	AdamW
	step           int
	mean, variance map[string][]float64
	heights        map[string]float64
}

func (o *slowAdamW) update(weights, gradients map[string][]float64, decays map[string]bool, rate float64) (norm float64) {
	for _, gradient := range gradients {
		for _, d := range gradient {
			norm += d * d
		}
	}
	norm = math.Sqrt(norm)
	scale := 1.0
	if o.ClipNorm > 0 && norm > o.ClipNorm {
		scale = o.ClipNorm / norm
	}
	o.step++
	for name, gradient := range gradients {
		if o.mean[name] == nil {
			o.mean[name], o.variance[name] = make([]float64, len(gradient)), make([]float64, len(gradient))
		}
		for i, d := range gradient {
			d *= scale
			o.mean[name][i] = o.Beta1*o.mean[name][i] + (1-o.Beta1)*d
			o.variance[name][i] = o.Beta2*o.variance[name][i] + (1-o.Beta2)*d*d
			m := o.mean[name][i] / (1 - math.Pow(o.Beta1, float64(o.step)))
			v := o.variance[name][i] / (1 - math.Pow(o.Beta2, float64(o.step)))
			decay := 0.0
			if decays[name] {
				decay = o.WeightDecay * weights[name][i]
			}
			at := rate
			if o.LayerDecay > 0 {
				at *= math.Pow(o.LayerDecay, o.heights[name])
			}
			weights[name][i] -= at * (m/(math.Sqrt(v)+o.Epsilon) + decay)
		}
	}
	return norm
}

// The loss is the sum of w^4/4 over all weights, so the gradient is w^3.
func TestAdamWAgainstALoop(t *testing.T) {
	for _, o := range []AdamW{
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8},
		{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.5},
		{Beta1: 0, Beta2: 0.5, Epsilon: 1e-3, WeightDecay: 0.1, ClipNorm: 0.25},
		{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, ClipNorm: 1e6},
		{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.5, LayerDecay: 0.5},
	} {
		t.Run(fmt.Sprintf("%+v", o), func(t *testing.T) {
			store := model.NewStore()
			const first, last = "text/layer_0/in/bias", "text/layer_1/in/bias"
			weights := map[string][]float64{"scalar": {0.7}, "bias": {0.5, -1, 2}, "matrix": {1, -2, 0.25, 1.5, -0.5, 3},
				first: {0.6, 1}, last: {0.6, 1}, "text/word/embedding": {0.6, 1}, "text/norm/gain": {0.6, 1}}
			for _, name := range []string{first, last, "text/word/embedding", "text/norm/gain"} {
				put(t, store, "/model/"+name, []float32{0.6, 1})
			}
			put(t, store, "/model/scalar", float32(0.7))
			put(t, store, "/model/bias", []float32{0.5, -1, 2})
			put(t, store, "/model/matrix", [][]float32{{1, -2, 0.25}, {1.5, -0.5, 3}})
			exec := must.Get(model.NewExec(enginetest.PureGo(t), store, func(s *model.Scope, in []*Node) []*Node {
				g := in[0].Graph()
				s.Store().SetTraining(g, true)
				loss := ScalarZero(g, in[0].DType())
				for name := range weights {
					loss = Add(loss, DivScalar(ReduceAllSum(Square(Square(s.Store().GetVariable("/model/"+name).NodeValue(g)))), 4))
				}
				return []*Node{o.Update(s.Store(), loss, in[0], nil)}
			}))(t)
			defer exec.Finalize()
			slow := slowAdamW{AdamW: o, mean: map[string][]float64{}, variance: map[string][]float64{},
				heights: map[string]float64{last: 1, first: 2, "text/word/embedding": 3}}
			decays := map[string]bool{"scalar": true, "matrix": true}
			for step, rate := range []float64{0.1, 0.03, 0.03, 0.01} {
				gradients := map[string][]float64{}
				for name, w := range weights {
					for _, x := range w {
						gradients[name] = append(gradients[name], x*x*x)
					}
				}
				want := slow.update(weights, gradients, decays, rate)
				out := must.Get(exec.Call(float32(rate)))(t)
				if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-want) > 1e-5*want {
					t.Errorf("step %d: got gradient norm %g, want %g", step, got, want)
				}
				for name, w := range weights {
					for i, got := range vector(t, store, "/model/"+name) {
						if math.Abs(float64(got)-w[i]) > 2e-5 {
							t.Errorf("step %d: %s[%d]: got %g, want %g", step, name, i, got, w[i])
						}
					}
				}
			}
		})
	}
}

// A ResNet has no layers that a rate could fall by, which is said before the first step.
func TestLayerDecayOfAResNet(t *testing.T) {
	job := onSimCLR(t, plain, false)
	job.Config.LARS, job.Config.Optimiser = LARS{}, AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, LayerDecay: 0.5}
	must.Fail(t, must.Err2(Train(t.Context(), job)), "is of a ResNet")
	job.Config.Optimiser.LayerDecay = 1
	must.Fail(t, job.Config.Validate(), "the decay by layers in (0, 1)")
}

// Every weight of ALBEF has its two moments, and one step without decay moves it: none is dead.
func TestOneStepMovesEveryWeight(t *testing.T) {
	job := smallest(t, negative.ALBEF(8))
	job.Config.Optimiser.WeightDecay = 0
	first := model.NewStore()
	start := negative.Start{Pairs: 22, BatchSize: 4, Dim: framework.Dim(job.Config.Framework.Framework), Epochs: 3, Seed: job.Config.Seed}
	must.Do(t, framework.Initialise(job.Config.Framework.Framework, job.Config.Use(), job.Backend, first, start))
	must.Do(t, first.InitializeVariables(job.Backend, nil))
	before := variables(t, first, framework.Model)
	ctx, cancel := context.WithCancel(t.Context())
	job.Report = func(Report) { cancel() }
	if _, _, err := Train(ctx, job); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	store, _ := saved(t, job.Dir)
	after, moments := variables(t, store, framework.Model), variables(t, store, Optimiser)
	if len(after) != len(before) || len(moments) != 2*len(before)+1 {
		t.Errorf("got %d weights and %d optimiser variables, want %d and two for each with the step", len(after), len(moments), len(before))
	}
	for path, value := range after {
		if value == before[path] {
			t.Errorf("%s did not change", path)
		}
		for _, moment := range []string{"mean", "variance"} {
			numbers, ok := moments[Optimiser+"/"+moment+path]
			if !ok || strings.Trim(numbers[strings.LastIndex(numbers, "]")+1:], "\x00") == "" {
				t.Errorf("%s: the %s is missing or zero", path, moment)
			}
		}
	}
}

func TestConfigValidate(t *testing.T) {
	good := smallest(t, negative.Plain()).Config
	must.Do(t, good.Validate())
	for _, c := range []struct {
		want  string
		spoil func(*Config)
	}{
		{"batch of 1", func(c *Config) { c.BatchSize = 1 }},
		{"0 epochs", func(c *Config) { c.Epochs = 0 }},
		{"training by ITM + MLM alone", func(c *Config) { c.Objectives = negative.Of(negative.ITM, negative.MLM) }},
		{"needs a reference model: true", func(c *Config) { c.Method = negative.MAFA(8, 16) }},
		{"captions of 13 tokens", func(c *Config) { c.MaxLen = 13 }},
		{"images of 32 pixels", func(c *Config) { c.Transform.Size = 32 }},
		{"betas", func(c *Config) { c.Optimiser.Beta1 = 1 }},
		{"the temperature's rate", func(c *Config) { c.Optimiser.TemperatureRate = -1 }},
		{"trust", func(c *Config) { c.LARS.Momentum = 0.9 }},
		{"one optimiser", func(c *Config) { c.LARS = LARS{Trust: 1e-3, Momentum: 0.9} }},
		{"betas", func(c *Config) { c.Optimiser.Beta2 = math.NaN() }},
		{"warm-up of 3 steps of 0 iterations", func(c *Config) { c.Schedule.Unit = 0 }},
		{"cosine over 0 epochs", func(c *Config) { c.Schedule.Epochs = 0 }},
		{"none can be negative", func(c *Config) { c.Schedule.Rate = -1 }},
		{"search space 10 is no multiple", func(c *Config) { c.Method.Batches = negative.Scheduled{SearchSpace: 10} }},
	} {
		bad := good
		c.spoil(&bad)
		must.Fail(t, bad.Validate(), c.want)
	}
}

// Warm-up from 1e-5 by a step every 100 iterations to 1e-4 at iteration 2000, then the cosine by epochs: at epoch 15 of 30
// it is half way, (1e-4+1e-5)/2.
func TestSchedule(t *testing.T) {
	s := Schedule{Warmup: 1e-5, Rate: 1e-4, Min: 1e-5, Units: 20, Unit: 100, Epochs: 30}
	for _, c := range []struct {
		epoch, iteration int
		want             float64
	}{
		{0, 0, 1e-5}, {0, 99, 1e-5}, {0, 100, 1.45e-5}, {0, 1000, 5.5e-5}, {0, 2000, 1e-4}, {0, 9999, 1e-4},
		{15, 0, 5.5e-5}, {15, 500, 5.5e-5}, {30, 0, 1e-5},
	} {
		if got := s.At(c.epoch, c.iteration, 2500); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("epoch %d, iteration %d: got %g, want %g", c.epoch, c.iteration, got, c.want)
		}
	}
}

// A line from 0 to 1 over 2 epochs of 4 iterations, then a cosine over the 8 epochs that are left, half way at epoch 6.
func TestSmoothSchedule(t *testing.T) {
	s := Schedule{Rate: 1, Min: 0.5, Epochs: 10, Smooth: true, Ramp: 2}
	for _, c := range []struct {
		epoch, iteration int
		want             float64
	}{
		{0, 0, 0}, {0, 1, 0.125}, {1, 0, 0.5}, {1, 3, 0.875}, {2, 0, 1}, {4, 0, 0.5 + 0.25*(1+math.Sqrt2/2)}, {6, 0, 0.75},
		{5, 2, 0.5 + 0.25*(1+math.Cos(math.Pi*3.5/8))}, {10, 0, 0.5},
	} {
		if got := s.At(c.epoch, c.iteration, 4); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("epoch %d, iteration %d: got %g, want %g", c.epoch, c.iteration, got, c.want)
		}
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Past = 2
	if got := s.At(0, 0, 4); got != 1 {
		t.Errorf("after 2 epochs of another run: got %g, want 1", got)
	}
	for _, bad := range []Schedule{
		{Rate: 1, Epochs: 10, Smooth: true, Ramp: 10}, {Rate: 1, Epochs: 10, Smooth: true, Ramp: -1}, {Rate: 1, Epochs: 10, Ramp: 1},
		{Rate: 1, Epochs: 10, Smooth: true, Ramp: math.NaN()}, {Rate: 1, Epochs: 10, Smooth: true, Units: 1, Unit: 1},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v: got nil, want an error", bad)
		}
	}
}

// A temperature with a rate of its own moves by it whatever the schedule says, without decay, and by a third of it at tau = 0.03 and below:
// Adam's first step is as long as the rate.
func TestTemperatureRate(t *testing.T) {
	for tau, want := range map[float64]float64{0.07: 0.01, 0.031: 0.01, 0.0299: 0.01 / 3} {
		store, first := model.NewStore(), float32(-math.Log(tau))
		put(t, store, "/model/scale", first)
		put(t, store, "/model/bias", []float32{1})
		o := AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-12, WeightDecay: 0.5, TemperatureRate: 0.01}
		exec := must.Get(model.NewExec(enginetest.PureGo(t), store, func(s *model.Scope, in []*Node) []*Node {
			g := in[0].Graph()
			value := func(name string) *Node { return ReduceAllSum(s.Store().GetVariable("/model/" + name).NodeValue(g)) }
			return []*Node{o.Update(s.Store(), Add(value("scale"), value("bias")), in[0], nil)}
		}))(t)
		defer exec.Finalize()
		must.Get(exec.Call(float32(0.25)))(t)
		after := tensors.ToScalar[float32](store.GetVariable("/model/scale").MustValue())
		if got := float64(first - after); math.Abs(got-want) > 1e-6 {
			t.Errorf("tau %g: moved by %g, want %g", tau, got, want)
		}
		if got := vector(t, store, "/model/bias")[0]; math.Abs(float64(got)-0.75) > 1e-5 {
			t.Errorf("a bias: got %g, want 0.75", got)
		}
	}
}

// TestSchedulePast holds that a run goes on with the cosine of the run that it starts from, after a warm-up of its own.
func TestSchedulePast(t *testing.T) {
	whole := Schedule{Warmup: 1e-5, Rate: 1e-3, Min: 2e-5, Units: 20, Unit: 5, Epochs: 11}
	rest := whole
	rest.Past = 6
	for epoch := 1; epoch < 5; epoch++ {
		if got, want := rest.At(epoch, 7, 200), whole.At(epoch+6, 7, 200); got != want {
			t.Errorf("epoch %d after 6: got %g, want %g", epoch, got, want)
		}
	}
	if got, want := rest.At(0, 100, 200), whole.At(6, 0, 200); got != want {
		t.Errorf("after the warm-up: got %g, want %g", got, want)
	}
	if got, want := rest.At(0, 0, 200), 1e-5; got != want {
		t.Errorf("first iteration: got %g, want %g", got, want)
	}
	if got, want := rest.At(0, 50, 200), 1e-5+(whole.At(6, 0, 200)-1e-5)/2; math.Abs(got-want) > 1e-18 {
		t.Errorf("half of the warm-up: got %g, want %g", got, want)
	}
	rest.Past = 11
	must.Fail(t, rest.Validate(), "some must be left", "a cosine that is over")
}
