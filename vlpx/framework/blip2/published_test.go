package blip2

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// Of the published first stage the table names every variable behind the image encoder, and every tensor, of as many numbers.
func TestPublishedManifest(t *testing.T) {
	content := must.Get(os.ReadFile(filepath.Join("..", "..", "weights", "testdata", "manifests", "blip2_stage1.json")))(t)
	var listed struct{ Tensors map[string][]any }
	must.Do(t, json.Unmarshal(content, &listed))
	m, store := Paper(), model.NewStore()
	m.Vision.Layers = 0
	must.Do(t, framework.Declare(m, framework.Use{Image: 224, Tokens: 32}, enginetest.PureGo(t), store))
	table, rules := weights.BLIP2(framework.Model), map[string]weights.Rule{}
	for _, rule := range table.Rules {
		rules[rule.Variable] = rule
	}
	layer, numbers := regexp.MustCompile(`_(\d+)/`), 0
	for v := range store.Scope(framework.Model).IterVariables() {
		if strings.HasPrefix(v.Path(), framework.Model+"/vision/") {
			continue
		}
		pattern, number := v.Path(), ""
		if at := layer.FindStringSubmatchIndex(pattern); at != nil {
			pattern, number = pattern[:at[2]]+"#"+pattern[at[3]:], pattern[at[2]:at[3]]
		}
		size := 0
		for _, name := range rules[pattern].Tensors {
			name = strings.ReplaceAll(name, "#", number)
			part := 1
			for _, d := range listed.Tensors[name][1:] {
				part *= int(d.(float64))
			}
			size += part
			delete(listed.Tensors, name)
		}
		if size != v.Shape().Size() {
			t.Errorf("variable %s has %d numbers, the tensors of its rule %d", v.Path(), v.Shape().Size(), size)
		}
		numbers += size
	}
	for name := range listed.Tensors {
		if !slices.ContainsFunc(table.Copies, func(r weights.Rule) bool { return slices.Contains(r.Tensors, name) }) {
			t.Errorf("tensor %s: no variable takes it", name)
		}
	}
	// BERT-base with [DEC] and without types and pooler, a second feed-forward a layer, six cross-attentions of an image 1,408 wide, and
	// the heads.
	const d, f, seen = 768, 3072, 1408
	linear := func(in, out int) int { return in*out + out }
	bert := (30523+512+32)*d + 2*d + 12*(4*linear(d, d)+2*d+2*(linear(d, f)+linear(f, d)+2*d)) + 6*(2*linear(d, d)+2*linear(seen, d)+2*d)
	if want := bert + linear(d, d) + 2*d + 30523 + 2*seen + 2*linear(d, 256) + linear(d, 2) + 1; numbers != want {
		t.Errorf("%d numbers, want %d", numbers, want)
	}
}

// A model is written in either family's names, reported by these, and read back as it was. Hugging Face's has no head for ITG.
func TestPublishedNames(t *testing.T) {
	on, m := enginetest.PureGo(t), small()
	withCLIP := m
	withCLIP.Vision.EVA, withCLIP.Vision.CLIP, withCLIP.Vision.Activation = false, true, encoder.Quick
	for name, c := range map[string]struct {
		model Model
		table weights.Table
		drawn string
		has   []string
	}{
		"BLIP-2": {m, m.Export().Table, "",
			[]string{"visual_encoder.blocks.0.attn.q_bias", "Qformer.bert.encoder.layer.2.crossattention.self.key.weight",
				"Qformer.bert.encoder.layer.1.output_query.LayerNorm.bias", "query_tokens", "temp"}},
		"BLIP-2 with CLIP's image encoder": {withCLIP, withCLIP.Export().Table, "",
			[]string{"visual_encoder.transformer.resblocks.0.attn.in_proj_bias", "ln_vision.weight"}},
		"Hugging Face's BLIP-2": {m, weights.HubBLIP2(framework.Model), "/qformer/mlm/",
			[]string{"vision_model.encoder.layers.0.self_attn.qkv.bias",
				"qformer.encoder.layer.0.crossattention.attention.value.weight", "vision_model.post_layernorm.weight"}},
	} {
		t.Run(name, func(t *testing.T) {
			u := use(negative.Plain(), 3, 5)
			store, values := initialised(t, on, c.model, u), weights.Values{}
			if qkv := store.GetVariable(framework.Model + "/vision/layer_0/attention/qkv/bias"); c.model.Vision.EVA {
				of := tensors.MustCopyFlatData[float32](qkv.MustValue())
				clear(of[c.model.Vision.Width : 2*c.model.Vision.Width])
				must.Do(t, qkv.SetValue(tensors.FromFlatDataAndDimensions(of, len(of))))
			}
			for v := range store.Scope(framework.Model).IterVariables() {
				if c.drawn == "" || !strings.Contains(v.Path(), c.drawn) {
					values[v.Path()] = v.MustValue()
				}
			}
			published := must.Get(values.Published(c.table))(t)
			for _, name := range c.has {
				if published[name] == nil {
					t.Errorf("there is no tensor %s", name)
				}
			}
			path := filepath.Join(t.TempDir(), "model.safetensors")
			must.Do(t, published.Write(path))
			source := must.Get(weights.Find(path))(t)
			if about, err := source.About(); err != nil || !strings.Contains(about[0], name+",") {
				t.Errorf("it is reported as %q, %v", about, err)
			}
			got, report := must.Get2(source.Model(store, framework.Model))(t)
			if len(got) != len(values) || (c.drawn == "") != (report.Drawn == nil) {
				t.Errorf("%d variables of %d, drawn %v", len(got), len(values), report.Drawn)
			}
			for path, value := range values {
				if !got[path].Equal(value) {
					t.Errorf("%s: got %s, want %s", path, got[path], value)
				}
			}
		})
	}
}

