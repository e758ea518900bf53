package export

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/weights"
)

// onHub is a folder for transformers of a CLIP that transformers can have.
func onHub(t *testing.T) (dir string, m map[string]*tensors.Tensor, captions map[string][]int32) {
	t.Helper()
	r, tokenizer := smallCLIP(t, "other poolings")
	of := r.Train.Framework.Framework.(clip.Model)
	of.MeanPool = false // a text's end is still its last token
	r.Train.Framework.Framework = of
	kept, model := drawn(t, r, tokenizer)
	dir = filepath.Join(t.TempDir(), "hub")
	must.Do(t, WriteHub(dir, kept, model))
	collection := must.Get(r.Data.Open())(t)
	set := must.Get(collection.Split("train"))(t)
	captions = map[string][]int32{}
	for i := range set.Len() {
		for _, caption := range set.Captions(i) {
			captions[caption] = tokenizer.Encode(caption, r.Train.MaxLen)
		}
	}
	return dir, must.Get(model.Weights())(t), captions
}

// Names and shapes are those of the state_dict of transformers' CLIPModel (modeling_clip.py), for the sizes of its config.json.
func TestHubNames(t *testing.T) {
	dir, values, _ := onHub(t)
	var config struct {
		Architectures []string
		ModelType     string         `json:"model_type"`
		Embed         int            `json:"projection_dim"`
		TextConfig    map[string]any `json:"text_config"`
		VisionConfig  map[string]any `json:"vision_config"`
	}
	must.Do(t, json.Unmarshal([]byte(contents(t, dir)[ConfigName]), &config))
	var want []string
	add := func(name string, shape ...int) { want = append(want, fmt.Sprint(name, " ", shape)) }
	linear := func(name string, out, in int) {
		add(name+".weight", out, in)
		add(name+".bias", out)
	}
	norm := func(name string, width int) {
		add(name+".weight", width)
		add(name+".bias", width)
	}
	number := func(of map[string]any, key string) int {
		t.Helper()
		value, is := of[key].(float64)
		if !is {
			t.Errorf("config.json has no number %s", key)
		}
		return int(value)
	}
	for name, of := range map[string]map[string]any{"text_model": config.TextConfig, "vision_model": config.VisionConfig} {
		width, mlp := number(of, "hidden_size"), number(of, "intermediate_size")
		for layer := range number(of, "num_hidden_layers") {
			at := fmt.Sprintf("%s.encoder.layers.%d.", name, layer)
			for _, part := range []string{"k_proj", "v_proj", "q_proj", "out_proj"} {
				linear(at+"self_attn."+part, width, width)
			}
			linear(at+"mlp.fc1", mlp, width)
			linear(at+"mlp.fc2", width, mlp)
			norm(at+"layer_norm1", width)
			norm(at+"layer_norm2", width)
		}
		if of["hidden_act"] != "quick_gelu" || of["layer_norm_eps"] != 1e-5 || width%number(of, "num_attention_heads") != 0 {
			t.Errorf("%s: got %v", name, of)
		}
	}
	text, vision := number(config.TextConfig, "hidden_size"), number(config.VisionConfig, "hidden_size")
	side, patch := number(config.VisionConfig, "image_size"), number(config.VisionConfig, "patch_size")
	add("text_model.embeddings.token_embedding.weight", number(config.TextConfig, "vocab_size"), text)
	add("text_model.embeddings.position_embedding.weight", number(config.TextConfig, "max_position_embeddings"), text)
	norm("text_model.final_layer_norm", text)
	add("vision_model.embeddings.class_embedding", vision)
	add("vision_model.embeddings.patch_embedding.weight", vision, number(config.VisionConfig, "num_channels"), patch, patch)
	add("vision_model.embeddings.position_embedding.weight", side/patch*side/patch+1, vision)
	norm("vision_model.pre_layrnorm", vision)
	norm("vision_model.post_layernorm", vision)
	add("text_projection.weight", config.Embed, text)
	add("visual_projection.weight", config.Embed, vision)
	add("logit_scale")
	file := must.Get(weights.Open(filepath.Join(dir, WeightsName)))(t)
	defer file.Close()
	var got []string
	for _, name := range file.Names() {
		got = append(got, fmt.Sprint(name, " ", append([]int{}, must.Get(file.Tensor(name))(t).Shape().Dimensions...)))
	}
	slices.Sort(want)
	listtest.Equal(t, "tensors", got, want)
	if !slices.Equal(config.Architectures, []string{"CLIPModel"}) || config.ModelType != "clip" ||
		number(config.TextConfig, "eos_token_id") != 3 || number(config.TextConfig, "pad_token_id") != 0 {
		t.Errorf("got the configuration %+v", config)
	}

	again := must.Get(weights.Read(filepath.Join(dir, WeightsName), weights.HubCLIPModel(framework.Model)))(t)
	if len(again) != len(values) {
		t.Errorf("read %d variables, want %d", len(again), len(values))
	}
	for path, want := range values {
		if got := again[path]; got == nil || !got.Equal(want) {
			t.Errorf("%s is read otherwise than it was written", path)
		}
	}
}

