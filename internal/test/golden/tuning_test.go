package golden_test

import (
	"encoding/json"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// A case of the published configuration `distill: false` is made of the one that distils, by a slow loop over METHODS.md 15.3 whose
// derivatives are exact: those of an imaginary step.
func TestPositivesWithoutDistillation(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/albef_retrieval_itc_multi_positive.json"))(t)
	distilled := must.Get(golden.Parse("distilled", strings.NewReader(string(text))))(t)
	var whole map[string]any
	must.Do(t, json.Unmarshal(text, &whole))
	inputs := map[string][]complex128{}
	for _, name := range []string{"image_cls", "text_cls", "temp", "image_cls_m", "text_cls_m", "image_queue", "text_queue"} {
		for _, x := range distilled.Tensor("inputs", name).Float {
			inputs[name] = append(inputs[name], complex(x, 0))
		}
	}
	items, queued := distilled.Ints("inputs", "idx"), distilled.Ints("inputs", "idx_queue")
	read(t, distilled)
	dim := len(inputs["image_cls"]) / len(items)

	loss := func() complex128 { return slowPositives(inputs, items, queued) }
	expected := whole["expected"].(map[string]any)
	put := func(in map[string]any, name string, values any) { in[name].(map[string]any)["data"] = values }
	whole["params"].(map[string]any)["distill"] = false
	put(expected, "loss_ita", real(loss()))
	for _, name := range []string{"image_cls", "text_cls", "temp"} {
		var flat []float64
		for i, x := range inputs[name] {
			const step = 1e-30
			inputs[name][i] = complex(real(x), step)
			flat = append(flat, imag(loss())/step)
			inputs[name][i] = x
		}
		if name == "temp" {
			put(expected["grad"].(map[string]any), name, flat[0])
			continue
		}
		var rows [][]float64
		for at := 0; at < len(flat); at += dim {
			rows = append(rows, flat[at:at+dim])
		}
		put(expected["grad"].(map[string]any), name, rows)
	}
	delete(expected, "sim_i2t_targets")
	delete(expected, "sim_t2i_targets")
	changed := must.Get(json.Marshal(whole))(t)
	c := must.Get(golden.Parse("without distillation", strings.NewReader(string(changed))))(t)
	checkPositives(t, c)
}

// slowPositives is ITC whose targets are the candidates of the anchor's item alone, those of the batch and of the queue.
func slowPositives(inputs map[string][]complex128, items, queued []int) complex128 {
	dim := len(inputs["image_cls"]) / len(items)
	side := func(anchors, keys, queue string) (sum complex128) {
		for i, item := range items {
			u := slowUnit(inputs[anchors][i*dim : (i+1)*dim])
			var total, positive complex128
			positives := 0
			for j, candidate := range append(items[:len(items):len(items)], queued...) {
				key := make([]complex128, dim)
				if j < len(items) {
					key = slowUnit(inputs[keys][j*dim : (j+1)*dim])
				} else {
					for d := range key {
						key[d] = inputs[queue][d*len(queued)+j-len(items)]
					}
				}
				var z complex128
				for d := range key {
					z += u[d] * key[d] / inputs["temp"][0]
				}
				total += cmplx.Exp(z)
				if candidate == item {
					positive += z
					positives++
				}
			}
			sum += (cmplx.Log(total) - positive/complex(float64(positives), 0)) / complex(float64(len(items)), 0)
		}
		return sum
	}
	return (side("image_cls", "text_cls_m", "text_queue") + side("text_cls", "image_cls_m", "image_queue")) / 2
}

// The whole step without distillation has ITC's slow loss by the embeddings that it gives, those of the momentum model, which are in
// the queue afterwards, and the queue as it was.
func TestRetrievalStepWithoutDistillation(t *testing.T) {
	c := must.Get(golden.Read(filepath.FromSlash("testdata/models/albef_retrieval_step/case.json")))(t)
	backend := enginetest.PureGo(t)
	method := retrievalTuning(c)
	contrast := method.Contrast.(negative.Distilled)
	contrast.Alpha = 0
	method.Contrast = contrast
	l := newRetrievalLearner(machine{backend, dtypes.Float64}, c, method)
	store := l.store(t)
	state := func(name string) []float64 {
		return numbers(t, store.GetVariable(framework.State+"/"+name).MustValue())
	}
	batch, dim, length := l.config.BatchSize, framework.Dim(l.model), contrast.Queue
	inputs := map[string][]complex128{}
	put := func(name string, x []float64) {
		for _, v := range x {
			inputs[name] = append(inputs[name], complex(v, 0))
		}
	}
	for _, side := range []string{"image", "text"} {
		put(side+"_queue", transposed(state(side+"/queue"), length, dim))
	}
	var queued []int
	for _, item := range state("item/queue") {
		queued = append(queued, int(item))
	}
	block := int(state("image/pointer")[0])
	got := l.steps(t, store)(l.minibatch(t, "inputs"))
	put("image_cls", got.image)
	put("text_cls", got.text)
	put("temp", []float64{got.temperature})
	for _, side := range []string{"image", "text"} {
		put(side+"_cls_m", state(side + "/queue")[block*batch*dim:(block+1)*batch*dim])
	}
	items, distilled := c.Ints("inputs", "idx"), c.Float("expected", "loss_ita")
	read(t, c)
	if want := real(slowPositives(inputs, items, queued)); math.Abs(got.itc-want) > exact || math.Abs(want-distilled) < 1e-3 {
		t.Errorf("ITC: got %v, want %v, and not %v as with distillation", got.itc, want, distilled)
	}
}

func slowUnit(x []complex128) []complex128 {
	var square complex128
	for _, v := range x {
		square += v * v
	}
	unit := make([]complex128, len(x))
	for d, v := range x {
		unit[d] = v / cmplx.Sqrt(square)
	}
	return unit
}
