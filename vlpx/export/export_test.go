package export

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// change changes a run's ALBEF.
func change(r *run.Run, how func(*albef.Model)) {
	a := r.Train.Framework.Framework.(albef.Model)
	how(&a)
	r.Train.Framework.Framework = a
}

// small is a run on 16 scenes, all of whose sizes differ, and its tokenizer.
func small(t testing.TB) (run.Run, *text.Tokenizer) {
	t.Helper()
	data := must.Get(run.ScenesData(scenes.Config{Train: 16, Val: 4, Test: 4, Captions: 2, Size: 16}))(t)
	r := run.Run{Data: data, Vocabulary: run.Vocabulary{MinCount: 1, MaxSize: 200}, Tasks: eval.Tasks{eval.Retrieval{Rerank: 2}}}
	collection := must.Get(data.Open())(t)
	tokenizer := must.Get(r.Vocabulary.Tokenizer(collection))(t)
	r.Train = train.Config{
		Framework: framework.Choice{Framework: albef.Model{
			Vision: encoder.ViT{Image: 16, Patch: 8, Width: 12, Layers: 2, Heads: 3, MLP: 20},
			Text:   encoder.BERT{Vocab: tokenizer.Size(), Positions: 11, Width: 8, Heads: 2, MLP: 18, Layers: 2, Fusion: 1},
			Embed:  6,
		}},
		Method: negative.Plain(), BatchSize: 8, Epochs: 2, MaxLen: 10,
		Transform: transform.Pipeline{Size: 16},
		Optimiser: train.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-8, WeightDecay: 0.02, ClipNorm: 1},
		Schedule:  train.Schedule{Warmup: 1e-4, Rate: 1e-2, Min: 1e-4, Units: 3, Unit: 2, Epochs: 2},
		Seed:      1,
	}
	return r, tokenizer
}

// made makes a run in a store of its own.
func made(t *testing.T, r run.Run) (run.Kept, *train.Model) {
	t.Helper()
	e := run.Executor{Store: run.OpenStore(t.TempDir()), Backend: enginetest.PureGo(t), Engine: "go:ops_sequential",
		Versions: map[string]string{"gomlx": "v1"}}
	must.Get(e.Run(t.Context(), r))(t)
	kept := must.Get(e.Store.Kept(r.ID()))(t)
	tokenizer := must.Get(e.Store.Tokenizer(kept))(t)
	m := must.Get(train.Load(e.Backend, kept.Run.Train, tokenizer, kept.Dir))(t)
	t.Cleanup(m.Close)
	return kept, m
}

// drawn is a model that was not trained: its weights are drawn large enough for every one of them to matter.
func drawn(t testing.TB, r run.Run, tokenizer *text.Tokenizer) (run.Kept, *train.Model) {
	t.Helper()
	described := must.Get(run.Describe(r.JSON()))(t)
	draw := rand.New(rand.NewPCG(1, 2))
	m := must.Get(train.Fill(enginetest.PureGo(t), r.Train, tokenizer, func(store *model.Store) error {
		var variables []*model.Variable
		for v := range store.Scope(framework.Model).IterVariables() {
			variables = append(variables, v)
		}
		slices.SortFunc(variables, func(a, b *model.Variable) int { return strings.Compare(a.Path(), b.Path()) })
		for _, v := range variables {
			values := make([]float32, v.Shape().Size())
			for i := range values {
				values[i] = 0.3 * float32(draw.NormFloat64())
			}
			if strings.HasSuffix(v.Path(), encoder.Temperature) {
				values[0] = 0.2
			}
			for i, x := range values {
				if strings.HasSuffix(v.Path(), encoder.RunningVariance) {
					values[i] = 0.5 + x*x
				}
			}
			if err := v.SetValue(tensors.FromFlatDataAndDimensions(values, v.Shape().Dimensions...)); err != nil {
				return err
			}
		}
		return nil
	}))(t)
	t.Cleanup(m.Close)
	return run.Kept{Description: described, Done: true, Result: run.Result{ID: described.ID, Method: "InfoNCE", Seed: 1}}, m
}

// settings are those of an exported ALBEF.
func settings(f *Folder) albef.Settings { return f.Sizes.(albef.Settings) }

// table has the names that a run's model is exported with.
func table(t testing.TB, r run.Run) weights.Table {
	t.Helper()
	of := must.Get(exportOf(r))(t)
	return of.Table
}

