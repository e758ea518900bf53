package plan_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/weights"
)

// checkpoint makes a checkpoint of one tensor, by which its family is known.
func checkpoint(t *testing.T, file, tensor string) string {
	t.Helper()
	header := fmt.Sprintf(`{%q:{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, tensor)
	path := filepath.Join(t.TempDir(), file)
	content := append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), 0, 0, 0, 0)
	must.Do(t, os.WriteFile(path, content, 0o600))
	return path
}

// Runs start from the weights that are asked for, and have the layers that these need; what goes on from such a run does not read them
// again. They are named in settings and files.
func TestPlanWithWeights(t *testing.T) {
	clip := checkpoint(t, "t.safetensors", "visual.transformer.resblocks.0.attn.in_proj_weight")
	for _, set := range [][]string{nil, {"warmstart=1"}} {
		p := papertest.Plan(t, catalogue.List(), "mafa/table1",
			plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: append(set, "scenes.val=1"),
				Weights: []string{"vision=" + clip}})
		for _, r := range p.Runs() {
			if v := modelOf(r).Vision; !v.CLIP || v.Activation != encoder.Quick {
				t.Errorf("%s: %+v, want CLIP's layers", r.Train.Method.Name, v)
			}
			source := r.Weights.Vision
			if first := r.Init == nil; first != (source != nil) || first && (source.Name != "t" || len(source.Hash) != 16) {
				t.Errorf("%s, which starts from another run: %v, has the weights %+v", r.Train.Method.Name, !first, source)
			}
			if r.Weights.Text != nil {
				t.Errorf("%s starts from the text weights %+v, want drawn ones", r.Train.Method.Name, r.Weights.Text)
			}
		}
		if settings := p.Settings(); settings[len(settings)-1] != "vision=t.safetensors" ||
			!strings.Contains(p.FileName("a"), "vision") {
			t.Errorf("got the settings %v and the file %s, want the weights in both", settings, p.FileName("a"))
		}
	}
}

// At the papers' scale runs start from DeiT and BERT as ALBEF does, whether these are here or not; other scales draw.
func TestPaperStartsFromPublishedWeights(t *testing.T) {
	small := []string{"scenes.train=4", "scenes.val=1", "scenes.test=1"}
	first := func(q plan.Request) run.Weights {
		q.Seeds, q.Methods, q.Set = []uint64{1}, []string{"InfoNCE"}, small
		return papertest.Plan(t, catalogue.List(), "falcon/table1", q).Runs()[0].Weights
	}
	places := weights.Places{Cache: t.TempDir()}
	w := first(plan.Request{Scale: "paper", Places: places})
	if w.Vision == nil || w.Text == nil || w.Vision.Name != "deit-base" || w.Text.Name != "bert-base" || w.Vision.Hash != "" {
		t.Errorf("got %+v and %+v, want DeiT and BERT, which are not here", w.Vision, w.Text)
	}
	file := checkpoint(t, "mine.safetensors", "blocks.0.attn.qkv.weight")
	w = first(plan.Request{Scale: "paper", Places: places, Weights: []string{"vision=" + file, "text=none"}})
	if w.Vision == nil || w.Vision.Name != "mine" || w.Text != nil {
		t.Errorf("got %+v and %+v, want the file and drawn weights", w.Vision, w.Text)
	}
	clip := papertest.Preset(t, "paper", false)
	if err := clip.Set("framework=clip"); err != nil || clip.Starts() != (scale.First{}) {
		t.Errorf("a CLIP starts from %+v (%v), want drawn weights", clip.Starts(), err)
	}
	if w := first(plan.Request{Scale: "tiny", Places: places}); w != (run.Weights{}) {
		t.Errorf("at tiny: got %+v, want drawn weights", w)
	}
}

func TestWeightsAreWritten(t *testing.T) {
	for want, asked := range map[string][]string{
		"write vision=NAME, text=NAME": {"deit-base"},
		`"image=deit-base": write`:     {"image=deit-base"},
		`"vision=": write`:             {"vision="},
		"vision is there twice":        {"vision=none", "Vision=deit-base"},
		"nor is it a name":             {"text=bert-bass"},
		"nor is it a name: vlpx":       {"model=albeff"},
		"vision=deit-base beside model=a, which has all of the model; leave": {"model=a", "vision=deit-base"},
		"text=bert-base beside model=a":                                      {"text=bert-base", "model=a"},
	} {
		q := plan.Request{Weights: asked}
		must.Fail(t, must.Err(q.Published(scale.Scale{Name: "tiny"})), want, "%q", asked)
	}
	for _, scale := range scale.ScaleNames() {
		first := papertest.Preset(t, scale, false).Starts()
		for _, name := range []string{first.Vision, first.Text} {
			if _, ok := weights.Named(name); !ok && name != "" {
				t.Errorf("the scale %s starts from %s, which is not known", scale, name)
			}
		}
	}
}

// The weights of a whole model are the only ones, also where the scale has others; a locked encoder has no place beside them.
func TestPlanWithWholeModel(t *testing.T) {
	file := checkpoint(t, "clip.safetensors", "visual.transformer.resblocks.0.attn.in_proj_weight")
	q := plan.Request{Weights: []string{"model=" + file, "vision=none"}, Places: weights.Places{Cache: t.TempDir()}}
	w, err := q.Published(papertest.Preset(t, "paper", false))
	if err != nil || w.Vision != nil || w.Text != nil || w.Model == nil || w.Model.Name != "clip" {
		t.Errorf("got %+v, %v; want the model alone", w, err)
	}
	must.Fail(t, must.Err(q.Published(scale.Scale{Name: "tiny", Locked: scale.Locked{Side: 7}})), "set locked.side=0", "a locked encoder")
	q.Weights = []string{"model=none"}
	if w, err := q.Published(papertest.Preset(t, "paper", false)); err != nil || w.Model != nil || w.Vision == nil {
		t.Errorf("got %+v, %v; want what the scale has", w, err)
	}
}
