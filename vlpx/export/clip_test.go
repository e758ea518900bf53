package export

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// clips are CLIPs of a vocabulary by what they try.
func clips(vocab int) map[string]clip.Model {
	transformer := clip.Model{
		Vision: encoder.ViT{Image: 32, Patch: 8, Width: 12, Layers: 2, Heads: 3, MLP: 20, CLIP: true, Activation: encoder.Quick},
		Text:   encoder.CLIPText{Vocab: vocab, Positions: 11, Width: 8, Heads: 2, MLP: 18, Layers: 2, Activation: encoder.Quick},
		Embed:  6,
	}
	ours, resNet, exact := transformer, transformer, transformer
	ours.MeanPool, ours.Text.End = true, encoder.LastToken
	resNet.Vision, resNet.ResNet = encoder.ViT{}, encoder.CLIPResNet{Image: 32, Layers: []int{1, 2, 1}, Width: 4, Heads: 2, Output: 6}
	exact.Vision.Activation, exact.Text.Activation = "", ""
	whole := resNet
	whole.ResNet.Layers = []int{1, 1, 1, 1}
	return map[string]clip.Model{"as published": transformer, "other poolings": ours, "ResNet": whole, "ResNet of three stages": resNet,
		"exact GELU": exact}
}

// smallCLIP is small with a CLIP.
func smallCLIP(t testing.TB, how string) (run.Run, *text.Tokenizer) {
	t.Helper()
	r, tokenizer := small(t)
	r.Train.Framework.Framework = clips(tokenizer.Size())[how]
	r.Train.Transform.Size = 32
	return r, tokenizer
}

// A CLIP that is imported gives the numbers of the run, whatever its image tower.
func TestSameEvaluationOfCLIP(t *testing.T) {
	for how := range clips(1) {
		t.Run(how, func(t *testing.T) {
			r, _ := smallCLIP(t, how)
			kept, m := made(t, r)
			dir := exported(t, kept, m)
			folder := must.Get(Read(dir))(t)
			again := must.Get(folder.Model(enginetest.PureGo(t)))(t)
			defer again.Close()
			e := run.Executor{Backend: enginetest.PureGo(t)}
			got, err := e.Measure(t.Context(), folder.Run, again, "test")
			if err != nil || len(got) < 20 {
				t.Fatalf("got %v, %v", got, err)
			}
			for name, value := range got {
				if value != kept.Result.Metrics[name] {
					t.Errorf("%s: got %v, the run's result has %v", name, value, kept.Result.Metrics[name])
				}
			}
			if folder.VLPX.Own != nil {
				t.Errorf("got the names %v of our own", folder.VLPX.Own)
			}
			card := contents(t, dir)[CardName]
			for _, never := range []string{"<no value>", "%!", "ALBEF", "re-ranked", "fusion", "BERT"} {
				if strings.Contains(card, never) {
					t.Errorf("%q in\n%s", never, card)
				}
			}
			for want, when := range map[string]bool{
				"of CLIP's architecture": true, "\n- clip\n": true, "| TR@1 | images with one of their captions ranked first |": true,
				"open_clip.CLIP(": true,
				".mean(1)":        how == "other poolings", "last token that is not 0": how == "other poolings",
				"has 3 stages": how == "ResNet of three stages", "not CLIP's": false,
			} {
				if strings.Contains(card, want) != when {
					t.Errorf("%q in the card: %v, want %v, in\n%s", want, !when, when, card)
				}
			}
		})
	}
}

// config.json has open_clip's keys where the tower is CLIP's, so that its dataclasses take them, and further ones where it is not.
func TestSettingsOfCLIP(t *testing.T) {
	keys := func(m clip.Model) []string {
		t.Helper()
		of := reflect.ValueOf(m.Export().Settings).FieldByName("Vision")
		var all []string
		for i := range of.NumField() {
			tag, omitted, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
			if omitted == "" || !of.Field(i).IsZero() {
				all = append(all, tag)
			}
		}
		slices.Sort(all)
		return all
	}
	published := clips(9)["as published"]
	other := published
	other.Vision.CLIP, other.Vision.Activation, other.Vision.Locked = false, "", 7
	for _, c := range []struct {
		of   clip.Model
		want []string
	}{
		{published, []string{"head_width", "image_size", "layers", "mlp_ratio", "patch_size", "width"}},
		{clips(9)["ResNet"], []string{"head_width", "image_size", "layers", "width"}},
		{other, []string{"head_width", "hidden_act", "image_size", "layer_norm_eps", "layers", "locked_dim", "mlp_ratio", "no_ln_pre",
			"patch_bias", "patch_size", "width"}},
	} {
		if got := keys(c.of); !slices.Equal(got, c.want) {
			t.Errorf("got the keys %v, want %v", got, c.want)
		}
	}
	if told := other.Export(); !strings.Contains(told.Use, "The image tower is not CLIP's") {
		t.Errorf("the card does not tell of the image tower:\n%s", told.Use)
	}
	if s := clips(9)["ResNet"].Export().Settings.(clip.Settings[clip.ResNet]); s.Vision.HeadWidth != 64 || s.ImagePooling != "attention" {
		t.Errorf("got %+v, want the pool's 128 channels in two heads", s)
	}
}

