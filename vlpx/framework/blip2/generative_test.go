package blip2

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// writer is a small model with EVA's kind of image encoder.
func writer() Generative {
	return Generative{
		BLIP2: Model{
			Vision: encoder.ViT{Image: 4, Patch: 2, Width: 8, Layers: 1, Heads: 2, MLP: 12, EVA: true, Open: true},
			Text:   encoder.QFormer{Vocab: 11, Positions: 8, Queries: 3, Width: 6, Heads: 2, MLP: 10, Layers: 2, Every: 2},
			Embed:  4, Frozen: true,
		},
		Language: encoder.OPT{Vocab: 11, Positions: 20, Width: 8, Layers: 2, Heads: 2, MLP: 12},
	}
}

func written() framework.Use {
	return framework.Use{Method: negative.Plain(), Objectives: negative.All, Batch: 2, Image: 4, Tokens: 5}
}

// first is a store with first values of a model.
func first(t *testing.T, m Generative, backend compute.Backend) *model.Store {
	t.Helper()
	store := model.NewStore()
	must.Do(t, framework.Initialise(m, written(), backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1,
		Seed: 5}))
	return store
}

// pictures are so many images of noise.
func pictures(count int) []float32 {
	x := make([]float32, count*4*4*3)
	for k := range x {
		x[k] = float32(math.Sin(float64(k * k)))
	}
	return x
}

func TestGenerativeCheck(t *testing.T) {
	asking := func(m *Generative) { m.Answers, m.Tokens = 2, 4 }
	for _, change := range []func(*Generative){func(*Generative) {}, asking, func(m *Generative) { m.Prompt = []int32{4, 5} }} {
		m := writer()
		change(&m)
		if err := framework.Check(m, framework.Use{Method: negative.Plain(), Image: 4, Tokens: 5,
			Objectives: negative.Of(m.Losses()...)}); err != nil {
			t.Error(err)
		}
	}
	for says, spoil := range map[string]func(*Generative, *framework.Use){
		"width 8, 12 inside its MLP, 0 layers": func(m *Generative, _ *framework.Use) { m.Language.Layers = 0 },
		"2 answers of 2 tokens":                func(m *Generative, _ *framework.Use) { m.Answers, m.Tokens = 2, 2 },
		"0 answers of 4 tokens":                func(m *Generative, _ *framework.Use) { m.Tokens = 4 },
		"a prompt beside questions":            func(m *Generative, _ *framework.Use) { asking(m); m.Prompt = []int32{4} },
		"token 1: the id 11 of 11":             func(m *Generative, _ *framework.Use) { m.Prompt = []int32{4, 11} },
		"3 queries and texts of 18 tokens":     func(_ *Generative, u *framework.Use) { u.Tokens = 18 },
		"images of 8 pixels":                   func(_ *Generative, u *framework.Use) { u.Image = 8 },
		"ALBEF needs negatives":                func(_ *Generative, u *framework.Use) { u.Method = negative.ALBEF(8) },
	} {
		m, u := writer(), written()
		spoil(&m, &u)
		must.Fail(t, m.Check(u), says)
	}
}

