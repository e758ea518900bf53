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
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// shards are scenes in tars of six, with one caption each.
func shards(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	collection := must.Get(scenes.New(scenes.Config{Train: 16, Val: 4, Test: 4, Captions: 1, Size: 16}))(t)
	for _, split := range collection.Splits() {
		set := must.Get(collection.Split(split))(t)
		must.Do(t, os.Mkdir(filepath.Join(dir, split), 0o755))
		for first := 0; first < set.Len(); first += 6 {
			var shard bytes.Buffer
			w := tar.NewWriter(&shard)
			for i := first; i < min(first+6, set.Len()); i++ {
				img := must.Get(set.Image(t.Context(), i))(t)
				var picture bytes.Buffer
				must.Do(t, png.Encode(&picture, img))
				for name, text := range map[string]string{".png": picture.String(), ".txt": set.Captions(i)[0]} {
					must.Do(t, w.WriteHeader(&tar.Header{Name: fmt.Sprintf("%09d", i) + name, Size: int64(len(text)),
						Mode: 0o644}))
					must.Get(w.Write([]byte(text)))(t)
				}
			}
			must.Do(t, w.Close())
			must.Do(t, os.WriteFile(filepath.Join(dir, split, fmt.Sprintf("%05d.tar", first/6)), shard.Bytes(), 0o644))
		}
	}
	return dir
}

// A run on shards trains and is measured, in the order that streams them, which depends on where they begin.
func TestShards(t *testing.T) {
	r := on(t, shards(t))
	r.Train.Method = negative.Plain()
	r.Train.Method.Batches = negative.Streamed{Workers: 2, Buffer: 4}
	result := must.Get(executor(t, t.TempDir()).Run(t.Context(), r))(t)
	if len(result.Epochs) != 2 || result.SkippedImages > 0 || len(result.Unreadable) > 0 {
		t.Errorf("got %d epochs, %d images skipped, %v unreadable; want two of all images", len(result.Epochs), result.SkippedImages,
			result.Unreadable)
	}
	set := must.Get(r.Data.TrainingSet())(t)
	if got := set.(interface{ Shards() []int }).Shards(); !slices.Equal(got, []int{0, 6, 12}) {
		t.Errorf("the training set has shards from images %v, want 0, 6 and 12", got)
	}
	again := r
	again.Train.Method.Batches = negative.Uniform{}
	if again.ID() == r.ID() {
		t.Error("a uniform order has the identity of a streamed one")
	}
}
