package train

import (
	"bytes"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// margin is the smallest contrast that learns: InfoNCE whose own similarity is lowered by a variable, and a penalty that keeps it up.
type margin struct{ First float64 }

func (m margin) Variables(negative.Start) []negative.Variable {
	return []negative.Variable{{Name: "margin", First: m.First}}
}

func (m margin) ITC(f negative.Features) negative.Contrasted {
	z, learned := negative.InfoNCE{}.ITC(f), f.Variable("margin")
	z.Loss = Add(z.Loss, Square(Sub(learned, ReduceAllMean(z.I2T))))
	return z
}

// doubtful is a matching that learns: the weight of the own pairs beside that of the negatives.
type doubtful struct{ negative.Hardest }

func (doubtful) Variables(negative.Start) []negative.Variable {
	return []negative.Variable{{Name: "weights", First: []float32{0.5, -0.5}, Decays: true}}
}

func (d doubtful) Pairs(c negative.Contrasted, noise *Node) negative.Pairs {
	p := d.Hardest.Pairs(c, noise)
	share := Softmax(c.Variable("weights"), -1)
	of := func(k int) *Node { return Squeeze(Slice(share, AxisRange(k, k+1)), 0) }
	own := ConvertDType(p.Labels, share.DType())
	p.Weights = Add(Mul(own, of(0)), Mul(OneMinus(own), of(1)))
	return p
}

// learning is a method with both.
func learning() negative.Method {
	return negative.Method{Name: "learning", Contrast: margin{First: 3}, Matching: doubtful{}}.WithDefaults()
}

const (
	marginPath  = framework.State + "/trained/Contrast/margin"
	weightsPath = framework.State + "/trained/Matching/decay/weights"
)

// Variables of parts are trained with the model by either optimiser, kept, resumed to the bit, and counted.
func TestPartsLearn(t *testing.T) {
	for name, by := range map[string]LARS{"AdamW": {}, "LARS": {Trust: 0.001, Momentum: 0.9, WeightDecay: 1e-6}} {
		started := func() Job {
			job := smallest(t, learning())
			if job.Config.LARS = by; by != (LARS{}) {
				job.Config.Optimiser = AdamW{}
			}
			return job
		}
		whole := started()
		out := finish(t, whole)
		want, wantState := saved(t, whole.Dir)
		moments := map[string][]string{"AdamW": {"mean", "variance"}, "LARS": {"momentum"}}[name]
		for path, first := range map[string][]float32{marginPath: {3}, weightsPath: {0.5, -0.5}} {
			for i, x := range vector(t, want, path) {
				if x == first[i] || math.IsNaN(float64(x)) {
					t.Errorf("%s: %s is %g after training, as at first", name, path, x)
				}
			}
			for _, moment := range moments {
				if want.GetVariable(Optimiser+"/"+moment+path) == nil {
					t.Errorf("%s: no %s of %s is kept", name, moment, path)
				}
			}
		}
		plainly := finish(t, smallest(t, plain))
		if got := out.Parameters - plainly.Parameters; got != 3 {
			t.Errorf("%s: the parts have %d parameters, want 3", name, got)
		}
		for _, stops := range [][]int{{1}, {2, 5, 9}} {
			job := started()
			finish(t, job, stops...)
			store, state := saved(t, job.Dir)
			same(t, name, variables(t, store, "/"), variables(t, want, "/"))
			if !bytes.Equal(state.Sampler, wantState.Sampler) {
				t.Errorf("%s: stopped at %v: the sampler's state differs", name, stops)
			}
		}
		m := must.Get(Load(whole.Backend, whole.Config, whole.Tokenizer, whole.Dir))(t)
		path := negative.VariablePath("Contrast", negative.Variable{Name: "margin"})
		got, kept, err := m.State(path)
		if err != nil || !kept || got[0] != vector(t, want, marginPath)[0] {
			t.Errorf("%s: the model that is loaded has %v (%v), want what training kept", name, got, err)
		}
		m.Close()
	}
}

// AdamW and LARS decay a part's variable if it is declared so, whatever its shape, and count its gradient in the norm at which they clip.
func TestDecayOfPartsVariables(t *testing.T) {
	const rate, decay = 0.25, 0.5
	for name, o := range map[string]interface {
		Update(store *model.Store, loss, rate, hold *Node) *Node
	}{
		"AdamW": AdamW{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-12, WeightDecay: decay, ClipNorm: 1, TemperatureRate: 7},
		"LARS":  LARS{Trust: 1, WeightDecay: decay},
	} {
		store := model.NewStore()
		paths := map[string]bool{ // whether they decay
			"/state/trained/Contrast/scale": false, "/state/trained/Contrast/decay/bias": true, "/state/trained/Matching/vector": false,
			"/state/trained/LeftOut/decay/vector": true,
		}
		for path := range paths {
			put(t, store, path, []float32{2, 2})
		}
		exec := must.Get(model.NewExec(enginetest.PureGo(t), store, func(s *model.Scope, in []*Node) []*Node {
			loss := ScalarZero(in[0].Graph(), in[0].DType())
			for path := range paths {
				loss = Add(loss, ReduceAllSum(s.Store().GetVariable(path).NodeValue(in[0].Graph())))
			}
			return []*Node{o.Update(s.Store(), loss, in[0], nil)}
		}))(t)
		out := must.Get(exec.Call(float32(rate)))(t)
		if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-math.Sqrt(8)) > 1e-5 {
			t.Errorf("%s: got a gradient norm of %g, want that of eight ones", name, got)
		}
		for path, decays := range paths { // Adam's first step is as long as the rate, and so is LARS' of a gradient of 1
			want := 2 - rate
			if decays {
				want -= rate * decay * 2
			}
			if got := vector(t, store, path)[0]; math.Abs(float64(got)-want) > 1e-5 {
				t.Errorf("%s: %s: got %g, want %g", name, path, got, want)
			}
		}
		exec.Finalize()
	}
}