// exported writes an export into a new folder.
func exported(t testing.TB, k run.Kept, m *train.Model) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "models", "one")
	must.Do(t, Write(dir, k, m))
	return dir
}

// What is imported gives the numbers of the run, all of them and to the bit, on every split.
func TestSameEvaluation(t *testing.T) {
	r, _ := small(t)
	r.Train.Method = negative.ALBEF(16) // with a momentum copy, which stays behind
	change(&r, func(a *albef.Model) { a.MeanPool = true })
	kept, m := made(t, r)
	folder := must.Get(Read(exported(t, kept, m)))(t)
	again := must.Get(folder.Model(enginetest.PureGo(t)))(t)
	defer again.Close()
	e := run.Executor{Backend: enginetest.PureGo(t)}
	for _, split := range []string{"val", "test"} {
		want := must.Get(e.Measure(t.Context(), kept.Run, m, split))(t)
		got, err := e.Measure(t.Context(), folder.Run, again, split)
		if err != nil || len(got) < 20 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v (%v), want %v", split, got, err, want)
		}
		for name, value := range got {
			if split == "test" && value != kept.Result.Metrics[name] {
				t.Errorf("%s: got %v, the run's result has %v", name, value, kept.Result.Metrics[name])
			}
		}
	}
	if folder.VLPX.Run != r.ID() || folder.Run.Train.Method.Name != "ALBEF" || settings(folder).Pooling != "mean" ||
		folder.VLPX.Own != nil {
		t.Errorf("got %+v of run %s", folder.Config, r.ID())
	}
}

// An export has its six files and nothing else is left; a second one replaces it, and nothing else is replaced.
func TestWriteWholeOrNotAtAll(t *testing.T) {
	r, tokenizer := small(t)
	kept, m := drawn(t, r, tokenizer)
	dir := exported(t, kept, m)
	beside := func() []string { return list(t, filepath.Dir(dir)) }
	if got := list(t, dir); !slices.Equal(got, []string{"README.md", "config.json", "model.py", "model.safetensors", "tokenizer.json",
		"vocab.txt"}) {
		t.Errorf("got the files %v", got)
	}
	before := contents(t, dir)
	kept.Result.Method = "another"
	must.Do(t, Write(dir, kept, m))
	if after := contents(t, dir); after[WeightsName] != before[WeightsName] || after[CardName] == before[CardName] {
		t.Error("writing again gives other weights, or the same card")
	}
	before = contents(t, dir)
	broken := kept
	broken.JSON = []byte("{")
	must.Fail(t, Write(dir, broken, m), "choose another folder", "a run that cannot be written")
	if got := contents(t, dir); !reflect.DeepEqual(got, before) || !slices.Equal(beside(), []string{"one"}) {
		t.Errorf("the failure left %v beside, or changed the earlier export", beside())
	}

	put := func(name, content string) string {
		path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(content), 0o644))
		return path
	}
	for want, dir := range map[string]string{
		"has thesis.tex, which is of no export":       filepath.Dir(put("thesis.tex", "")),
		"no export's config.json (no config.json: ":   filepath.Dir(put("config.json", "")),
		"no export's config.json (it has no vlpx.se":  filepath.Dir(put("config.json", `{"model_type": "bert"}`)),
		"no export's config.json (open ":              filepath.Dir(put("README.md", "mine")),
		"not a directory; choose another":             put("file", ""),
		"models/one: not a directory; choose another": filepath.Join(put("file", ""), "models", "one"),
		"make room, or choose another folder":         "/proc/models/one", // where nothing can be made
	} {
		must.Fail(t, Write(dir, kept, m), want)
	}
	if err := Write(t.TempDir(), kept, m); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
}

// A framework that other programs do not know, or that this one does not, is told before anything is written.
func TestWriteOnlyWhatIsKnown(t *testing.T) {
	r, tokenizer := small(t)
	kept, m := drawn(t, r, tokenizer)
	for want, f := range map[string]framework.Framework{
		"ALBEF has no names that other programs know": struct{ framework.Framework }{r.Train.Framework.Framework},
		"none of this program's":                      nil,
	} {
		kept.Run.Train.Framework.Framework = f
		dir := filepath.Join(t.TempDir(), "models", "one")
		if err := Write(dir, kept, m); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), kept.ID) {
			t.Errorf("got error %v, want one that names the run and says %q", err, want)
		}
		if _, err := os.Stat(filepath.Dir(dir)); err == nil {
			t.Errorf("%s: a folder was made", want)
		}
	}
}