// The tokenizer puts the same ids before and behind a caption as training did, by another reader of the format.
func TestHubTokenizer(t *testing.T) {
	dir, _, captions := onHub(t)
	tokenizer := must.Get(hftokenizer.NewFromContent(nil, []byte(contents(t, dir)[TokenizerName])))(t)
	for caption, want := range captions {
		var got []int32
		for _, id := range tokenizer.Encode(caption) {
			got = append(got, int32(id))
		}
		ids := want[:slices.Index(want, 3)+1] // without padding
		if len(got) > len(want) {
			got = append(got[:len(want)-1:len(want)-1], got[len(got)-1])
		}
		if !slices.Equal(got, ids) {
			t.Errorf("%q: got %v, want %v", caption, got, ids)
		}
	}
	var about, prepared map[string]any
	must.Do(t, json.Unmarshal([]byte(contents(t, dir)[TokenizerConfigName]), &about))
	must.Do(t, json.Unmarshal([]byte(contents(t, dir)[PreprocessorName]), &prepared))
	for key, want := range map[string]any{"bos_token": "[CLS]", "eos_token": "[SEP]", "pad_token": "[PAD]", "unk_token": "[UNK]",
		"model_max_length": 10.} {
		if about[key] != want {
			t.Errorf("%s: %s is %v, want %v", TokenizerConfigName, key, about[key], want)
		}
	}
	if want := map[string]any{"height": 32., "width": 32.}; !reflect.DeepEqual(prepared["size"], want) || prepared["resample"] != 3. {
		t.Errorf("%s: got %v", PreprocessorName, prepared)
	}
	card := contents(t, dir)[CardName]
	for want, has := range map[string]bool{"library_name: transformers\npipeline_tag: zero-shot-image-classification\n": true,
		"CLIPModel.from_pretrained": true, "Licence": true, "vlpx eval": false, "model.py": false, "open_clip": false, "<no value>": false} {
		if strings.Contains(card, want) != has {
			t.Errorf("%q in the card: %t, want %t, in\n%s", want, !has, has, card)
		}
	}
}

// What transformers cannot have is refused with the reason, and a folder that has something stays.
func TestHubRefuses(t *testing.T) {
	for how, want := range map[string]string{"other poolings": "meanpool=false", "ResNet": "is a ResNet"} {
		r, tokenizer := smallCLIP(t, how)
		kept, m := drawn(t, r, tokenizer)
		must.Fail(t, WriteHub(filepath.Join(t.TempDir(), "hub"), kept, m), want)
	}
	r, tokenizer := smallUNITER(t, true)
	kept, m := drawn(t, r, tokenizer)
	must.Fail(t, WriteHub(filepath.Join(t.TempDir(), "hub"), kept, m), "UNITER is no architecture of transformers")
	dir, _, _ := onHub(t)
	must.Fail(t, must.Err(Read(dir)), "without -hub-layout")
	r, tokenizer = smallCLIP(t, "as published")
	kept, m = drawn(t, r, tokenizer)
	must.Fail(t, WriteHub(dir, kept, m), "choose a folder that is empty")
	if _, err := os.Stat(filepath.Join(dir, CardName)); err != nil {
		t.Error(err)
	}
}