// The mistakes of a part that is to learn.
type (
	inDeclare struct{ negative.InfoNCE } // a variable where no optimiser looks, as GoMLX makes one
	inITC     struct{ negative.InfoNCE } // the same while the loss is built
	unread    struct{ negative.InfoNCE } // declared, and never read
	stopped   struct{ negative.InfoNCE } // read, without gradient
	unknown   struct{ negative.InfoNCE } // read, and never declared
	wrongly   struct{ negative.InfoNCE } // without a first value
	finder    struct{ negative.BatchQuantile }
)

func (inDeclare) Declare(state *model.Scope, _ negative.Start) error {
	state.VariableWithValue("bias", float32(-10))
	return nil
}

func (c inITC) ITC(f negative.Features) negative.Contrasted {
	z := c.InfoNCE.ITC(f)
	z.Loss = Add(z.Loss, Square(f.State.VariableWithValue("bias", float32(-10)).NodeValue(f.Image.Graph())))
	return z
}

func oneBias() []negative.Variable { return []negative.Variable{{Name: "bias", First: -10.}} }

func (unread) Variables(negative.Start) []negative.Variable  { return oneBias() }
func (stopped) Variables(negative.Start) []negative.Variable { return oneBias() }
func (wrongly) Variables(negative.Start) []negative.Variable {
	return []negative.Variable{{Name: "bias"}}
}
func (finder) Variables(negative.Start) []negative.Variable { return oneBias() }

func (c stopped) ITC(f negative.Features) negative.Contrasted {
	z := c.InfoNCE.ITC(f)
	z.Loss = Add(z.Loss, StopGradient(f.Variable("bias")))
	return z
}

func (c unknown) ITC(f negative.Features) negative.Contrasted {
	z := c.InfoNCE.ITC(f)
	z.Loss = Add(z.Loss, f.Variable("bias"))
	return z
}

// Which negatives are left out is true or false, so that no gradient reaches what decides it.
func (p finder) Find(a negative.Anchors, s negative.Sight) *Node {
	return LogicalAnd(p.BatchQuantile.Find(a, s),
		GreaterThan(a.Cosines, BroadcastToDims(s.Variable("bias"), a.Cosines.Shape().Dimensions...)))
}

// A variable that is trainable and trained by nobody is refused before the first step, with the part and the variable.
func TestTrainedByNobody(t *testing.T) {
	of := func(c negative.Contrast) negative.Method {
		return negative.Method{Name: "mine", Contrast: c}.WithDefaults()
	}
	without := of(negative.InfoNCE{})
	without.LeftOut = finder{negative.BatchQuantile{Alpha: 0.2}}
	for _, c := range []struct {
		method negative.Method
		says   []string
	}{
		{of(inDeclare{}), []string{"Contrast train.inDeclare", `"bias" is trainable, and no optimiser trains it`, "negative.Trainable"}},
		{of(inITC{}), []string{"Contrast train.inITC", `"bias" is trainable, and no optimiser trains it`}},
		{of(unread{}), []string{"Contrast train.unread", `"bias"`, "no loss of the model has a gradient by it"}},
		{of(stopped{}), []string{"Contrast train.stopped", `"bias"`, "no loss of the model has a gradient by it"}},
		{of(unknown{}), []string{`contrast reads a variable "bias"`, "do not declare"}},
		{of(wrongly{}), []string{"Contrast train.wrongly", `variable "bias"`, "first value"}},
		{without, []string{"LeftOut train.finder", `"bias"`, "no loss of the model has a gradient by it"}},
	} {
		for _, says := range c.says {
			refused(t, smallest(t, c.method), says)
		}
	}
	job := smallest(t, of(margin{First: 1}))
	job.Config.Objectives = negative.Of(negative.ITC) // which the variable belongs to
	job.Config.Epochs = 1
	finish(t, job)
	refused(t, onCLIP(t, learning(), false), "Matching train.doubtful") // CLIP has no ITM
}
