package lab

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"vlpx.internal/internal/test/must"
)

// A worker in another folder finds what the options name here; names that are no paths stay.
func TestAbsoluteOptions(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"photos", "scenes", "vit.safetensors", "vocab.txt"} {
		must.Do(t, os.WriteFile(name, nil, 0o644))
	}
	got := Options{
		Data: "photos", Data2: "coco", Vocabulary: "./vocab.txt", Weights: []string{"vision=vit.safetensors", "text=bert-base", "none"},
	}.absolute()
	want := Options{
		Data: filepath.Join(dir, "photos"), Data2: "coco", Vocabulary: filepath.Join(dir, "vocab.txt"),
		Weights: []string{"vision=" + filepath.Join(dir, "vit.safetensors"), "text=bert-base", "none"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (Options{Data: "scenes"}).absolute(); got.Data != "scenes" {
		t.Errorf("generated scenes became %s", got.Data)
	}
}