func list(t *testing.T, dir string) (files []string) {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	for _, entry := range entries {
		files = append(files, entry.Name())
	}
	return files
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range list(t, dir) {
		text := must.Get(os.ReadFile(filepath.Join(dir, name)))(t)
		all[name] = string(text)
	}
	return all
}

// A damaged export is an error that names the file, what is wrong, and what to do.
func TestReadRefuses(t *testing.T) {
	r, tokenizer := small(t)
	kept, m := drawn(t, r, tokenizer)
	original := exported(t, kept, m)
	on := enginetest.PureGo(t)
	tensorsOf := func(change func(weights.Values)) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			values := must.Get(weights.Read(filepath.Join(dir, WeightsName), table(t, r)))(t)
			change(values)
			published := must.Get(values.Published(table(t, r)))(t)
			must.Do(t, published.Write(filepath.Join(dir, WeightsName)))
		}
	}
	replaced := func(name, old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			content, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(content), old) {
				t.Fatalf("%s has no %s (%v)", name, old, err)
			}
			must.Do(t, os.WriteFile(path, []byte(strings.Replace(string(content), old, new, 1)), 0o644))
		}
	}
	without := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			must.Do(t, os.Remove(filepath.Join(dir, name)))
		}
	}
	cut := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, name)
			info := must.Get(os.Stat(path))(t)
			must.Do(t, os.Truncate(path, info.Size()-1))
		}
	}
	unknownFramework := func(t *testing.T, dir string) {
		replaced(ConfigName, "albef.Model", "mine.Model")(t, dir)
		path := filepath.Join(dir, ConfigName)
		content, err := os.ReadFile(path)
		var c struct {
			VLPX Origin `json:"vlpx"`
		}
		if err == nil {
			err = json.Unmarshal(content, &c)
		}
		if err != nil {
			t.Fatal(err)
		}
		described := must.Get(run.Describe(c.VLPX.Settings))(t)
		replaced(ConfigName, c.VLPX.Run, described.ID)(t, dir)
	}
	for want, damage := range map[string]func(t *testing.T, dir string){
		"has no config.json; name a folder that":       without(ConfigName),
		"has no tokenizer.json":                        without(TokenizerName),
		"has no model.safetensors":                     without(WeightsName),
		"config.json: no config.json: ":                replaced(ConfigName, "{", "["),
		"they were changed, so export the run again":   replaced(ConfigName, `"Layers": 2`, `"Layers": 3`),
		"vision_config.depth is 3, which does not fit": replaced(ConfigName, `"depth": 2`, `"depth": 3`),
		"image_std is [1 ":                             replaced(ConfigName, "0.26862955", "1"),
		"max_words of ":                                replaced(ConfigName, `"max_words": 30`, `"max_words": 31`),
		"none of this program's":                       unknownFramework,
		"those of a newer version":                     replaced(ConfigName, `"Rerank": 2`, `"Rerank": 2, "Reorder": 1`),
		"settings of format 9":                         replaced(ConfigName, `"Format": 2`, `"Format": 9`),
		"not the one that the model learned with":      replaced(TokenizerName, `"[MASK]":4`, `"[MASK]":4 `),
		"nothing was read for /model/itm/weights; exp": tensorsOf(func(v weights.Values) { delete(v, "/model/itm/weights") }),
		"variable /model/itm/bias: it is read as": tensorsOf(
			func(v weights.Values) { v["/model/itm/bias"] = tensors.FromValue([]float32{1}) }),
		"which the model of its config.json has not": tensorsOf(func(v weights.Values) { v["/model/adapter/bias"] = v["/model/itm/bias"] }),
		"no rule for tensor itm_heed.bias":           replaced(WeightsName, "itm_head.bias", "itm_heed.bias"),
		"the file is cut off or damaged":             cut(WeightsName),
		"text: ":                                     cut(TokenizerName),
	} {
		t.Run(want, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "copy")
			must.Do(t, os.CopyFS(dir, os.DirFS(original)))
			damage(t, dir)
			folder, err := Read(dir)
			if err == nil {
				_, err = folder.Model(on)
			}
			if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got error %v, want one that names %s and says %q", err, dir, want)
			}
		})
	}
}

