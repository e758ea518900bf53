package run

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework/albef"
)

// greys is a source of data in one type: a file names grey values, of which each is an image with a caption. All splits are the same.
type greys struct {
	hash   string
	values []uint8
}

func init() {
	layout.Register(layout.Layout{Name: "grey images", Files: "greys.json", Signs: []string{"greys.json"}, Open: openGreys})
}

func openGreys(dir string) (datasets.Collection, error) {
	text, err := os.ReadFile(filepath.Join(dir, "greys.json"))
	if err != nil {
		return nil, err
	}
	g := greys{hash: fmt.Sprintf("%x", sha256.Sum256(text))}
	var values []int
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("greys.json: %w", err)
	}
	for _, v := range values {
		g.values = append(g.values, uint8(v))
	}
	return g, nil
}

func (greys) Name() string                         { return "greys" }
func (g greys) Hash() string                       { return g.hash }
func (g greys) Split(string) (datasets.Set, error) { return g, nil }
func (greys) Splits() []string                     { return []string{"train", "val", "test"} }
func (g greys) Len() int                           { return len(g.values) }
func (g greys) Key(i int) string                   { return fmt.Sprintf("grey %d", g.values[i]) }
func (g greys) Captions(i int) []string            { return []string{"a " + g.Key(i) + " image"} }
func (g greys) Image(_ context.Context, i int) (image.Image, error) {
	img := image.NewGray(image.Rect(0, 0, 16, 16))
	for k := range img.Pix {
		img.Pix[k] = g.values[i]
	}
	return img, nil
}

// TestToySource: a source that is one type and one registration is found by what lies in a folder, trained on and measured.
func TestToySource(t *testing.T) {
	dir := t.TempDir()
	var values []int
	for v := range 40 {
		values = append(values, 6*v)
	}
	text := must.Get(json.Marshal(values))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "greys.json"), text, 0o644))
	if layout.Of(dir) != "grey images" {
		t.Errorf("the folder's layout is %q", layout.Of(dir))
	}
	r, e := smallest(t), executor(t, t.TempDir())
	r.Data = must.Get(FolderData(dir))(t)
	change(&r, func(a *albef.Model) { a.Text.Vocab = 48 })
	result := must.Get(e.Run(t.Context(), r))(t)
	if last := result.Epochs[len(result.Epochs)-1]; len(result.Metrics) == 0 || len(last.Losses) == 0 || r.Data.Name != "greys" {
		t.Errorf("on %s: got metrics %v and losses %v", r.Data.Name, result.Metrics, last.Losses)
	}
}
