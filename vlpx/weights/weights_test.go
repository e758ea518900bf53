package weights

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// tensor is one of a file's: its shape, and the values 0, 1, 2, ... from a first one on.
type tensor struct {
	shape []int
	first float64
}

// write makes a safetensors file.
func write(t *testing.T, content map[string]tensor) string {
	t.Helper()
	return save(t, encode(t, content))
}

func save(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.safetensors")
	must.Do(t, os.WriteFile(path, content, 0o600))
	return path
}

// encode are the bytes of a safetensors file in float64.
func encode(t testing.TB, content map[string]tensor) []byte {
	t.Helper()
	header := map[string]any{"__metadata__": map[string]string{"format": "pt"}}
	var bytes []byte
	for name, x := range content {
		begin, size := len(bytes), 1
		for _, d := range x.shape {
			size *= d
		}
		for i := range size {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x.first+float64(i)))
		}
		header[name] = map[string]any{"dtype": "F64", "shape": x.shape, "data_offsets": []int{begin, len(bytes)}}
	}
	text := must.Get(json.Marshal(header))(t)
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), append(text, bytes...)...)
}

var table = Table{
	Rules: []Rule{
		{"/m/layer_#/qkv", Linear, []string{"layer.#.q", "layer.#.k"}},
		{"/m/patch", Patches, []string{"patch"}},
		{"/m/class", Learned, []string{"class"}},
		{"/m/norm", Same, []string{"norm.weight"}},
	},
	Ignored: []string{"head"},
	Renamed: map[string]string{"norm.gamma": "norm.weight"},
}

// Every value tells where it stood. The layers' numbers may have several digits.
func TestReadByHand(t *testing.T) {
	path := write(t, map[string]tensor{
		"layer.12.q": {[]int{2, 3}, 0}, "layer.12.k": {[]int{2, 3}, 10}, "patch": {[]int{2, 1, 2, 3}, 0}, "class": {[]int{1, 2, 2}, 5},
		"norm.gamma": {[]int{2}, 7}, "head": {[]int{1}, 0},
	})
	got := must.Get(Read(path, table))(t)
	for name, want := range map[string]struct {
		dims   []int
		values []float64
	}{
		"/m/layer_12/qkv": {[]int{3, 4}, []float64{0, 3, 10, 13, 1, 4, 11, 14, 2, 5, 12, 15}},
		"/m/patch":        {[]int{6, 2}, []float64{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11}},
		"/m/class":        {[]int{2, 2}, []float64{5, 6, 7, 8}},
		"/m/norm":         {[]int{2}, []float64{7, 8}},
	} {
		if got[name] == nil {
			t.Errorf("no variable %s", name)
			continue
		}
		values := tensors.MustCopyFlatData[float64](got[name])
		if !slices.Equal(got[name].Shape().Dimensions, want.dims) || !slices.Equal(values, want.values) {
			t.Errorf("%s: got %s %v, want %v %v", name, got[name].Shape(), values, want.dims, want.values)
		}
	}
	if len(got) != 4 {
		t.Errorf("got %d variables, want 4", len(got))
	}
}

// Channels come last in our patches, as in our pixels.
func TestPatchesHaveChannelsLast(t *testing.T) {
	got := must.Get(Read(write(t, map[string]tensor{"patch": {[]int{1, 3, 1, 2}, 0}}), table))(t)
	if values, want := tensors.MustCopyFlatData[float64](got["/m/patch"]), []float64{0, 2, 4, 1, 3, 5}; !slices.Equal(values, want) {
		t.Errorf("got %v, want %v", values, want)
	}
}

func TestReadRefuses(t *testing.T) {
	whole := encode(t, map[string]tensor{"patch": {[]int{1, 3, 1, 2}, 0}})
	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"):                               "no such file",
		save(t, nil):                                                     "no safetensors file",
		save(t, []byte("some text, but no model")):                       "no safetensors file",
		save(t, whole[:len(whole)-1]):                                    "cut off",
		save(t, []byte(strings.Replace(string(whole), "48]", "56]", 1))): "cut off",
		save(t, []byte(strings.Replace(string(whole), "F64", "Q64", 1))): `values of type "Q64" cannot be read`,
		write(t,
			map[string]tensor{"layer.0.q": {[]int{2, 2},
				0}}): "variable /m/layer_0/qkv: there is no tensor layer.0.k",
		write(t, map[string]tensor{"layer.0.q": {[]int{2, 2}, 0}, "layer.0.k": {[]int{2, 3}, 0}}): "do not stand side by side",
		write(t, map[string]tensor{"other": {[]int{1}, 0}}):                                       "no rule for tensor other",
		write(t, map[string]tensor{"patch": {[]int{1, 3}, 0}}):                                    "of 2 axes; want 4",
	} {
		must.Fail(t, must.Err(Read(path, table)), want)
	}
}

