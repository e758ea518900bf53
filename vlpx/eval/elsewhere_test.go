package eval_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/layout"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/generate"
)

// Tasks measure the test split of the other data, under names of their own, and nothing of the run's.
func TestElsewhere(t *testing.T) {
	target := must.Get(eval.SceneTarget("others", scenes.Config{Train: 2, Val: 2, Test: 9, Size: 16}))(t)
	here, there := clusters("here", 12, 2, 0, 1), clusters("there", 60, 3, .6, 2)
	on := by(t, here, here)
	reached := on.On
	on.On = func(ctx context.Context, c datasets.Collection, split string) (eval.Subject, error) {
		if c.Hash() != target.Hash || split != "test" {
			t.Errorf("asked for %s of %s, want the target's test split", split, c.Name())
		}
		return reached(ctx, only{c, there}, split)
	}
	task := eval.Elsewhere{Target: target, Of: eval.Tasks{eval.Neighbours{K: 3}}, Prefix: "second "}
	got := must.Get(task.Measure(t.Context(), on))(t)
	want := must.Get(eval.Neighbours{K: 3}.Measure(t.Context(), by(t, there, there)))(t)
	v := want.Metrics[eval.NeighboursTop1]
	same(t, got.Metrics, eval.Result{"second " + eval.NeighboursTop1: v})
	if v > 99 || v < 40 {
		t.Errorf("%g %% have neighbours of their class, want some that have not", v)
	}
	infos, plain := task.Metrics(), eval.Tasks{eval.Neighbours{K: 3}}.Metrics()
	if len(infos) != len(plain) || infos[0].Metric != "second "+plain[0].Metric || infos[0].Group != "second "+plain[0].Group ||
		infos[0].What != plain[0].What {
		t.Errorf("got %+v of %+v", infos, plain)
	}

	for says, spoil := range map[string]func(*eval.Elsewhere, *eval.Subject){
		"needs names of its own":  func(e *eval.Elsewhere, _ *eval.Subject) { e.Prefix = "" },
		"nothing is to be":        func(e *eval.Elsewhere, _ *eval.Subject) { e.Of = nil },
		"name its folder":         func(e *eval.Elsewhere, _ *eval.Subject) { e.Target.Scenes = nil },
		"has changed since":       func(e *eval.Elsewhere, _ *eval.Subject) { e.Target.Hash = "another" },
		"-1 neighbours":           func(e *eval.Elsewhere, _ *eval.Subject) { e.Of = eval.Tasks{eval.Neighbours{K: -1}} },
		"which cannot be reached": func(_ *eval.Elsewhere, s *eval.Subject) { s.On = nil },
		"the road is closed": func(_ *eval.Elsewhere, s *eval.Subject) {
			s.On = func(context.Context, datasets.Collection, string) (eval.Subject, error) {
				return eval.Subject{}, errors.New("the road is closed")
			}
		},
	} {
		e, s := task, on
		spoil(&e, &s)
		_, err := e.Measure(t.Context(), s)
		fails(t, err, says)
	}
	on.Brief = true
	if got, err := task.Measure(t.Context(), on); err != nil || len(got.Metrics) != 0 {
		t.Errorf("in brief: got %v (%v), want nothing", got.Metrics, err)
	}
}

// Benchmarks keep back the captions of their test split: what needs them is measured on val, and what does not on test.
func TestElsewhereWithoutTest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"nocaps_test_image_info.json":   `{"images": [{"id": 7, "file_name": "b.png", "domain": "in-domain"}], "licenses": [], "info": {}}`,
		"nocaps_val_4500_captions.json": `{"images": [{"id": 8, "file_name": "a.png", "domain": "out-domain"}], "annotations": [{"id": 1, "image_id": 8, "caption": "a cat"}]}`,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))))
	for _, name := range []string{"val/a.png", "test/b.png"} {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, b.Bytes(), 0o644)))
	}
	collection := must.Get(layout.Open(dir))(t)
	a := pictures(3)
	on := script(t, a, nil, func(k *text.Tokenizer) []line {
		return []line{{0, prompt(t, k, ""), ids(t, k, a.captions[0][0], true)}}
	})
	asked := ""
	on.On = func(_ context.Context, _ datasets.Collection, split string) (eval.Subject, error) {
		asked = split
		return on, nil
	}
	task := eval.Elsewhere{Prefix: "second ", Target: eval.Target{Name: "NoCaps", Hash: collection.Hash(), Dir: dir},
		Of: eval.Tasks{eval.Captioning{Search: generate.Search{Beams: 1, Max: 2}}}}
	if err := task.Check(on.Model.Framework(), nil); err != nil {
		t.Errorf("captions of val: %v", err)
	}
	if _, err := task.Measure(t.Context(), on); err != nil || asked != "val" {
		t.Errorf("measured on %q (%v), want val", asked, err)
	}
	task.Of = eval.Tasks{eval.Asking{Search: generate.Answers()}}
	fails(t, task.Check(on.Model.Framework(), nil), "questions")
}

// only is a collection of one set, whatever the split.
type only struct {
	datasets.Collection
	set datasets.Set
}

func (o only) Split(string) (datasets.Set, error) { return o.set, nil }
