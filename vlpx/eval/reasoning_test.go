package eval_test

import (
	"context"
	"errors"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/random"
)

// stated is a set with some statements about its images.
type stated struct {
	datasets.Set
	all []datasets.Statement
}

func (s stated) Statements() []datasets.Statement { return s.all }

// reasoning is a model over two images that knows nothing, on the scenes of a bench with statements, most of which are about two or three
// pairs of images. They are no multiple of a forward pass.
func reasoning(t *testing.T, of func(albef.Model) framework.Framework) eval.Subject {
	t.Helper()
	s := newBench(t).Subject
	r := random.Stream(4, "statements")
	var all []datasets.Statement
	for k := range 77 {
		captions := s.Set.Captions(k / 3)
		all = append(all, datasets.Statement{Left: r.IntN(s.Set.Len()), Right: r.IntN(s.Set.Len()), Text: captions[0],
			True: r.IntN(2) == 1})
	}
	s.Set = stated{s.Set, all}
	f := of(albef.Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 12, Layers: 1, Heads: 2, MLP: 8},
		Text:   encoder.BERT{Vocab: s.Tokenizer.Size(), Positions: 12, Width: 12, Heads: 2, MLP: 8, Layers: 1, Fusion: 2},
		Embed:  6,
	})
	backend, store := enginetest.PureGo(t), model.NewStore()
	use := framework.Use{Method: negative.Plain(), Batch: 3, Image: 16, Tokens: s.MaxLen}
	must.Do(t, framework.Initialise(f, use, backend, store, negative.Start{Pairs: 3, BatchSize: 3, Dim: 6, Epochs: 1, Seed: 7}))
	s.Model = must.Get(framework.NewInference(f, use, backend, store))(t)
	t.Cleanup(s.Model.Close)
	return s
}

func judge(a albef.Model) framework.Framework  { return albef.Reasoning{ALBEF: a} }
func assign(a albef.Model) framework.Framework { return albef.Assignment{ALBEF: a} }

// alone gives the logits of one text with two images.
func alone(t *testing.T, s eval.Subject, run func([]int32, []float32, []float32) ([]float32, error), text string, left,
	right int) []float32 {
	t.Helper()
	pixels, _ := must.Get2(loader.Pixels(t.Context(), s.Set, []int{left, right}, s.Size))(t)
	logits := must.Get(run(s.Tokenizer.EncodeCaption(text, s.MaxLen), pixels[:len(pixels)/2], pixels[len(pixels)/2:]))(t)
	return logits
}

// The metrics are those of a loop over single statements, as NLVR2's own evaluation has them, on a set and on the view of its statements.
func TestReasoningAgainstLoop(t *testing.T) {
	s := reasoning(t, judge)
	view := must.Get(datasets.OfStatements(s.Set))(t)
	statements := view.(datasets.Stated).Statements()
	hits, wrong, texts := 0, map[string]bool{}, map[string]bool{}
	probability := map[datasets.Statement]float64{}
	for _, statement := range statements {
		logits := alone(t, s, s.Model.Judge, statement.Text, statement.Left, statement.Right)
		texts[statement.Text] = true
		if (logits[1] > logits[0]) == statement.True {
			hits++
		} else {
			wrong[statement.Text] = true
		}
		probability[statement] = math.Exp(float64(logits[1])) / (math.Exp(float64(logits[0])) + math.Exp(float64(logits[1])))
	}
	if len(texts) == len(statements) || len(wrong) == len(texts) || len(wrong) == 0 {
		t.Fatalf("%d statements of %d texts, %d of which are judged wrong: nothing to tell apart", len(statements), len(texts), len(wrong))
	}
	for _, set := range []datasets.Set{s.Set, view} {
		s.Set = set
		got := must.Get(eval.Reasoning{}.Measure(t.Context(), s))(t)
		want := eval.Result{eval.ReasoningAccuracy: 100 * float64(hits) / 77, eval.ReasoningConsistency: 100 *
			float64(len(texts)-len(wrong)) / float64(len(texts))}
		for name, w := range want {
			if math.Abs(got.Metrics[name]-w) > 1e-9 || len(got.Metrics) != 2 {
				t.Errorf("%s: got %g, want %g", name, got.Metrics[name], w)
			}
		}
		if len(eval.Verdicts.Of(got.Examples)) != 8 {
			t.Errorf("got %d examples, want 8", len(eval.Verdicts.Of(got.Examples)))
		}
		for _, v := range eval.Verdicts.Of(got.Examples) {
			if want, is := probability[v.Statement]; !is || math.Abs(v.Probability-want) > 1e-5 ||
				v.Keys != [2]string{set.Key(v.Left), set.Key(v.Right)} {
				t.Errorf("got the example %+v, want a probability of %g", v, want)
			}
		}
	}
}

