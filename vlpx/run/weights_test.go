package run

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// checkpoint writes a ViT of the given sizes in timm's names, all of whose values are one.
func checkpoint(t *testing.T, v encoder.ViT) weights.Source {
	t.Helper()
	shapes := map[string][]int{"cls_token": {1, 1, v.Width}, "pos_embed": {1, 1 + v.Image/v.Patch*v.Image/v.Patch, v.Width},
		"patch_embed.proj.weight": {v.Width, 3, v.Patch, v.Patch}, "patch_embed.proj.bias": {v.Width}, "norm.weight": {v.Width},
		"norm.bias": {v.Width}}
	for k := range v.Layers {
		for name, shape := range map[string][]int{"norm1": {v.Width}, "norm2": {v.Width}, "attn.qkv": {3 * v.Width, v.Width},
			"attn.proj": {v.Width, v.Width},
			"mlp.fc1":   {v.MLP, v.Width}, "mlp.fc2": {v.Width, v.MLP}} {
			shapes[fmt.Sprintf("blocks.%d.%s.weight", k, name)], shapes[fmt.Sprintf("blocks.%d.%s.bias", k, name)] = shape, shape[:1]
		}
	}
	header, data := map[string]any{}, []byte{}
	for name, shape := range shapes {
		begin, size := len(data), 1
		for _, d := range shape {
			size *= d
		}
		for range size {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(1))
		}
		header[name] = map[string]any{"dtype": "F32", "shape": shape, "data_offsets": []int{begin, len(data)}}
	}
	text := must.Get(json.Marshal(header))(t)
	path := filepath.Join(t.TempDir(), "ones.safetensors")
	must.Do(t, os.WriteFile(path, append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), data...),
		0o600))
	source := must.Get(weights.Find(path))(t)
	return source
}

// A run starts from published weights, tells what it read, and is another run than one that does not.
func TestRunFromWeights(t *testing.T) {
	drawn := smallest(t)
	r := drawn
	source := checkpoint(t, model(r).Vision)
	r.Weights.Vision = &source
	if text := r.JSON(); r.ID() == drawn.ID() || !bytes.Contains(text, []byte(source.Hash)) || bytes.Contains(text, []byte(source.Path)) {
		t.Errorf("got the identity %s of\n%s, want the hash in it and not the path", r.ID(), text)
	}
	if bytes.Contains(drawn.JSON(), []byte("Weights\"")) {
		t.Error("the identity of a run whose weights are drawn names published ones")
	}
	e := executor(t, t.TempDir())
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	got := must.Get(e.Run(t.Context(), r))(t)
	want := must.Get(e.Run(t.Context(), drawn))(t)
	if got.Epochs[0].Losses[negative.ITC] == want.Epochs[0].Losses[negative.ITC] {
		t.Error("training is as it is without the weights")
	}
	if lines := strings.Join(said, "\n"); strings.Count(lines, "vision weights from ones ("+source.Hash+")") != 1 ||
		!strings.Contains(lines, "  used ") {
		t.Errorf("got the lines\n%s\nwant one report", lines)
	}
}

// Weights that do not fit, and those that are not on this machine, are told before training.
func TestWeightsThatDoNotFit(t *testing.T) {
	r := smallest(t)
	wider := model(r).Vision
	wider.Width *= 2
	ones := checkpoint(t, wider)
	absent := must.Get(weights.Places{Cache: t.TempDir()}.Find("deit-base"))(t)
	e := executor(t, t.TempDir())
	for want, source := range map[string]weights.Source{
		fmt.Sprintf("the width is %d, the model's %d", wider.Width, wider.Width/2): ones,
		"fetch it with vlpx weights fetch deit-base":                               absent,
	} {
		r.Weights.Vision = &source
		if _, err := e.Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "-weights vision=none") {
			t.Errorf("got error %v, want one that says %q and how to do without", err, want)
		}
		if e.Store.Started(r) {
			t.Error("it has begun to train")
		}
	}
}

