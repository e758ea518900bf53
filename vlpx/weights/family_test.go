package weights

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
)

// Sizes of the tests' models: two layers of width 4 on patches of 2 pixels, nine of them.
const (
	width, inside, patch, grid, layers, words, places = 4, 8, 2, 3, 2, 7, 5
)

// timm are the tensors of a ViT in timm's names.
func timm() map[string]tensor {
	all := map[string]tensor{
		"cls_token": {[]int{1, 1, width}, 1}, "pos_embed": {[]int{1, 1 + grid*grid, width}, 2},
		"patch_embed.proj.weight": {[]int{width, 3, patch,
			patch}, 3},
		"patch_embed.proj.bias": {[]int{width}, 4}, "norm.weight": {[]int{width}, 5}, "norm.bias": {[]int{width},
			6}, "head.weight": {[]int{9, width}, 0},
	}
	for k := range layers {
		for name, x := range map[string]tensor{
			"norm1": {[]int{width}, 7}, "norm2": {[]int{width}, 8}, "attn.qkv": {[]int{3 * width, width}, 9},
			"attn.proj": {[]int{width, width}, 10},
			"mlp.fc1":   {[]int{inside, width}, 11}, "mlp.fc2": {[]int{width, inside}, 12},
		} {
			x.first += float64(100 * k)
			all[fmt.Sprintf("blocks.%d.%s.weight", k, name)] = x
			all[fmt.Sprintf("blocks.%d.%s.bias", k, name)] = tensor{x.shape[:1], x.first + 0.5}
		}
	}
	return all
}

// renamed are tensors under other names: the first of each pair of parts is replaced by the second.
func renamed(all map[string]tensor, pairs ...string) map[string]tensor {
	under := map[string]tensor{}
	for name, x := range all {
		under[strings.NewReplacer(pairs...).Replace(name)] = x
	}
	return under
}

// huggingFace are the tensors of timm's ViT in Hugging Face's names: queries, keys and values lie apart there.
func huggingFace(prefix string) map[string]tensor {
	all := renamed(timm(), "cls_token", "embeddings.cls_token", "pos_embed", "embeddings.position_embeddings",
		"patch_embed.proj", "embeddings.patch_embeddings.projection", "blocks.", "encoder.layer.", "norm1", "layernorm_before", "norm2",
		"layernorm_after",
		"attn.proj", "attention.output.dense", "mlp.fc1", "intermediate.dense", "mlp.fc2", "output.dense", "norm.", "layernorm.", "head.",
		"classifier.")
	for k := range layers {
		whole := fmt.Sprintf("encoder.layer.%d.attn.qkv", k)
		weight, bias := all[whole+".weight"], all[whole+".bias"]
		delete(all, whole+".weight")
		delete(all, whole+".bias")
		for i, part := range []string{"query", "key", "value"} {
			name := fmt.Sprintf("encoder.layer.%d.attention.attention.%s", k, part)
			all[name+".weight"] = tensor{[]int{width, width}, weight.first + float64(i*width*width)}
			all[name+".bias"] = tensor{[]int{width}, bias.first + float64(i*width)}
		}
	}
	under := map[string]tensor{}
	for name, x := range all {
		if !strings.HasPrefix(name, "classifier.") {
			name = prefix + name
		}
		under[name] = x
	}
	return under
}

// clip are the tensors of CLIP's tower, with a text tower of which nothing is read.
func clip() map[string]tensor {
	all := renamed(timm(), "cls_token", "class_embedding", "pos_embed", "positional_embedding", "patch_embed.proj", "conv1", "blocks.",
		"transformer.resblocks.",
		"norm1", "ln_1", "norm2", "ln_2", "attn.qkv.", "attn.in_proj_", "attn.proj", "attn.out_proj", "fc1", "c_fc", "fc2", "c_proj",
		"norm.", "ln_post.")
	delete(all, "conv1.bias")
	delete(all, "head.weight")
	all["class_embedding"], all["positional_embedding"] = tensor{[]int{width}, 1}, tensor{[]int{1 + grid*grid, width}, 2}
	all["ln_pre.weight"], all["ln_pre.bias"], all["proj"] = tensor{[]int{width}, 20}, tensor{[]int{width}, 21}, tensor{[]int{width, 3}, 0}
	under := map[string]tensor{"logit_scale": {nil, 1}, "transformer.resblocks.0.attn.in_proj_weight": {[]int{6, 2}, 0},
		"ln_final.bias": {[]int{2}, 0}}
	for name, x := range all {
		under["visual."+name] = x
	}
	return under
}

