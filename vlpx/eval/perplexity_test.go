package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/negative"
)

// speaking is a language model that knows nothing, on the scenes of a bench, with the store of its weights.
func speaking(t *testing.T) (eval.Subject, *model.Store) {
	t.Helper()
	s := newBench(t).Subject
	m := gpt.Model{Text: encoder.GPT{Vocab: s.Tokenizer.Size(), Positions: 12, Width: 12, Layers: 1, Heads: 2, MLP: 8}}
	backend := enginetest.PureGo(t)
	store, use := model.NewStore(), framework.Use{Method: negative.Plain(), Batch: 2, Tokens: s.MaxLen}
	must.Do(t, framework.Initialise(m, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 7}))
	s.Model = must.Get(framework.NewInference(m, use, backend, store))(t)
	t.Cleanup(s.Model.Close)
	return s, store
}

// Sixteen captions at a time have the likelihoods of each alone, whose pool is the perplexity.
func TestPerplexityAgainstLoop(t *testing.T) {
	s, _ := speaking(t)
	var captions []string
	for _, p := range datasets.Pairs(s.Set) {
		captions = append(captions, p.Text(s.Set))
	}
	if len(captions)%16 == 0 {
		t.Fatal("no batch is short")
	}
	all := must.Get(s.Likelihoods(t.Context(), captions))(t)
	var nats float64
	tokens := 0
	for i, caption := range captions {
		ids := s.Tokenizer.EncodeCaption(caption, s.MaxLen)
		alone := must.Get(s.Model.LogLikelihood(ids))(t)
		var own eval.Likelihood
		for k := 1; k < len(ids); k++ {
			if ids[k] != s.Tokenizer.PAD() {
				own.Nats, own.Tokens = own.Nats+float64(alone[k]), own.Tokens+1
			}
		}
		if math.Abs(own.Nats-all[i].Nats) > 1e-4 || own.Tokens != all[i].Tokens || own.Tokens < 2 {
			t.Errorf("%q: got %+v, want %+v", caption, all[i], own)
		}
		nats, tokens = nats+own.Nats, tokens+own.Tokens
	}
	got, err := eval.Perplexity{}.Measure(t.Context(), s)
	want := math.Exp(-nats / float64(tokens))
	if err != nil || math.Abs(got.Metrics[eval.CaptionPerplexity]-want) > 1e-4*want || len(got.Metrics) != 1 {
		t.Errorf("got %v (%v), want %g", got.Metrics, err, want)
	}
}

// For a model that holds all tokens for equally likely the perplexity is the size of the vocabulary, of captions and of anything else.
func TestPerplexityOfGuessing(t *testing.T) {
	s, store := speaking(t)
	words := store.GetVariable(framework.Model + gpt.Model{}.Words())
	must.Do(t, words.SetValue(tensors.FromShape(words.Shape())))
	want := float64(s.Tokenizer.Size())
	got, err := eval.Perplexity{}.Measure(t.Context(), s)
	if err != nil || math.Abs(got.Metrics[eval.CaptionPerplexity]-want) > 1e-3 {
		t.Errorf("got %v (%v), want %g", got.Metrics, err, want)
	}
	all := must.Get(s.Likelihoods(t.Context(), []string{"", "zyxwv", strings.Repeat("a red circle ", 9)}))(t)
	for i, tokens := range []int{1, 2, s.MaxLen - 1} {
		if got := all[i]; got.Tokens != tokens || math.Abs(got.Perplexity()-want) > 1e-3 {
			t.Errorf("sentence %d: got %+v, perplexity %g; want %d tokens, %g", i, got, got.Perplexity(), tokens, want)
		}
	}
}

// A fair coin twice and a certain token: three tokens of 2 ln 2 nats.
func TestPooledByHand(t *testing.T) {
	got := eval.Pooled([]eval.Likelihood{{Nats: -2 * math.Ln2, Tokens: 2}, {Nats: 0, Tokens: 1}})
	if want := math.Pow(4, 1.0/3); got.Tokens != 3 || math.Abs(got.Perplexity()-want) > 1e-12 {
		t.Errorf("got %+v, perplexity %g; want %g", got, got.Perplexity(), want)
	}
	if !math.IsNaN(eval.Pooled(nil).Perplexity()) {
		t.Error("nothing has a perplexity")
	}
}

func TestPerplexityRefuses(t *testing.T) {
	s, _ := speaking(t)
	silent := s
	silent.Set = datasets.Uncaptioned(s.Set)
	for says, on := range map[string]eval.Subject{
		"ALBEF is none; take one, such as GPT-2": newBench(t).Subject, "has none; take data with captions": silent,
	} {
		must.Fail(t, must.Err((eval.Perplexity{}).Measure(t.Context(), on)), says)
	}
	must.Fail(t, must.Err(newBench(t).Likelihoods(t.Context(), []string{"a"})), "ALBEF is no language model")
	s.Tokenizer = nil
	must.Fail(t, must.Err(s.Likelihoods(t.Context(), []string{"a"})), "GPT-2 reads no captions")
}