// A run starts from vectors of words, tells how many it has, and is another run than one that draws them all.
func TestRunFromWords(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "words.txt"), []byte("red\nunheard\n"), 0o644))
	vectors := weights.Tensors{"vectors": tensors.FromValue([][]float32{{3, -1, 2}, {1, 1, 1}})}
	must.Do(t, vectors.Write(filepath.Join(dir, "model.safetensors")))
	source := must.Get(weights.FindWords(dir))(t)
	drawn := smallest(t)
	r := drawn
	r.Weights.Words = &source
	if r.ID() == drawn.ID() {
		t.Error("the identity is that of a run without the words")
	}
	e := executor(t, t.TempDir())
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	got := must.Get(e.Run(t.Context(), r))(t)
	want := must.Get(e.Run(t.Context(), drawn))(t)
	if got.Epochs[0].Losses[negative.ITC] == want.Epochs[0].Losses[negative.ITC] {
		t.Error("training is as it is without the words")
	}
	if lines := strings.Join(said, "\n"); strings.Count(lines, fmt.Sprintf("): 1 of %d have a vector", model(r).Text.Vocab)) != 1 {
		t.Errorf("got the lines\n%s\nwant that one word has a vector", lines)
	}
	must.Do(t, os.Remove(filepath.Join(dir, "words.txt")))
	r.Train.Seed++
	must.Fail(t, must.Err(e.Run(t.Context(), r)), "words.txt", "without the list")
}

// still is a schedule whose steps are too small to change a weight.
var still = train.Schedule{Warmup: 1e-30, Rate: 1e-30, Min: 1e-30, Units: 1, Unit: 1, Epochs: 1}

