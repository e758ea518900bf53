package eval_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
)

// waves scores a pair by the sine of Frequency times the image's mean pixel times the sum of the caption's ids: it has no weights, and
// embeds nothing.
type waves struct {
	Size      int
	Frequency float64
}

func (waves) Name() string                     { return "Waves" }
func (waves) Check(framework.Use) error        { return nil }
func (waves) Losses() []negative.Loss          { return []negative.Loss{negative.ITM} }
func (w waves) wave(mean, ids float64) float64 { return math.Sin(w.Frequency * mean * ids) }

func (w waves) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions), u.Images(field.Image, w.Size, w.Size, 3))
}

func (waves) Step(*model.Scope, framework.Use, field.Nodes) framework.Forward {
	panic("waves are not trained")
}

func (w waves) Score(_ *model.Scope, ids, images *Node) *Node {
	ids = ConvertDType(ids, images.DType())
	return Sin(MulScalar(Mul(ReduceMean(images, 1, 2, 3), ReduceSum(ids, 1)), w.Frequency))
}

// newWaves is the subject of a bench by waves, with the score of every pair in float64, [images, captions].
func newWaves(t *testing.T, b *bench, frequency float64) (eval.Subject, eval.Scores) {
	t.Helper()
	w, on := waves{b.Size, frequency}, b.Subject
	use := framework.Use{Method: negative.Plain(), Batch: 2, Image: b.Size, Tokens: b.MaxLen}
	on.Model = must.Get(framework.NewInference(w, use, enginetest.PureGo(t), model.NewStore()))(t)
	t.Cleanup(on.Model.Close)
	var ids []float64
	for _, p := range datasets.Pairs(b.Set) {
		sum := 0.
		for _, id := range b.Tokenizer.EncodeCaption(p.Text(b.Set), b.MaxLen) {
			sum += float64(id)
		}
		ids = append(ids, sum)
	}
	want := eval.NewScores(b.Set.Len(), len(ids))
	for i := range want.Rows {
		pixels, _ := must.Get2(loader.Pixels(t.Context(), b.Set, []int{i}, b.Size))(t)
		mean := 0.
		for _, x := range pixels {
			mean += float64(x) / float64(len(pixels))
		}
		for c, sum := range ids {
			want.Row(i)[c] = w.wave(mean, sum)
		}
	}
	return on, want
}

