package weights

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// tower makes features of images, whose shape it tells.
type tower interface {
	Input() []int
	Encode(s *model.Scope, images *Node, half bool) *Node
}

// declare declares what a model has below root: a tower, and CLIP's rest beside it where text has a width. A vision transformer's tokens
// are projected, a ResNet's features are not.
func declare(t *testing.T, root string, vision tower, text encoder.CLIPText, embed int) *model.Store {
	t.Helper()
	backend := enginetest.PureGo(t)
	store, g := model.NewStore(), NewGraph(backend, "")
	s := store.Scope(root)
	features := vision.Encode(s.At("vision"), Parameter(g, "pixels", shapes.Make(dtypes.Float32, append([]int{1}, vision.Input()...)...)),
		false)
	if text.Width == 0 {
		return store
	}
	if _, transformer := vision.(encoder.ViT); transformer {
		encoder.Project(s.At("vision_projection"), features, embed, false)
	}
	encoder.Project(s.At("text_projection"), text.Encode(s.At("text"), Parameter(g, "ids", shapes.Make(dtypes.Int32, 1, text.Positions)),
		false), embed, false)
	encoder.Variable(s, g, encoder.Scale)
	return store
}

// Of the models of full size a table names every variable and every tensor, and the shapes are the same. The numbers of parameters are
// those that are told of them, beside two running statistics a channel of batch normalisation and without a classifier.
func TestTablesNameWholeModels(t *testing.T) {
	clip := func(patch int) encoder.ViT {
		return encoder.ViT{Image: 224, Patch: patch, Width: 768, Layers: 12, Heads: 12, MLP: 3072, CLIP: true, Activation: encoder.Quick}
	}
	text := encoder.CLIPText{Vocab: 49408, Positions: 77, Width: 512, Layers: 12, Heads: 8, MLP: 2048, Activation: encoder.Quick}
	layers := []int{3, 4, 6, 3}
	for name, c := range map[string]struct {
		table      Table
		vision     tower
		text       encoder.CLIPText
		embed      int
		parameters int
		ignored    []string
	}{
		"clip_vit_b32": {CLIPModel("/model"), clip(32), text, 512, 151_277_313, nil},
		"clip_vit_b16": {CLIPModel("/model"), clip(16), text, 512, 149_620_737, nil},
		"clip_rn50": {CLIPResNetModel("/model"), encoder.CLIPResNet{Image: 224, Layers: layers, Width: 64, Heads: 32, Output: 1024}, text,
			1024,
			102_007_137 + 2*26_624, []string{"num_batches_tracked"}},
		"resnet50": {ResNet("", "/model/vision"), encoder.ResNet{Image: 224, Layers: layers, Width: 64}, encoder.CLIPText{}, 0,
			25_557_032 - 2_049*1000 + 2*26_560, []string{"num_batches_tracked", "fc.weight", "fc.bias"}},
	} {
		t.Run(name, func(t *testing.T) {
			tensors, store := manifest(t, name), declare(t, "/model", c.vision, c.text, c.embed)
			rules, parameters := map[string]Rule{}, 0
			for _, rule := range c.table.Rules {
				rules[rule.Variable] = rule
			}
			for v := range store.IterVariables() {
				pattern, number := v.Path(), ""
				if at := layerNumber.FindStringSubmatchIndex(pattern); at != nil {
					pattern, number = pattern[:at[2]]+"#"+pattern[at[3]:], pattern[at[2]:at[3]]
				}
				var shape []int
				for _, name := range rules[pattern].Tensors {
					name = strings.ReplaceAll(name, "#", number)
					part := turned(t, rules[pattern].Layout, tensors[name])
					if shape == nil {
						shape = part
					} else {
						shape[len(shape)-1] += part[len(part)-1]
					}
					delete(tensors, name)
				}
				if !slices.Equal(shape, v.Shape().Dimensions) {
					t.Errorf("variable %s: got the shape %v by its rule, want %v", v.Path(), shape, v.Shape().Dimensions)
				}
				parameters += v.Shape().Size()
			}
			if parameters != c.parameters {
				t.Errorf("parameters: got %d, want %d", parameters, c.parameters)
			}
			for name := range tensors {
				expected := slices.ContainsFunc(c.ignored, func(end string) bool { return strings.HasSuffix(name, end) })
				if !expected || !matchesAny(c.table.Ignored, name) {
					t.Errorf("tensor %s: no variable takes it, and it is not one of %q that are ignored", name, c.ignored)
				}
			}
		})
	}
}

// manifest are the shapes of a published model's tensors.
func manifest(t *testing.T, name string) map[string][]int {
	t.Helper()
	content := must.Get(os.ReadFile(filepath.Join("testdata", "manifests", name+".json")))(t)
	var listed struct{ Tensors map[string][]any }
	must.Do(t, json.Unmarshal(content, &listed))
	all := map[string][]int{}
	for name, described := range listed.Tensors {
		all[name] = []int{}
		for _, d := range described[1:] {
			all[name] = append(all[name], int(d.(float64)))
		}
	}
	return all
}

