package export

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/weights"
)

// torch is a Python that has PyTorch, Debian's first. Without one the test is skipped unless $VLPX_REQUIRE, a list with commas, names
// torch.
func torch(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)").Run() == nil {
			return python
		}
	}
	if slices.Contains(strings.Split(os.Getenv("VLPX_REQUIRE"), ","), "torch") {
		t.Fatal("VLPX_REQUIRE names torch, but no python3 has it")
	}
	t.Skip("no python3 with PyTorch; install python3-torch")
	return ""
}

// printed is what a program of testdata prints about folders and files of inputs: a value of JSON for each pair.
func printed(t *testing.T, program string, arguments []string) *json.Decoder {
	t.Helper()
	var complaint bytes.Buffer
	script := exec.CommandContext(t.Context(), torch(t), append([]string{"-B", filepath.Join("testdata", program)}, arguments...)...)
	script.Stderr = &complaint
	lines, err := script.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaint.String())
	}
	return json.NewDecoder(bytes.NewReader(lines))
}

// written writes a mini-batch to a file of inputs.
func written(t *testing.T, batch any) string {
	t.Helper()
	inputs := must.Get(json.Marshal(batch))(t)
	path := filepath.Join(t.TempDir(), "inputs.json")
	must.Do(t, os.WriteFile(path, inputs, 0o644))
	return path
}

// drawImage draws pixels [side, side, 3].
func drawImage(draw *rand.Rand, side int) [][][]float32 {
	image := make([][][]float32, side)
	for y := range image {
		image[y] = make([][]float32, side)
		for x := range image[y] {
			image[y][x] = []float32{float32(draw.NormFloat64()), float32(draw.NormFloat64()), float32(draw.NormFloat64())}
		}
	}
	return image
}

// stored is a store with the weights of a run's export.
func stored(t *testing.T, r run.Run, dir string) *model.Store {
	t.Helper()
	store := model.NewStore()
	values, err := weights.Read(filepath.Join(dir, WeightsName), table(t, r))
	if err == nil {
		err = values.Put(store, dtypes.Float32)
	}
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// batch is a mini-batch as testdata/albef.py takes it.
type batch struct {
	Pixels [][][][]float32 `json:"pixels"`
	IDs    [][]int32       `json:"ids"`
	Masked [][]int32       `json:"masked"`
	Labels [][]int32       `json:"labels"`
	Pairs  struct {
		Images []int32 `json:"images"`
		Texts  []int32 `json:"texts"`
		Labels []int32 `json:"labels"`
	} `json:"pairs"`
}

// drawBatch draws a mini-batch of captions of all lengths, half of whose words are masked.
func drawBatch(r run.Run, size int) batch {
	draw := rand.New(rand.NewPCG(3, 4))
	side, vocab := r.Train.Transform.Size, int32(r.Train.Framework.Framework.(albef.Model).Text.Vocab)
	var b batch
	for row := range size {
		image := drawImage(draw, side)
		ids, masked, labels := make([]int32, r.Train.MaxLen), make([]int32, r.Train.MaxLen), make([]int32, r.Train.MaxLen)
		for i := range ids {
			labels[i] = objective.Ignored
			if i < 3+row { // what is left is padding
				ids[i] = 1 + draw.Int32N(vocab-1)
				masked[i] = ids[i]
				if i > 0 && draw.IntN(2) == 0 {
					masked[i], labels[i] = 4, ids[i]
				}
			}
		}
		b.Pixels, b.IDs = append(b.Pixels, image), append(b.IDs, ids)
		b.Masked, b.Labels = append(b.Masked, masked), append(b.Labels, labels)
	}
	return b
}

// losses are those of InfoNCE on a mini-batch, by the weights of an export; ITM's pairs go into the batch.
func losses(t *testing.T, r run.Run, dir string, b *batch) map[string]float64 {
	t.Helper()
	on, store, a := enginetest.PureGo(t), stored(t, r, dir), r.Train.Framework.Framework.(albef.Model)
	step := must.Get(model.NewExec(on, store, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		g := in[0].Graph()
		told := a.Step(s.Store().RootScope(), framework.Use{Method: negative.Plain()}, field.Nodes{
			field.Image: in[0], field.Captions: in[1], field.Masked: in[2], field.Words: in[3],
			field.Progress: ScalarZero(g, dtypes.Float32),
			field.Noise:    Zeros(g, shapes.Make(dtypes.Float32, 2, 1, 1)), // the hardest negatives are not drawn
		})
		images, texts := told.Outputs[field.HardestImages], told.Outputs[field.HardestTexts]
		own := Iota(g, images.Shape(), 0)
		return []*Node{told.Losses[negative.ITC], told.Losses[negative.ITM], told.Losses[negative.MLM],
			Concatenate([]*Node{own, images, own}, 0),
			Concatenate([]*Node{own, own, texts}, 0), Concatenate([]*Node{OnesLike(own), ZerosLike(own), ZerosLike(own)}, 0)}
	}))(t)
	defer step.Finalize()
	out := must.Get(framework.Call(step, tensors.FromValue(b.Pixels), tensors.FromValue(b.IDs), tensors.FromValue(b.Masked),
		tensors.FromValue(b.Labels)))(t)
	defer framework.Release(out)
	for i, rows := range []*[]int32{&b.Pairs.Images, &b.Pairs.Texts, &b.Pairs.Labels} {
		*rows = tensors.MustCopyFlatData[int32](out[3+i])
	}
	told := map[string]float64{}
	for i, name := range []string{"ITC", "ITM", "MLM"} {
		told[name] = float64(tensors.ToScalar[float32](out[i]))
	}
	return told
}

// ALBEF in PyTorch, which names its modules as the published code does and reads every size from config.json, loads exports strictly
// and gives our losses.
func TestPyTorch(t *testing.T) {
	var arguments []string
	cases := []struct {
		name              string
		trained, meanPool bool
	}{{"class token", false, false}, {"mean of tokens", false, true}, {"trained", true, false}}
	var want []map[string]float64
	for _, c := range cases {
		r, tokenizer := small(t)
		change(&r, func(a *albef.Model) { a.MeanPool = c.meanPool })
		kept, m := drawn(t, r, tokenizer)
		if c.trained {
			kept, m = made(t, r)
		}
		dir := exported(t, kept, m)
		b := drawBatch(r, 5)
		want = append(want, losses(t, r, dir, &b))
		arguments = append(arguments, dir, written(t, b))
	}
	lines := printed(t, "albef.py", arguments)
	for i, c := range cases {
		var got map[string]float64
		must.Do(t, lines.Decode(&got))
		t.Logf("%s: ours %v, PyTorch's %v", c.name, want[i], got)
		for name, w := range want[i] {
			if g, told := got[name]; !told || !(math.Abs(g-w) <= 1e-5) {
				t.Errorf("%s, %s: PyTorch gets %v, we %v", c.name, name, g, w)
			}
		}
	}
}
