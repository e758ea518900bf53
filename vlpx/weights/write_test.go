package weights

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// What is read of files that the published code wrote is written as it was, name by name and bit by bit, copies and counters included.
func TestPublishedFilesComeBack(t *testing.T) {
	models := filepath.Join("..", "..", "internal", "test", "golden", "testdata", "models")
	for file, tables := range map[string][]Table{
		"albef_forward_eval/weights.safetensors":     {ALBEF("/model"), ALBEFMomentum("/momentum"), Queues},
		"albef_retrieval_step/weights.safetensors":   {Retrieval("/model"), RetrievalMomentum("/momentum"), Queues},
		"vit_deit_forward/weights.safetensors":       {ViT("", "/vision")},
		"bert_hf_forward/weights.safetensors":        {BERTForPreTraining("/text")},
		"grit_step/gradients.safetensors":            {ALBEF("/model")},
		"albef_retrieval_step/momentum.safetensors":  {RetrievalMomentum("/momentum")},
		"albef_step/momentum.safetensors":            {ALBEFMomentum("/momentum")},
		"mafa_step/con_d.safetensors":                {Retrieval("/con-d"), Queues},
		"albef_retrieval_step/gradients.safetensors": {Retrieval("/model")},
		"bert_hf_forward/gradients.safetensors":      {BERTForPreTraining("/text")},
		"albef_step/gradients_itm.safetensors":       {ALBEF("/model")},
		"vit_deit_forward/gradients.safetensors":     {ViT("", "/vision")},
		"clip_openai_forward/weights.safetensors":    {CLIPModel("/model")},
		"clip_resnet_forward/weights.safetensors":    {CLIPResNet("", "/vision")},
		"resnet50_like_forward/weights.safetensors":  {ResNet("", "/vision")},
		"albef_nlvr_forward/weights.safetensors":     {NLVR("/model", 6, 6)},
		"albef_nlvr_forward/gradients.safetensors":   {NLVR("/model", 6, 6)},
	} {
		t.Run(file, func(t *testing.T) {
			original := filepath.Join(models, filepath.FromSlash(file))
			values := must.Get(Read(original, tables...))(t)
			published := must.Get(values.Published(tables...))(t)
			again := filepath.Join(t.TempDir(), "again.safetensors")
			must.Do(t, published.Write(again))
			want, got := raw(t, original), raw(t, again)
			for name, w := range want {
				g, written := got[name]
				switch {
				case written && g != w:
					t.Errorf("%s: got other values or another shape", name)
				case !written && !matchesAny(Join(tables...).Ignored, name):
					t.Errorf("%s is not written", name)
				}
				delete(got, name)
			}
			for name := range got {
				if !slices.ContainsFunc(Join(tables...).Copies, func(r Rule) bool { return slices.Contains(r.Tensors, name) }) {
					t.Errorf("%s is written, and was not there", name)
				}
			}
		})
	}
}

// tensorBytes is a tensor as a file has it.
type tensorBytes struct{ dtype, shape, values string }

// raw reads a safetensors file as its specification tells, and holds it to that: tensors one after another, each aligned.
func raw(t *testing.T, path string) map[string]tensorBytes {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	length := binary.LittleEndian.Uint64(content)
	if length%8 != 0 {
		t.Errorf("%s: a header of %d bytes; want a multiple of eight", path, length)
	}
	var header map[string]json.RawMessage
	must.Do(t, json.Unmarshal(content[8:8+length], &header))
	all, data, covered := map[string]tensorBytes{}, content[8+length:], 0
	for name, text := range header {
		if name == "__metadata__" {
			continue
		}
		var d Entry
		must.Do(t, json.Unmarshal(text, &d))
		shape, _ := json.Marshal(d.Shape)
		all[name] = tensorBytes{d.DType, string(shape), string(data[d.Offsets[0]:d.Offsets[1]])}
		if width := int64(map[string]int{"F64": 8, "I64": 8, "F32": 4}[d.DType]); width == 0 || d.Offsets[0]%width != 0 {
			t.Errorf("%s: tensor %s of type %s begins at byte %d", path, name, d.DType, d.Offsets[0])
		}
		covered += int(d.Offsets[1] - d.Offsets[0])
	}
	if covered != len(data) {
		t.Errorf("%s: tensors take %d of %d bytes", path, covered, len(data))
	}
	return all
}