// clipHF is clip in Hugging Face's names.
func clipHF() map[string]tensor {
	under := map[string]tensor{"logit_scale": {nil, 1}, "text_model.final_layer_norm.bias": {[]int{2}, 0},
		"visual_projection.weight": {[]int{3, width}, 0}}
	for name, x := range huggingFace("") {
		name = strings.NewReplacer("embeddings.cls_token", "embeddings.class_embedding", "embeddings.position_embeddings",
			"embeddings.position_embedding.weight",
			"patch_embeddings.projection", "patch_embedding", "encoder.layer.", "encoder.layers.", "layernorm_before", "layer_norm1",
			"layernorm_after", "layer_norm2",
			"attention.attention.query", "self_attn.q_proj", "attention.attention.key", "self_attn.k_proj", "attention.attention.value",
			"self_attn.v_proj",
			"attention.output.dense", "self_attn.out_proj", "intermediate.dense", "mlp.fc1", "output.dense", "mlp.fc2").Replace(name)
		if after, is := strings.CutPrefix(name, "layernorm."); is {
			name = "post_layernorm." + after
		}
		switch name {
		case "embeddings.patch_embedding.bias", "classifier.weight":
			continue
		case "embeddings.class_embedding":
			x.shape = x.shape[2:]
		case "embeddings.position_embedding.weight":
			x.shape = x.shape[1:]
		}
		under["vision_model."+name] = x
	}
	under["vision_model.pre_layrnorm.weight"], under["vision_model.pre_layrnorm.bias"] = tensor{[]int{width}, 20}, tensor{[]int{width}, 21}
	return under
}

// bert are the tensors of a BERT with its heads.
func bert(prefix string) map[string]tensor {
	e := prefix + "embeddings."
	all := map[string]tensor{
		e + "word_embeddings.weight": {[]int{words, width}, 1}, e + "position_embeddings.weight": {[]int{places, width}, 2},
		e + "token_type_embeddings.weight": {[]int{2, width}, 3}, e + "LayerNorm.gamma": {[]int{width}, 4},
		e + "LayerNorm.beta": {[]int{width},
			5},
		e + "position_ids": {[]int{1, places}, 0}, prefix + "pooler.dense.weight": {[]int{width, width},
			6}, "cls.seq_relationship.bias": {[]int{2}, 0},
		"cls.predictions.bias": {[]int{words}, 7}, "cls.predictions.decoder.weight": {[]int{words, width}, 1},
		"cls.predictions.transform.dense.weight": {[]int{width, width}, 8}, "cls.predictions.transform.dense.bias": {[]int{width}, 9},
		"cls.predictions.transform.LayerNorm.gamma": {[]int{width}, 10}, "cls.predictions.transform.LayerNorm.beta": {[]int{width}, 11},
	}
	for k := range layers {
		for name, shape := range map[string][]int{
			"attention.self.query": {width, width}, "attention.self.key": {width, width}, "attention.self.value": {width, width},
			"attention.output.dense": {width, width}, "attention.output.LayerNorm": {width}, "intermediate.dense": {inside, width},
			"output.dense": {width, inside}, "output.LayerNorm": {width},
		} {
			layer := fmt.Sprintf("%sencoder.layer.%d.%s", prefix, k, name)
			all[layer+".weight"], all[layer+".bias"] = tensor{shape, float64(20 + k)}, tensor{shape[:1], float64(30 + k)}
		}
	}
	return all
}

