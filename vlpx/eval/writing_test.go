package eval_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// scribble writes without weights, and scores as waves do: of a masked word those are probable whose id is near that of the caption's, more
// or less so by the image and the place; and whether a word was replaced, and by what, depends on its id and its place.
type scribble struct {
	waves
	Vocab int
}

func (scribble) Name() string { return "Scribble" }

// logit of a word at a place, where the caption has another.
func (scribble) logit(word, own, place int, mean float64) float64 {
	far := float64(word - own)
	return 5*math.Exp(-far*far/30) + math.Sin(float64((word+1)*(place+2))+mean)
}

func (s scribble) Fill(_ *model.Scope, _, captions, images *Node) *Node {
	g, dims := images.Graph(), append(slices.Clone(captions.Shape().Dimensions), s.Vocab)
	word, place := Iota(g, shapes.Make(dtypes.Float32, dims...), 2), Iota(g, shapes.Make(dtypes.Float32, dims...), 1)
	own := BroadcastToDims(InsertAxes(ConvertDType(captions, dtypes.Float32), -1), dims...)
	mean := BroadcastToDims(InsertAxes(ReduceMean(images, 1, 2, 3), -1, -1), dims...)
	far := Sub(word, own)
	return Add(MulScalar(Exp(DivScalar(Neg(Mul(far, far)), 30)), 5), Sin(Add(Mul(OnePlus(word), AddScalar(place, 2)), mean)))
}

// replacedBy is the probability that a word at a place was replaced, and what stood there.
func (s scribble) replacedBy(id int32, place int) (float64, int32) {
	return 1 / (1 + math.Exp(-4*math.Sin(float64(int(id)*(place+1))))), (id + int32(place%3)) % int32(s.Vocab)
}

func (s scribble) Correct(_ *model.Scope, ids, _ *Node) (replaced, words *Node) {
	place := Iota(ids.Graph(), ids.Shape(), 1)
	replaced = Sigmoid(MulScalar(Sin(ConvertDType(Mul(ids, OnePlus(place)), dtypes.Float32)), 4))
	return replaced, ModScalar(Add(ids, ModScalar(place, 3)), s.Vocab)
}

// newScribble is the subject of a bench by scribble, with the score of each caption with each image.
func newScribble(t *testing.T, b *bench) (eval.Subject, scribble, eval.Scores) {
	t.Helper()
	on, scores := newWaves(t, b, 0.05)
	on.Model.Close()
	s := scribble{waves{b.Size, 0.05}, b.Tokenizer.Size()}
	on.Model = must.Get(framework.NewInference(s, framework.Use{Method: negative.Plain(), Batch: 2, Image: b.Size, Tokens: b.MaxLen},
		enginetest.PureGo(t), model.NewStore()))(t)
	t.Cleanup(on.Model.Close)
	return on, s, scores
}

// meanPixel is that of an image as a framework reads it.
func meanPixel(t *testing.T, on eval.Subject, i int) float64 {
	t.Helper()
	pixels, _ := must.Get2(loader.Pixels(t.Context(), on.Set, []int{i}, on.Size))(t)
	sum := 0.0
	for _, x := range pixels {
		sum += float64(x) / float64(len(pixels))
	}
	return sum
}

// portion is a part of a whole, in per cent.
type portion struct{ part, whole float64 }

func (c *portion) add(is bool) {
	c.whole++
	if is {
		c.part++
	}
}