// Of captions for CLIP's vocabulary all words are kept, so that config.json has no max_words, and one that has is refused.
func TestCLIPVocabulary(t *testing.T) {
	merges := filepath.Join(t.TempDir(), "bpe_simple_vocab_16e6.txt")
	must.Do(t, os.WriteFile(merges, []byte("#version: 0.2\nr e\nre d</w>\n"), 0o644))
	tokenizer := must.Get(text.FromMerges(merges))(t)
	r, _ := smallCLIP(t, "as published")
	r.Vocabulary = run.Vocabulary{File: merges, Hash: tokenizer.Hash()}
	r.Train.Framework.Framework = clips(tokenizer.Size())["as published"]
	kept, m := drawn(t, r, tokenizer)
	dir := exported(t, kept, m)
	if _, err := Read(dir); err != nil {
		t.Error(err)
	}
	if files := contents(t, dir); strings.Contains(files[ConfigName], "max_words") ||
		!strings.Contains(files[CardName], "CLIP's byte pairs") {
		t.Errorf("got\n%s\nand\n%s\nwant no max_words, and byte pairs", files[ConfigName], files[CardName])
	}
	path := filepath.Join(dir, ConfigName)
	changed := strings.Replace(contents(t, dir)[ConfigName], `"max_tokens": 10`, `"max_tokens": 10, "max_words": 30`, 1)
	must.Do(t, os.WriteFile(path, []byte(changed), 0o644))
	must.Fail(t, must.Err(Read(dir)), "max_words of "+path+" is 30")
}

// A tower behind a locked encoder has an adapter, under names of our own.
func TestLockedCLIP(t *testing.T) {
	vit := must.Get(weights.Find(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
		"weights.safetensors")))(t)
	r, _ := smallCLIP(t, "as published")
	r.Locked = &locked.Encoder{Weights: vit, Image: 24, Side: 3, Pixels: transform.ImageNet, Heads: 2}
	m := r.Train.Framework.Framework.(clip.Model)
	m.Vision.Image, m.Vision.Locked = 24, 16
	r.Train.Framework.Framework, r.Train.Transform.Size = m, 24
	kept, trained := made(t, r)
	folder := must.Get(Read(exported(t, kept, trained)))(t)
	if c := folder.VLPX; c.Locked == nil || !slices.Equal(c.Own, []string{"vlpx.vision.adapter.bias", "vlpx.vision.adapter.weights"}) {
		t.Errorf("got %+v, want the locked encoder and the adapter", c)
	}
	resNet := clips(9)["ResNet"].Lock(16)
	must.Fail(t, resNet.Check(framework.Use{Image: 32, Tokens: 10}), "a ResNet reads pixels", "a ResNet behind a locked encoder")
}

// clipBatch is a mini-batch as testdata/clip.py takes it.
type clipBatch struct {
	Pixels [][][][]float32 `json:"pixels"`
	IDs    [][]int32       `json:"ids"`
}

// embedded is what a CLIP makes of a mini-batch.
type embedded struct {
	Image [][]float32 `json:"image"`
	Text  [][]float32 `json:"text"`
	ITC   float32
}

// embed is what our CLIP makes of a mini-batch by the weights of an export.
func embed(t *testing.T, r run.Run, dir string, b clipBatch) embedded {
	t.Helper()
	f, u := r.Train.Framework.Framework, framework.Use{Method: negative.Plain(), Objectives: negative.Of(negative.ITC)}
	step := must.Get(model.NewExec(enginetest.PureGo(t), stored(t, r, dir), func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		told := f.Step(s.Store().RootScope(), u, field.Nodes{field.Image: in[0], field.Captions: in[1], field.Progress: in[2]})
		return []*Node{told.Outputs[field.ImageEmbedding], told.Outputs[field.TextEmbedding], told.Losses[negative.ITC]}
	}))(t)
	defer step.Finalize()
	out := must.Get(framework.Call(step, tensors.FromValue(b.Pixels), tensors.FromValue(b.IDs), tensors.FromScalar(float32(0))))(t)
	defer framework.Release(out)
	return embedded{out[0].Value().([][]float32), out[1].Value().([][]float32), tensors.ToScalar[float32](out[2])}
}

// CLIP in PyTorch, which names its modules as the published code does and reads every size from config.json, loads exports strictly
// and gives our embeddings and our loss.
func TestCLIPInPyTorch(t *testing.T) {
	var arguments []string
	var want []embedded
	hows := slices.Sorted(maps.Keys(clips(1)))
	for _, how := range hows {
		r, tokenizer := smallCLIP(t, how)
		kept, m := drawn(t, r, tokenizer)
		dir, draw := exported(t, kept, m), rand.New(rand.NewPCG(5, 6))
		var b clipBatch
		for row := range 5 {
			ids := make([]int32, r.Train.MaxLen)
			for i := range 3 + row {
				ids[i] = 1 + draw.Int32N(int32(tokenizer.Size())-1)
			}
			b.Pixels, b.IDs = append(b.Pixels, drawImage(draw, 32)), append(b.IDs, ids)
		}
		want, arguments = append(want, embed(t, r, dir, b)), append(arguments, dir, written(t, b))
	}
	lines := printed(t, "clip.py", arguments)
	for i, how := range hows {
		var got embedded
		must.Do(t, lines.Decode(&got))
		t.Logf("%s: our loss %v, PyTorch's %v", how, want[i].ITC, got.ITC)
		near := func(what string, got, want float32) {
			if !(math.Abs(float64(got-want)) <= 1e-5) {
				t.Errorf("%s, %s: PyTorch gets %v, we %v", how, what, got, want)
			}
		}
		near("ITC", got.ITC, want[i].ITC)
		for row := range want[i].Image {
			for d := range want[i].Image[row] {
				near("image", got.Image[row][d], want[i].Image[row][d])
				near("text", got.Text[row][d], want[i].Text[row][d])
			}
		}
	}
}
