package clip

import (
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// text is the text tower of OpenAI's models with an embedding of 512.
var text = encoder.CLIPText{Vocab: 49408, Positions: 77, Width: 512, Layers: 12, Heads: 8, MLP: 2048, Activation: encoder.Quick}

func viTB32() Model {
	return Model{
		Vision: encoder.ViT{Image: 224, Patch: 32, Width: 768, Layers: 12, Heads: 12, MLP: 3072, CLIP: true, Activation: encoder.Quick},
		Text:   text, Embed: 512,
	}
}

func rn50() Model {
	return Model{
		ResNet: encoder.CLIPResNet{Image: 224, Layers: []int{3, 4, 6, 3}, Width: 64, Heads: 32, Output: 1024},
		Text:   text, Embed: 1024,
	}
}

// use is that of the published models.
var use = framework.Use{Method: negative.Plain(), Batch: 2, Image: 224, Tokens: 77}

// The published models have as many parameters (openai/CLIP; running statistics are none).
func TestPublishedParameters(t *testing.T) {
	backend := enginetest.PureGo(t)
	for want, m := range map[int]Model{151_277_313: viTB32(), 102_007_137: rn50()} {
		store := model.NewStore()
		must.Do(t, framework.Declare(m, use, backend, store))
		if got := framework.Parameters(store); got != want {
			t.Errorf("ResNet %t: got %d parameters, want %d", m.resNet(), got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, m := range []Model{viTB32(), rn50()} {
		must.Do(t, m.Check(use))
	}
	for says, spoil := range map[string]func(*Model, *framework.Use){
		"whole number of patches of 30":   func(m *Model, _ *framework.Use) { m.Vision.Patch = 30 },
		"heads that divide the width":     func(m *Model, _ *framework.Use) { m.Vision.Heads = 7 },
		"a text transformer of width 0":   func(m *Model, _ *framework.Use) { m.Text.Width = 0 },
		"vocabulary is empty":             func(m *Model, _ *framework.Use) { m.Text.Vocab = 0 },
		"a shared embedding of 0":         func(m *Model, _ *framework.Use) { m.Embed = 0 },
		"a temperature of 2":              func(m *Model, _ *framework.Use) { m.Temperature = 2 },
		"images of 32 pixels for a tower": func(_ *Model, u *framework.Use) { u.Image = 32 },
		"captions of 78 tokens":           func(_ *Model, u *framework.Use) { u.Tokens = 78 },
		"seen by one tower":               func(m *Model, _ *framework.Use) { m.ResNet = rn50().ResNet },
		"multiple of 32 pixels":           func(m *Model, _ *framework.Use) { *m = rn50(); m.ResNet.Image = 200 },
		"features as wide as":             func(m *Model, _ *framework.Use) { *m = rn50(); m.Embed = 512 },
		"heads that divide its width":     func(m *Model, _ *framework.Use) { *m = rn50(); m.ResNet.Heads = 3 },
	} {
		m, u := viTB32(), use
		spoil(&m, &u)
		must.Fail(t, m.Check(u), says)
	}
}

// tiny is a model of a few numbers.
func tiny(temperature float64) Model {
	return Model{
		Vision: encoder.ViT{Image: 8, Patch: 4, Width: 4, Layers: 1, Heads: 1, MLP: 4, CLIP: true},
		Text:   encoder.CLIPText{Vocab: 9, Positions: 5, Width: 4, Layers: 1, Heads: 1, MLP: 4, End: encoder.LastToken},
		Embed:  3, Temperature: temperature,
	}
}

// What is learned is log(1/tau): 0.07 at first unless another is asked for.
func TestFirstTemperature(t *testing.T) {
	backend := enginetest.PureGo(t)
	for asked, want := range map[float64]float64{0: 0.07, 0.2: 0.2} {
		m, store := tiny(asked), model.NewStore()
		u := framework.Use{Method: negative.ALBEF(4), Batch: 2, Image: 8, Tokens: 4}
		must.Do(t, framework.Initialise(m, u, backend, store, negative.Start{Pairs: 4, BatchSize: 2, Dim: 3, Epochs: 1,
			Seed: 1}))
		for _, root := range []string{framework.Model, framework.Momentum} {
			p := tensors.ToScalar[float32](store.GetVariable(root + "/" + encoder.Scale).MustValue())
			if got := math.Exp(-float64(p)); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: got a temperature of %g, want %g", root, got, want)
			}
		}
	}
}

// The embedding is the representation projected and normalised, by hand; of a ResNet the representation is as wide as the embedding.
func TestRepresentation(t *testing.T) {
	backend := enginetest.PureGo(t)
	small, mean, net := tiny(0), tiny(0), tiny(0)
	mean.MeanPool = true
	net.Vision, net.ResNet = encoder.ViT{}, encoder.CLIPResNet{Image: 32, Layers: []int{1, 1, 1, 1}, Width: 2, Heads: 2, Output: 3}
	for name, m := range map[string]Model{"class token": small, "mean of tokens": mean, "ResNet": net} {
		u := framework.Use{Method: negative.Plain(), Batch: 2, Image: max(m.Vision.Image, m.ResNet.Image), Tokens: 4}
		store := model.NewStore()
		must.Do(t, framework.Initialise(m, u, backend, store, negative.Start{Pairs: 4, BatchSize: 2, Dim: 3, Epochs: 1,
			Seed: 1}))
		n := must.Get(framework.NewInference(m, u, backend, store))(t)
		defer n.Close()
		images := make([]float32, 2*3*u.Image*u.Image)
		for i := range images {
			images[i] = float32(math.Sin(float64(i * i)))
		}
		below := must.Get(n.Representations(images))(t)
		embedded := must.Get(n.Images(images))(t)
		project := []float32{1, 0, 0, 0, 1, 0, 0, 0, 1} // [width, embed]
		if !m.resNet() {
			weights := store.GetVariable(framework.Model + "/vision_projection/" + encoder.Weights).MustValue()
			project = must.Get(tensors.CopyFlatData[float32](weights))(t)
		}
		width := len(project) / 3
		if len(below) != 2*width {
			t.Fatalf("%s: got %d numbers of two images, want %d", name, len(below), 2*width)
		}
		for i := range 2 {
			var want [3]float64
			var square float64
			for e := range want {
				for k := range width {
					want[e] += float64(below[i*width+k]) * float64(project[k*3+e])
				}
				square += want[e] * want[e]
			}
			for e := range want {
				if got := float64(embedded.Features[i*3+e]); math.Abs(got-want[e]/math.Sqrt(square)) > 1e-5 {
					t.Errorf("%s: image %d, component %d: got %g, want %g", name, i, e, got, want[e]/math.Sqrt(square))
				}
			}
		}
	}
}

// A published file tells the sizes of its model, as far as heads are 64 wide and the activation is OpenAI's.
func TestSized(t *testing.T) {
	backend := enginetest.PureGo(t)
	text := encoder.CLIPText{Vocab: 9, Positions: 5, Width: 4, Layers: 2, Heads: 1, MLP: 8, Activation: encoder.Quick}
	for _, want := range []Model{
		{Vision: encoder.ViT{Image: 8, Patch: 4, Width: 4, Layers: 1, Heads: 1, MLP: 4, CLIP: true, Activation: encoder.Quick},
			Text: text, Embed: 3},
		{ResNet: encoder.CLIPResNet{Image: 32, Layers: []int{1, 2, 1, 1}, Width: 2, Heads: 1, Output: 3}, Text: text, Embed: 3},
	} {
		u, store := framework.Use{Batch: 1, Image: max(want.Vision.Image, want.ResNet.Image), Tokens: 5}, model.NewStore()
		must.Do(t, framework.Initialise(want, u, backend, store, negative.Start{Pairs: 4, BatchSize: 2, Dim: 3, Epochs: 1, Seed: 1}))
		values := weights.Values{}
		for v := range store.Scope(framework.Model).IterVariables() {
			values[v.Path()] = must.Get(v.Value())(t)
		}
		path := filepath.Join(t.TempDir(), "model.safetensors")
		must.Do(t, must.Get(values.Published(want.Export().Table))(t).Write(path))
		got, use, err := framework.Sized(must.Get(weights.Find(path))(t))
		if err != nil || !reflect.DeepEqual(got, want) || use.Image != u.Image || use.Tokens != 5 {
			t.Errorf("got %+v with %d pixels and %d tokens (%v), want %+v", got, use.Image, use.Tokens, err, want)
		}
	}
}
