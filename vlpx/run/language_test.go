package run

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/negative"
)

// A language model that is trained holds captions for likelier than their words in another order, and measures by its own perplexity.
func TestLikelihoodsOfAFinishedRun(t *testing.T) {
	r, e := smallest(t), executor(t, t.TempDir())
	r.Train.Framework.Framework = gpt.Model{Text: encoder.GPT{Vocab: model(r).Text.Vocab, Positions: 12, Width: 16, Layers: 1,
		Heads: 2, MLP: 16}}
	r.Train.Method, r.Tasks = negative.Plain(), eval.Tasks{eval.Perplexity{}}
	r.Train.Epochs, r.Train.Schedule.Epochs, r.Train.Schedule.Rate = 8, 8, 1e-2
	sentences := []string{"a", "b"}
	must.Fail(t, must.Err(likelihoods(t, e, r, sentences)), "is not trained yet", "before it is trained")
	result := must.Get(e.Run(t.Context(), r))(t)
	set := must.Get(r.Data.TestSet())(t)
	var captions, backwards []string
	for i := range set.Len() {
		for _, caption := range set.Captions(i) {
			captions = append(captions, caption)
			words := strings.Fields(caption)
			slices.Reverse(words)
			backwards = append(backwards, strings.Join(words, " "))
		}
	}
	own := must.Get(likelihoods(t, e, r, captions))(t)
	other := must.Get(likelihoods(t, e, r, backwards))(t)
	told, measured := result.Metrics[string(eval.CaptionPerplexity)], eval.Pooled(own).Perplexity()
	if told != measured || !(measured < eval.Pooled(other).Perplexity()/2) {
		t.Errorf("perplexity: got %g, told by the run %g; backwards %g", measured, told, eval.Pooled(other).Perplexity())
	}
}

// likelihoods are those of sentences by a finished run's language model.
func likelihoods(t *testing.T, e *Executor, r Run, sentences []string) ([]eval.Likelihood, error) {
	t.Helper()
	_, model, err := e.finished(r)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	inference, err := model.Inference()
	if err != nil {
		return nil, err
	}
	return eval.Subject{Model: inference, Tokenizer: model.Tokenizer, MaxLen: r.Train.MaxLen}.Likelihoods(t.Context(), sentences)
}
