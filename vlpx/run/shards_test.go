package run

import (
	"archive/tar"
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/vlpx/negative"
)

// shards are scenes in tars of six, with one caption each.
func shards(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	collection, err := scenes.New(scenes.Config{Train: 16, Val: 4, Test: 4, Captions: 1, Size: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, split := range collection.Splits() {
		set, err := collection.Split(split)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, split), 0o755); err != nil {
			t.Fatal(err)
		}
		for first := 0; first < set.Len(); first += 6 {
			var shard bytes.Buffer
			w := tar.NewWriter(&shard)
			for i := first; i < min(first+6, set.Len()); i++ {
				img, err := set.Image(t.Context(), i)
				if err != nil {
					t.Fatal(err)
				}
				var picture bytes.Buffer
				if err := png.Encode(&picture, img); err != nil {
					t.Fatal(err)
				}
				for name, text := range map[string]string{".png": picture.String(), ".txt": set.Captions(i)[0]} {
					if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%09d", i) + name, Size: int64(len(text)),
						Mode: 0o644}); err != nil {
						t.Fatal(err)
					}
					if _, err := w.Write([]byte(text)); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, split, fmt.Sprintf("%05d.tar", first/6)), shard.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// A run on shards trains and is measured, in the order that streams them, which depends on where they begin.
func TestShards(t *testing.T) {
	r := on(t, shards(t))
	r.Train.Method = negative.Plain()
	r.Train.Method.Batches = negative.Streamed{Workers: 2, Buffer: 4}
	result, err := executor(t, t.TempDir()).Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Epochs) != 2 || result.SkippedImages > 0 || len(result.Unreadable) > 0 {
		t.Errorf("got %d epochs, %d images skipped, %v unreadable; want two of all images", len(result.Epochs), result.SkippedImages,
			result.Unreadable)
	}
	set, err := r.Data.TrainingSet()
	if err != nil {
		t.Fatal(err)
	}
	if got := set.(interface{ Shards() []int }).Shards(); !slices.Equal(got, []int{0, 6, 12}) {
		t.Errorf("the training set has shards from images %v, want 0, 6 and 12", got)
	}
	again := r
	again.Train.Method.Batches = negative.Uniform{}
	if again.ID() == r.ID() {
		t.Error("a uniform order has the identity of a streamed one")
	}
}