// albef are the tensors of a pre-trained ALBEF: cross-attention in its last layer, a momentum copy and queues.
func albef() map[string]tensor {
	all := map[string]tensor{"temp": {nil, 0}, "itm_head.weight": {[]int{2, width}, 0}, "vision_proj.bias": {[]int{3}, 0},
		"text_proj_m.bias": {[]int{3}, 0},
		"image_queue":      {[]int{3, 8}, 0}, "queue_ptr": {[]int{1}, 0}, "text_encoder_m.cls.predictions.bias": {[]int{words}, 0}}
	for name, x := range timm() {
		if name != "head.weight" {
			all["visual_encoder."+name], all["visual_encoder_m."+name] = x, x
		}
	}
	for name, x := range bert("bert.") {
		if !strings.Contains(name, "pooler") && !strings.Contains(name, "seq_relationship") {
			all["text_encoder."+name] = x
		}
	}
	for name, shape := range map[string][]int{"self.query": {width, width}, "self.key": {width, width}, "self.value": {width, width},
		"output.dense": {width, width}, "output.LayerNorm": {width}} {
		layer := fmt.Sprintf("text_encoder.bert.encoder.layer.%d.crossattention.%s", layers-1, name)
		all[layer+".weight"], all[layer+".bias"] = tensor{shape, 40}, tensor{shape[:1], 41}
	}
	return all
}

func found(t *testing.T, content map[string]tensor) Source {
	t.Helper()
	source := must.Get(Find(write(t, content)))(t)
	return source
}

func equal(t *testing.T, name string, got, want Values) {
	t.Helper()
	if listtest.Equal(t, name+": variables", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))); t.Failed() {
		t.FailNow()
	}
	for path, x := range want {
		if !got[path].Equal(x) {
			t.Errorf("%s: %s: got %s, want %s", name, path, got[path], x)
		}
	}
}

var (
	vit  = encoder.ViT{Image: patch * grid, Patch: patch, Width: width, Layers: layers, Heads: 2, MLP: inside}
	text = encoder.BERT{Vocab: words, Positions: places, Width: width, Heads: 2, MLP: inside, Layers: 1, Fusion: 1}
)

// The same ViT gives the same variables, whoever named it.
func TestImageEncoders(t *testing.T) {
	want, _ := must.Get2(found(t, timm()).ImageEncoder(vit, "/v"))(t)
	for name, content := range map[string]map[string]tensor{
		"Hugging Face's ViT": huggingFace("vit."), "its encoder alone": huggingFace(""), "ALBEF": albef(),
	} {
		got, _, err := found(t, content).ImageEncoder(vit, "/v")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		equal(t, name, got, want)
	}
	// CLIP's has no bias of patches, and a normalisation of its own.
	delete(want, "/v/patch/bias")
	want["/v/first_norm/gain"], want["/v/first_norm/offset"] = tensors.FromValue([]float32{20, 21, 22, 23}),
		tensors.FromValue([]float32{21, 22, 23, 24})
	for name, content := range map[string]map[string]tensor{"OpenAI's CLIP": clip(), "Hugging Face's CLIP": clipHF()} {
		source := found(t, content)
		adapted, err := source.Adapt(vit)
		if err != nil || !adapted.CLIP || adapted.Activation != encoder.Quick {
			t.Fatalf("%s: got %+v, %v; want CLIP's layers", name, adapted, err)
		}
		got, _, err := source.ImageEncoder(adapted, "/v")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		equal(t, name, got, want)
		must.Fail(t, must.Err2(source.ImageEncoder(vit, "/v")), "whose layers are others", "%s as timm's", name)
	}
}

// Of a BERT the first layers read text and the others fuse; its cross-attention is drawn. ALBEF's is read.
func TestTextEncoders(t *testing.T) {
	want, report, err := found(t, bert("bert.")).TextEncoder(text, "/t")
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Drawn) != 8 || slices.ContainsFunc(report.Drawn,
		func(path string) bool { return !strings.HasPrefix(path, "/t/layer_1/cross/") }) {
		t.Errorf("drawn: %v; want the eight variables of layer 1's cross-attention", report.Drawn)
	}
	got, _ := must.Get2(found(t, bert("")).TextEncoder(text, "/t"))(t)
	equal(t, "without a prefix", got, want)
	got, report, err = found(t, albef()).TextEncoder(text, "/t")
	if err != nil || len(report.Drawn) != 0 {
		t.Fatalf("ALBEF's: drawn %v, %v", report.Drawn, err)
	}
	for path := range got {
		if strings.Contains(path, "/cross/") {
			delete(got, path)
		}
	}
	equal(t, "ALBEF's", got, want)
	headless := bert("bert.")
	maps.DeleteFunc(headless, func(name string, _ tensor) bool { return strings.HasPrefix(name, "cls.") })
	if _, report, err := found(t, headless).TextEncoder(text, "/t"); err != nil || len(report.Drawn) != 8+5 {
		t.Errorf("without a head for MLM: drawn %v, %v; want its five variables, too", report.Drawn, err)
	}
}

