package run

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/weights"
)

// behindLocked is the smallest run on a folder with a golden case's encoder locked in front: 24 pixels, 3 x 3 patches of width 16.
func behindLocked(t *testing.T, dir string) Run {
	t.Helper()
	source := must.Get(weights.Find(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
		"weights.safetensors")))(t)
	r := on(t, dir)
	r.Locked = &locked.Encoder{Weights: source, Image: 24, Side: 3, Pixels: transform.ImageNet, Heads: 2}
	change(&r, func(a *albef.Model) {
		a.Vision = encoder.ViT{Image: 24, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, Locked: 16}
	})
	r.Train.Transform = transform.Pipeline{Size: 24}
	return r
}

// caches are the files of locked encoders below a store's place, with the times when they were made.
func caches(t *testing.T, home string) map[string]string {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(home, "locked", "*", "*.float16")))(t)
	content := map[string]string{}
	for _, path := range paths {
		bytes := must.Get(os.ReadFile(path))(t)
		content[filepath.Base(path)] = string(bytes)
	}
	return content
}

// Behind a locked encoder a run trains, evaluates and is evaluated again on tokens that are made once a split; made anew they give the
// same result, a broken image is treated like one without an encoder, and another encoder is another run.
func TestLocked(t *testing.T) {
	dir, home := shades(t, "train3.jpg", "test0.jpg"), t.TempDir()
	r, e := behindLocked(t, dir), executor(t, home)
	result := must.Get(e.Run(t.Context(), r))(t)
	made := caches(t, home)
	if want := []string{"test-4.float16", "train-16.float16", "val-4.float16"}; len(made) != 3 || made[want[0]] == "" ||
		made[want[1]] == "" || made[want[2]] == "" {
		t.Fatalf("caches: got %d, want %q", len(made), want)
	}
	if len(result.Skipped) != 1 || !strings.Contains(result.Skipped[0], "train3.jpg") ||
		!reflect.DeepEqual(result.Unreadable, map[string][]string{"test": {"test0.jpg"}}) {
		t.Errorf("skipped %q, unreadable %v; want train3.jpg and test0.jpg", result.Skipped, result.Unreadable)
	}
	metrics, err := e.Evaluate(t.Context(), r, "test")
	if err != nil || metrics["TR@1"] != result.Metrics["TR@1"] || metrics["cosine IR mAP"] != result.Metrics["cosine IR mAP"] {
		t.Errorf("evaluated again: got %v (%v), want %v", metrics, err, result.Metrics)
	}
	other := executor(t, t.TempDir())
	again := must.Get(other.Run(t.Context(), r))(t)
	if !reflect.DeepEqual(again.Metrics, result.Metrics) {
		t.Errorf("with a cache made anew: got %v, want %v", again.Metrics, result.Metrics)
	}
	seed := r
	seed.Train.Seed = 2
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	must.Get(e.Run(t.Context(), seed))(t)
	if slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "sees the images") }) ||
		!reflect.DeepEqual(caches(t, home), made) {
		t.Errorf("a second run made the tokens again: %q", said)
	}

	changed := r
	pooled := *r.Locked
	pooled.Pixels = transform.Symmetric
	changed.Locked = &pooled
	if changed.ID() == r.ID() {
		t.Error("another encoder has the run's identity")
	}
	changed = r
	changed.Train.Transform = transform.ALBEF(24)
	must.Fail(t, must.Err(e.Run(t.Context(), changed)), "augmentation", "with augmentation")
}
