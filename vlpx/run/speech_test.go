package run

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// speaking is a run of BLIP-2's second stage, after a run of the first, in front of the language model of a run on all that is said about
// scenes.
func speaking(t *testing.T) Run {
	t.Helper()
	first := smallest(t)
	first.Train.Method = negative.Plain()
	first.Train.Framework.Framework = blip2.Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, EVA: true, Open: true},
		Text: encoder.QFormer{Vocab: model(first).Text.Vocab, Positions: 12, Queries: 2, Width: 8, Heads: 2, MLP: 16,
			Layers: 1, Every: 1},
		Embed: 6,
	}
	language := first
	data := must.Get(ScenesData(scenes.Config{Train: 30, Val: 4, Test: 4, Captions: 2, Size: 16, Seed: 3}))(t)
	data.Texts = Talk
	language.Data, language.Vocabulary.Grows = data, true
	language.Train.MaxLen, language.Tasks = 24, eval.Tasks{eval.Perplexity{}}
	language.Train.Framework.Framework = opt.Model{Text: encoder.OPT{Vocab: len(words(t, language)), Positions: 48, Width: 8, Layers: 1,
		Heads: 2, MLP: 16}}
	r := first
	r.Init, r.Train.Init = &first, first.ID()
	r.Language, r.Train.Language = &language, language.ID()
	r.Train.MaxLen = 24
	r.Train.Framework.Framework = blip2.Generative{BLIP2: first.Train.Framework.Framework.(blip2.Model),
		Language: language.Train.Framework.Framework.(opt.Model).Text}
	short := generate.Search{Beams: 2, Max: 6}
	r.Tasks = eval.Tasks{eval.Captioning{Search: short}, eval.Asking{Search: short}}
	return r
}

// spoken are the variables of a run's language model in the model of another, by what they are called there.
func spoken(t *testing.T, e *Executor, language, r Run) map[string][]float32 {
	t.Helper()
	m := must.Get(train.Load(e.Backend, language.Train, nil, e.Store.Dir(language)))(t)
	defer m.Close()
	learned := must.Get(m.Weights())(t)
	values := must.Get(r.Train.Framework.Framework.(blip2.Generative).Speak(learned))(t)
	own, named := weightsOf(t, e, language), map[string][]float32{}
	if len(values) != len(own) {
		t.Fatalf("%d of %d variables have names there", len(values), len(own))
	}
	for path, value := range values {
		for before, of := range learned {
			if of == value {
				named[path] = own[before]
			}
		}
	}
	return named
}

// A second stage makes the run of its language model and that of the first stage before it, reads and writes in the language model's words,
// and leaves its weights as they are, while it learns; stopped, it goes on to the same bits, without these runs' models.
func TestSpeakingRun(t *testing.T) {
	r, e := speaking(t), executor(t, t.TempDir())
	result := must.Get(e.Run(t.Context(), r))(t)
	for _, needed := range []*Run{r.Init, r.Language} {
		if _, done, err := e.Store.Find(*needed); !done || err != nil {
			t.Errorf("%s: done %v (%v), want it made first", needed.Train.Framework.Name(), done, err)
		}
	}
	if all := words(t, r); !slices.Equal(all, words(t, *r.Language)) || slices.Equal(all, words(t, *r.Init)) ||
		!slices.Contains(all, "answer") {
		t.Errorf("got the words %q, want the language model's", all)
	}
	kept := must.Get(os.ReadFile(filepath.Join(e.Store.Dir(r), tokenizerName)))(t)
	if of, err := os.ReadFile(filepath.Join(e.Store.Dir(*r.Language), tokenizerName)); err != nil || !slices.Equal(kept, of) {
		t.Errorf("the tokenizer that is kept is another than the language model's (%v)", err)
	}
	learned := weightsOf(t, e, r)
	frozen := spoken(t, e, *r.Language, r)
	for path, want := range frozen {
		if !slices.Equal(learned[path], want) {
			t.Errorf("%s is not as the language model's run left it", path)
		}
	}
	changed := 0
	for path, before := range weightsOf(t, e, *r.Init) {
		if now, has := learned[path]; has && !slices.Equal(now, before) {
			changed++
		}
	}
	if len(frozen) == 0 || changed == 0 {
		t.Errorf("%d variables are frozen, and %d of the first stage have learned", len(frozen), changed)
	}
	begin, end := result.Epochs[0].Losses, result.Epochs[len(result.Epochs)-1].Losses
	if len(end) != 1 || !(end[negative.LM] < begin[negative.LM]) {
		t.Errorf("got the losses %v, then %v; want LM alone, which falls", begin, end)
	}
	if _, asked := result.Metrics[string(eval.WrittenAnswers)]; !asked || len(eval.WrittenCaptions.Of(result.Examples)) != 4 ||
		len(eval.AnsweredQuestions.Of(result.Examples)) == 0 {
		t.Errorf("got %v of %d captions and %d questions", result.Metrics, len(eval.WrittenCaptions.Of(result.Examples)),
			len(eval.AnsweredQuestions.Of(result.Examples)))
	}

	again := executor(t, t.TempDir())
	for _, needed := range []*Run{r.Init, r.Language} {
		must.Get(again.Run(t.Context(), *needed))(t)
	}
	ctx, cancel := context.WithCancel(t.Context())
	again.Report = func(_ Run, p train.Report) {
		if p.Step == 3 {
			cancel()
		}
	}
	if _, err := again.Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want it stopped", err)
	}
	again.Report = nil
	resumed := must.Get(again.Run(t.Context(), r))(t)
	if !reflect.DeepEqual(weightsOf(t, again, r), learned) || !maps.Equal(resumed.Metrics, result.Metrics) {
		t.Error("stopped, it ends in other weights or metrics")
	}
}

// A run that goes on from a second stage reads its words, and needs no run of a language model.
func TestTunedSpeech(t *testing.T) {
	first, e := speaking(t), executor(t, t.TempDir())
	r := first
	r.Init, r.Train.Init, r.Language, r.Train.Language = &first, first.ID(), nil, ""
	must.Get(e.Run(t.Context(), r))(t)
	if !slices.Equal(words(t, r), words(t, *first.Language)) {
		t.Error("it has other words")
	}
	learned := weightsOf(t, e, r)
	for path, want := range spoken(t, e, *first.Language, r) {
		if !slices.Equal(learned[path], want) {
			t.Errorf("%s is not as the language model's run left it", path)
		}
	}
}

func TestSpeechErrors(t *testing.T) {
	e := executor(t, t.TempDir())
	done := speaking(t)
	must.Fail(t, must.Err(e.speech(done, nil)), "is not trained yet")
	for says, spoil := range map[string]func(*Run){
		"has no language model; leave Run.Language out": func(r *Run) { r.Train.Framework.Framework = model(smallest(t)) },
		"and Train.Language says":                       func(r *Run) { r.Train.Language = "another" },
		"is of no language model; take a run of OPT": func(r *Run) {
			r.Language, r.Train.Language = r.Init, r.Init.ID()
		},
	} {
		r := speaking(t)
		spoil(&r)
		must.Get(e.Run(t.Context(), *r.Language))(t)
		must.Fail(t, must.Err(e.speech(r, nil)), says)
	}
	wider := speaking(t)
	m := wider.Train.Framework.Framework.(blip2.Generative)
	m.Language.Width = 12
	wider.Train.Framework.Framework = m
	must.Fail(t, must.Err(e.Run(t.Context(), wider)), "language", "a language model of another width")
}