// The loss with a prompt is that of texts which have it behind their first token, without its own tokens. Only what the queries go through
// is trained.
func TestPromptIsNotPredicted(t *testing.T) {
	backend := enginetest.PureGo(t)
	plain, prompted := writer(), writer()
	prompted.Prompt = []int32{7, 9}
	store := first(t, plain, backend)
	losses := func(build func(s *model.Scope, in field.Nodes) *Node, ids [][]int32) float32 {
		exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) *Node {
			s.Store().SetTraining(in[0].Graph(), false)
			return build(s.Store().RootScope(), field.Nodes{field.Captions: in[0], field.Image: in[1]})
		}))(t)
		defer exec.Finalize()
		out := must.Get(exec.Call(ids, tensors.FromFlatDataAndDimensions(pictures(2), 2, 4, 4, 3)))(t)
		return tensors.ToScalar[float32](out[0])
	}
	step := func(m Generative) func(*model.Scope, field.Nodes) *Node {
		return func(s *model.Scope, in field.Nodes) *Node { return m.Step(s, written(), in).Losses[negative.LM] }
	}
	got := losses(step(prompted), [][]int32{{2, 5, 6, 8, 3}, {2, 4, 3, 0, 0}})
	want := losses(func(s *model.Scope, in field.Nodes) *Node {
		s = s.Store().Scope(framework.Model)
		return plain.Describe(s, plain.BLIP2.See(s, in[field.Image]), in[field.Captions], 3)
	}, [][]int32{{2, 7, 9, 5, 6, 8, 3}, {2, 7, 9, 4, 3, 0, 0}})
	whole := losses(step(plain), [][]int32{{2, 7, 9, 5, 6, 8, 3}, {2, 7, 9, 4, 3, 0, 0}})
	if math.Abs(float64(got-want)) > 1e-6 || got == whole {
		t.Errorf("got %g, want %g, and not %g, which counts the prompt", got, want, whole)
	}
	// Without a prompt the last query predicts the first token, as published; runs of earlier versions left it out.
	ids, spared := [][]int32{{2, 5, 6, 8, 3}, {2, 4, 3, 0, 0}}, plain
	spared.SpareFirst = true
	for prompt, m := range []Generative{plain, spared} {
		of := losses(func(s *model.Scope, in field.Nodes) *Node {
			s = s.Store().Scope(framework.Model)
			return plain.Describe(s, plain.BLIP2.See(s, in[field.Image]), in[field.Captions], prompt)
		}, ids)
		if got := losses(step(m), ids); got != of {
			t.Errorf("without a prompt, first token spared %t: got %g, want %g", m.SpareFirst, got, of)
		}
	}
	for v := range store.Scope(framework.Model).IterVariables() {
		frozen := strings.HasPrefix(v.Path(), "/model/language/") || strings.HasPrefix(v.Path(), "/model/vision/")
		if v.Trainable == frozen || strings.Contains(v.Path(), "/mlp/") && strings.HasPrefix(v.Path(), "/model/qformer/") {
			t.Errorf("%s: trainable %t", v.Path(), v.Trainable)
		}
	}
}

// The loss of answers is the sum of their nats by their weights, over the number of questions. One without a weight does not count.
func TestAnswersWeigh(t *testing.T) {
	backend, m := enginetest.PureGo(t), writer()
	m.Answers, m.Tokens = 2, 4
	store := first(t, m, backend)
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		step := field.Nodes{field.Captions: in[0], field.Answers: in[1], field.AnswerWeights: in[2], field.Image: in[3]}
		forward := m.Step(s.Store().RootScope(), written(), step)
		if len(forward.Losses) != 1 {
			t.Errorf("got the losses %v, want %v", forward.Losses, m.Losses())
		}
		s = s.Store().Scope(framework.Model)
		return []*Node{forward.Of(m, negative.All), m.speech().answer(s, m.BLIP2.See(s, in[3]), in[0], in[1])}
	}))(t)
	defer exec.Finalize()
	weighs := []float32{0.7, 0.3, 1, 0}
	out := must.Get(exec.Call([][]int32{{2, 5, 6, 8, 3}, {2, 4, 3, 0, 0}},
		[][][]int32{{{2, 6, 3, 0}, {2, 7, 7, 3}}, {{2, 9, 3, 0}, {0, 0, 0, 0}}},
		tensors.FromFlatDataAndDimensions(weighs, 2, 2), tensors.FromFlatDataAndDimensions(pictures(2), 2, 4, 4, 3)))(t)
	var want float64
	for k, nats := range tensors.MustCopyFlatData[float32](out[1]) {
		want += float64(nats*weighs[k]) / 2
	}
	if got := float64(tensors.ToScalar[float32](out[0])); math.Abs(got-want) > 1e-5 || !(got > 0) {
		t.Errorf("got a loss of %g, want %g", got, want)
	}
}

// What a run asks of a framework in its stages.
var (
	_ framework.Following = Generative{}
	_ framework.Speaking  = Generative{}
	_ framework.Lockable  = Generative{}
	_ framework.Generates = Generative{}
)