// A run that starts from another's model, in a file of OpenAI's names, and learns nothing measures what that one does; it tells what it
// read, and is another run than one that draws its weights.
func TestRunFromWholeModel(t *testing.T) {
	r := smallest(t)
	vision := encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, CLIP: true, Activation: encoder.Quick}
	words := encoder.CLIPText{Vocab: model(r).Text.Vocab, Positions: 12, Width: 8, Layers: 1, Heads: 2, MLP: 16, Activation: encoder.Quick,
		End: encoder.LastToken}
	of := clip.Model{Vision: vision, Text: words, Embed: 6}
	r.Train.Framework.Framework, r.Train.Method = of, negative.Plain()
	e := executor(t, t.TempDir())
	first, err := e.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "openai.safetensors")
	write := func() weights.Source {
		kept := must.Get(e.Store.Kept(r.ID()))(t)
		tokenizer := must.Get(e.Store.Tokenizer(kept))(t)
		m := must.Get(train.Load(e.Backend, r.Train, tokenizer, kept.Dir))(t)
		defer m.Close()
		values := must.Get(m.Weights())(t)
		named, err := weights.Values(values).Published(weights.CLIPModel(framework.Model))
		if err == nil {
			err = named.Write(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		source := must.Get(weights.Find(path))(t)
		return source
	}
	source := write()
	next := r
	next.Train.Seed, next.Train.Epochs, next.Train.Schedule = 2, 1, still
	drawn := next
	next.Weights.Model = &source
	if text := next.JSON(); next.ID() == drawn.ID() || !bytes.Contains(text, []byte(source.Hash)) ||
		bytes.Contains(drawn.JSON(), []byte("Weights\"")) {
		t.Errorf("got the identity %s of\n%s, want the hash in it, and nothing where weights are drawn", next.ID(), text)
	}
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	measure := Measure{Split: "test", Tasks: next.Tasks, First: true}
	before := must.Get(e.EvaluateFirst(t.Context(), next, measure.Split, next.Tasks[0]))(t)
	if _, kept, err := e.Store.Evaluation(next, measure); kept || err != nil {
		t.Errorf("what was measured before the run is there is kept beside it: %t (%v)", kept, err)
	}
	said = nil
	got := must.Get(e.Run(t.Context(), next))(t)
	if lines := strings.Join(said, "\n"); strings.Count(lines, "model weights from openai ("+source.Hash+")") != 1 ||
		!strings.Contains(lines, "  used ") {
		t.Errorf("got the lines\n%s\nwant one report", lines)
	}
	again := must.Get(e.EvaluateFirst(t.Context(), next, measure.Split, next.Tasks[0]))(t)
	if kept, _, err := e.Store.Evaluation(next, measure); !maps.Equal(again, before) || !maps.Equal(kept, before) || err != nil {
		t.Errorf("before training: got %v, behind it %v, and %v is kept (%v)", before, again, kept, err)
	}
	for _, a := range must.Get(e.Store.AnswersOf(next.ID(), next.Code()))(t) {
		for name := range a.Metrics {
			if !strings.HasSuffix(name, ", before training") {
				t.Errorf("what the first model measures is told as the run's %s", name)
			}
		}
	}
	other := must.Get(e.Run(t.Context(), drawn))(t)
	differ := false
	for name, value := range first.Metrics {
		if _, measured := got.Epochs[0].Metrics[name]; !measured {
			continue // of training
		}
		if before[name] != value {
			t.Errorf("%s before training: got %v, the model that it starts from has %v", name, before[name], value)
		}
		if got.Metrics[name] != value {
			t.Errorf("%s: got %v, the model that it starts from has %v", name, got.Metrics[name], value)
		}
		differ = differ || other.Metrics[name] != value
	}
	if !differ {
		t.Error("weights that are drawn measure the same")
	}

	of.Text.Positions = 13
	next.Train.Framework.Framework = of
	_, err = e.Run(t.Context(), next)
	if err == nil || !strings.Contains(err.Error(), "/text/position/embedding has the shape [12 8] there, [13 8] in the model") ||
		!strings.Contains(err.Error(), "-weights model=none") {
		t.Errorf("got error %v, want one that names both sizes and how to do without", err)
	}
	next.Train.Framework.Framework = model(smallest(t))
	if _, err = e.Run(t.Context(), next); err == nil || !strings.Contains(err.Error(), "the first weights of ALBEF: ") {
		t.Errorf("got error %v for a CLIP's weights in an ALBEF", err)
	}
}

// UNITER's fine-tuning that starts from a published pre-training, and learns nothing, is that which starts from the run of it: the heads
// that the file has not come of those that it has. A pre-training goes on as it is.
func TestRunFromPublishedStage(t *testing.T) {
	r, e := byRegions(smallest(t), regions.Source{Count: 4, Width: 8, Boxes: &regions.Boxes{}}), executor(t, t.TempDir())
	stage := r.Train.Framework.Framework.(uniter.Model)
	stage.Text.Layers = 2
	r.Train.Framework.Framework = stage
	must.Get(e.Run(t.Context(), r))(t)
	m := must.Get(train.Load(e.Backend, r.Train, nil, e.Store.Dir(r)))(t)
	defer m.Close()
	values := must.Get(m.Weights())(t)
	named := must.Get(weights.Values(values).Published(weights.UNITER(framework.Model)))(t)
	path := filepath.Join(t.TempDir(), "uniter.safetensors")
	write := func(change func(weights.Tensors)) *weights.Source {
		all := maps.Clone(named)
		change(all)
		must.Do(t, all.Write(path))
		source := must.Get(weights.Find(path))(t)
		return &source
	}
	source := write(func(weights.Tensors) {})
	tuned := r
	stage.Pretraining, stage.Margin = false, 0.2
	tuned.Train.Framework.Framework, tuned.Train.Epochs, tuned.Train.Schedule = stage, 1, still
	published, followed, again := tuned, tuned, r
	published.Weights.Model, again.Weights.Model = source, source
	followed.Init, followed.Train.Init = &r, r.ID()
	again.Train.Epochs, again.Train.Schedule = 1, still
	of := func(r Run) map[string][]float32 {
		t.Helper()
		must.Get(e.Run(t.Context(), r))(t)
		return weightsOf(t, e, r)
	}
	got, want := of(published), of(followed)
	if !reflect.DeepEqual(got, want) || got[framework.Model+"/rank/weights"] == nil {
		t.Error("it starts from other weights than the run that follows the pre-training itself")
	}
	if !reflect.DeepEqual(of(again), of(r)) {
		t.Error("a pre-training starts from other weights than those of the file")
	}
	for says, c := range map[string]struct {
		change func(weights.Tensors)
		of     func(*uniter.Model)
	}{
		"variable /model/itm/": {change: func(w weights.Tensors) {
			delete(w, "itm_output.weight")
			delete(w,
				"itm_output.bias")
		}},
		"variable /model/regions/features/in/weights": {
			change: func(w weights.Tensors) { delete(w, "uniter.img_embeddings.img_linear.weight") }},
		"no rule for tensor rank_output.bias": {
			change: func(w weights.Tensors) { w["rank_output.bias"] = tensors.FromValue([]float32{1}) }},
		"is it one of fewer layers": {of: func(m *uniter.Model) { m.Text.Layers-- }},
		"nothing for the variable":  {of: func(m *uniter.Model) { m.Text.Layers++ }},
		"has the shape":             {of: func(m *uniter.Model) { m.Text.Positions++ }},
	} {
		wrong := published
		if c.change != nil {
			wrong.Weights.Model = write(c.change)
		}
		if c.of != nil {
			m := stage
			c.of(&m)
			wrong.Weights.Model, wrong.Train.Framework.Framework = write(func(weights.Tensors) {}), m
		}
		wrong.Train.Seed = 9
		if _, err := e.Run(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), says) ||
			!strings.Contains(err.Error(), "-weights model=none") {
			t.Errorf("got %v, want an error that says %q and how to do without", err, says)
		}
	}
}
