package embedding

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/weights"
)

// few are two pictures of two vectors and a text.
func few() *Set {
	return &Set{
		Model: "A", ID: "abc", Dim: 2, Vectors: 2, Images: []string{"a.png", "b \"c\".png"}, Texts: []string{"a\nb"},
		OfImages: []float32{1, 0, 0, 1, -1, 0, .6, .8}, OfTexts: []float32{.8, .6},
	}
}

func TestNearest(t *testing.T) {
	want := []Hit{{1, "b \"c\".png", .96}, {0, "a.png", .8}}
	got := few().Nearest([]float32{.8, .6})
	for k := range want {
		if got[k].Path != want[k].Path || got[k].Image != want[k].Image || got[k].Cosine-want[k].Cosine > 1e-6 ||
			want[k].Cosine-got[k].Cosine > 1e-6 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	all := filepath.Join(dir, "all.safetensors")
	must.Do(t, few().Write(all))
	if got := must.Get(Read(all))(t); !reflect.DeepEqual(got, few()) {
		t.Errorf("got %+v, want %+v", got, few())
	}
	before := must.Get(os.ReadFile(all))(t)
	must.Fail(t, few().Write(all), "all.safetensors is there; name another file")
	if !reflect.DeepEqual(must.Get(os.ReadFile(all))(t), before) {
		t.Error("a file that is there was changed")
	}
	both := filepath.Join(dir, "both.npy")
	must.Fail(t, few().Write(both), "room for one matrix")
	must.Fail(t, few().Write(filepath.Join(dir, "a.csv")), "ends neither in .npy")
	must.Fail(t, few().Write(filepath.Join(dir, "no", "such.safetensors")), "no such file")
	if left := must.Get(os.ReadDir(dir))(t); len(left) != 1 {
		t.Errorf("left %v, want one file", left)
	}
	images, texts := few(), few()
	images.Texts, texts.Images = nil, nil
	for name, c := range map[string]struct {
		set   *Set
		shape []int
		want  []float32
	}{"images.NPY": {images, []int{2, 2, 2}, few().OfImages}, "texts.npy": {texts, []int{1, 2}, few().OfTexts}} {
		must.Do(t, c.set.Write(filepath.Join(dir, name)))
		got := must.Get(numpy.FromNpyFile(filepath.Join(dir, name)))(t)
		if values := must.Get(tensors.CopyFlatData[float32](got))(t); !reflect.DeepEqual(got.Shape().Dimensions, c.shape) ||
			!reflect.DeepEqual(values, c.want) {
			t.Errorf("%s: got %s, %v", name, got.Shape(), values)
		}
	}
	must.Fail(t, must.Err(Read(filepath.Join(dir, "texts.npy"))), "does not know which pictures")
}

// A file that does not hold together is refused.
func TestReadMistakes(t *testing.T) {
	matrix := func(dims ...int) *tensors.Tensor {
		size := 1
		for _, d := range dims {
			size *= d
		}
		return tensors.FromFlatDataAndDimensions(make([]float32, size), dims...)
	}
	for _, c := range []struct {
		tensors  weights.Tensors
		metadata map[string]string
		want     string
	}{
		{weights.Tensors{}, nil, "does not name the model"},
		{weights.Tensors{}, map[string]string{id: "a"}, "the names of its images"},
		{weights.Tensors{}, map[string]string{id: "a", images: `["a"]`, texts: "[]"}, "no tensor of them"},
		{weights.Tensors{images: matrix(2, 3)}, map[string]string{id: "a", images: `["a"]`, texts: "[]"}, "does not fit 1 names"},
		{weights.Tensors{images: matrix(1)}, map[string]string{id: "a", images: `["a"]`, texts: "[]"}, "does not fit 1 names"},
		{weights.Tensors{images: matrix(1, 3), texts: matrix(1, 2)}, map[string]string{id: "a", images: `["a"]`, texts: `["b"]`},
			"the tensor texts is"},
		{weights.Tensors{images: matrix(1, 3), texts: matrix(1, 1, 3)}, map[string]string{id: "a", images: `["a"]`, texts: `["b"]`},
			"the tensor texts is"},
		{weights.Tensors{images: tensors.FromFlatDataAndDimensions([]int32{1}, 1, 1)},
			map[string]string{id: "a", images: `["a"]`, texts: "[]"}, "embed them again"},
	} {
		path := filepath.Join(t.TempDir(), "a.safetensors")
		file := must.Get(os.Create(path))(t)
		must.Do(t, c.tensors.Encode(file, c.metadata))
		must.Do(t, file.Close())
		must.Fail(t, must.Err(Read(path)), c.want, "%v", c.metadata)
	}
	must.Fail(t, must.Err(Read(filepath.Join(t.TempDir(), "a.safetensors"))), "no such file")
}