// A caption that is written has the likelihood that training gives it, and is another for another image.
func TestCaptionsAreOfImages(t *testing.T) {
	backend, m := enginetest.PureGo(t), writer()
	m.Prompt = []int32{7}
	store := first(t, m, backend)
	for v := range store.Scope(framework.Model).IterVariables() {
		if v.Name() == encoder.Embedding || strings.Contains(v.Path(), projected) {
			must.Do(t, tensors.MutableFlatData(v.MustValue(), func(x []float32) {
				for k := range x {
					x[k] *= 12
				}
			}))
		}
	}
	inference := must.Get(framework.NewInference(m, written(), backend, store))(t)
	defer inference.Close()
	const count = 6
	request := generate.Request{Images: pictures(count), Prompts: slices.Repeat([][]int32{{2}}, count), End: 3}
	texts := must.Get(generate.Texts(context.Background(), inference, generate.Search{Beams: 3, Max: 6}, request))(t)
	exec := must.Get(model.NewExec(backend, store, func(s *model.Scope, in []*Node) *Node {
		s.Store().SetTraining(in[0].Graph(), false)
		s = s.Store().Scope(framework.Model)
		return m.speech().describe(s, m.BLIP2.See(s, in[1]), in[0], 1)
	}))(t)
	defer exec.Finalize()
	different := map[string]bool{}
	for k, text := range texts {
		ids := slices.Concat([]int32{2, 7}, text.IDs)
		if text.Ended {
			ids = append(ids, 3)
		}
		if ids[len(ids)-1] == 0 {
			continue // which describe takes for padding
		}
		image := tensors.FromFlatDataAndDimensions(pictures(count)[k*48:(k+1)*48], 1, 4, 4, 3)
		out := must.Get(exec.Call([][]int32{ids}, image))(t)
		var want float64
		for _, nats := range tensors.MustCopyFlatData[float32](out[0])[2:] {
			want += float64(nats)
		}
		if math.Abs(text.Score-want) > 1e-4 {
			t.Errorf("image %d: got %v with a log-likelihood of %g, want %g", k, text.IDs, text.Score, want)
		}
		different[string(tensors.FromValue(ids).String())] = true
	}
	if len(different) < 2 {
		t.Errorf("got the same caption for %d images: %v", count, texts)
	}
	request.Images = request.Images[1:]
	must.Fail(t, must.Err(generate.Texts(context.Background(), inference, generate.Captions(), request)), "numbers of images for 6 prompts",
		"images that are cut")
}

// The model of the first stage and that of a language model together have all but the projection.
func TestStartsFromTwoRuns(t *testing.T) {
	backend, m := enginetest.PureGo(t), writer()
	whole := first(t, m, backend)
	var found []string
	declared := func(f framework.Framework) weights.Values {
		store, values := model.NewStore(), weights.Values{}
		must.Do(t, framework.Declare(f, written(), backend, store))
		for v := range store.Scope(framework.Model).IterVariables() {
			values[v.Path()] = tensors.FromShape(v.Shape())
		}
		return values
	}
	spoken := must.Get(m.Speak(declared(m.Speaker())))(t)
	for _, values := range []weights.Values{declared(m.Before()), spoken} {
		for path, value := range values {
			if v := whole.GetVariable(path); v != nil && v.Shape().Equal(value.Shape()) {
				found = append(found, path)
			} else if strings.HasPrefix(path, "/model/language/") {
				t.Errorf("%s is none of the model's", path)
			}
		}
	}
	var lacking []string
	for v := range whole.Scope(framework.Model).IterVariables() {
		if !slices.Contains(found, v.Path()) {
			lacking = append(lacking, v.Path())
		}
	}
	slices.Sort(lacking)
	if want := []string{"/model/language_projection/bias", "/model/language_projection/weights"}; !slices.Equal(lacking, want) {
		t.Errorf("got nothing for %v, want that of %v", lacking, want)
	}
	must.Fail(t, must.Err(m.Speak(declared(m.BLIP2))), "is of no language model", "of a model of images")
}

