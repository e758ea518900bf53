package export_test

import (
	"image"
	"path/filepath"
	"slices"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/export"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
)

// Exported scenes are read as a folder: the same captions, pixels and test relation, and the same questions with their answers.
func TestScenesAreReadAgain(t *testing.T) {
	c := must.Get(scenes.New(scenes.Config{Train: 12, Val: 3, Test: 9, Captions: 3, TrainCaptions: 1, Size: 24, Density: "dbl"}))(t)
	dir := t.TempDir()
	must.Do(t, export.Write(t.Context(), dir, c))
	folder := must.Get(layout.Open(dir))(t)
	asked := must.Get(layout.Open(filepath.Join(dir, export.VQAFolder)))(t)
	if folder.Name() != c.Name() || !slices.Equal(folder.Splits(), c.Splits()) {
		t.Errorf("got %s with %v, want %s with %v", folder.Name(), folder.Splits(), c.Name(), c.Splits())
	}
	for _, name := range c.Splits() {
		want, got, questions := must.Get(c.Split(name))(t), must.Get(folder.Split(name))(t), must.Get(asked.Split(name))(t)
		if got.Len() != want.Len() {
			t.Fatalf("%s: got %d images, want %d", name, got.Len(), want.Len())
		}
		for i := range want.Len() {
			if !slices.Equal(got.Captions(i), want.Captions(i)) {
				t.Errorf("%s: image %d: got %q, want %q", name, i, got.Captions(i), want.Captions(i))
			}
			same(t, must.Get(want.Image(t.Context(), i))(t), must.Get(got.Image(t.Context(), i))(t))
		}
		sameQuestions(t, want.(datasets.Questioned), questions.(datasets.Questioned))
	}
	want := must.Get(c.Split("test"))(t).(datasets.Related).Relation()
	test := must.Get(folder.Split("test"))(t)
	got, others := test.(datasets.Related).Relation(), 0
	for i := range test.Len() {
		for p := range datasets.Pairs(test) {
			wanted, _ := want.Holds(i, p)
			if holds, known := got.Holds(i, p); !known || holds != wanted {
				t.Errorf("test: image %d, pair %d: got %v, known %v; want %v", i, p, holds, known, wanted)
			}
			if wanted && p/3 != i {
				others++
			}
		}
	}
	if others == 0 {
		t.Error("no caption is true of another image, so that the test cannot tell a relation from none")
	}
}

func same(t *testing.T, want, got image.Image) {
	t.Helper()
	if got.Bounds() != want.Bounds() {
		t.Fatalf("got an image of %v, want %v", got.Bounds(), want.Bounds())
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			r, g, b, a := want.At(x, y).RGBA()
			if r2, g2, b2, a2 := got.At(x, y).RGBA(); r != r2 || g != g2 || b != b2 || a != a2 {
				t.Fatalf("pixel %d, %d: got %v, want %v", x, y, got.At(x, y), want.At(x, y))
			}
		}
	}
}

func sameQuestions(t *testing.T, want, got datasets.Questioned) {
	t.Helper()
	all := got.Questions()
	if len(all) != len(want.Questions()) || len(all) == 0 {
		t.Fatalf("got %d questions, want %d", len(all), len(want.Questions()))
	}
	for k, q := range want.Questions() {
		if g := all[k]; g.Text != q.Text || g.Kind != q.Kind || g.AnswerKind != q.AnswerKind || len(g.Answers) != 10 ||
			g.Given()[0].Answer != q.Answers[0] {
			t.Errorf("question %d: got %+v, want %+v", k, g, q)
		}
		same(t, must.Get(want.Image(t.Context(), q.Image))(t), must.Get(got.Image(t.Context(), all[k].Image))(t))
	}
}
