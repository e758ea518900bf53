package lab

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

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
		found := must.Get(Search(t.Context(), first.ID()[:6], in, "a red disc", o, nil))(t)
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
	search := func(model, in, words string) error { return must.Err(Search(t.Context(), model, in, words, o, nil)) }
	must.Fail(t, search(second.ID(), index, "a disc"), "embeddings by another model")
	must.Fail(t, search(first.ID(), images, " "), "no words")
	must.Fail(t, search(first.ID(), "no/such", "a disc"), "name a folder of pictures")
	must.Fail(t, search(first.ID(), t.TempDir(), "a disc"), "has no pictures")
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