// By hand: of three statements one is right of both of its pairs, one of one of two, one of its only one.
func TestConsistency(t *testing.T) {
	all := []datasets.Statement{{Text: "a"}, {Text: "b"}, {Text: "a"}, {Text: "c"}, {Text: "b"}}
	accuracy, consistency := eval.Judgements(all, []bool{true, false, true, true, true})
	if accuracy != 80 || math.Abs(consistency-200./3) > 1e-9 {
		t.Errorf("got %g %% and %g %%, want 80 and 66.7", accuracy, consistency)
	}
	if _, consistency = eval.Judgements(all, []bool{true, true, true, false, false}); math.Abs(consistency-100./3) > 1e-9 {
		t.Errorf("got a consistency of %g %%, want 33.3", consistency)
	}
}

// A caption counts where its own image has the higher logit of the two, whatever that of neither; which images are asked about does not
// depend on the model.
func TestAssignmentIsAboutOwnImages(t *testing.T) {
	s := reasoning(t, assign)
	got := must.Get(eval.Assignment{}.Measure(t.Context(), s))(t)
	if accuracy := got.Metrics[eval.AssignmentAccuracy]; accuracy < 35 || accuracy > 65 {
		t.Errorf("a model that knows nothing is right of %g %%", accuracy)
	}
	s.Set = first{s.Set}
	got = must.Get((eval.Assignment{}).Measure(t.Context(), s))(t)
	hits := 0 // of three images either other one is asked beside each
	var possible []float64
	for i := range 3 {
		for _, caption := range s.Set.Captions(i) {
			var right []bool
			for j := range 3 {
				if j == i {
					continue
				}
				left := alone(t, s, s.Model.Assign, caption, i, j)
				turned := alone(t, s, s.Model.Assign, caption, j, i)
				right = append(right, left[0] > left[1], turned[1] > turned[0])
			}
			if all := right[0] && right[1] && right[2] && right[3]; all {
				hits++
			} else if !right[0] && !right[1] && !right[2] && !right[3] {
				possible = append(possible, 0)
			} else {
				possible = append(possible, 1)
			}
		}
	}
	upper := float64(hits)
	for _, p := range possible {
		upper += p
	}
	n := float64(hits + len(possible))
	if accuracy := got.Metrics[eval.AssignmentAccuracy]; accuracy < 100*float64(hits)/n-1e-9 || accuracy > 100*upper/n+1e-9 {
		t.Errorf("got %g %%, want %g to %g", accuracy, 100*float64(hits)/n, 100*upper/n)
	}
}

// first are the first three images of a set.
type first struct{ datasets.Set }

func (first) Len() int { return 3 }

// Tasks are refused where a framework or a set lacks what they are about, and an image that cannot be read ends them unless it is accepted.
func TestReasoningNeeds(t *testing.T) {
	s := reasoning(t, judge)
	f := s.Model.Framework()
	for says, err := range map[string]error{
		"judges no statements": eval.Reasoning{}.Check(albef.Model{}, s.Set),
		"has no statements":    eval.Reasoning{}.Check(f, closed{newBench(t).Set}),
		"there are no":         eval.Reasoning{}.Check(f, stated{s.Set, nil}),
		"assigns no captions":  eval.Assignment{}.Check(f, s.Set),
		"1 images with":        eval.Assignment{}.Check(albef.Assignment{}, datasets.First(newBench(t).Set, 1, 0)),
		"0 captions":           eval.Assignment{}.Check(albef.Assignment{}, datasets.Uncaptioned(s.Set)),
		"nothing can be opened": func() error {
			s.Set = stated{closed{s.Set}, s.Set.(stated).all}
			_, err := eval.Reasoning{}.Measure(t.Context(), s)
			return err
		}(),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want an error that says %q", err, says)
		}
	}
	s.Accept = func(loader.Skip) error { return nil }
	if _, err := (eval.Reasoning{}).Measure(t.Context(), s); err != nil {
		t.Errorf("accepted: %v", err)
	}
}

// closed is a set of which no image can be opened.
type closed struct{ datasets.Set }

func (closed) Image(context.Context, int) (image.Image, error) {
	return nil, errors.New("nothing can be opened")
}
