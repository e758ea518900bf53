package train

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/karpathy"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
)

// photographs makes a folder in Karpathy's layout of one-coloured JPEGs with two captions each; the third is cut off.
func photographs(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(dir, "images"), 0o755))
	var entries []string
	for i := range n {
		picture := image.NewRGBA(image.Rect(0, 0, 64, 48))
		for at := range 64 * 48 {
			picture.Set(at%64, at/64, color.RGBA{uint8(40 * i), uint8(at), uint8(at / 8), 255})
		}
		var content bytes.Buffer
		must.Do(t, jpeg.Encode(&content, picture, nil))
		if i == 2 {
			content.Truncate(content.Len() / 2)
		}
		must.Do(t, os.WriteFile(filepath.Join(dir, "images", fmt.Sprintf("%d.jpg", i)), content.Bytes(), 0o644))
		entries = append(entries,
			fmt.Sprintf(`{"filename": "%d.jpg", "split": "train", "sentences": [{"raw": "shade %d"}, {"raw": "a picture"}]}`, i, i))
	}
	text := fmt.Sprintf(`{"dataset": "shades", "images": [%s]}`, strings.Join(entries, ", "))
	must.Do(t, os.WriteFile(filepath.Join(dir, "dataset_shades.json"), []byte(text), 0o644))
	return dir
}

// trainingSplit opens a folder's split for training.
func trainingSplit(t *testing.T, dir string) datasets.Set {
	t.Helper()
	c := must.Get(karpathy.Open(dir))(t)
	set := must.Get(c.Split("train"))(t)
	return set
}

// A broken image costs its place in the mini-batches and is reported once, also by a run that was stopped in between.
func TestBrokenImage(t *testing.T) {
	set := trainingSplit(t, photographs(t, 6))
	for _, stops := range [][]int{nil, {3, 6}} {
		out := finish(t, jobOn(t, set, plain), stops...)
		if len(out.Epochs) != 3 || len(out.Skipped) != 1 || !strings.Contains(out.Skipped[0], "2.jpg") {
			t.Errorf("stopped at %v: got %d epochs, skipped %q; want 3 epochs and 2.jpg skipped", stops, len(out.Epochs), out.Skipped)
		}
	}
}

// sightings orders by pairs' own numbers and keeps what it saw; one test uses it.
type sightings struct{}

var seen []negative.Seen

func (sightings) Start(run negative.Start) (negative.Sampler, error) {
	return negative.Ordered(run, func(s negative.Seen, _ *rand.Rand) []int {
		s.Image, s.Text = slices.Clone(s.Image), slices.Clone(s.Text)
		seen = append(seen, s)
		order := make([]int, s.Pairs)
		for i := range order {
			order[i] = i
		}
		return order
	})
}

// What a sampler learns of a pair whose image is broken is nothing, not the embeddings of the pair that took its place.
func TestBrokenImageIsNotSeen(t *testing.T) {
	set := trainingSplit(t, photographs(t, 6))
	seen = nil
	finish(t, jobOn(t, set, negative.Method{Name: "watched", Batches: sightings{}}.WithDefaults()))
	if len(seen) != 2 {
		t.Fatalf("got %d orders, want those of epochs 1 and 2", len(seen))
	}
	for pair, p := range datasets.Pairs(set) {
		s := seen[len(seen)-1]
		for side, all := range map[string][]float32{"image": s.Image, "text": s.Text} {
			var square float64
			for _, x := range all[pair*s.Dim : (pair+1)*s.Dim] {
				square += float64(x) * float64(x)
			}
			if want := map[bool]float64{true: 0, false: 1}[p.Image == 2]; math.Abs(square-want) > 1e-4 {
				t.Errorf("pair %d of image %d: the %s embedding has a squared length of %g, want %g", pair, p.Image, side, square, want)
			}
		}
	}
}
