package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// used trains a model with whose scenes a folder is filled, and returns the run.
func used(t *testing.T, dir string) (id string) {
	t.Helper()
	succeed(t, dir, shortest("train", "InfoNCE")...)
	succeed(t, dir, "data", "export", "-o", "mine", "-scale", "tiny", "-set", "scenes.train=16", "-set", "scenes.test=4", "-set",
		"scenes.val=4")
	return only(t, dir).ID
}

// A trained model embeds pictures and texts and scores them, by the beginning of its run's name.
func TestUse(t *testing.T) {
	dir := t.TempDir()
	id := used(t, dir)
	must.Do(t, os.WriteFile(filepath.Join(dir, "mine/images/broken.png"), []byte("no picture"), 0o644))
	out, errs := succeed(t, dir, "embed", id[:6], "mine/images", "a red disc", "-o", "all.safetensors")
	if !strings.Contains(out, "wrote all.safetensors: 24 pictures and 1 text, ") ||
		!strings.Contains(errs, "1 picture cannot be read and is left out: mine/images/broken.png") {
		t.Errorf("embed printed %q and %q", out, errs)
	}
	out, _ = succeed(t, dir, "embed", id[:6], "mine/images/test-000001.png", "-o", "one.npy")
	if !strings.Contains(out, "wrote one.npy: 1 picture, ") {
		t.Errorf("embed printed %q", out)
	}
	out, _ = succeed(t, dir, "score", id[:6], "mine/images/test-000001.png", "a red disc", "a green one")
	for _, want := range []string{"cosine", "ITM (%)", "a red disc", "a green one", "InfoNCE, seed 1, run " + id[:8]} {
		if !strings.Contains(out, want) {
			t.Errorf("score printed %s, want %q", out, want)
		}
	}
	out, _ = succeed(t, dir, "search", id[:6], "-in", "all.safetensors", "a", "red disc", "-n", "3", "-o", "sheet.png")
	if strings.Count(out, "mine/images/") != 3 || !strings.Contains(out, `"a red disc" in all.safetensors`) ||
		!strings.Contains(out, "wrote sheet.png") || !strings.Contains(out, "ranked by image-text matching") {
		t.Errorf("search printed %s", out)
	}
	out, _ = succeed(t, dir, "search", id[:6], "-in", "mine/images", "disc", "-by", "cosine")
	if !strings.Contains(out, "24 pictures, ranked by the cosine") {
		t.Errorf("search by the cosine printed %s", out)
	}
	if sheet := must.Get(os.ReadFile(filepath.Join(dir, "sheet.png")))(t); !strings.HasPrefix(string(sheet), "\x89PNG") {
		t.Error("the contact sheet is no PNG")
	}
	out, _ = succeed(t, dir, "audit", "-model", id[:6], "-data", "mine", "-split", "test", "-nearest", "2", "-show", "2", "-o",
		"candidates.csv", "-o", "gallery.png")
	for _, want := range []string{"Captions of scenes/test that may be true of other images", "precision (%)", "wrote candidates.csv",
		"wrote gallery.png"} {
		if !strings.Contains(out, want) {
			t.Errorf("audit printed %s, want %q", out, want)
		}
	}
	if table := string(must.Get(os.ReadFile(filepath.Join(dir, "candidates.csv")))(t)); !strings.HasPrefix(table, "rank,true,caption,") ||
		strings.Count(table, "\n") < 5 {
		t.Errorf("audit wrote %s", table)
	}
	out, _ = succeed(t, dir, "map", "-model", id[:6], "-data", "mine", "-split", "test", "-batch", "2", "-anchors", "2", "-o", "negatives.csv",
		"-o", "map.svg")
	for _, want := range []string{"False negatives of scenes/test", "nearest place", "wrote negatives.csv", "wrote map.svg"} {
		if !strings.Contains(out, want) {
			t.Errorf("map printed %s, want %q", out, want)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"audit"}, "name one with -model"},
		{[]string{"map"}, "name one with -model"},
		{[]string{"map", "-model", id, "-batch", "1"}, "-batch is 2 or more"},
		{[]string{"map", "-model", id, "-o", "negatives.csv"}, "somebody may have judged in it"},
		{[]string{"audit", "-model", id, "-o", "candidates.csv"}, "somebody may have judged in it"},
		{[]string{"audit", "-model", id, "-o", "a.xlsx"}, "ends in none of csv"},
		{[]string{"audit", "-model", id, "-nearest", "0"}, "1 or more"},
		{[]string{"audit", "-model", id, "-by", "sine"}, `no score "sine"`},
		{[]string{"audit", "-model", id, "-split", "dev"}, `no split "dev"`},
		{[]string{"search", id, "-in", "mine"}, "search needs a model and words"},
		{[]string{"search", id, "disc"}, "search needs pictures"},
		{[]string{"search", id, "disc", "-in", "mine", "-n", "0"}, "-n 0"},
		{[]string{"search", id, "disc", "-in", "mine", "-by", "Con-D"}, `no score "Con-D"`},
		{[]string{"search", id, "disc", "-in", "one.npy"}, "does not know which pictures"},
		{[]string{"embed", id}, "embed needs a model and what to embed"},
		{[]string{"embed", id, "a disc"}, "name it with -o FILE.npy"},
		{[]string{"embed", id, "a disc", "-o", "a.csv"}, "ends neither in .npy"},
		{[]string{"embed", id, "a disc", "-o", "one.npy"}, "one.npy is there; name another file"},
		{[]string{"embed", id, "a disc", "mine/images", "-o", "b.npy"}, "room for one matrix"},
		{[]string{"embed", id, "mine/images/broken.png", "-o", "b.npy"}, "mine/images/broken.png"},
		{[]string{"embed", "xyz", "a disc", "-o", "b.npy"}, "vlpx runs says which there are"},
		{[]string{"score", id, "mine/images/test-000001.png"}, "one text or more"},
		{[]string{"score", id, "nosuch.png", "a disc"}, "nosuch.png"},
	} {
		out, errs, status := executed(t, dir, c.args...)
		if status != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("vlpx %s: status %d, printed %q and %q; want %q", strings.Join(c.args, " "), status, out, errs, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "b.npy")); err == nil {
		t.Error("something was written in spite of a mistake")
	}
}