// A Q-Former starts from a BERT: both feed-forwards are its one, [DEC] the mean of its words; queries and cross-attention are drawn.
func TestFromBERT(t *testing.T) {
	on, m := enginetest.PureGo(t), small()
	store := initialised(t, on, m, use(negative.Plain(), 3, 5))
	bert := weights.Values{}
	const root, scope = framework.Model + "/qformer", "/bert"
	for v := range store.Scope(root).IterVariables() {
		path := scope + strings.TrimPrefix(v.Path(), root)
		value := v.MustValue()
		switch {
		case strings.Contains(path, "/query_mlp/"), strings.Contains(path, "/cross/"), strings.Contains(path, "/queries/"):
			continue
		case value.Shape().Dim(0) == m.Text.Words():
			dims := slices.Clone(value.Shape().Dimensions)
			dims[0] = vocab
			all := tensors.MustCopyFlatData[float32](value)
			value = tensors.FromFlatDataAndDimensions(all[:len(all)/m.Text.Words()*vocab], dims...)
		}
		bert[path] = value
	}
	bert[scope+"/embeddings/segment/embedding"] = tensors.FromFlatDataAndDimensions(make([]float32, 2*m.Text.Width), 2, m.Text.Width)
	published := must.Get(bert.Published(weights.BERTForPreTraining(scope)))(t)
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.Do(t, published.Write(path))
	source := must.Get(weights.Find(path))(t)
	got, report := must.Get2(m.First(framework.Text, source))(t)
	for path, value := range got {
		v := store.GetVariable(path)
		if v == nil || !v.Shape().Equal(value.Shape()) {
			t.Fatalf("the model has no %s of shape %s", path, value.Shape())
		}
		from := bert[scope+strings.Replace(strings.TrimPrefix(path, root), "/query_mlp/", "/mlp/", 1)]
		if value.Shape().Dim(0) != m.Text.Words() && !value.Equal(from) {
			t.Errorf("%s: got %s, want %s", path, value, from)
		}
	}
	for v := range store.Scope(root).IterVariables() {
		drawn := strings.Contains(v.Path(), "/cross/") || strings.Contains(v.Path(), "/queries/")
		if _, has := got[v.Path()]; has == drawn {
			t.Errorf("%s: read %t, drawn %t", v.Path(), has, drawn)
		}
	}
	for _, path := range report.Drawn {
		if strings.Contains(path, "/layer_1/") {
			t.Errorf("%s is reported as drawn", path)
		}
	}
	words := tensors.MustCopyFlatData[float32](got[root+"/embeddings/word/embedding"])
	for d := range m.Text.Width {
		mean := 0.0
		for w := range vocab {
			mean += float64(words[w*m.Text.Width+d]) / vocab
		}
		near(t, "[DEC]", float64(words[vocab*m.Text.Width+d]), mean)
	}
}
