package datasets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
)

// A caption has the file's graph, whatever its case and punctuation, and another one the exact one; what else is known of the set stays.
func TestWithGraphs(t *testing.T) {
	collection := must.Get(scenes.New(scenes.Config{Train: 3, Val: 1, Test: 1}))(t)
	set := must.Get(collection.Split("train"))(t)
	caption, other := set.Captions(0)[0], set.Captions(1)[0]
	if caption == other {
		t.Fatal("both captions are the same")
	}
	file := filepath.Join(t.TempDir(), "graphs.tsv")
	write := func(text string) {
		must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	}
	write(strings.ToUpper(caption) + " .\t( thing , is , odd )\n")
	with := must.Get(datasets.WithGraphs(datasets.First(set, 3, 0), file))(t)
	with = datasets.First(with, 2, 0)
	if got := datasets.GraphOf(with, caption).String(); got != "( thing , is , odd )" {
		t.Errorf("the file's caption: got %s", got)
	}
	if got, want := datasets.GraphOf(with, other).String(), datasets.GraphOf(set, other).String(); got != want {
		t.Errorf("another caption: got %s, want %s", got, want)
	}
	if _, related := with.(datasets.Related); !related || datasets.Language(with) == nil {
		t.Errorf("related %v, language %v: the view hides what is known of the set", related, datasets.Language(with))
	}
	write("a caption of another set\t( set )\n")
	must.Fail(t, must.Err(datasets.WithGraphs(set, file)), file, "a file of another set")
	if _, err := datasets.WithGraphs(set, file+".none"); err == nil {
		t.Error("a missing file: no error")
	}
}
