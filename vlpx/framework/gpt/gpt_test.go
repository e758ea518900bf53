package gpt

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// small is a model with dropout, which evaluation does without.
func small() Model {
	return Model{Text: encoder.GPT{Vocab: 9, Positions: 7, Width: 6, Layers: 2, Heads: 2, MLP: 10, Dropout: 0.2}}
}

// base is the smallest of the published ones.
func base() Model {
	return Model{Text: encoder.GPT{Vocab: 50257, Positions: 1024, Width: 768, Layers: 12, Heads: 12, MLP: 3072, Dropout: 0.1}}
}

// The released model has as many (of which table 2 of Radford et al., 2019, says 117 million).
func TestPublishedParameters(t *testing.T) {
	store := model.NewStore()
	must.Do(t, framework.Declare(base(), framework.Use{Tokens: 8}, enginetest.PureGo(t), store))
	if got, want := framework.Parameters(store), 124_439_808; got != want {
		t.Errorf("got %d parameters, want %d", got, want)
	}
}

func TestCheck(t *testing.T) {
	for _, m := range []Model{small(), base()} {
		must.Do(t, framework.Check(m, framework.Use{Method: negative.Plain(), Tokens: 7}))
	}
	leaving := negative.Plain()
	leaving.LeftOut = negative.Exact{}
	for says, spoil := range map[string]func(*Model, *framework.Use){
		"vocabulary is empty":           func(m *Model, _ *framework.Use) { m.Text.Vocab = 0 },
		"heads that divide the width":   func(m *Model, _ *framework.Use) { m.Text.Heads = 4 },
		"0 layers":                      func(m *Model, _ *framework.Use) { m.Text.Layers = 0 },
		"a dropout of 1":                func(m *Model, _ *framework.Use) { m.Text.Dropout = 1 },
		"a dropout of NaN":              func(m *Model, _ *framework.Use) { m.Text.Dropout = math.NaN() },
		"captions of 8 tokens":          func(_ *Model, u *framework.Use) { u.Tokens = 8 },
		"captions of 1 tokens":          func(_ *Model, u *framework.Use) { u.Tokens = 1 },
		"ALBEF needs negatives":         func(_ *Model, u *framework.Use) { u.Method = negative.ALBEF(8) },
		"InfoNCE needs negatives":       func(_ *Model, u *framework.Use) { u.Method = leaving },
		"MAFA needs negatives":          func(_ *Model, u *framework.Use) { u.Method = negative.MAFA(8, 8) },
		"needs the loss ITC, which GPT": func(_ *Model, u *framework.Use) { u.Objectives = negative.Of(negative.ITC) },
	} {
		m, u := small(), framework.Use{Method: negative.Plain(), Tokens: 7}
		spoil(&m, &u)
		must.Fail(t, framework.Check(m, u), says)
	}
	var lacking *framework.Lacking
	if err := small().Check(framework.Use{Method: negative.ALBEF(8), Tokens: 7}); !errors.As(err, &lacking) {
		t.Errorf("got %v, want one that leaves a row out", err)
	}
}

// begun is a model with first values.
func begun(t *testing.T, m Model, backend compute.Backend, tokens int) (*model.Store, framework.Use) {
	t.Helper()
	store, use := model.NewStore(), framework.Use{Method: negative.Plain(), Batch: 2, Tokens: tokens}
	must.Do(t, framework.Initialise(m, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 5}))
	return store, use
}

// likelihoods asks a model of so many tokens a text.
func likelihoods(t *testing.T, m Model, store *model.Store, backend compute.Backend, use framework.Use, ids ...int32) []float32 {
	t.Helper()
	inference := must.Get(framework.NewInference(m, use, backend, store))(t)
	defer inference.Close()
	nats := must.Get(inference.LogLikelihood(ids))(t)
	return nats
}

// A later token changes no likelihood before it, and the one of any token that is predicted is below 0.
func TestCausality(t *testing.T) {
	backend := enginetest.PureGo(t)
	store, use := begun(t, small(), backend, 5)
	nats := likelihoods(t, small(), store, backend, use, 2, 4, 5, 6, 3, 2, 4, 5, 7, 3)
	a, b := nats[:5], nats[5:]
	for place, same := range []bool{true, true, true, false, false} {
		if got := a[place] == b[place]; got != same {
			t.Errorf("token %d is as likely with another token 3: got %t, want %t", place, got, same)
		}
		if predicted := a[place] < 0; predicted != (place > 0) || a[0] != 0 {
			t.Errorf("token %d: got %g nats", place, a[place])
		}
	}
}

// Padding is not predicted, and does not change what is; a word with the id of padding is predicted within a text.
func TestPadding(t *testing.T) {
	backend := enginetest.PureGo(t)
	store, use := begun(t, small(), backend, 4)
	short := likelihoods(t, small(), store, backend, use, 2, 0, 5, 3)
	use.Tokens = 7
	long := likelihoods(t, small(), store, backend, use, 2, 0, 5, 3, 0, 0, 0)
	for place := range long {
		var want float32
		if place < len(short) {
			want = short[place]
		}
		if math.Abs(float64(long[place]-want)) > 1e-6 || place == 1 && long[place] == 0 {
			t.Errorf("token %d: got %g nats, without padding %g", place, long[place], want)
		}
	}
	if empty := likelihoods(t, small(), store, backend, use, make([]int32, 7)...); slices.ContainsFunc(empty,
		func(x float32) bool { return x != 0 }) {
		t.Errorf("a row of padding: got %v", empty)
	}
}

// The loss of a step is the mean over the tokens of the mini-batch, which texts of different lengths share unevenly.
func TestStep(t *testing.T) {
	backend, m := enginetest.PureGo(t), small()
	store, use := begun(t, m, backend, 5)
	ids := []int32{2, 4, 5, 6, 3, 2, 7, 3, 0, 0}
	var sum float64
	for _, nats := range likelihoods(t, m, store, backend, use, ids...) {
		sum -= float64(nats)
	}
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) *Node {
		s.Store().SetTraining(in[0].Graph(), false)
		forward := m.Step(s.Store().RootScope(), use, field.Nodes{field.Captions: in[0]})
		return forward.Of(m, negative.All)
	}))(t)
	defer exec.Finalize()
	out := must.Get(exec.Call(tensors.FromFlatDataAndDimensions(ids, 2, 5)))(t)
	if got, want := float64(tensors.ToScalar[float32](out[0])), sum/6; math.Abs(got-want) > 1e-5 {
		t.Errorf("got a loss of %g, want %g", got, want)
	}
}

// A model whose word embedding is zero holds all tokens for equally likely.
func TestUniform(t *testing.T) {
	backend := enginetest.PureGo(t)
	store, use := begun(t, small(), backend, 4)
	must.Do(t, store.GetVariable(framework.Model+small().Words()).SetValue(tensors.FromFlatDataAndDimensions(make([]float32, 9*6), 9,
		6)))
	for place, nats := range likelihoods(t, small(), store, backend, use, 2, 8, 3, 0) {
		want := 0.0
		if place == 1 || place == 2 {
			want = -math.Log(9)
		}
		if math.Abs(float64(nats)-want) > 1e-6 {
			t.Errorf("token %d: got %g nats, want %g", place, nats, want)
		}
	}
}
