package albef

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

func small() Model {
	return Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 12, Layers: 1, Heads: 2, MLP: 24},
		Text:   encoder.BERT{Vocab: 11, Positions: 9, Width: 12, Heads: 2, MLP: 24, Layers: 1, Fusion: 1},
		Embed:  6,
	}
}

// use is that of a model with captions of five tokens.
func use(a Model, m negative.Method) framework.Use {
	return framework.Use{Method: m, Batch: 3, Image: a.Vision.Image, Tokens: 5}
}

// The paper gives 210M parameters in all: 123.7M for the text and multimodal BERT, 85.8M for ViT-B/16. The exact numbers are
// counted by hand from the architecture.
func TestPaperParameters(t *testing.T) {
	store := model.NewStore()
	must.Do(t, framework.Declare(Paper(), use(Paper(), negative.Plain()), enginetest.PureGo(t), store))
	const d, f = 768, 3072
	linear := func(in, out int) int { return in*out + out }
	attention, norm := 4*linear(d, d), 2*d
	feedForward := linear(d, f) + linear(f, d)
	vision := linear(16*16*3, d) + d + 257*d + 12*(attention+feedForward+2*norm) + norm
	text := (30522+512+2)*d + norm + 12*(attention+feedForward+2*norm) + 6*(attention+norm)
	words := linear(d, d) + norm + 30522 // the decoder is tied to the embedding
	heads := 2*linear(d, 256) + linear(d, 2) + words + 1
	for _, count := range []struct {
		name      string
		got, want int
	}{
		{"all", framework.Parameters(store), vision + text + heads},
		{"vision", count(store, framework.Model+"/vision"), vision},
		{"text", count(store, framework.Model+"/text") - count(store, framework.Model+"/text/mlm"), text},
	} {
		if count.got != count.want {
			t.Errorf("%s: got %d parameters, want %d", count.name, count.got, count.want)
		}
	}
	for _, millions := range []struct{ got, want float64 }{
		{float64(text+words) / 1e6, 123.7}, {float64(vision) / 1e6, 85.8}, {float64(vision+text+heads) / 1e6, 210},
	} {
		if math.Abs(millions.got-millions.want) > 0.2 {
			t.Errorf("got %.2fM parameters, the paper says %.1fM", millions.got, millions.want)
		}
	}
}

func count(store *model.Store, root string) int {
	n := 0
	for v := range store.Scope(root).IterVariables() {
		n += v.Shape().Size()
	}
	return n
}

func TestValidate(t *testing.T) {
	for name, spoil := range map[string]func(*Model){
		"patch":      func(a *Model) { a.Vision.Patch = 7 },
		"heads":      func(a *Model) { a.Vision.Heads = 5 },
		"text heads": func(a *Model) { a.Text.Heads = 5 },
		"vocabulary": func(a *Model) { a.Text.Vocab = 0 },
		"embedding":  func(a *Model) { a.Embed = 0 },
		"fusion":     func(a *Model) { a.Text.Fusion = 0 },
	} {
		a := small()
		must.Do(t, a.Validate())
		spoil(&a)
		if a.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A caption's embedding and its match with an image do not depend on what else is in the batch, nor on padding.
func TestInferenceIsPerRow(t *testing.T) {
	a, store := small(), model.NewStore()
	b := enginetest.PureGo(t)
	must.Do(t, framework.Initialise(a, use(a, negative.Plain()), b, store, negative.Start{Pairs: 8, BatchSize: 4, Dim: 6, Epochs: 1,
		Seed: 3}))
	long := must.Get(framework.NewInference(a, framework.Use{Image: 16, Tokens: 6}, b, store))(t)
	defer long.Close()
	short := must.Get(framework.NewInference(a, framework.Use{Image: 16, Tokens: 4}, b, store))(t)
	defer short.Close()
	two := must.Get(long.Texts([]int32{2, 5, 6, 3, 0, 0, 2, 7, 8, 9, 10, 3}))(t)
	one := must.Get(short.Texts([]int32{2, 5, 6, 3}))(t)
	near(t, "embedding", two.Features[:6], one.Features)

	pixels := make([]float32, 2*16*16*3)
	for i := range pixels {
		pixels[i] = float32(math.Sin(float64(i)))
	}
	images := must.Get(long.Images(pixels))(t)
	second := must.Get(long.Images(pixels[len(pixels)/2:]))(t)
	near(t, "image", images.Features[6:], second.Features)
	both := must.Get(long.Match(two.States, []int32{2, 5, 6, 3, 0, 0, 2, 7, 8, 9, 10, 3}, images.States))(t)
	alone := must.Get(short.Images(pixels[:len(pixels)/2]))(t)
	first := must.Get(short.Match(one.States, []int32{2, 5, 6, 3}, alone.States))(t)
	near(t, "match", both[:1], first)
}

func near(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > 1e-5 {
			t.Errorf("%s: value %d: got %g, want %g", name, i, got[i], want[i])
		}
	}
}

// The temperature of the model and of its momentum copy starts where the configuration says, the published 0.07 by default.
func TestFirstTemperature(t *testing.T) {
	for _, want := range []float32{0, 0.2} {
		a, store := small(), model.NewStore()
		a.Temperature = float64(want)
		must.Do(t, framework.Initialise(a, use(a, negative.ALBEF(8)), enginetest.PureGo(t), store,
			negative.Start{Pairs: 16, BatchSize: 4, Dim: a.Embed, Epochs: 1, Seed: 1}))
		if want == 0 {
			want = 0.07
		}
		for _, root := range []string{framework.Model, framework.Momentum} {
			got := must.Get(store.Scope(root).GetVariable(encoder.Temperature).Value())(t)
			if got := tensors.ToScalar[float32](got); got != want {
				t.Errorf("%s: temperature %g, want %g", root, got, want)
			}
		}
	}
	for _, temperature := range []float64{-1, 0.0005, 0.6, math.NaN()} {
		a := small()
		if a.Temperature = temperature; a.Validate() == nil {
			t.Errorf("temperature %g: no error", temperature)
		}
	}
}
