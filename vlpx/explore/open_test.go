package explore

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// smallest is a run of a second: 24 generated images, mini-batches of eight, two epochs.
func smallest(t *testing.T) run.Run {
	t.Helper()
	data := must.Get(run.ScenesData(scenes.Config{Train: 24, Val: 4, Test: 4, Captions: 2, Size: 16}))(t)
	r := run.Run{Data: data, Vocabulary: run.Vocabulary{MinCount: 1, MaxSize: 200}, Tasks: eval.Tasks{eval.Retrieval{Rerank: 2}}}
	collection := must.Get(data.Open())(t)
	tokenizer := must.Get(r.Vocabulary.Tokenizer(collection))(t)
	r.Train = train.Config{
		Framework: framework.Choice{Framework: albef.Model{
			Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16},
			Text:   encoder.BERT{Vocab: tokenizer.Size(), Positions: 12, Width: 8, Heads: 2, MLP: 16, Layers: 1, Fusion: 1},
			Embed:  6,
		}},
		Method: negative.GRITVLP(8, 16), BatchSize: 8, Epochs: 2, MaxLen: 10,
		Transform: transform.Pipeline{Size: 16},
		Optimiser: train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
		Schedule:  train.Schedule{Warmup: 1e-4, Rate: 1e-3, Min: 1e-4, Units: 3, Unit: 2, Epochs: 2},
		Seed:      1,
	}
	return r
}

func TestOpen(t *testing.T) {
	backend := enginetest.PureGo(t)
	e := &run.Executor{Store: run.OpenStore(t.TempDir()), Backend: backend, Engine: "go"}
	r := smallest(t)
	if _, err := Open(t.Context(), e, r, "train", 0); err == nil || !strings.Contains(err.Error(), "train it first") {
		t.Fatalf("before training: got error %v", err)
	}
	silent := written(t)
	silent.Train.Objectives = negative.Of(negative.ITM)
	must.Fail(t, must.Err(Open(t.Context(), e, silent, "train", 0)), "UNITER makes no embeddings", "a framework that embeds nothing "+
		"and writes nothing")
	must.Get(e.Run(t.Context(), r))(t)
	must.Fail(t, must.Err(Open(t.Context(), e, r, "tarin", 0)), `no split "tarin"`, "a split that is not there")
	must.Fail(t, must.Err(Open(t.Context(), e, r, "train", 3)), "explore more", "one image")
	x := must.Get(Open(t.Context(), e, r, "train", 41))(t)
	defer x.Close()
	if x.Pairs() != 40 || len(x.image) != 20*6 || len(x.text) != 40*6 {
		t.Fatalf("got %d pairs, %d and %d numbers; want 40 of whole images", x.Pairs(), len(x.image), len(x.text))
	}
	for name, side := range sides {
		v := must.Get(x.Negatives(t.Context(), 39, side, 5, []negative.Method{negative.MAFA(8, 16)}))(t)
		// Embeddings and Con-D against single pairs that come through the model alone.
		for _, n := range append(v.Nearest, v.Anchor) {
			i, caption := x.meeting(39, n.Pair, side)
			image := must.Get(x.encodeImages(t.Context(), []int{i}))(t)
			ids := x.ids([]int{caption})
			text := must.Get(x.inference.Texts(ids))(t)
			cosine := 0.0
			for d := range text.Features {
				cosine += float64(image.Features[d]) * float64(text.Features[d])
			}
			matched := must.Get(x.inference.Probabilities(text.States, ids, image.States))(t)
			near(t, name, []float64{n.Cosine, n.Treatments[0].Score}, []float64{cosine, float64(matched[0])}, 1e-5)
		}
		if math.IsNaN(v.Nearest[0].Treatments[0].Meet) {
			t.Errorf("%s: no chance to meet", name)
		}
		if table := v.Table(); strings.Contains(table.Note, "cannot be read") {
			t.Errorf("%s: all images can be read, and the note says %q", name, table.Note)
		}
	}

	// Encoded again with images that cannot be decoded, it shows them grey, as it took them, and says which.
	x.set, x.image, x.text = cracked{x.set, []int{2, 19}}, nil, nil
	must.Do(t, x.encode(t.Context()))
	grey := must.Get(x.inference.Images(make([]float32, 3*16*16)))(t)
	near(t, "an image that cannot be decoded", float64s(x.image[2*6:3*6]), float64s(grey.Features[:6]), 1e-5)
	v := must.Get(x.Negatives(t.Context(), 2*2, OfImage, 5, []negative.Method{negative.Plain()}))(t)
	if r, g, b, _ := v.Anchor.Image.At(3, 3).RGBA(); r != 0x8080 || g != r || b != r || v.Anchor.Image.Bounds().Dx() != 16 {
		t.Errorf("got an image with the colour %x %x %x, want grey", r, g, b)
	}
	if note, want := v.Table().Note, "take part as the mean colour: 2 ("+x.set.Key(2)+", "+x.set.Key(19)+
		")."; !strings.Contains(note, want) {
		t.Errorf("no %q in %q", want, note)
	}
}

// cracked is a set of which some images cannot be decoded.
type cracked struct {
	datasets.Set
	broken []int
}

func (c cracked) Image(ctx context.Context, i int) (image.Image, error) {
	if slices.Contains(c.broken, i) {
		return nil, errors.New("cracked")
	}
	return c.Set.Image(ctx, i)
}

func float64s(numbers []float32) (wide []float64) {
	for _, x := range numbers {
		wide = append(wide, float64(x))
	}
	return wide
}

func BenchmarkNegatives(b *testing.B) {
	choice, _ := engine.Choose(engine.Cache())
	backend := must.Get(engine.Open(choice))(b)
	defer backend.Finalize()
	x := explorerOn(b, backend, newAlbum(1000, 5), 32, 64)
	methods := []negative.Method{negative.Plain(), negative.ALBEF(1024), negative.DiHT(), negative.SRCL(5), negative.GRITVLP(1920, 9600),
		negative.Quantile("Hard quantile", 0.9, 1920, 9600)}
	ask := func(anchor int) {
		must.Get(x.Negatives(b.Context(), anchor%x.Pairs(), OfImage, 12, methods))(b)
	}
	ask(0) // compiles, and plays the samplers
	for anchor := 0; b.Loop(); anchor += 5 {
		ask(anchor)
	}
}