func TestPut(t *testing.T) {
	store := model.NewStore()
	values := Values{"/m/a": tensors.FromValue([]float64{1.5, 2}), "/m/b": tensors.FromValue([]float32{3})}
	must.Do(t, values.Put(store, dtypes.Float32))
	if got := tensors.MustCopyFlatData[float32](store.GetVariable("/m/a").MustValue()); !slices.Equal(got, []float32{1.5, 2}) {
		t.Errorf("got %v", got)
	}
	for name, spoilt := range map[string]Values{
		"the model has": {"/m/a": tensors.FromValue([]float64{1, 2, 3})},
		"cannot become": {"/m/a": tensors.FromValue([]int32{1, 2})},
	} {
		if err := spoilt.Put(store, dtypes.Float32); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(),
			"/m/a") {
			t.Errorf("got error %v, want one that says %q", err, name)
		}
	}
	if err := Missing(store, "/m"); err != nil {
		t.Error(err)
	}
}

// Rows of 0, 1, 2 and 3 at twice the size: row 3 lies at 1.25, where the cubic with a = -0.75 weighs the four rows by -0.10546875,
// 0.87890625, 0.26171875 and -0.03515625. The class token is left alone.
func TestPositions(t *testing.T) {
	ramp := []float64{-9}
	for y := range 4 {
		for range 4 {
			ramp = append(ramp, float64(y))
		}
	}
	got := must.Get(Positions(tensors.FromFlatDataAndDimensions(ramp, 17, 1), 8))(t)
	values := tensors.MustCopyFlatData[float64](got)
	if values[0] != -9 || len(values) != 65 {
		t.Fatalf("got %d positions, the class token's %v; want 65 and -9", len(values), values[0])
	}
	for x := range 8 {
		if above, below := values[1+3*8+x], values[1+4*8+x]; math.Abs(above-1.296875) > 1e-12 || math.Abs(below-1.703125) > 1e-12 {
			t.Errorf("column %d: got %v and %v, want 1.296875 and 1.703125", x, above, below)
		}
	}
	same := tensors.FromFlatDataAndDimensions(ramp, 17, 1)
	if got, err := Positions(same, 4); err != nil || got != same {
		t.Errorf("to their own grid: got %v, %v; want them as they are", got, err)
	}
	for _, spoilt := range []*tensors.Tensor{tensors.FromValue([]float64{1, 2}), tensors.FromFlatDataAndDimensions(ramp[:16], 16, 1)} {
		if _, err := Positions(spoilt, 2); err == nil {
			t.Errorf("%s: no error", spoilt.Shape())
		}
	}
}

// FuzzRead reads what is no model, or a damaged one: an error, or tensors whose values fill their shapes.
func FuzzRead(f *testing.F) {
	whole := encode(f, map[string]tensor{"layer.0.q": {[]int{2, 3}, 0}, "layer.0.k": {[]int{2, 3}, 10}, "patch": {[]int{2, 1, 2, 3}, 0}})
	f.Add(whole)
	f.Add(whole[:len(whole)-1])
	f.Add([]byte(strings.Replace(string(whole), "F64", "I32", 1)))
	f.Add([]byte(strings.Replace(string(whole), "F64", "I4", 1)))
	path := filepath.Join(f.TempDir(), "model.safetensors")
	f.Fuzz(func(t *testing.T, content []byte) {
		must.Do(t, os.WriteFile(path, content, 0o600))
		values, err := Read(path, table)
		if err != nil {
			return
		}
		for path, x := range values {
			if got, want := x.ByteSize(), int64(x.Shape().Size()*x.DType().Size()); got != want {
				t.Errorf("%s: %s of %d bytes, want %d", path, x.Shape(), got, want)
			}
		}
	})
}
