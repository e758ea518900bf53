package eval_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// scribbling scores by waves and has no weights either: it likes a caption's own words, and of the others those whose ids are multiples of
// three, but none that is no word. It takes every word of an even id for a replaced one, in the place of the one behind it.
type scribbling struct {
	waves
	Vocabulary int
}

func (s scribbling) Fill(_ *model.Scope, masked, captions, _ *Node) *Node {
	g := masked.Graph()
	ids := Iota(g, shapes.Make(dtypes.Int32, append(slices.Clone(masked.Shape().Dimensions), s.Vocabulary)...), 2)
	third := ConvertDType(Equal(ModScalar(ids, 3), ZerosLike(ids)), dtypes.Float32)
	special := ConvertDType(LessThan(ids, Scalar(g, dtypes.Int32, 5)), dtypes.Float32)
	return Sub(Add(MulScalar(OneHot(captions, s.Vocabulary, dtypes.Float32), 4), MulScalar(third, 2)), MulScalar(special, 1000))
}

func (scribbling) Correct(_ *model.Scope, ids, _ *Node) (replaced, words *Node) {
	even := ConvertDType(Equal(ModScalar(ids, 2), ZerosLike(ids)), dtypes.Float32)
	return AddScalar(MulScalar(even, 0.5), 0.25), AddScalar(ids, 1)
}

// newScribbling is the subject of a bench by scribbling.
func newScribbling(t *testing.T, b *bench) eval.Subject {
	t.Helper()
	on := b.Subject
	use := framework.Use{Method: negative.Plain(), Batch: 2, Image: b.Size, Tokens: b.MaxLen}
	on.Model = must.Get(framework.NewInference(scribbling{waves{b.Size, 0.05}, b.Tokenizer.Size()}, use, enginetest.PureGo(t),
		model.NewStore()))(t)
	t.Cleanup(on.Model.Close)
	return on
}

// What is written from one caption is what the task measures: of what passes the filter at the first temperature the hardest is the one
// kept.
func TestSheetIsWhatIsMeasured(t *testing.T) {
	on := newScribbling(t, newBench(t))
	task := eval.Writing{Captions: 20, Masks: 3, Refills: 4, Temperatures: []float64{1, 3}, Rate: 0.3}
	measured := must.Get(task.Measure(t.Context(), on))(t)
	refused := map[eval.Refusal]int{}
	for _, want := range eval.Sentences.Of(measured.Examples) {
		sheet := must.Get(task.Write(t.Context(), on, want.Pair))(t)
		if sheet.Pair != want.Pair || math.Abs(sheet.Score-want.CaptionScore) > 1e-6 {
			t.Fatalf("got %+v, want %+v", sheet, want)
		}
		k := slices.IndexFunc(sheet.Written, func(s eval.WrittenSentence) bool { return s.Refused == eval.Passed && s.Temperature == 1 })
		switch {
		case want.Written == "":
			if k >= 0 {
				t.Errorf("%q: got %+v, want none that passes", want.Caption, sheet.Written[k])
			}
		case k < 0:
			t.Errorf("%q: got none, want %q", want.Caption, want.Written)
		default:
			got := sheet.Written[k]
			same := got.Text == want.Written && got.True == want.True && got.Known == want.Known && got.Corrected == want.Corrected &&
				slices.Equal(got.Replaced, want.Replaced)
			if !same || math.Abs(got.Score-want.WrittenScore) > 1e-6 || len(got.Masked) == 1 != (want.Element != "") {
				t.Errorf("%q: got %+v, want %+v", want.Caption, got, want)
			}
		}
		for _, s := range sheet.Written {
			refused[s.Refused]++
		}
	}
	if refused[eval.Passed] == 0 || refused[eval.TheCaption] == 0 || refused[eval.Annotated] == 0 {
		t.Errorf("got %v, want some of each", refused)
	}
}

// Every sentence is told once a temperature, with why it is left out and whether it is true, by its words.
func TestSheetByWords(t *testing.T) {
	b := newBench(t)
	on := newScribbling(t, b)
	task := eval.Writing{Masks: 3, Refills: 4, Temperatures: []float64{1, 3}, Rate: 0.3}
	language := datasets.Language(b.Set)
	for pair, p := range datasets.Pairs(b.Set)[:20] {
		sheet := must.Get(task.Write(t.Context(), on, pair))(t)
		if caption := b.Tokenizer.Decode(b.Tokenizer.EncodeCaption(p.Text(b.Set), b.MaxLen)); sheet.Caption != caption {
			t.Errorf("got the caption %q, want %q", sheet.Caption, caption)
		}
		annotated := strings.Fields(strings.Join(b.Set.Captions(p.Image), " "))
		type written struct {
			text        string
			temperature float64
		}
		times, met := map[float64]int{}, map[written]bool{}
		draft, err := task.Draft(t.Context(), on, pair)
		if err != nil || !reflect.DeepEqual(unscored(draft), unscored(sheet)) {
			t.Errorf("drafted: got %+v (%v), want %+v without scores", draft, err, sheet)
		}
		for k, s := range sheet.Written {
			times[s.Temperature] += s.Times
			if met[written{s.Text, s.Temperature}] {
				t.Errorf("%q is there twice at %g", s.Text, s.Temperature)
			}
			met[written{s.Text, s.Temperature}] = true
			if k > 0 && s.Score > sheet.Written[k-1].Score {
				t.Errorf("%q stands behind one of a lower score", s.Text)
			}
			want := eval.Annotated
			for _, word := range strings.Fields(s.Text) {
				if !slices.Contains(annotated, word) {
					want = eval.Passed
				}
			}
			if s.Text == sheet.Caption {
				want = eval.TheCaption
			}
			if s.Refused != want {
				t.Errorf("%q of %q: got %q, want %q", s.Text, sheet.Caption, s.Refused, want)
			}
			if holds, known := language.Judge(p.Image, s.Text); holds != s.True || known != s.Known {
				t.Errorf("%q: got %v and %v, want %v and %v", s.Text, s.True, s.Known, holds, known)
			}
		}
		if times[1] != 12 || times[3] != 12 {
			t.Errorf("got %v sentences, want 12 each", times)
		}
	}
}

// unscored are the sentences of a sheet, in the order of their words, without what their scores and corrections tell.
func unscored(sheet eval.Sheet) (all []eval.WrittenSentence) {
	for _, s := range sheet.Written {
		s.Score, s.Corrected, s.Replaced = 0, "", nil
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b eval.WrittenSentence) int {
		return cmp.Or(cmp.Compare(a.Temperature, b.Temperature), strings.Compare(a.Text, b.Text))
	})
	return all
}

func TestSheetRefuses(t *testing.T) {
	b := newBench(t)
	on := newScribbling(t, b)
	task := eval.Writing{Masks: 1, Refills: 1, Temperatures: []float64{1}, Rate: 0.3}
	for want, pair := range map[string]int{"its pairs are 0 to 139": -1, "writing from pair 140": 140} {
		must.Fail(t, must.Err(task.Write(t.Context(), on, pair)), want, "pair %d", pair)
	}
	task.Masks = 0
	must.Fail(t, must.Err(task.Write(t.Context(), on, 0)), "at least one of each", "no masking")
	silent, _ := newWaves(t, b, 0.05)
	must.Fail(t, must.Err((eval.Writing{}).Write(t.Context(), silent, 0)), "does not predict", "a framework that fills nothing in")
}
