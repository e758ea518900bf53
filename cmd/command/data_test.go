package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// Scenes that are exported are data as any other: looked through, and trained on with the relation of their test split.
func TestDataOfScenes(t *testing.T) {
	dir := t.TempDir()
	small := []string{"-scale", "tiny", "-set", "scenes.train=16", "-set", "scenes.val=4", "-set", "scenes.test=6"}
	out, _ := succeed(t, dir, append([]string{"data", "export", "-o", "mine"}, small...)...)
	if !strings.Contains(out, "-data mine reads it") {
		t.Errorf("got %q, want what to do with it", out)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "mine/images/train-000003.png"), []byte("not a picture"), 0o644))
	out, _ = succeed(t, dir, "data", "mine", "-scale", "tiny", "-o", "sheet.png")
	for _, want := range []string{"train", "images that cannot be read", "1 of 16 images cannot be read", "false by an equal caption"} {
		if !strings.Contains(out, want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
	if sheet := must.Get(os.ReadFile(filepath.Join(dir, "sheet.png")))(t); !strings.HasPrefix(string(sheet), "\x89PNG") {
		t.Error("the contact sheet is no PNG")
	}
	out, _ = succeed(t, dir, append(shortest("train", "InfoNCE"), "-data", "mine")...)
	if !strings.Contains(out, "mAP") {
		t.Errorf("got %s, want what the relation tells", out)
	}
	if _, errs, status := executed(t, dir, append([]string{"data", "export", "-o", "mine"}, small...)...); status == 0 ||
		!strings.Contains(errs, "name a new folder") {
		t.Errorf("got status %d and %q, want a folder that is there kept", status, errs)
	}
}

// Where nothing tells which captions are true of other images, equal captions do: what needs the relation trains, the table has what it
// tells, and says by what.
func TestEqualCaptionsAreTheRelation(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "data", "export", "-o", "mine", "-scale", "tiny", "-set", "scenes.density=dbl", "-set", "scenes.train=24", "-set",
		"scenes.val=4", "-set", "scenes.test=8")
	must.Do(t, os.RemoveAll(filepath.Join(dir, "mine/eccv_caption")))
	out, _ := succeed(t, dir, append(shortest("compare", "InfoNCE", "GRIT-VLP, leftout=exact"), "-data", "mine")...)
	for _, want := range []string{"IR mAP", "in batch", "known by equal captions alone (", "train", "test"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("got %s, want %q in it", out, want)
		}
	}
}
