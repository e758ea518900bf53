package opt

import (
	"errors"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// small is a model with dropout, which evaluation does without.
func small() Model {
	return Model{Text: encoder.OPT{Vocab: 9, Positions: 7, Width: 6, Layers: 2, Heads: 2, MLP: 10, Dropout: 0.2}}
}

// The smallest released model, opt-125m, has as many.
func TestPublishedParameters(t *testing.T) {
	store := model.NewStore()
	base := Model{Text: encoder.OPT{Vocab: 50272, Positions: 2048, Width: 768, Layers: 12, Heads: 12, MLP: 3072}}
	must.Do(t, framework.Declare(base, framework.Use{Tokens: 8}, enginetest.PureGo(t), store))
	if got, want := framework.Parameters(store), 125_239_296; got != want {
		t.Errorf("got %d parameters, want %d", got, want)
	}
}

func TestCheck(t *testing.T) {
	must.Do(t, framework.Check(small(), framework.Use{Method: negative.Plain(), Tokens: 7}))
	for says, spoil := range map[string]func(*Model, *framework.Use){
		"OPT: the vocabulary is empty": func(m *Model, _ *framework.Use) { m.Text.Vocab = 0 },
		"heads that divide the width":  func(m *Model, _ *framework.Use) { m.Text.Heads = 4 },
		"behind 3 blank places":        func(m *Model, _ *framework.Use) { m.Lead = 3 },
		"a dropout of NaN":             func(m *Model, _ *framework.Use) { m.Text.Dropout = math.NaN() },
		"captions of 8 tokens":         func(_ *Model, u *framework.Use) { u.Tokens = 8 },
		"ALBEF needs negatives":        func(_ *Model, u *framework.Use) { u.Method = negative.ALBEF(8) },
	} {
		m, u := small(), framework.Use{Method: negative.Plain(), Tokens: 7}
		spoil(&m, &u)
		must.Fail(t, framework.Check(m, u), says)
	}
	var lacking *framework.Lacking
	if err := small().Check(framework.Use{Method: negative.ALBEF(8), Tokens: 7}); !errors.As(err, &lacking) {
		t.Errorf("got %v, want one that leaves a row out", err)
	}
	must.Fail(t, must.Err2(small().First(framework.Vision, weights.Source{})), "reads text alone", "an image encoder")
}

// A later token changes no likelihood before it, padding is not predicted, and the loss of a step is the mean over all tokens of the
// mini-batch.
func TestLikelihoods(t *testing.T) {
	backend, m := enginetest.PureGo(t), small()
	store, use := model.NewStore(), framework.Use{Method: negative.Plain(), Batch: 2, Tokens: 6}
	must.Do(t, framework.Initialise(m, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 5}))
	inference := must.Get(framework.NewInference(m, use, backend, store))(t)
	defer inference.Close()
	ids := []int32{2, 4, 0, 6, 3, 0, 2, 4, 0, 7, 0, 0}
	nats := must.Get(inference.LogLikelihood(ids))(t)
	var sum float64
	for place := range 6 {
		a, b := nats[place], nats[6+place]
		if (a < 0) != (place > 0 && place < 5) || (b < 0) != (place > 0 && place < 4) {
			t.Errorf("token %d: got %g and %g nats", place, a, b)
		}
		if (a == b) != (place < 3 || place == 5) {
			t.Errorf("token %d is as likely with another token 3: got %t", place, a == b)
		}
		sum -= float64(a) + float64(b)
	}
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) *Node {
		s.Store().SetTraining(in[0].Graph(), false)
		return m.Step(s.Store().RootScope(), use, field.Nodes{field.Captions: in[0]}).Of(m, negative.All)
	}))(t)
	defer exec.Finalize()
	out := must.Get(exec.Call(tensors.FromFlatDataAndDimensions(ids, 2, 6)))(t)
	if got, want := float64(tensors.ToScalar[float32](out[0])), sum/7; math.Abs(got-want) > 1e-5 {
		t.Errorf("got a loss of %g, want %g", got, want)
	}
}
