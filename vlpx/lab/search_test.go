package lab

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/embedding"
	"vlpx.internal/vlpx/eval"
)

// Pictures are found in a folder and in what was embedded of it, in the order of their cosines; embeddings of two models are not compared.
func TestSearch(t *testing.T) {
	o := smallest(t.TempDir())
	o.Framework = "CLIP"
	first, second := modelOf(t, "InfoNCE", o), modelOf(t, "GRIT-VLP", o)
	images := scenesOf(t, first)
	broken := filepath.Join(images, "broken.png")
	must.Do(t, os.WriteFile(broken, nil, 0o644))
	index := filepath.Join(t.TempDir(), "index.safetensors")
	e := must.Get(Embed(t.Context(), first.ID(), []string{images, "a red disc"}, o, nil))(t)
	must.Do(t, e.Write(index))
	cosines := eval.Cosines(e.OfTexts, e.OfImages, e.Dim).Row(0)
	for _, in := range []string{images, index} {
		found := must.Get(Search(t.Context(), first.ID()[:6], Searching{In: in, Words: "a red disc"}, o, nil))(t)
		if len(found.Hits) != 24 || len(found.Skipped) != map[string]int{images: 1}[in] {
			t.Fatalf("%s: got %d pictures without %v", in, len(found.Hits), found.Skipped)
		}
		for k, hit := range found.Hits {
			if k > 0 && hit.Cosine > found.Hits[k-1].Cosine || !near(hit.Cosine, cosines[slices.Index(e.Images, hit.Path)]) {
				t.Errorf("%s: hit %d is %+v behind %+v", in, k, hit, found.Hits[max(0, k-1)])
			}
		}
		if table := found.Table(5); len(table.Rows) != 5 || table.Rows[0].Name != found.Hits[0].Path {
			t.Errorf("%s: got the table %+v", in, table)
		}
		must.Do(t, os.Rename(found.Hits[0].Path, found.Hits[0].Path+".gone"))
		sheet := must.Get(found.Pictures(t.Context(), 8))(t)
		must.Do(t, os.Rename(found.Hits[0].Path+".gone", found.Hits[0].Path))
		if len(sheet.Rows) != 2 || len(sheet.Rows[1].Pictures) != 2 || sheet.Rows[0].Pictures[0].Image.Bounds().Dx() != 1 ||
			sheet.Rows[0].Pictures[1].Image.Bounds().Dx() < 2 {
			t.Errorf("%s: got the pictures %+v", in, sheet.Rows)
		}
	}
	search := func(model, in, words string) error {
		return must.Err(Search(t.Context(), model, Searching{In: in, Words: words}, o, nil))
	}
	must.Fail(t, search(second.ID(), index, "a disc"), "embeddings by another model")
	must.Fail(t, search(first.ID(), images, " "), "no words")
	must.Fail(t, search(first.ID(), "no/such", "a disc"), "name a folder of pictures")
	must.Fail(t, search(first.ID(), t.TempDir(), "a disc"), "has no pictures")
	must.Fail(t, must.Err(Search(t.Context(), first.ID(), Searching{images, "a disc", "sine"}, o, nil)), `no score "sine"`)
	must.Fail(t, must.Err(Search(t.Context(), first.ID(), Searching{images, "a disc", "ITM"}, o, nil)), "no image-text matching")
	texts := filepath.Join(t.TempDir(), "texts.safetensors")
	must.Do(t, (&embedding.Set{ID: e.ID, Dim: e.Dim, Vectors: 1, Texts: e.Texts, OfTexts: e.OfTexts}).Write(texts))
	must.Fail(t, search(first.ID(), texts, "a disc"), "texts alone")
	damaged := filepath.Join(t.TempDir(), "damaged.safetensors")
	must.Do(t, (&embedding.Set{ID: e.ID, Dim: 1, Vectors: 1, Images: []string{"a"}, OfImages: []float32{1}}).Write(damaged))
	must.Fail(t, search(first.ID(), damaged, "a disc"), "the file is damaged")
	o.Framework = "simclr"
	blind := modelOf(t, "SogCLR", o)
	must.Fail(t, search(blind.ID(), images, "a disc"), "no text side")
}

// matchedAlone is the score by which a model's retrieval re-ranks each picture with a text, without batches.
func matchedAlone(t *testing.T, m *trained, paths []string, text string, cosines []float64) []float64 {
	t.Helper()
	s, closeSubject, err := m.onPictures(t.Context(), paths)
	must.Do(t, err)
	defer closeSubject()
	ids := s.Tokenizer.EncodeCaption(text, s.MaxLen)
	scores := make([]float64, len(paths))
	for i := range paths {
		pixels, _, err := loader.Images(t.Context(), s.Set, []int{i}, s.Size, s.Features)
		must.Do(t, err)
		if s.Model.Scores() {
			scores[i] = float64(must.Get(s.Model.Score(ids, pixels))(t)[0])
			continue
		}
		image, words := must.Get(s.Model.Images(pixels))(t), must.Get(s.Model.Texts(ids))(t)
		scores[i] = float64(must.Get(s.Model.Match(words.States, ids, image.States))(t)[0])
		if s.Model.Adds() {
			scores[i] += cosines[i]
		}
	}
	return scores
}

