package eval_test

import (
	"context"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// What is written and filtered after training is what training writes and filters, of the same logits and draws.
func TestWritingAsInTraining(t *testing.T) {
	const masks, refills = 4, 8
	on := newBench(t).Subject
	k, vocab := on.Tokenizer, on.Tokenizer.Size()
	r := rand.New(rand.NewPCG(3, 4))
	backend := enginetest.PureGo(t)
	left, all := 0, 0
	for i := range 6 {
		ids := k.EncodeCaption(on.Set.Captions(i)[0], on.MaxLen)
		end := slices.Index(ids, k.SEP())
		drafts := objective.MaskPhrases(ids[1:end], nil, masks, 0.3, k.MASK(), objective.PhraseDraws{
			Uniform: r.Float64, Word: func() int32 { return r.Int32N(int32(vocab)) }, Shuffle: r.Shuffle,
		})
		var masked, words, annotated []int32
		for _, d := range drafts {
			masked = append(append(append(masked, ids[0]), d.IDs...), ids[end:]...)
			words = append(append(append(words, objective.Ignored), d.Labels...),
				slices.Repeat([]int32{objective.Ignored}, len(ids)-end)...)
		}
		for _, caption := range on.Set.Captions(i) { // as the trainer makes them
			of := k.EncodeCaption(caption, on.MaxLen)
			annotated = append(annotated, of[1:slices.Index(of, k.SEP())]...)
		}
		annotated = append(annotated, make([]int32, 5*on.MaxLen-len(annotated))...)
		logits, uniforms, draws := make([]float32, masks*on.MaxLen*vocab), make([]float64, masks*refills*on.MaxLen),
			make([]float32, masks*refills*on.MaxLen)
		for at := range logits { // [PAD], [SEP] and the words of captions are among the probable ones
			logits[at] = float32(r.NormFloat64())
			if word := int32(at % vocab); word < 5 || slices.Contains(annotated, word) {
				logits[at] += 3
			}
		}
		for at := range uniforms {
			draws[at] = r.Float32()
			uniforms[at] = float64(draws[at])
		}
		sentences, passed := eval.Refilled(on, refills, i, ids, drafts, logits, uniforms, 1.5)
		exec := must.Get(model.NewExec(backend, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			tags := negative.TAGS{Masks: masks, Refills: refills, Keep: 1, Temperature: 1.5}
			w := tags.Write(negative.Writer{
				Captions: in[0], Fields: field.Nodes{field.Drafts: in[1], field.DraftWords: in[2], field.Annotated: in[3],
					field.Refills: in[5]},
				Fill:  func(*Node) *Node { return in[4] },
				Score: func(ids *Node) *Node { return ReduceSum(ConvertDType(ids, dtypes.Float32), -1) },
			})
			return []*Node{w.Drafts.Sentences, w.Drafts.Passed}
		}))(t)
		of := func(x []int32, dims ...int) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(x, dims...) }
		results := must.Get(framework.Call(exec, of(ids, 1, on.MaxLen), of(masked, 1, masks, on.MaxLen), of(words, 1, masks, on.MaxLen),
			of(annotated, 1, len(annotated)),
			tensors.FromFlatDataAndDimensions(logits, masks, on.MaxLen, vocab),
			tensors.FromFlatDataAndDimensions(draws, 1, masks, refills, on.MaxLen)))(t)
		if got := slices.Concat(sentences...); !slices.Equal(got, tensors.MustCopyFlatData[int32](results[0])) {
			t.Errorf("image %d: got %v, in training %v", i, got, results[0])
		}
		for at, x := range tensors.MustCopyFlatData[float32](results[1]) {
			all++
			if passed[at] {
				left++
			}
			if passed[at] != (x == 1) {
				t.Errorf("image %d, %q of %q: passes %t, in training %g", i, k.Decode(sentences[at]), k.Decode(ids), passed[at], x)
			}
		}
		exec.Finalize()
	}
	if left == 0 || left == all {
		t.Errorf("%d of %d sentences pass; the case tells nothing", left, all)
	}
}

// dim is a set of which one image cannot be read.
type dim struct{ datasets.Set }

func (d dim) Image(ctx context.Context, i int) (image.Image, error) {
	if i == 3 {
		return nil, errors.New("three is dark")
	}
	return d.Set.Image(ctx, i)
}

func TestWritingRefuses(t *testing.T) {
	b := newBench(t)
	on, _, _ := newScribble(t, b)
	task := eval.Writing{Captions: 8, Masks: 2, Refills: 2, Temperatures: []float64{1.5}, Rate: 0.15}
	for _, spoil := range []func(*eval.Writing){
		func(w *eval.Writing) { w.Masks = 0 }, func(w *eval.Writing) { w.Refills = -1 }, func(w *eval.Writing) { w.Temperatures = nil },
		func(w *eval.Writing) { w.Temperatures = []float64{1, 0} }, func(w *eval.Writing) { w.Temperatures = []float64{math.NaN()} },
		func(w *eval.Writing) { w.Rate = 0 }, func(w *eval.Writing) { w.Rate = 1.1 }, func(w *eval.Writing) { w.Rate = math.NaN() },
	} {
		w := task
		spoil(&w)
		must.Fail(t, w.Check(on.Model.Framework(), on.Set), "use at least one of each, "+
			"all above 0", "%+v", w)
	}
	for _, w := range []eval.Writing{{Captions: -1}, {Retrieved: -1}} {
		w.Masks, w.Refills, w.Temperatures, w.Rate = 2, 2, []float64{1}, 0.1
		must.Fail(t, w.Check(on.Model.Framework(), on.Set), "neither is below 0", "%+v", w)
	}
	must.Fail(t, task.Check(waves{}, on.Set), "which Waves does not predict", "a framework that fills nothing")
	must.Fail(t, task.Check(on.Model.Framework(), datasets.Uncaptioned(on.Set)), "has none", "a set without captions")
	merges := filepath.Join(t.TempDir(), "merges.txt")
	must.Do(t, os.WriteFile(merges, []byte("#version: 0.2\nr e\nre d</w>\n"), 0o644))
	maskless := on
	maskless.Tokenizer = must.Get(text.FromMerges(merges))(t)
	if _, err := task.Measure(t.Context(), maskless); err == nil || !strings.Contains(err.Error(), "has no token for that") {
		t.Errorf("a vocabulary without [MASK]: got %v", err)
	}
	dark := on
	dark.Set = dim{on.Set}
	must.Fail(t, must.Err(task.Measure(t.Context(), dark)), "three is dark", "an image that cannot be read")
	var skipped []int
	dark.Accept = func(s loader.Skip) error {
		skipped = append(skipped, s.Image)
		return nil
	}
	if got, err := task.Measure(t.Context(), dark); err != nil || len(eval.Sentences.Of(got.Examples)) != 8 ||
		!slices.Equal(skipped, []int{3}) {
		t.Errorf("accepted: got %d sentences (%v), asked of %v", len(eval.Sentences.Of(got.Examples)), err, skipped)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := task.Measure(cancelled, on); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: got %v", err)
	}
}
