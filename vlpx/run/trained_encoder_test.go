package run

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// behindOwn is the smallest run with the image encoder of a run of CLIP locked in front.
func behindOwn(t *testing.T) Run {
	t.Helper()
	r, eye := smallest(t), smallest(t)
	vit := encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, CLIP: true}
	eye.Train.Framework = framework.Choice{Framework: clip.Model{
		Vision: vit, Text: encoder.CLIPText{Vocab: model(r).Text.Vocab, Positions: 12, Width: 8, Layers: 1, Heads: 2, MLP: 16,
			End: encoder.LastToken}, Embed: 6,
	}}
	eye.Train.Method = negative.Plain()
	r.Encoder, r.Locked = &eye, &locked.Encoder{Run: eye.ID(), Trained: &vit, Image: 16, Side: 2, Pixels: transform.CLIP}
	change(&r, func(a *albef.Model) { a.Vision.Locked = vit.Width })
	return r
}

// The run whose encoder is locked is made first, and its weights are those that see: the encoder and the model's own tokens agree. A run of
// the store alone, which knows the other by its identity, measures the same.
func TestOwnEncoder(t *testing.T) {
	r, e := behindOwn(t), executor(t, t.TempDir())
	result := must.Get(e.Run(t.Context(), r))(t)
	kept, err := e.Store.Kept(r.Encoder.ID())
	if err != nil || !kept.Done {
		t.Fatalf("the run of the encoder: %v, done %t", err, kept.Done)
	}
	eyes := must.Get(e.vision(r.Locked.Run, "/vision"))(t)
	_, trained := must.Get2(e.finished(*r.Encoder))(t)
	defer trained.Close()
	all := must.Get(trained.Weights())(t)
	for path, value := range eyes {
		got, _ := tensors.CopyFlatData[float32](value)
		want, _ := tensors.CopyFlatData[float32](all[framework.Model+path])
		if !slices.Equal(got, want) {
			t.Errorf("%s is not as its run left it", path)
		}
	}
	if len(eyes) < 10 {
		t.Errorf("got %d variables of an image encoder", len(eyes))
	}
	alone := must.Get(e.Store.Kept(r.ID()))(t)
	again := must.Get(train.Load(e.Backend, alone.Run.Train, trained.Tokenizer, alone.Dir))(t)
	defer again.Close()
	metrics, err := e.Measure(t.Context(), alone.Run, again, "test")
	if err != nil || metrics["cosine IR mAP"] != result.Metrics["cosine IR mAP"] {
		t.Errorf("measured from the store: %v (%v), want %v", metrics["cosine IR mAP"], err, result.Metrics["cosine IR mAP"])
	}
	other := behindOwn(t)
	other.Encoder.Train.Seed = 2
	other.Locked.Run = other.Encoder.ID()
	if other.ID() == r.ID() {
		t.Error("a run behind another run's encoder is the same run")
	}
	other.Encoder = nil
	must.Fail(t, must.Err(e.Run(t.Context(), other)), other.Locked.Run, "behind an encoder that the store lacks")
}