// As many pictures as the model's evaluation re-ranks are ranked by its matching, and the others stay by their cosine behind them.
// UNITER, which embeds nothing, matches all.
func TestSearchByMatching(t *testing.T) {
	for _, c := range []struct {
		framework string
		set       []string
		ranked    int
	}{
		{"ALBEF", []string{"rerank=5"}, 5}, {"BLIP-2", []string{"rerank=5"}, 5},
		{"UNITER", []string{"locked.side=2", "locked.pixels=symmetric", "image=32", "regions.source=grid"}, 24},
	} {
		o := smallest(t.TempDir())
		o.Framework, o.Set = c.framework, append(o.Set, c.set...)
		if c.framework == "UNITER" {
			o.Weights = []string{"vision=" + filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
				"weights.safetensors")}
		}
		r := modelOf(t, "InfoNCE", o)
		images := scenesOf(t, r)
		must.Do(t, os.WriteFile(filepath.Join(images, "broken.png"), nil, 0o644))
		how := Searching{In: images, Words: "a red disc"}
		found := must.Get(Search(t.Context(), r.ID(), how, o, nil))(t)
		if len(found.Hits) != 24 || found.Ranked != c.ranked || len(found.Skipped) != 1 {
			t.Fatalf("%s: got %d pictures, %d of them matched, without %v", c.framework, len(found.Hits), found.Ranked, found.Skipped)
		}
		var paths []string
		var cosines []float64
		for k, hit := range found.Hits {
			paths, cosines = append(paths, hit.Path), append(cosines, hit.Cosine)
			behind := found.Hits[max(0, k-1)]
			if math.IsNaN(hit.ITM) != (k >= c.ranked) || k < c.ranked && hit.ITM > behind.ITM || k > c.ranked && hit.Cosine > behind.Cosine {
				t.Errorf("%s: hit %d is %+v behind %+v", c.framework, k, hit, behind)
			}
		}
		must.Do(t, withTrained(t.Context(), r.ID(), o, nil, func(_ context.Context, m *trained) error {
			for k, want := range matchedAlone(t, m, paths[:c.ranked], how.Words, cosines) {
				if got := found.Hits[k].ITM; math.Abs(got-want) > 1e-4 {
					t.Errorf("%s: %s has the score %g, want %g", c.framework, paths[k], got, want)
				}
			}
			return nil
		}))
		how.By = "cosine"
		byCosine, err := Search(t.Context(), r.ID(), how, o, nil)
		if c.framework == "UNITER" {
			must.Fail(t, err, "makes no embeddings of pictures")
			if table := fmt.Sprint(found.Table(3)); strings.Contains(table, "cosine") || !strings.Contains(table, "ranked by image-text matching.") {
				t.Errorf("got the table %s", table)
			}
			continue
		}
		must.Do(t, err)
		nearest := slices.Collect(func(yield func(string) bool) {
			for _, hit := range byCosine.Hits[:c.ranked] {
				yield(hit.Path)
			}
		})
		slices.Sort(nearest)
		if first := slices.Sorted(slices.Values(paths[:c.ranked])); !slices.Equal(first, nearest) || byCosine.Ranked != 0 {
			t.Errorf("%s: matched are %v, want the nearest, %v", c.framework, first, nearest)
		}
		if table := fmt.Sprint(found.Table(3)); !strings.Contains(table, "as far as the 5 nearest") {
			t.Errorf("%s: got the table %s", c.framework, table)
		}
	}
}

// Pictures that were embedded and are gone since stay, by their cosine.
func TestSearchWithoutPictures(t *testing.T) {
	o := smallest(t.TempDir())
	r := modelOf(t, "InfoNCE", o)
	images := scenesOf(t, r)
	index := filepath.Join(t.TempDir(), "index.safetensors")
	must.Do(t, must.Get(Embed(t.Context(), r.ID(), []string{images}, o, nil))(t).Write(index))
	how := Searching{In: index, Words: "a red disc"}
	before := must.Get(Search(t.Context(), r.ID(), how, o, nil))(t)
	gone := before.Hits[0].Path
	must.Do(t, os.Remove(gone))
	after := must.Get(Search(t.Context(), r.ID(), how, o, nil))(t)
	if len(after.Hits) != 24 || after.Ranked != 1 || !slices.Equal(after.Skipped, []string{gone}) || after.Hits[1].Path != gone {
		t.Errorf("got %d matched of %+v without %v, want %s behind the other one", after.Ranked, after.Hits[:3], after.Skipped, gone)
	}
	must.Do(t, os.RemoveAll(images))
	if all := must.Get(Search(t.Context(), r.ID(), how, o, nil))(t); all.Ranked != 0 || len(all.Hits) != 24 {
		t.Errorf("without pictures: got %d matched of %d", all.Ranked, len(all.Hits))
	}
}
