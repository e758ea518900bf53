package eval_test

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// counting is a language model without weights: the k-th token of any text, from 1, takes k/10 nats.
type counting struct{}

func (counting) Name() string                         { return "Counting" }
func (counting) Check(framework.Use) error            { return nil }
func (counting) Losses() []negative.Loss              { return []negative.Loss{negative.LM} }
func (counting) Inputs(u framework.Use) []field.Field { return u.Fields(field.Captions) }
func (counting) LogLikelihood(_ *model.Scope, ids *Node) *Node {
	places := ConvertDType(Iota(ids.Graph(), ids.Shape(), 1), dtypes.Float32)
	return Where(Equal(ids, ZerosLike(ids)), ZerosLike(places), MulScalar(places, -0.1))
}

func (counting) Step(*model.Scope, framework.Use, field.Nodes) framework.Forward {
	panic("counting is not trained")
}

// counted is a bench by counting with sentences.
func counted(t *testing.T, sentences ...eval.Sentence) eval.Subject {
	t.Helper()
	on := newBench(t).Subject
	on.Model = must.Get(framework.NewInference(counting{}, framework.Use{Method: negative.Plain(), Batch: 2, Tokens: on.MaxLen},
		enginetest.PureGo(t), model.NewStore()))(t)
	t.Cleanup(on.Model.Close)
	on.Examples = func(string) (eval.Examples, error) { return eval.Sentences.Examples(sentences), nil }
	return on
}

// Of sentences of n words the end is the last of n+1 tokens, whose places sum to (n+1)(n+2)/2: by hand, over all the tokens of a version.
func TestFluencyByHand(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("a ", n)) }
	sentences := []eval.Sentence{{Caption: words(2), Written: words(3)}, {Caption: words(4), Written: words(1), Corrected: words(2)},
		{Caption: words(1)}}
	for range 20 { // more than one batch
		sentences = append(sentences, eval.Sentence{Edited: words(9)})
	}
	on := counted(t, sentences...)
	for version, want := range map[eval.Version]float64{
		eval.Original: .1 * (6 + 15 + 3) / (3 + 5 + 2), eval.Written: .1 * (10 + 3) / (4 + 2), eval.Corrected: .1 * 6 / 3,
		eval.Edited: .1 * 55 / 10,
	} {
		got, err := eval.Fluency{Of: "0123", Version: version}.Measure(t.Context(), on)
		if err != nil || len(got.Metrics) != 1 || math.Abs(got.Metrics[eval.SentencePerplexity]-math.Exp(want)) > 1e-5 {
			t.Errorf("%s: got %v (%v), want %g", version, got.Metrics, err, math.Exp(want))
		}
	}
}

// Of the captions of a split themselves it is the split's perplexity.
func TestFluencyOfCaptions(t *testing.T) {
	var sentences []eval.Sentence
	on := counted(t)
	for _, p := range datasets.Pairs(on.Set) {
		sentences = append(sentences, eval.Sentence{Caption: p.Text(on.Set)})
	}
	on.Examples = func(string) (eval.Examples, error) { return eval.Sentences.Examples(sentences), nil }
	got := must.Get(eval.Fluency{Of: "0123", Version: eval.Original}.Measure(t.Context(), on))(t)
	want, err := eval.Perplexity{}.Measure(t.Context(), on)
	if err != nil || got.Metrics[eval.SentencePerplexity] != want.Metrics[eval.CaptionPerplexity] {
		t.Errorf("got %v, want %v (%v)", got.Metrics, want.Metrics, err)
	}
}

// Where nothing was written nothing is told.
func TestFluencyOfNothing(t *testing.T) {
	got, err := eval.Fluency{Of: "0123", Version: eval.Written}.Measure(t.Context(), counted(t, eval.Sentence{Caption: "a"}))
	if err != nil || got.Metrics == nil || len(got.Metrics) > 0 {
		t.Errorf("got %v (%v), want no metric", got.Metrics, err)
	}
}

func TestFluencyRefuses(t *testing.T) {
	on := counted(t, eval.Sentence{Caption: "a"})
	for want, c := range map[string]struct {
		task eval.Fluency
		on   eval.Subject
	}{
		"ALBEF is none":        {eval.Fluency{"0123", eval.Written}, newBench(t).Subject},
		"of no run":            {eval.Fluency{"", eval.Written}, on},
		`no "wrong" sentences`: {eval.Fluency{"0123", "wrong"}, on},
	} {
		if got, err := c.task.Measure(t.Context(), c.on); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v (%v), want an error with %q", got.Metrics, err, want)
		}
	}
}