// A model that reads a frozen encoder's tokens has no encoder of pixels in its file, and config.json names the one that it reads; with it
// there the numbers are the run's. What published models have not has names of our own.
func TestLocked(t *testing.T) {
	vit := must.Get(weights.Find(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", "vit_deit_forward",
		"weights.safetensors")))(t)
	r, _ := small(t)
	r.Locked = &locked.Encoder{Weights: vit, Image: 24, Side: 3, Pixels: transform.ImageNet, Heads: 2}
	change(&r, func(a *albef.Model) {
		a.Vision = encoder.ViT{Image: 24, Patch: 8, Width: 12, Layers: 1, Heads: 3, MLP: 20, Locked: 16}
	})
	r.Train.Transform.Size = 24
	kept, m := made(t, r)
	kept.Run.Locked.Weights.Name = "vit-of-the-test"
	dir := exported(t, kept, m)
	folder := must.Get(Read(dir))(t)
	want := Locked{"vit-of-the-test", vit.Hash, 3}
	if c := folder.VLPX; c.Locked == nil || *c.Locked != want ||
		!slices.Equal(c.Own, []string{"vlpx.vision.adapter.bias", "vlpx.vision.adapter.weights"}) {
		t.Errorf("got %+v, want %v and the adapter", c, want)
	}
	if folder.Mean[0] != transform.ImageNet.Mean[0] || settings(folder).Vision.Locked != 16 {
		t.Errorf("got %+v, want what the frozen encoder sees", folder.Config)
	}
	for _, want := range []string{"`vlpx.vision.adapter.bias`", "it is vit-of-the-test with the content hash\n`" + vit.Hash,
		"published weights that it uses"} {
		if card := contents(t, dir)[CardName]; !strings.Contains(card, want) {
			t.Errorf("no %q in\n%s", want, card)
		}
	}
	again := must.Get(folder.Model(enginetest.PureGo(t)))(t)
	defer again.Close()
	folder.Run.Locked.Weights = vit
	e := run.Executor{Store: run.OpenStore(t.TempDir()), Backend: enginetest.PureGo(t)}
	got := must.Get(e.Measure(t.Context(), folder.Run, again, "test"))(t)
	for name, value := range got {
		if value != kept.Result.Metrics[name] {
			t.Errorf("%s: got %v, the run's result has %v", name, value, kept.Result.Metrics[name])
		}
	}
}

// The card has the run's numbers with and without re-ranking, what it was trained on, and no place where a value is missing.
func TestCard(t *testing.T) {
	r, _ := small(t)
	kept, m := made(t, r)
	card := contents(t, exported(t, kept, m))[CardName]
	for _, want := range []string{
		"---\nlibrary_name: vlpx\n", "# InfoNCE, seed 1, on scenes", "generated scenes", r.ID(), r.Data.Hash, "16 scenes for training",
		"go:ops_sequential, gomlx v1",
		"| TR@1 | images with one of their captions ranked first | ", "None is stated", `density "mid"`,
		"epochs | 2 of mini-batches of 8 pairs |",
	} {
		if !strings.Contains(card, want) {
			t.Errorf("no %q in\n%s", want, card)
		}
	}
	for _, never := range []string{"<no value>", "%!", "NaN", "mean(1)", "frozen", "| starts from", "bfloat16"} {
		if strings.Contains(card, never) {
			t.Errorf("%q in\n%s", never, card)
		}
	}
	kept.Run.Data = run.Data{Name: "flickr8k", Hash: "abc", Images: 100, CaptionNoise: 0.5}
	kept.Run.Train.Init = "0011223344556677"
	change(&kept.Run, func(a *albef.Model) { a.MeanPool, a.Half = true, true })
	card = contents(t, exported(t, kept, m))[CardName]
	for _, want := range []string{
		"flickr8k, hash `abc`, the first 100 images of each split, a share of 0.5 of the training captions",
		"the model of run `0011223344556677`",
		"mean(1)", "bfloat16", "-data DIR",
	} {
		if !strings.Contains(card, want) {
			t.Errorf("no %q in\n%s", want, card)
		}
	}
	if strings.Contains(card, "scenes") {
		t.Errorf("scenes in\n%s", card)
	}
}