// turned is a published shape in our layout.
func turned(t *testing.T, l Layout, dims []int) []int {
	how, differs := layouts[l]
	if !differs {
		return slices.Clone(dims)
	}
	if len(dims) != len(how.axes) {
		t.Fatalf("a shape %v in a layout of %d axes", dims, len(how.axes))
	}
	var shape []int
	for _, axis := range how.axes {
		shape = append(shape, dims[axis])
	}
	return append([]int{product(shape[:how.first])}, shape[how.first:]...)
}

// shipped is a model of the golden cases, under names that begin with prefix, with others of another model.
func shipped(t *testing.T, model, prefix string, others ...string) Source {
	t.Helper()
	all := Tensors{}
	for _, from := range append([]string{model}, others...) {
		f := must.Get(Open(filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models", from, "weights.safetensors")))(t)
		defer f.Close()
		for _, name := range f.Names() {
			under := prefix + name
			if from != model {
				under = name
				if strings.HasPrefix(name, "visual.") {
					continue
				}
			}
			all[under] = must.Get(f.Tensor(name))(t)
		}
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.Do(t, all.Write(path))
	source := must.Get(Find(path))(t)
	return source
}

// The models of the golden cases, each told by its names, are read as a whole or refused for a reason.
func TestWholeModels(t *testing.T) {
	vit := encoder.ViT{Image: 16, Patch: 8, Width: 16, Layers: 2, Heads: 2, MLP: 64, CLIP: true}
	text := encoder.CLIPText{Vocab: 40, Positions: 6, Width: 24, Layers: 2, Heads: 3, MLP: 96}
	clipResNet := encoder.CLIPResNet{Image: 64, Layers: []int{1, 1, 1, 1}, Width: 4, Heads: 2, Output: 8}
	resNet := encoder.ResNet{Image: 64, Layers: []int{1, 2, 1, 1}, Width: 4}
	deeper, shallower, wider := resNet, resNet, resNet
	deeper.Layers, shallower.Layers, wider.Width = []int{1, 3, 1, 1}, []int{1, 1, 1, 1}, 8
	clip, withResNet := shipped(t, "clip_openai_forward", ""), shipped(t, "clip_resnet_forward", "visual.", "clip_openai_forward")
	plain := shipped(t, "resnet50_like_forward", "")
	for _, c := range []struct {
		name, want string // of the error, or none
		source     Source
		store      *model.Store
	}{
		{"CLIP with a ViT", "", clip, declare(t, "/m", vit, text, 8)},
		{"CLIP with a ResNet", "", withResNet, declare(t, "/m", clipResNet, text, 8)},
		{"a ResNet", "", plain, declare(t, "/m", resNet, encoder.CLIPText{}, 0)},
		{"fewer layers", "nothing for the variable /m/vision/stage2/layer_2/convolution1/weights, ", plain,
			declare(t, "/m", deeper, encoder.CLIPText{}, 0)},
		{"more layers", "the model has no variable /m/vision/stage2/layer_1/", plain, declare(t, "/m", shallower, encoder.CLIPText{}, 0)},
		{"another width", "; choose a model of these sizes", plain, declare(t, "/m", wider, encoder.CLIPText{}, 0)},
		{"another family", "nothing for the variable", withResNet, declare(t, "/m", vit, text, 8)},
		{"only parts", "of which no whole model is read", shipped(t, "vit_deit_forward", ""), declare(t, "/m", vit, text, 8)},
	} {
		t.Run(c.name, func(t *testing.T) {
			values, report, err := c.source.Model(c.store, "/m")
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("got error %v, want one that says %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(report.Left)+len(report.Missing) > 0 {
				t.Errorf("got the report\n%s", strings.Join(report.Lines(), "\n"))
			}
			must.Do(t, values.Put(c.store, dtypes.Float32))
			if err := Missing(c.store, "/m"); err != nil {
				t.Error(err)
			}
			lines, err := c.source.About()
			if err != nil || !slices.Contains(lines, "whole") {
				t.Errorf("about it: got %q, %v; want what becomes of the whole", lines, err)
			}
		})
	}
}

// CLIP under Hugging Face's names has the same variables: there queries, keys and values lie apart, and projections are turned.
func TestCLIPInBothNames(t *testing.T) {
	openAI := shipped(t, "clip_openai_forward", "")
	f := must.Get(Open(openAI.Path))(t)
	defer f.Close()
	names := strings.NewReplacer("visual.class_embedding", "vision_model.embeddings.class_embedding",
		"visual.positional_embedding", "vision_model.embeddings.position_embedding.weight", "visual.conv1",
		"vision_model.embeddings.patch_embedding",
		"visual.proj", "visual_projection.weight", "visual.", "vision_model.", "ln_pre", "pre_layrnorm", "ln_post", "post_layernorm",
		"token_embedding", "text_model.embeddings.token_embedding", "positional_embedding",
		"text_model.embeddings.position_embedding.weight",
		"ln_final", "text_model.final_layer_norm", "text_projection", "text_projection.weight", "transformer.resblocks", "encoder.layers",
		"ln_1", "layer_norm1", "ln_2", "layer_norm2", "attn.in_proj_", "self_attn.in_proj_", "attn.out_proj", "self_attn.out_proj", "c_fc",
		"fc1", "c_proj", "fc2")
	all := Tensors{}
	for _, name := range f.Names() {
		x := must.Get(f.Tensor(name))(t)
		under := names.Replace(name)
		if strings.HasPrefix(under, "encoder.") {
			under = "text_model." + under
		}
		before, part, stacked := strings.Cut(under, "in_proj_")
		switch {
		case stacked && part == "weight": // apart splits the last axis, and theirs are the first
			x = must.Get(Linear.ours(x))(t)
			fallthrough
		case stacked:
			parts := must.Get(apart(x, 3))(t)
			for i, of := range []string{"q", "k", "v"} {
				if part == "weight" {
					parts[i] = must.Get(Linear.theirs(parts[i]))(t)
				}
				all[before+of+"_proj."+part] = parts[i]
			}
			continue
		case strings.HasSuffix(under, "_projection.weight"):
			x = must.Get(Linear.theirs(x))(t)
		}
		all[under] = x
	}
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.Do(t, all.Write(path))
	source := must.Get(Find(path))(t)
	vision := encoder.ViT{Image: 16, Patch: 8, Width: 16, Layers: 2, Heads: 2, MLP: 64, CLIP: true}
	store := declare(t, "/m", vision, encoder.CLIPText{Vocab: 40, Positions: 6, Width: 24, Layers: 2, Heads: 3, MLP: 96}, 8)
	want, _ := must.Get2(openAI.Model(store, "/m"))(t)
	got, _ := must.Get2(source.Model(store, "/m"))(t)
	equal(t, "Hugging Face's", got, want)
}

// A ResNet's file is refused where a vision transformer belongs.
func TestResNetIsNoViT(t *testing.T) {
	source := shipped(t, "resnet50_like_forward", "")
	const want = "it looks like torchvision's ResNet of bottlenecks, which has no image encoder that is a vision transformer"
	must.Fail(t, must.Err2(source.ImageEncoder(vit, "/v")), want, "as an image encoder")
	must.Fail(t, must.Err(source.Vision(0)), want, "its sizes")
}

// A whole ALBEF is one image encoder, one text encoder and what joins them, without its momentum copy and its queues, in either of the
// names that its checkpoints have. Those of retrieval lack the head for MLM, which is drawn.
func TestWholeALBEF(t *testing.T) {
	pretrained := albef()
	for name, shape := range map[string][]int{"vision_proj": {3, width}, "text_proj": {3, width}, "itm_head": {2, width}} {
		pretrained[name+".weight"], pretrained[name+".bias"] = tensor{shape, 50}, tensor{shape[:1], 51}
	}
	retrieval := map[string]tensor{}
	for name, x := range pretrained {
		if !strings.HasPrefix(name, "text_encoder.cls.") {
			retrieval[strings.Replace(name, "text_encoder.bert.", "text_encoder.", 1)] = x
		}
	}
	names, _, err := found(t, pretrained).Model(model.NewStore(), "/m")
	if err == nil || !strings.Contains(err.Error(), "the model has no variable /m/") {
		t.Fatalf("got %v (%v) for a model without variables", names, err)
	}
	want := must.Get(Read(found(t, pretrained).Path, ALBEF("/m"), ALBEFMomentum("/o"), Queues))(t)
	maps.DeleteFunc(want, func(path string, _ *tensors.Tensor) bool { return strings.HasPrefix(path, "/o/") })
	want = must.Get(want.as(dtypes.Float32))(t)
	declared := func() *model.Store {
		store := model.NewStore()
		for path, x := range want {
			store.VariableWithShape(path, x.Shape(), initializer.Zero)
		}
		return store
	}
	got, report, err := found(t, pretrained).Model(declared(), "/m")
	if err != nil || len(report.Drawn) > 0 {
		t.Fatalf("drawn %v, %v", report.Drawn, err)
	}
	equal(t, "pre-trained", got, want)
	store := declared()
	maps.DeleteFunc(want, func(path string, _ *tensors.Tensor) bool { return strings.Contains(path, "/mlm/") })
	if got, report, err = found(t, retrieval).Model(store, "/m"); err != nil || len(report.Drawn) != 5 {
		t.Fatalf("drawn %v, %v; want the five variables of the head for MLM", report.Drawn, err)
	}
	equal(t, "retrieval", got, want)
	wider := declared()
	must.Do(t, wider.DeleteVariable("/m/text/embeddings/word/embedding"))
	wider.VariableWithShape("/m/text/embeddings/word/embedding", shapes.Make(dtypes.Float32, words+1, width), initializer.Zero)
	must.Fail(t, must.Err2(found(t, pretrained).Model(wider, "/m")), "has the shape [7 4] there, [8 4] in the model; give the vocabulary",
		"another vocabulary")
}
