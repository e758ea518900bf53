package eval_test

import (
	"math"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
)

// slowClasses classifies every image by itself, in float64: by the cosine with the mean, normalised, of the embeddings of a class's
// sentences.
func (b *bench) slowClasses(t *testing.T, prompts []string) (top1, top5, mean float64) {
	t.Helper()
	set := b.Set.(datasets.Labelled)
	var named [][]float64
	for _, class := range set.Classes() {
		var sum []float64
		for _, p := range prompts {
			encoded := must.Get(b.Model.Texts(b.Tokenizer.Encode(text.Clean(strings.Replace(p, "{}", class, 1), text.MaxWords), b.MaxLen)))(
				t)
			if sum == nil {
				sum = make([]float64, len(encoded.Features))
			}
			for d, x := range encoded.Features {
				sum[d] += float64(x)
			}
		}
		var square float64
		for _, x := range sum {
			square += x * x
		}
		for d := range sum {
			sum[d] /= math.Sqrt(square)
		}
		named = append(named, sum)
	}
	right, of := map[int]float64{}, map[int]float64{}
	for i := range set.Len() {
		pixels, _ := must.Get2(loader.Pixels(t.Context(), set, []int{i}, b.Size))(t)
		encoded := must.Get(b.Model.Images(pixels))(t)
		similarity := func(class int) (dot float64) {
			for d, x := range encoded.Features {
				dot += float64(x) * named[class][d]
			}
			return dot
		}
		nearer, own := 0, set.Class(i)
		for k := range named {
			if similarity(k) > similarity(own) {
				nearer++
			}
		}
		of[own]++
		if nearer < 1 {
			top1, right[own] = top1+1, right[own]+1
		}
		if nearer < 5 {
			top5++
		}
	}
	for class, n := range of {
		mean += right[class] / n / float64(len(of))
	}
	n := float64(set.Len())
	return 100 * top1 / n, 100 * top5 / n, 100 * mean
}

// Zero-shot classes are those of the slow loop, by one prompt, by several and by CLIP's. A scene's class is its ground.
func TestClassificationAgainstSlow(t *testing.T) {
	b := newBench(t)
	for _, prompts := range [][]string{{"an object on {}"}, {"a red circle on {}", "{}", "two squares on {} ."}, nil} {
		got := must.Get(eval.Classification{Prompts: prompts}.Measure(t.Context(), b.Subject))(t)
		if prompts == nil {
			prompts = []string{"a photo of a {}."}
		}
		top1, top5, mean := b.slowClasses(t, prompts)
		for metric, want := range map[eval.Metric]float64{eval.ClassTop1: top1, eval.ClassTop5: top5, eval.ClassMean: mean} {
			if have := got.Metrics[metric]; math.Abs(have-want) > 1e-9 {
				t.Errorf("%q: %s: got %g, want %g", prompts, metric, have, want)
			}
		}
		if top5 == 0 || top5 == 100 {
			t.Errorf("%q: %g %% among five tell nothing", prompts, top5)
		}
	}
}

// mislabelled is a set of which image 3 has a class that there is not.
type mislabelled struct{ datasets.Labelled }

func (m mislabelled) Class(i int) int {
	if i == 3 {
		return len(m.Classes())
	}
	return m.Labelled.Class(i)
}

// unlabelled hides what is known of a set.
type unlabelled struct{ datasets.Set }

// silent is a framework that embeds nothing.
type silent struct{ framework.Framework }

// What a task cannot do it says before anything is trained: an ability, a field of the data, a prompt without a place; and a class that
// there is not with the image's key.
func TestClassificationRefuses(t *testing.T) {
	b := newBench(t)
	able := b.Model.Framework()
	for name, c := range map[string]struct {
		framework framework.Framework
		set       datasets.Set
		prompts   []string
		want      string
	}{
		"no embeddings":  {silent{able}, b.Set, nil, "which ALBEF does not make"},
		"no classes":     {able, unlabelled{b.Set}, nil, "scenes/test has none; take data with classes"},
		"no place":       {able, b.Set, []string{"on {}", "a photo"}, `"a photo" has no place for a class`},
		"several places": {able, b.Set, []string{"{} or {}"}, "write {} once"},
	} {
		must.Fail(t, (eval.Classification{Prompts: c.prompts}).Check(c.framework, c.set), c.want, "%s", name)
	}
	if err := (eval.Classification{}).Check(able, b.Set); err != nil {
		t.Errorf("scenes: %v", err)
	}
	wrong := b.Subject
	wrong.Set = mislabelled{b.Set.(datasets.Labelled)}
	must.Fail(t, must.Err((eval.Classification{}).Measure(t.Context(), wrong)), "test-000003 of scenes/test is of class")
	dumb := b.Subject
	dumb.Tokenizer = nil
	must.Fail(t, must.Err((eval.Classification{}).Measure(t.Context(), dumb)), "reads no captions", "without a vocabulary")
}