// Of two parts side by side the first is the first columns: [[0 1 2 3] [4 5 6 7]] is [[0 1] [4 5]] beside [[2 3] [6 7]], each then
// turned to [out, in].
func TestPublishedByHand(t *testing.T) {
	values := Values{
		"/m/layer_12/qkv": tensors.FromValue([][]float32{{0, 1, 2, 3}, {4, 5, 6, 7}}),
		"/m/class":        tensors.FromValue([][]float32{{1, 2}}),
		"/m/one":          tensors.FromValue([][]float32{{3, 4}}),
		"/m/adapter/bias": tensors.FromValue([]float32{9}),
	}
	got := must.Get(values.Published(table, Table{
		Rules: []Rule{{"/m/one", Vector, []string{"one"}}}, Rest: "/m", Copies: []Rule{{"/m/class", Counted, []string{"numbers"}}},
	}))(t)
	for name, want := range map[string]*tensors.Tensor{
		"layer.12.q":        tensors.FromValue([][]float32{{0, 4}, {1, 5}}),
		"layer.12.k":        tensors.FromValue([][]float32{{2, 6}, {3, 7}}),
		"class":             tensors.FromValue([][][]float32{{{1, 2}}}),
		"one":               tensors.FromValue([]float32{3, 4}),
		"numbers":           tensors.FromValue([][]int64{{0}}),
		"vlpx.adapter.bias": tensors.FromValue([]float32{9}),
	} {
		if got[name] == nil || !got[name].Equal(want) {
			t.Errorf("%s: got %v, want %v", name, got[name], want)
		}
	}
	if own := got.Own(); len(got) != 6 || !slices.Equal(own, []string{"vlpx.adapter.bias"}) {
		t.Errorf("got %d tensors, %v of them our own; want 6 and vlpx.adapter.bias", len(got), own)
	}
}

// Variables of any sizes come back from a file, those that no rule names, too.
func TestWrittenIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.safetensors")
	tables := []Table{ALBEF("/model"), {Rest: "/model"}}
	rapid.Check(t, func(t *rapid.T) {
		size := func(name string) int { return rapid.IntRange(1, 4).Draw(t, name) }
		next := float32(0)
		fill := func(dims ...int) *tensors.Tensor {
			values := make([]float32, product(dims))
			for i := range values {
				next++
				values[i] = next
			}
			return tensors.FromFlatDataAndDimensions(values, dims...)
		}
		side, width := size("side"), size("width")
		want := Values{
			"/model/vision/patch/weights": fill(side*side*3, width), "/model/vision/position/embedding": fill(size("positions"), width),
			"/model/text/layer_10/attention/qkv/weights": fill(width, 3*width), "/model/text/layer_0/cross/kv/bias": fill(2 * width),
			"/model/temperature": tensors.FromScalar(float32(0.5)), "/model/vision/adapter/weights": fill(size("in"), size("out")),
		}
		published, err := want.Published(tables...)
		if err != nil {
			t.Fatal(err)
		}
		if err := published.Write(path); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path, tables...)
		if err != nil {
			t.Fatal(err)
		}
		for path, w := range want {
			if got[path] == nil || !got[path].Equal(w) {
				t.Errorf("%s: got %v, want %v", path, got[path], w)
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %d variables, want %d", len(got), len(want))
		}
	})
}

func TestPublishedRefuses(t *testing.T) {
	matrix := tensors.FromValue([][]float32{{1, 2, 3}})
	for want, values := range map[string]Values{
		"no rule names the variables /m/other, /n/other; add them": {"/m/other": matrix, "/n/other": matrix},
		"/m/layer_1/qkv: it is":                     {"/m/layer_1/qkv": matrix},
		"/m/patch: it has the shape [1 3], whose":   {"/m/patch": matrix},
		"/m/class: it has the shape [1], of 1 axes": {"/m/class": tensors.FromValue([]float32{1})},
	} {
		must.Fail(t, must.Err(values.Published(table)), want)
	}
	bits := Tensors{"bits": tensors.FromValue([]complex64{1})}
	path := filepath.Join(t.TempDir(), "bits")
	must.Fail(t, bits.Write(path), "tensor bits: values of type "+dtypes.Complex64.String(), "complex numbers")
	if _, err := os.Stat(path); err == nil {
		t.Error("a part of the file was written")
	}
	if err := (Tensors{}).Write(filepath.Join(t.TempDir(), "no", "folder")); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
