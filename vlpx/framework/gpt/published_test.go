package gpt

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// The folder is a random model that was written with Hugging Face's names from PyTorch; the likelihoods are of a GPT-2 in plain PyTorch in
// float64, the ids of OpenAI's tokenizer.
func TestPublishedModel(t *testing.T) {
	dir := filepath.Join("testdata", "tiny")
	published := must.Get(Find(dir))(t)
	const tokens = 16
	inference, closes := must.Get2(opened(published, enginetest.PureGo(t), tokens))(t)
	defer closes()
	var cases []struct {
		Text string
		IDs  []int32
		Nats []float64
	}
	content, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err == nil {
		err = json.Unmarshal(content, &cases)
	}
	if err != nil || len(cases) != 4 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		ids := published.Tokenizer.EncodeCaption(c.Text, tokens)
		if want := append(c.IDs, make([]int32, tokens-len(c.IDs))...); !slices.Equal(ids, want) {
			t.Errorf("%q: got ids %v, want %v", c.Text, ids, want)
		}
		got := must.Get(inference.LogLikelihood(ids))(t)
		want := append(append([]float64{0}, c.Nats...), make([]float64, tokens-len(c.IDs))...)
		for place := range want {
			if math.Abs(float64(got[place])-want[place]) > 1e-5 {
				t.Errorf("%q: token %d: got %g nats, want %g", c.Text, place, got[place], want[place])
			}
		}
	}
	must.Fail(t, must.Err(inference.Texts(make([]int32, tokens))), "GPT-2 makes no embeddings "+
		"of captions", "embeddings")
}

func TestFindRefuses(t *testing.T) {
	for says, change := range map[string]func(files map[string]string){
		"config.json: ":     func(f map[string]string) { delete(f, "config.json") },
		"invalid character": func(f map[string]string) { f["config.json"] = "no" },
		`of type "opt"`:     func(f map[string]string) { f["config.json"] = `{"model_type":"opt"}` },
		`activation "relu"`: func(f map[string]string) {
			f["config.json"] = strings.Replace(f["config.json"], "gelu_new",
				"relu", 1)
		},
		"no safetensors file": func(f map[string]string) { delete(f, "model.safetensors") },
		"vocab.json":          func(f map[string]string) { delete(f, "vocab.json") },
		"no tokenizer.json":   func(f map[string]string) { f["tokenizer.json"] = "no" },
		"of 285 tokens for a model of ": func(f map[string]string) {
			f["config.json"] = strings.Replace(f["config.json"], "285",
				"284", 1)
		},
	} {
		files, dir := map[string]string{}, t.TempDir()
		for _, name := range []string{"config.json", "model.safetensors", "vocab.json", "merges.txt"} {
			content := must.Get(os.ReadFile(filepath.Join("testdata", "tiny", name)))(t)
			files[name] = string(content)
		}
		change(files)
		for name, content := range files {
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
		}
		must.Fail(t, must.Err(Find(dir)), says)
	}
}

// First values are those of a text part alone, of a model of the same sizes.
func TestFirstValues(t *testing.T) {
	published := must.Get(Find(filepath.Join("testdata", "tiny")))(t)
	store := model.NewStore()
	must.Do(t, framework.Declare(published.Model, framework.Use{Tokens: 5}, enginetest.PureGo(t), store))
	values, report := must.Get2(published.Model.First(framework.Text, published.Weights))(t)
	for v := range store.Scope(framework.Model).IterVariables() {
		if value := values[v.Path()]; value == nil || !v.Shape().Equal(value.Shape()) {
			t.Errorf("%s: nothing was read in the shape %s", v.Path(), v.Shape())
		}
		delete(values, v.Path())
	}
	if len(values) > 0 || len(report.Ignored) != 4 {
		t.Errorf("%d values are of no variable, and %d tensors ignored; want the 4 buffers", len(values), len(report.Ignored))
	}
	for says, spoil := range map[string]func(*Model){
		"the width is 8, the model's 4":                      func(m *Model) { m.Text.Width = 4 },
		"the width inside its MLP is 32, the model's 16":     func(m *Model) { m.Text.MLP = 16 },
		"the number of layers is 2, the model's 3":           func(m *Model) { m.Text.Layers = 3 },
		"the number of positions is 16, the model's 17":      func(m *Model) { m.Text.Positions = 17 },
		"its vocabulary has 285 tokens, the run's 286; give": func(m *Model) { m.Text.Vocab = 286 },
	} {
		other := published.Model
		spoil(&other)
		must.Fail(t, must.Err2(other.First(framework.Text, published.Weights)), says)
	}
	must.Fail(t, must.Err2(published.Model.First(framework.Vision, published.Weights)), "reads text alone", "an image encoder")
}

// opened is a published model ready for texts of so many tokens on a backend. What it returns to close it frees model and weights.
func opened(p Published, backend compute.Backend, tokens int) (_ *framework.Inference, closes func(), err error) {
	store, use := model.NewStore(), framework.Use{Method: negative.Plain(), Tokens: tokens}
	defer func() {
		if err != nil {
			store.Finalize()
		}
	}()
	values, _, err := p.Model.First(framework.Text, p.Weights)
	if err != nil {
		return nil, nil, err
	}
	if err = framework.Declare(p.Model, use, backend, store); err != nil {
		return nil, nil, err
	}
	if err = values.Put(store, dtypes.Float32); err != nil {
		return nil, nil, err
	}
	inference, err := framework.NewInference(p.Model, use, backend, store)
	if err != nil {
		return nil, nil, err
	}
	return inference, func() { inference.Close(); store.Finalize() }, nil
}