// Every metric is what comes of writing one sentence after the other, asking for its score, and comparing word by word.
func TestWritingAgainstLoop(t *testing.T) {
	b := newBench(t)
	on, s, own := newScribble(t, b)
	const masks, refills = 8, 6
	task := eval.Writing{Captions: 99, Masks: masks, Refills: refills, Temperatures: []float64{1, 0.5}, Rate: 0.15, Retrieved: 5}
	must.Do(t, task.Check(on.Model.Framework(), on.Set))
	got := must.Get(task.Measure(t.Context(), on))(t)
	if len(eval.Sentences.Of(got.Examples)) != 70 {
		t.Fatalf("got %d sentences of 70 images", len(eval.Sentences.Of(got.Examples)))
	}
	language, sums := datasets.Language(on.Set), map[eval.Metric]*portion{}
	add := func(m eval.Metric, is bool) {
		if sums[m] == nil {
			sums[m] = &portion{}
		}
		sums[m].add(is)
	}
	gaps := map[eval.Metric][]float64{}
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	pairs := datasets.Pairs(on.Set)
	for i, one := range eval.Sentences.Of(got.Examples) {
		caption := pairs[one.Pair].Text(on.Set)
		if pairs[one.Pair] != (datasets.Pair{Image: i}) || one.Caption != caption {
			t.Fatalf("sentence %d is of %+v, %q", i, pairs[one.Pair], one.Caption)
		}
		ids, mean := on.Tokenizer.EncodeCaption(caption, on.MaxLen), meanPixel(t, on, i)
		score := func(ids []int32) float64 {
			sum := 0.0
			for _, id := range ids {
				sum += float64(id)
			}
			return sigmoid(s.wave(mean, sum))
		}
		end := slices.Index(ids, on.Tokenizer.SEP())
		r := random.Stream(1, "written sentences", on.Set.Name(), one.Pair)
		phrases := datasets.TokenPhrases(on.Set, on.Tokenizer.Prepare(caption), on.Tokenizer.Places, end-1)
		var at [][]int
		for _, p := range phrases {
			at = append(at, p.At)
		}
		drafts := objective.MaskPhrases(ids[1:end], at, masks, 0.15, on.Tokenizer.MASK(), objective.PhraseDraws{
			Uniform: r.Float64, Word: func() int32 { return r.Int32N(int32(on.Tokenizer.Size())) }, Shuffle: r.Shuffle,
		})
		uniforms := make([]float64, masks*refills*on.MaxLen)
		for k := range uniforms {
			uniforms[k] = r.Float64()
		}
		known := map[int32]bool{} // the words of the image's captions
		for _, caption := range on.Set.Captions(i) {
			words := on.Tokenizer.EncodeCaption(caption, on.MaxLen)
			for _, id := range words[1:slices.Index(words, on.Tokenizer.SEP())] {
				known[id] = true
			}
		}
		known[on.Tokenizer.PAD()] = true
		for first, temperature := range task.Temperatures {
			var sentences [][]int32
			for k := range masks * refills {
				d := drafts[k/refills]
				sentence := slices.Clone(ids)
				copy(sentence[1:], d.IDs)
				for place, label := range d.Labels {
					if label == objective.Ignored {
						continue
					}
					var weights []float64
					total := 0.0
					for word := range on.Tokenizer.Size() {
						weights = append(weights, math.Exp(s.logit(word, int(ids[place+1]), place+1, mean)/temperature))
						total += weights[word]
					}
					u, word := uniforms[k*on.MaxLen+place+1]*total, 0
					for sum := weights[0]; sum <= u; sum += weights[word] {
						word++
					}
					sentence[place+1] = int32(word)
				}
				sentences = append(sentences, sentence)
			}
			best, bestScore := -1, 0.0
			for k, sentence := range sentences {
				passes := slices.ContainsFunc(upTo(len(ids)), func(p int) bool { return sentence[p] != ids[p] && !known[sentence[p]] }) &&
					!slices.ContainsFunc(sentences[k+1:], func(other []int32) bool { return slices.Equal(other, sentence) })
				if holds, judged := language.Judge(i, on.Tokenizer.Decode(sentence)); judged && on.Tokenizer.Whole(sentence) &&
					!slices.Equal(sentence, ids) {
					add(eval.TrueAt(temperature, false), holds)
					if passes {
						add(eval.TrueAt(temperature, true), holds)
					}
					kinds := map[string]bool{}
					for _, p := range drafts[k/refills].Drawn {
						kinds[phrases[p].Kind.String()] = true
					}
					for kind := range kinds {
						if first == 0 && len(kinds) == 1 {
							add(eval.TrueOf(kind, false), holds)
							if passes {
								add(eval.TrueOf(kind, true), holds)
							}
						}
					}
				}
				if passes && (best < 0 || score(sentence) > bestScore) {
					best, bestScore = k, score(sentence)
				}
			}
			if first > 0 {
				continue
			}
			split, batch := 0.0, 0.0
			for other := range 70 {
				if x := sigmoid(own.Row(i)[2*other]); other != i {
					split = max(split, x)
					if (other-i+70)%70 < 5 {
						batch = max(batch, x)
					}
				}
			}
			edited := 0.0
			if one.Edited != "" {
				edited = score(on.Tokenizer.EncodeCaption(one.Edited, on.MaxLen))
				add(eval.TellsEdited, score(ids) > edited)
			}
			for name, x := range map[string][2]float64{"caption": {one.CaptionScore, score(ids)}, "edited": {one.EditedScore, edited},
				"written": {one.WrittenScore, bestScore},
				"batch":   {one.BatchScore, batch}, "split": {one.SplitScore, split}} {
				if math.Abs(x[0]-x[1]) > 1e-4 {
					t.Errorf("%q: the score of %s: got %g, want %g", caption, name, x[0], x[1])
				}
			}
			if best < 0 {
				if one.Written != "" || one.Replaced != nil {
					t.Errorf("%q is kept, where nothing passes", one.Written)
				}
				continue
			}
			sentence, corrected := sentences[best], slices.Clone(sentences[best])
			if one.Written != on.Tokenizer.Decode(sentence) {
				t.Errorf("got %q, want %q", one.Written, on.Tokenizer.Decode(sentence))
			}
			add(eval.TellsWritten, score(ids) > bestScore)
			holds, judged := language.Judge(i, one.Written)
			if judged = judged && on.Tokenizer.Whole(sentence); judged {
				add(eval.HardestTrue, holds)
				metric := map[bool]eval.Metric{true: eval.GapOfTrue, false: eval.GapOfFalse}[holds]
				gaps[metric] = append(gaps[metric], bestScore-score(ids))
			}
			if one.Known != judged || one.True != (holds && judged) {
				t.Errorf("%q is told to be known %t, true %t", one.Written, one.Known, one.True)
			}
			for p := 1; p < end; p++ {
				probability, word := s.replacedBy(sentence[p], p)
				if probability >= 0.5 {
					corrected[p] = word
				}
				add(eval.WoDAccuracy, (sentence[p] != ids[p]) == (probability >= 0.5))
				if sentence[p] != ids[p] {
					add(eval.WoDRecall, probability >= 0.5)
				}
				if drafts[best/refills].Labels[p-1] != objective.Ignored {
					add(eval.WoCAccuracy, word == ids[p])
				}
				if math.Abs(one.Replaced[p-1]-probability) > 1e-4 {
					t.Errorf("%q, word %d: got the probability %g, want %g", one.Written, p, one.Replaced[p-1], probability)
				}
			}
			if one.Corrected != on.Tokenizer.Decode(corrected) || len(one.Replaced) != end-1 {
				t.Errorf("got %q of %d words, want %q of %d", one.Corrected, len(one.Replaced), on.Tokenizer.Decode(corrected), end-1)
			}
		}
	}
	want := eval.Result{}
	for m, of := range sums {
		want[m] = 100 * of.part / of.whole
	}
	for m, all := range gaps {
		want[m] = 0
		for _, gap := range all {
			want[m] += gap / float64(len(all))
		}
	}
	infos := map[eval.Metric]bool{}
	for _, info := range task.Metrics() {
		infos[info.Metric] = true
		if _, is := want[info.Metric]; !is {
			t.Errorf("the case has nothing for %q", info.Metric)
		}
	}
	for m, x := range want {
		if !infos[m] || math.Abs(got.Metrics[m]-x) > 1e-4 {
			t.Errorf("%s: got %g, want %g", m, got.Metrics[m], x)
		}
	}
	if len(got.Metrics) != len(want) {
		t.Errorf("got %d metrics, want %d", len(got.Metrics), len(want))
	}
	again, err := task.Measure(t.Context(), on)
	if err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("measured again: got %v (%v), want %v", again.Metrics, err, got.Metrics)
	}
	on.Brief = true
	if brief, err := task.Measure(t.Context(), on); err != nil || !reflect.DeepEqual(brief, eval.Measured{}) {
		t.Errorf("in brief: got %v (%v), want nothing", brief, err)
	}
}
