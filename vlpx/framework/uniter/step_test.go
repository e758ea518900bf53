package uniter

import (
	"math"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

func small() Model {
	return Model{
		Text:    encoder.BERT{Vocab: 12, Positions: 9, Width: 12, Heads: 2, MLP: 24, Layers: 2},
		Regions: encoder.Regions{Count: 3, Features: 5}, Margin: 0.2,
	}
}

// writing is TAGS-DC with few sentences.
func writing() negative.Method {
	return negative.Method{
		Name: "TAGS-DC", Matching: negative.Retrieved{Pool: 4, Keep: 2},
		Writing: negative.TAGS{Masks: 2, Refills: 3, Keep: 2, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 1e-3, WoD: 1e-3, WoC: 1e-3},
	}.WithDefaults()
}

func use(m negative.Method) framework.Use {
	return framework.Use{Method: m, Batch: 3, Image: 32, Tokens: 6}
}

func backend(t *testing.T) compute.Backend {
	t.Helper()
	b, err := gobackend.New("ops_sequential")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// values are some of the fields that a step reads: captions of which the second and third are of one image, and drafts that mask their
// second word.
func values(fields []field.Field) field.Values {
	captions := []int32{2, 5, 6, 3, 0, 0, 2, 7, 8, 9, 3, 0, 2, 10, 8, 3, 0, 0}
	in := field.Values{}
	for _, f := range fields {
		n := f.Shape.Size()
		wholes, reals := make([]int32, n), make([]float32, n)
		for k := range n {
			reals[k] = float32(math.Mod(float64(k+1)*0.61803, 1))
			switch f.Name {
			case field.Captions, field.Masked:
				wholes[k] = captions[k]
			case field.Words:
				wholes[k] = -100
			case field.PoolCaptions:
				wholes[k] = captions[(k+6)%18]
			case field.Items:
				wholes[k] = []int32{0, 1, 1}[k]
			case field.PoolItems:
				wholes[k] = []int32{1, 1, 0, 2}[k]
			case field.Drafts:
				if wholes[k] = captions[k/12*6+k%6]; k%6 == 2 {
					wholes[k] = 4
				}
			case field.DraftWords:
				if wholes[k] = -100; k%6 == 2 {
					wholes[k] = captions[k/12*6+2]
				}
			case field.Annotated:
				if at := k % 30; at < 6 {
					wholes[k] = captions[k/30*6+at]
				}
			}
			if f.Name == field.Image || f.Name == field.PoolImages {
				if at := k % (3 * 13); at%13 == 12 {
					reals[k] = map[bool]float32{true: 1}[at/13 < 2+k%2]
				}
			}
		}
		if f.Shape.DType.IsInt() {
			in[f.Name] = tensors.FromFlatDataAndDimensions(wholes, f.Shape.Dimensions...)
		} else {
			in[f.Name] = tensors.FromFlatDataAndDimensions(reals, f.Shape.Dimensions...)
		}
	}
	return in
}

// ran makes a step of a model with first weights, and its gradients.
func ran(t *testing.T, m Model, u framework.Use) (losses map[negative.Loss]float64, gradients map[string]float64, outputs map[field.Name][]float64) {
	t.Helper()
	on, store := backend(t), model.NewStore()
	if err := framework.Check(m, u); err != nil {
		t.Fatal(err)
	}
	if err := framework.Initialise(m, u, on, store, negative.Start{Pairs: 9, BatchSize: 3, Dim: 1, Epochs: 1, Seed: 3}); err != nil {
		t.Fatal(err)
	}
	fields := m.Inputs(u)
	in := values(fields)
	var names []negative.Loss
	var told []field.Name
	var paths []string
	exec, err := model.NewExec(on, store, func(s *model.Scope, args []*Node) []*Node {
		nodes := field.Nodes{}
		for k, f := range fields {
			nodes[f.Name] = args[k]
		}
		of := m.Step(s, u, nodes)
		var out []*Node
		for _, name := range m.Losses() {
			if of.Losses[name] != nil {
				names, out = append(names, name), append(out, of.Losses[name])
			}
		}
		for name, node := range of.Outputs {
			told, out = append(told, name), append(out, ConvertDType(node, of.Losses[negative.ITM].DType()))
		}
		loss := of.Of(m, negative.All)
		var weights []*Node
		for v := range store.Scope(framework.Model).IterVariables() {
			if v.InUseByGraph(loss.Graph()) {
				paths, weights = append(paths, v.Path()), append(weights, v.NodeValue(loss.Graph()))
			}
		}
		for _, d := range Gradient(loss, weights...) {
			out = append(out, ReduceAllSum(Abs(d)))
		}
		return out
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	args := make([]any, len(fields))
	for k, f := range fields {
		args[k] = in[f.Name]
	}
	results, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	losses, gradients, outputs = map[negative.Loss]float64{}, map[string]float64{}, map[field.Name][]float64{}
	for k, name := range names {
		losses[name] = float64(tensors.ToScalar[float32](results[k]))
	}
	for k, name := range told {
		for _, x := range tensors.MustCopyFlatData[float32](results[len(names)+k]) {
			outputs[name] = append(outputs[name], float64(x))
		}
	}
	for k, path := range paths {
		gradients[path] = float64(tensors.ToScalar[float32](results[len(names)+len(told)+k]))
	}
	return losses, gradients, outputs
}

func TestStep(t *testing.T) {
	losses, gradients, outputs := ran(t, small(), use(writing()))
	t.Log(losses, outputs, gradients)
}