// The text layers of an ALBEF are transformers' BertModel: names and shapes are those of its state_dict (modeling_bert.py) for the sizes of
// config.json, and read as a published BERT they are the run's again. Nothing in the folder speaks of images.
func TestHubBERT(t *testing.T) {
	r, tokenizer := small(t)
	kept, model := drawn(t, r, tokenizer)
	dir := filepath.Join(t.TempDir(), "hub")
	must.Do(t, WriteHub(dir, kept, model))
	files := contents(t, dir)
	var config struct {
		Architectures []string
		ModelType     string  `json:"model_type"`
		Width         int     `json:"hidden_size"`
		Layers        int     `json:"num_hidden_layers"`
		Heads         int     `json:"num_attention_heads"`
		MLP           int     `json:"intermediate_size"`
		Vocab         int     `json:"vocab_size"`
		Positions     int     `json:"max_position_embeddings"`
		Types         int     `json:"type_vocab_size"`
		Activation    string  `json:"hidden_act"`
		Epsilon       float64 `json:"layer_norm_eps"`
	}
	must.Do(t, json.Unmarshal([]byte(files[ConfigName]), &config))
	var want []string
	add := func(name string, shape ...int) { want = append(want, fmt.Sprint(name, " ", shape)) }
	both := func(name string, shape ...int) {
		add(name+".weight", shape...)
		add(name+".bias", shape[0])
	}
	width := config.Width
	add("embeddings.word_embeddings.weight", config.Vocab, width)
	add("embeddings.position_embeddings.weight", config.Positions, width)
	add("embeddings.token_type_embeddings.weight", config.Types, width)
	both("embeddings.LayerNorm", width)
	for layer := range config.Layers {
		at := fmt.Sprintf("encoder.layer.%d.", layer)
		for _, part := range []string{"self.query", "self.key", "self.value", "output.dense"} {
			both(at+"attention."+part, width, width)
		}
		both(at+"attention.output.LayerNorm", width)
		both(at+"intermediate.dense", config.MLP, width)
		both(at+"output.dense", width, config.MLP)
		both(at+"output.LayerNorm", width)
	}
	file := must.Get(weights.Open(filepath.Join(dir, WeightsName)))(t)
	defer file.Close()
	var got []string
	for _, name := range file.Names() {
		got = append(got, fmt.Sprint(name, " ", append([]int{}, must.Get(file.Tensor(name))(t).Shape().Dimensions...)))
	}
	slices.Sort(want)
	listtest.Equal(t, "tensors", got, want)
	if !slices.Equal(config.Architectures, []string{"BertModel"}) || config.ModelType != "bert" || config.Activation != "gelu" ||
		config.Epsilon != 1e-12 || config.Heads != 2 || config.Layers != 2 || config.Vocab != tokenizer.Size() {
		t.Errorf("got the configuration %+v", config)
	}

	values := must.Get(model.Weights())(t)
	text := encoder.BERT{Vocab: config.Vocab, Positions: config.Positions, Width: width, Heads: config.Heads, MLP: config.MLP,
		Layers: 1, Fusion: 1}
	again, report, err := must.Get(weights.Find(filepath.Join(dir, WeightsName)))(t).TextEncoder(text, framework.Model+"/text")
	must.Do(t, err)
	for path, got := range again {
		if want := values[path]; want == nil || !got.Equal(want) {
			t.Errorf("%s is read otherwise than it was written", path)
		}
	}
	if len(again) != 5+2*12 || len(report.Ignored) > 0 {
		t.Errorf("read %d variables, want 5 and 12 a layer; ignored %v", len(again), report.Ignored)
	}

	if files[PreprocessorName] != "" || strings.Contains(files[ConfigName], "image_mean") {
		t.Errorf("there is something of images: %s, %s", files[PreprocessorName], files[ConfigName])
	}
	for want, has := range map[string]bool{"pipeline_tag: feature-extraction\n": true, "add_pooling_layer=False": true,
		"The text encoder alone of a vision-language model of ALBEF's": true, "without `-hub-layout`": true, "\nA caption is\n": true,
		"An image is": false, "AutoImageProcessor": false, "<no value>": false, "\n\n\n": false} {
		if strings.Contains(files[CardName], want) != has {
			t.Errorf("%q in the card: %t, want %t, in\n%s", want, !has, has, files[CardName])
		}
	}
	if !strings.Contains(files[TokenizerConfigName], `"mask_token": "[MASK]"`) {
		t.Errorf("got %s", files[TokenizerConfigName])
	}
	must.Fail(t, must.Err(Read(dir)), "BertModel", "without -hub-layout")
}