// Positions are brought to the encoder's patches, and the report says so. Parameters: 104 outside of the layers, 172 in each.
func TestImageEncoderOfAnotherSize(t *testing.T) {
	source, larger := found(t, timm()), vit
	larger.Image = 2 * vit.Image
	got, report := must.Get2(source.ImageEncoder(larger, "/v"))(t)
	own := must.Get(Read(source.Path, ViT("", "/v")))(t)
	want := must.Get(Positions(own["/v/position/embedding"], 2*grid))(t)
	want = must.Get(As(want, dtypes.Float32))(t)
	if x := got["/v/position/embedding"]; !x.InDelta(want, 1e-4) {
		t.Errorf("got %s, want %s", x, want)
	}
	if lines := strings.Join(report.Lines(), "\n"); !strings.Contains(lines, "positions of 3 x 3 patches brought to 6 x 6") ||
		!strings.Contains(lines, "used        30 tensors, 448 parameters in F64") ||
		!strings.Contains(lines, "ignored      1 tensors, 36 parameters in F64: head.weight") {
		t.Errorf("got the report\n%s", lines)
	}
}

// What does not fit is told before anything is trained, with both sizes.
func TestEncodersRefuse(t *testing.T) {
	wide, deep, lacking, further, of := vit, vit, timm(), timm(), text
	wide.Width, deep.Layers, of.Vocab = 6, 3, 9
	delete(lacking, "blocks.1.mlp.fc2.bias")
	delete(lacking, "blocks.1.mlp.fc2.weight")
	further["fc_norm.weight"] = tensor{[]int{width}, 0}
	image := func(content map[string]tensor, v encoder.ViT) func() error {
		return func() error { _, _, err := found(t, content).ImageEncoder(v, "/v"); return err }
	}
	for want, read := range map[string]func() error{
		"the width is 4, the model's 6":                        image(timm(), wide),
		"the number of layers is 2, the model's 3":             image(timm(), deep),
		"nothing for the variable /v/layer_1/mlp/out/bias":     image(lacking, vit),
		"no rule for tensor fc_norm.weight":                    image(further, vit),
		"it looks like BERT, which has no image encoder":       image(bert("bert."), vit),
		"are of no family that is read: EVA's ViT, timm's ViT": image(map[string]tensor{"a": {nil, 0}}, vit),
		"its vocabulary has 7 words, the run's 9; give the vocab.txt": func() error {
			_, _, err := found(t, bert("")).TextEncoder(of,
				"/t")
			return err
		},
		"it looks like timm's ViT, as DeiT's, which has no text encoder": func() error {
			_, _, err := found(t, timm()).TextEncoder(of,
				"/t")
			return err
		},
		"deit-base (346 MB) is not here; fetch it with vlpx weights fetch deit-base": func() error {
			source, err := Places{Cache: t.TempDir()}.Find("deit-base")
			if err != nil {
				return err
			}
			_, _, err = source.ImageEncoder(vit, "/v")
			return err
		},
		"has it another prefix? By its names it is of BERT": func() error {
			_, err := Read(write(t, bert("bert.")), ViT("", "/v"))
			return err
		},
		"has changed since it was described": func() error {
			source := found(t, timm())
			source.Hash = "0123456789abcdef"
			_, _, err := source.ImageEncoder(vit, "/v")
			return err
		},
	} {
		must.Fail(t, read(), want)
	}
}

// What is left over or missing is allowed by name, # standing for a number.
func TestReportAllows(t *testing.T) {
	r := Report{Left: []Tensor{{Name: "blocks.12.ls1.gamma"}}, Missing: []string{"/v/layer_3/mlp/in/bias"}}
	for _, allowed := range [][]string{{"blocks.#.ls1.gamma", "/v/layer_#/mlp/*"}, {"*"}} {
		if err := r.Check(allowed...); err != nil {
			t.Errorf("%q: %v", allowed, err)
		}
	}
	for _, allowed := range [][]string{nil, {"blocks.#.ls1.gamma"}, {"/v/layer_#/mlp/*"}, {"blocks.#.ls1", "/v/*"},
		{"blocks.#.ls1.gamma.#", "/v/*"}} {
		if err := r.Check(allowed...); err == nil {
			t.Errorf("%q: no error", allowed)
		}
	}
}