// Retrieval by a framework that scores pairs is that by the scores of all of them, and judged pairs are told apart by their sigmoids.
func TestRetrievalByScores(t *testing.T) {
	b := newBench(t)
	on, scores := newWaves(t, b, 0.05)
	for _, p := range datasets.Pairs(b.Set) {
		b.owner = append(b.owner, p.Image)
	}
	task := eval.Retrieval{Rerank: 1}
	must.Do(t, task.Check(on.Model.Framework(), b.Set))
	got := must.Get(task.Measure(t.Context(), on))(t)
	want := b.measure(t, scores, scores.Transpose())
	judged := must.Get(eval.SampleJudged(b.Set.Len(), b.owner, b.Set.(datasets.Related).Relation(),
		10_000).Matching(func(pairs []eval.ImageText) ([]float64, error) {
		var all []float64
		for _, p := range pairs {
			all = append(all, 1/(1+math.Exp(-scores.Row(p.Image)[p.Text])))
		}
		return all, nil
	}))(t)
	maps.Copy(want, judged)
	if !slices.Equal(slices.Sorted(maps.Keys(got.Metrics)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("got metrics %v, want %v", slices.Sorted(maps.Keys(got.Metrics)), slices.Sorted(maps.Keys(want)))
	}
	for metric, value := range want {
		if math.Abs(got.Metrics[metric]-value) > 1e-3 {
			t.Errorf("%s: got %g, want %g", metric, got.Metrics[metric], value)
		}
	}
	if err := eval.QueryItems.Of(got.Examples).Check(); err != nil {
		t.Error(err)
	}
	if eval.QueryItems.Of(got.Examples).Shares(string(eval.TR1)) == nil ||
		eval.QueryItems.Of(got.Examples).Shares(eval.CosinePrefix+string(eval.TR1)) != nil {
		t.Error("want the queries of the scores, and none by a cosine")
	}
	for _, x := range eval.RetrievedImages.Of(got.Examples) {
		best := slices.Max(scores.Transpose().Row(x.Caption))
		if at := scores.Row(x.Matched[0])[x.Caption]; x.Cosine != nil || math.Abs(at-best) > 1e-4 {
			t.Errorf("caption %d: got first an image of score %g and %v by the cosine; want %g, and none", x.Caption, at, x.Cosine, best)
		}
	}
}

// In brief it takes the first images with their captions alone.
func TestScoresInBrief(t *testing.T) {
	b := newBench(t)
	on, _ := newWaves(t, b, 0.05)
	collection := must.Get(scenes.New(scenes.Config{Train: 1, Val: 1, Test: 65, Captions: 2, Size: 16}))(t)
	on.Set = must.Get(collection.Split("test"))(t)
	first := on
	first.Set, on.Brief = datasets.First(on.Set, 64, 0), true
	want := must.Get(eval.Retrieval{Rerank: 1}.Measure(t.Context(), first))(t)
	got := must.Get(eval.Retrieval{Rerank: 1}.Measure(t.Context(), on))(t)
	if eval.QueryItems.Of(got.Examples) != nil || eval.RetrievedImages.Of(got.Examples) != nil || len(got.Metrics) == 0 ||
		len(got.Metrics) >= len(want.Metrics) {
		t.Errorf("got %+v, want metrics of recall alone", got)
	}
	for metric, value := range got.Metrics {
		if want.Metrics[metric] != value {
			t.Errorf("%s: got %g in brief and %g wholly of the first images", metric, value, want.Metrics[metric])
		}
	}
}

// A pair's score does not depend on the pairs beside it, nor on which captions are there twice.
func TestScoresOfAnyImages(t *testing.T) {
	b := newBench(t)
	on, scores := newWaves(t, b, 0.05)
	rapid.Check(t, func(r *rapid.T) {
		part := on
		part.Set = datasets.First(b.Set, rapid.IntRange(1, b.Set.Len()).Draw(r, "images"), rapid.IntRange(0, 2).Draw(r, "captions"))
		got, owner, err := eval.ScoresOf(t.Context(), part)
		if err != nil {
			r.Fatal(err)
		}
		for c, p := range datasets.Pairs(part.Set) {
			if owner[c] != p.Image {
				r.Fatalf("caption %d is of image %d, want %d", c, owner[c], p.Image)
			}
			for i := range got.Rows {
				if want := scores.Row(i)[2*p.Image+p.Caption]; math.Abs(got.Row(i)[c]-want) > 1e-4 {
					r.Fatalf("image %d, caption %d: got %g, want %g", i, c, got.Row(i)[c], want)
				}
			}
		}
	})
}

// What diverged is told, and what cannot be asked.
func TestScoresThatAreNone(t *testing.T) {
	b := newBench(t)
	on, _ := newWaves(t, b, math.NaN())
	must.Fail(t, must.Err((eval.Retrieval{Rerank: 1}).Measure(t.Context(), on)), "diverged", "NaN")
	on.Tokenizer = nil
	must.Fail(t, must.Err((eval.Retrieval{Rerank: 1}).Measure(t.Context(), on)), "vocabulary", "no vocabulary")
	use := framework.Use{Method: negative.Plain(), Batch: 2, Image: b.Size, Tokens: b.MaxLen}
	unable := must.Get(framework.NewInference(silent{waves{Size: b.Size}}, use, enginetest.PureGo(t), model.NewStore()))(t)
	defer unable.Close()
	must.Fail(t, must.Err(unable.Score(make([]int32, b.MaxLen), make([]float32, 3*b.Size*b.Size))), "scores no pairs",
		"a framework without the ability")
	if _, err := on.Model.Texts(make([]int32, b.MaxLen)); err == nil {
		t.Error("embeddings of one that scores: got no error")
	}
}

// BenchmarkScores scores all pairs of 100 scenes and their captions by UNITER as it is at the scale mini.
func BenchmarkScores(b *testing.B) {
	choice, _ := engine.Choose(engine.Cache())
	backend := must.Get(engine.Open(choice))(b)
	defer backend.Finalize()
	collection := must.Get(scenes.New(scenes.Config{Train: 1, Val: 1, Test: 100, Density: "spec"}))(b)
	set := must.Get(collection.Split("test"))(b)
	on := eval.Subject{Set: set, Size: 32, MaxLen: 14}
	captions := func(yield func(string) bool) {
		for _, p := range datasets.Pairs(set) {
			if !yield(text.Clean(p.Text(set), text.MaxWords)) {
				return
			}
		}
	}
	on.Tokenizer = must.Get(text.FromCorpus(captions, 1, 1000))(b)
	on.Features = must.Get((regions.Source{Count: 4, Width: 128, Boxes: &regions.Boxes{}}).Open(set, nil))(b)
	m := uniter.Model{
		Text:        encoder.BERT{Vocab: on.Tokenizer.Size(), Positions: 32, Width: 96, Heads: 4, MLP: 192, Layers: 3},
		Regions:     encoder.Regions{Count: 4, Features: 128},
		Pretraining: true,
	}
	use, store := framework.Use{Method: negative.Plain(), Batch: 2, Image: 32, Tokens: on.MaxLen}, model.NewStore()
	must.Do(b, framework.Initialise(m, use, backend, store, negative.Start{Pairs: 2, BatchSize: 2, Dim: 1, Epochs: 1, Seed: 1}))
	on.Model = must.Get(framework.NewInference(m, use, backend, store))(b)
	defer on.Model.Close()
	var pairs int
	for b.Loop() {
		scores, _ := must.Get2(eval.ScoresOf(b.Context(), on))(b)
		pairs += len(scores.Data)
	}
	b.ReportMetric(float64(pairs)/b.Elapsed().Seconds(), "pairs/s")
}