// Written in LAVIS's names, renamed as Hugging Face's converter renames them, a model has the names of the other table, which reads it
// back.
func TestPublishedNamesOfBothStages(t *testing.T) {
	store := first(t, writer(), enginetest.PureGo(t))
	values := weights.Values{}
	for v := range store.Scope(framework.Model).IterVariables() {
		values[v.Path()] = v.MustValue()
	}
	names := func(table weights.Table) []string {
		published := must.Get(values.Published(table))(t)
		return slices.Sorted(maps.Keys(published))
	}
	want := map[string]bool{}
	for _, name := range names(weights.Generative(framework.Model)) {
		for old, now := range map[string]string{
			"visual_encoder.cls_token":        "vision_model.embeddings.class_embedding",
			"visual_encoder.pos_embed":        "vision_model.embeddings.position_embedding",
			"visual_encoder.patch_embed.proj": "vision_model.embeddings.patch_embedding", "ln_vision": "vision_model.post_layernorm",
			"visual_encoder.blocks": "vision_model.encoder.layers", ".norm1.": ".layer_norm1.", ".norm2.": ".layer_norm2.",
			".attn.qkv":  ".self_attn.qkv",
			".attn.proj": ".self_attn.projection", "Qformer.bert.embeddings.LayerNorm": "qformer.layernorm",
			"opt_proj": "language_projection",
		} {
			name = strings.Replace(name, old, now, 1)
		}
		// which the converter joins
		name = strings.NewReplacer("attn.q_bias", "self_attn.qkv.bias", "attn.v_bias", "self_attn.qkv.bias").Replace(name)
		name = strings.Replace(name, "Qformer.bert", "qformer", 1)
		if strings.Contains(name, "attention.self") {
			name = strings.Replace(name, "self", "attention", 1)
		}
		if strings.HasPrefix(name, "opt") {
			name = strings.Replace(name, "opt", "language", 1)
		}
		want[name] = true
	}
	if got, want := names(weights.HubGenerative(framework.Model)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		for _, name := range got {
			if !slices.Contains(want, name) {
				t.Errorf("%s is none of the converter's", name)
			}
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s is not written", name)
			}
		}
	}
	for family, table := range map[string]weights.Table{
		"BLIP-2 with an OPT":                weights.Generative(framework.Model),
		"Hugging Face's BLIP-2 with an OPT": weights.HubGenerative(framework.Model),
	} {
		published := must.Get(values.Published(table))(t)
		path := t.TempDir() + "/model.safetensors"
		must.Do(t, published.Write(path))
		file := must.Get(weights.Open(path))(t)
		if of, err := file.Family(); err != nil || of.Name != family {
			t.Errorf("got the family %q (%v), want %q", of.Name, err, family)
		}
		file.Close()
		again := must.Get(weights.Read(path, table))(t)
		for path, value := range values {
			if of := again[path]; of == nil ||
				!slices.Equal(tensors.MustCopyFlatData[float32](of), tensors.MustCopyFlatData[float32](value)) {
				t.Errorf("%s: got other values, or none", path)
			}
		}
	}
}

// Runs of earlier versions, which left the first token out and say nothing of it, are other runs than today's.
func TestEarlierSettings(t *testing.T) {
	for _, spares := range []bool{false, true} {
		m := writer()
		m.SpareFirst = spares
		text := must.Get(json.Marshal(framework.Choice{Framework: m}))(t)
		var again framework.Choice
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again.Framework, framework.Framework(m)) {
			t.Errorf("%s: got %+v (%v)", text, again, err)
		}
		earlier := strings.Replace(string(text), fmt.Sprintf(`,"SpareFirst":%t`, spares), "", 1)
		if err := json.Unmarshal([]byte(earlier), &again); err != nil || earlier == string(text) ||
			!again.Framework.(Generative).SpareFirst {
			t.Errorf("%s: got %+v (%v), want one that spares the first token", earlier, again, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"blip2.Generative":{"Promt":[1]}}`), &framework.Choice{}); err == nil {
		t.Error("an unknown setting is read")
	}
}
