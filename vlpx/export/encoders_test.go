//go:build (linux || darwin) && cgo && (amd64 || arm64)

package export

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	onnxbackend "github.com/gomlx/compute-onnx"
	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/run"
)

// callONNX runs a model of ONNX on rows, one a call.
func callONNX[T any](t *testing.T, on compute.Backend, content []byte, rows []T) [][]float32 {
	t.Helper()
	program := must.Get(onnxbackend.LoadModel(on, bytes.NewReader(content)))(t)
	defer program.Finalize()
	var all [][]float32
	for _, row := range rows {
		in := must.Get(tensors.FromAnyValue([]T{row}))(t)
		buffer := must.Get(in.Buffer(on, 0))(t)
		out := must.Get(program.Execute([]compute.Buffer{buffer}, []bool{false}, 0))(t)
		all = append(all, must.Get(tensors.FromBuffer(out[0]))(t).Value().([][]float32)...)
	}
	return all
}

// The encoders in ONNX give ONNX Runtime, which reads them as files of anybody's, the embeddings of pure Go, whatever the image tower, and
// the card says what they take.
func TestEncodersInONNX(t *testing.T) {
	on := enginetest.Open(t, "onnx:cpu")
	tried := map[string]func() run.Run{"ALBEF": func() run.Run { r, _ := small(t); return r }}
	for how := range clips(1) {
		tried["CLIP, "+how] = func() run.Run { r, _ := smallCLIP(t, how); return r }
	}
	for name, made := range tried {
		t.Run(name, func(t *testing.T) {
			r := made()
			tokenizer := must.Get(r.Vocabulary.Tokenizer(must.Get(r.Data.Open())(t)))(t)
			kept, m := drawn(t, r, tokenizer)
			dir := filepath.Join(t.TempDir(), "exported")
			must.Do(t, Write(dir, kept, m, must.Get(Encoders(on, kept, m))(t)...))
			_, want := prepare(t, r, tokenizer, dir)
			for file, sides := range map[string][2][][]float32{
				ImageONNXName: {want.Image, callONNX(t, on, must.Get(os.ReadFile(filepath.Join(dir, ImageONNXName)))(t), want.Pixels)},
				TextONNXName:  {want.Text, callONNX(t, on, must.Get(os.ReadFile(filepath.Join(dir, TextONNXName)))(t), want.IDs)},
			} {
				for i, x := range slices.Concat(sides[1]...) {
					if w := slices.Concat(sides[0]...)[i]; !(math.Abs(float64(x-w)) <= 1e-5) {
						t.Fatalf("%s, value %d: ONNX Runtime gets %v, we %v", file, i, x, w)
					}
				}
			}
			card := string(must.Get(os.ReadFile(filepath.Join(dir, CardName)))(t))
			for _, told := range []string{fmt.Sprintf("`image.onnx` takes `image` float32 [1, %[1]d, %[1]d, 3]", r.Train.Transform.Size),
				fmt.Sprintf("`text.onnx` takes `captions` int32 [1, %d]", r.Train.MaxLen)} {
				if !strings.Contains(card, told) {
					t.Errorf("the card has no %q", told)
				}
			}
			must.Do(t, Write(dir, kept, m)) // an export with encoders is replaced as any other
			if _, err := os.Stat(filepath.Join(dir, TextONNXName)); err == nil {
				t.Error("the earlier encoders are still there")
			}
		})
	}
}

// Without ONNX Runtime as the engine, and of a model that is not all there, nothing is written, and why is said.
func TestEncodersThatCannotBe(t *testing.T) {
	r, tokenizer := small(t)
	kept, m := drawn(t, r, tokenizer)
	_, err := Encoders(enginetest.PureGo(t), kept, m)
	if err == nil || !strings.Contains(err.Error(), "onnx:cpu") || !strings.Contains(err.Error(), kept.ID) {
		t.Errorf("got %v, want the engine that it takes", err)
	}
	kept.Run.Locked = &locked.Encoder{}
	if _, err := Encoders(enginetest.PureGo(t), kept, m); err == nil || !strings.Contains(err.Error(), "leave -onnx out") {
		t.Errorf("got %v, want what to do", err)
	}
}