// FuzzConfig reads what is no config.json, or a changed one: an error, or settings that fit the sizes and describe themselves again.
func FuzzConfig(f *testing.F) {
	ours, _ := small(f)
	theirs, _ := smallCLIP(f, "as published")
	resNet, _ := smallCLIP(f, "ResNet")
	for _, r := range []run.Run{ours, theirs, resNet} {
		described := must.Get(run.Describe(r.JSON()))(f)
		of := must.Get(exportOf(r))(f)
		whole := must.Get(json.Marshal(Config{of.Settings, inputs(r, text.MaxWords),
			Origin{Run: described.ID, Method: "InfoNCE", Seed: 1, Settings: described.JSON}}))(f)
		f.Add(whole)
		f.Add(whole[:len(whole)/2])
		f.Add([]byte(strings.Replace(string(whole), `"Width":12`, `"Width":0`, 1)))
		f.Add([]byte(strings.Replace(string(whole), `"settings":{`, `"settings":{"a":`, 1)))
	}
	f.Add([]byte(`{"vlpx": {"settings": null}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, described, err := parse(content)
		if err != nil {
			return
		}
		of, err := exportOf(described.Run)
		if err != nil || !reflect.DeepEqual(c.Sizes, of.Settings) || !reflect.DeepEqual(c.Inputs, inputs(described.Run, c.MaxWords)) ||
			c.VLPX.Run != described.ID {
			t.Errorf("got %+v, which does not fit %s", c, described.JSON)
		}
		again, err := run.Describe(described.JSON)
		if err != nil || !reflect.DeepEqual(again, described) {
			t.Errorf("described again: %+v (%v), want %+v", again, err, described)
		}
	})
}

// Whatever settings an export tells of, whose identity anybody can compute, they are refused or a model's of some shapes.
func FuzzSettings(f *testing.F) {
	ours, _ := small(f)
	theirs, _ := smallCLIP(f, "as published")
	resNet, _ := smallCLIP(f, "ResNet")
	for _, r := range []run.Run{ours, theirs, resNet} {
		whole := string(r.JSON())
		f.Add(whole)
		for _, number := range regexp.MustCompile(`"([A-Za-z]+)": ?[0-9]+`).FindAllString(whole, -1) {
			name, _, _ := strings.Cut(number, ":")
			for _, absurd := range []string{"-1", "0", "1000000000000000000"} {
				f.Add(strings.Replace(whole, number, name+":"+absurd, 1))
			}
		}
	}
	f.Fuzz(func(t *testing.T, settings string) {
		described, err := run.Describe([]byte(settings))
		if err != nil || plausible(described.Run) != nil {
			return
		}
		if _, err := exportOf(described.Run); err == nil && described.Run.Train.BatchSize < 1 {
			t.Errorf("mini-batches of %d pairs", described.Run.Train.BatchSize)
		}
	})
}

// What the method's parts have learned goes with the weights: named in config.json and in the card, and read back.
func TestLearnedVariables(t *testing.T) {
	r, _ := small(t)
	r.Train.Method = negative.Method{Name: "SigLIP", Contrast: negative.SigLIP{Scale: 10, Bias: -10}}.WithDefaults()
	kept, m := made(t, r)
	want := must.Get(m.Learned())(t)
	if len(want) != 2 || want[0].Name != "bias" || want[1].Name != "log_scale" || want[0].Values[0] == -10 {
		t.Fatalf("got %+v, want SigLIP's bias and the logarithm of its scale, trained", want)
	}
	dir := exported(t, kept, m)
	folder := must.Get(Read(dir))(t)
	if !reflect.DeepEqual(folder.VLPX.Learned, want) {
		t.Errorf("got %+v from config.json, want %+v", folder.VLPX.Learned, want)
	}
	again := must.Get(folder.Model(enginetest.PureGo(t)))(t)
	defer again.Close()
	if got := must.Get(again.Learned())(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v of the model that was read, want %+v", got, want)
	}
	card := string(must.Get(os.ReadFile(filepath.Join(dir, CardName)))(t))
	if line := fmt.Sprintf("| learned by the Contrast: bias | %v |", want[0].Values[0]); !strings.Contains(card, line) {
		t.Errorf("the card lacks %q:\n%s", line, card)
	}
	folder.VLPX.Learned[0].Values = nil
	if _, err := folder.Model(enginetest.PureGo(t)); err == nil {
		t.Error("a variable without values is read")
	}
}
