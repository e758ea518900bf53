package train

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/regions"
)

// writing is TAGS-DC with few sentences and a small pool.
func writing() negative.Method {
	return negative.Method{
		Name: "TAGS-DC", Matching: negative.Retrieved{Pool: 6, Keep: 3}, Masking: 0.15,
		Writing: negative.TAGS{Masks: 3, Refills: 4, Keep: 5, Temperature: 1.5, Rate: 0.15, MLM: 0.1, ISTM: 0.2, WoD: 0.3, WoC: 0.4},
	}.WithDefaults()
}

// writingBy is writing with other settings.
func writingBy(name string, how func(*negative.TAGS)) negative.Method {
	m := writing()
	tags := m.Writing.(negative.TAGS)
	how(&tags)
	m.Name, m.Writing = name, tags
	return m
}

// onUNITER is smallest with UNITER in the place of ALBEF, which sees the scenes' boxes.
func onUNITER(t *testing.T, m negative.Method, dropout float64) Job {
	t.Helper()
	job := smallest(t, m)
	source := regions.Source{Count: 4, Width: 8, Boxes: &regions.Boxes{}}
	job.Features = must.Get(source.Open(job.Set, nil))(t)
	job.Config.MaxLen = 14
	job.Config.Framework = framework.Choice{Framework: uniter.Model{
		Text:    encoder.BERT{Vocab: job.Tokenizer.Size(), Positions: 14, Width: 8, Heads: 2, MLP: 16, Layers: 2, Dropout: dropout},
		Regions: encoder.Regions{Count: source.Count, Features: source.Width}, Margin: 0.2,
	}}
	return job
}

// pretraining is UNITER's first stage of a job.
func pretraining(job Job) Job {
	m := job.Config.Framework.Framework.(uniter.Model)
	m.Pretraining = true
	job.Config.Framework.Framework = m
	return job
}

// UNITER trains in its stages under methods that retrieve and write, goes on after a stop in the same bits, and counts what a run that was
// not stopped does.
func TestUNITERGoesOn(t *testing.T) {
	first := pretraining(onUNITER(t, negative.Plain(), 0.1))
	begun := finish(t, first)
	if losses := begun.Epochs[2].Losses; len(losses) != 2 || !(losses[negative.MLM] < begun.Epochs[0].Losses[negative.MLM]) {
		t.Errorf("pre-training has the losses %v, then %v", begun.Epochs[0].Losses, losses)
	}
	generator := onUNITER(t, writingBy("UNITER+MLM", func(m *negative.TAGS) { m.Keep = 0 }), 0.1)
	finish(t, generator)
	for _, m := range []negative.Method{
		writing(), writingBy("TAGS w/ SG", func(m *negative.TAGS) { m.Static = true }),
		writingBy("TAGS w/ WM", func(m *negative.TAGS) { m.ByWord = true }),
		writingBy("penalised", func(m *negative.TAGS) { m.Filter, m.WoD, m.WoC = negative.Penalised, 0, 0 }),
	} {
		t.Run(m.Name, func(t *testing.T) {
			started := func() Job {
				job := withReference(onUNITER(t, m, 0.1), generator)
				job.Config.Init, job.Init, job.InitConfig = "of the test", first.Dir, &first.Config
				return job
			}
			whole := started()
			want := finish(t, whole)
			a, _ := saved(t, whole.Dir)
			for _, stops := range [][]int{{1}, {2, 6, 13}} {
				stopped := started()
				got := finish(t, stopped, stops...)
				if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
					t.Errorf("stopped at %v: got epochs\n%s\nwant\n%s", stops, g, w)
				}
				b, _ := saved(t, stopped.Dir)
				same(t, fmt.Sprintf("stopped at %v", stops), variables(t, b, "/"), variables(t, a, "/"))
			}
			var read Record
			if text := asJSON(t, want.Epochs[2]); json.Unmarshal([]byte(text), &read) != nil || asJSON(t, read) != text {
				t.Errorf("the record %s is read as %s", text, asJSON(t, read))
			}
			for name, loss := range want.Epochs[2].Losses {
				if !(loss > 0) || m.Writing.Weight(name) == 0 {
					t.Errorf("%s is %g", name, loss)
				}
			}
			w := want.Epochs[2].Observed.WrittenSentences()
			if tags := m.Writing.(negative.TAGS); tags.ByWord != (len(w.ByElement) == 0) || w.Captions != 20 || w.Graphless > 0 ||
				len(w.Shown) == 0 {
				t.Errorf("got %s of 20 captions with graphs", asJSON(t, w))
			}
		})
	}
}

// Engines agree on what UNITER writes and learns, as long as no rounding makes a refilled word another one, which at these draws none did
// where it was tried: from there on the runs are two.
func TestUNITEROnEngines(t *testing.T) {
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			fast := enginetest.Open(t, name)
			for _, of := range []func() Job{
				func() Job { return pretraining(onUNITER(t, negative.Plain(), 0)) },
				func() Job { return onUNITER(t, negative.Plain(), 0) },
				func() Job { return onUNITER(t, writing(), 0) },
			} {
				jobs := [2]Job{of(), of()}
				jobs[1].Backend = fast
				parted := false
				sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
					if outs[0].Has(field.Sentences) &&
						!slices.Equal(ints(t, outs[1].Values, field.Sentences), ints(t, outs[0].Values, field.Sentences)) {
						parted = true
						t.Logf("epoch %d, step %d: other sentences are written", epoch, step)
					}
					if parted && epoch+step > 0 {
						return
					}
					want, got := outs[0].told(), outs[1].told()
					for name, x := range want {
						if off := math.Abs(got[name] - x); !(off <= 1e-4*math.Abs(x)) {
							t.Errorf("epoch %d, step %d, %s: got %g, want %g", epoch, step, name, got[name], x)
						}
					}
					if epoch == 0 && step == 0 {
						sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 1e-4, 1e-6)
					}
				})
			}
		})
	}
}

// steps makes the steps of a job's first epoch, and shows each with its mini-batch and what it read.
func steps(t *testing.T, job Job, show func(tr *trainer, b *miniBatch, in field.Values, out Output)) *trainer {
	t.Helper()
	tr := must.Get(newTrainer(job))(t)
	t.Cleanup(tr.close)
	tr.steps = must.Get(tr.sampler.Epoch(0))(t)
	for ; tr.Step < tr.steps; tr.Step++ {
		pairs := must.Get(tr.sampler.Next())(t)
		must.Do(t, tr.loader.Submit(tr.request(pairs, tr.Step)))
		loaded := must.Get(tr.loader.Next(t.Context()))(t)
		b := tr.apart(loaded, tr.Step)
		in := tr.fields(b)
		out := must.Get(tr.run(in))(t)
		must.Do(t, tr.count(b, out))
		show(tr, b, in, out)
		in.Release()
		out.Release()
	}
	return tr
}

// A checkpoint of an epoch in which no draft had words of one kind alone goes on counting them.
func TestWrittenAfterAStop(t *testing.T) {
	tr := steps(t, onUNITER(t, writing(), 0), func(tr *trainer, _ *miniBatch, _ field.Values, _ Output) {
		if tr.Step > 0 {
			return
		}
		kept := negative.WrittenSentences{Captions: 4, ByElement: map[string][2]negative.Truths{}}
		tr.Current.Observed = map[string]json.RawMessage{"written": json.RawMessage(asJSON(t, kept))}
		must.Do(t, tr.resumeObservers())
	})
	if w := tr.observed().WrittenSentences(); w.Captions != 20 || len(w.ByElement) == 0 {
		t.Errorf("got %s of 20 captions", asJSON(t, w))
	}
}

// By the exact filter no true sentence passes, and every other one does that is new; by its contrary only true ones. From a draft that more
// true sentences fill than are told nothing passes.
func TestExactFilters(t *testing.T) {
	for _, filter := range []negative.Filter{negative.OnlyFalse, negative.OnlyTrue} {
		for _, rate := range []float64{0.15, 0.6} {
			job := onUNITER(t, writingBy("TAGS", func(m *negative.TAGS) { m.Filter, m.Rate = filter, rate }), 0)
			job.Config.Epochs = 1
			tokens, n, language := job.Config.MaxLen, 12, datasets.Language(job.Set)
			seen, untold := map[[2]bool]int{}, 0
			steps(t, job, func(tr *trainer, b *miniBatch, in field.Values, out Output) {
				sentences, passed := ints(t, out.Values, field.Sentences), floats(t, out.Values, field.SentencePassed)
				fillings := ints(t, in, field.TrueFillings)
				for at := range passed {
					k := at / n
					of := func(j int) []int32 { return sentences[j*tokens : (j+1)*tokens] }
					holds, known := language.Judge(tr.pairs[b.Pairs[k]].Image, job.Tokenizer.Decode(of(at)))
					holds = holds && known && job.Tokenizer.Whole(of(at))
					isNew := !slices.Equal(of(at), b.IDs[k*tokens:(k+1)*tokens])
					for j := at + 1; j < (k+1)*n; j++ {
						isNew = isNew && !slices.Equal(of(at), of(j))
					}
					want := isNew && holds == (filter == negative.OnlyTrue)
					if told := fillings[at/4*negative.MostTrue*tokens] >= 0; !told {
						want, untold = false, untold+1
					}
					if got := passed[at] > 0; got != want {
						t.Errorf("%s: %q of image %d, true: %v, new: %v; it passes: %v", filter, job.Tokenizer.Decode(of(at)),
							tr.pairs[b.Pairs[k]].Image, holds, isNew, got)
					}
					seen[[2]bool{holds, isNew}]++
				}
			})
			if dense := rate > 0.5; len(seen) < 4 && !dense || (untold > 0) != dense {
				t.Errorf("%s at a rate of %g: got %v sentences by whether they are true and new, and %d of which it is not told",
					filter, rate, seen, untold)
			}
		}
	}
	unspoken := onUNITER(t, writingBy("TAGS", func(m *negative.TAGS) { m.Filter = negative.OnlyFalse }), 0)
	unspoken.Set = said{unspoken.Set, [][]string{{"a red disc"}}}
	refused(t, unspoken, "whose language is not known; use generated scenes, or another filter")
}

// What training counts of an epoch's sentences is what there is of each kind among them, one by one.
func TestWrittenAgainstLoop(t *testing.T) {
	job := onUNITER(t, writing(), 0)
	job.Config.Epochs = 1
	var want negative.WrittenSentences
	want.ByElement = map[string][2]negative.Truths{}
	gaps := map[[2]int]int{} // by interval, of which every step is one, and bin
	tokens, n, keep := job.Config.MaxLen, 12, 5
	language := datasets.Language(job.Set)
	truth := func(s *negative.Truths, image int, ids []int32) {
		switch holds, known := language.Judge(image, job.Tokenizer.Decode(ids)); {
		case !known || !job.Tokenizer.Whole(ids):
			s.Unknown++
		case holds:
			s.True++
		default:
			s.False++
		}
	}
	tr := steps(t, job, func(tr *trainer, b *miniBatch, in field.Values, out Output) {
		sentences, passed, kept := ints(t, out.Values, field.Sentences), floats(t, out.Values, field.SentencePassed),
			ints(t, out.Values, field.SentencesKept)
		scores, own := floats(t, out.Values, field.SentenceScores), floats(t, out.Values, field.CaptionScores)
		masked := ints(t, in, field.DraftWords)
		for k, pair := range b.Pairs {
			image := tr.pairs[pair].Image
			caption := job.Tokenizer.Prepare(tr.pairs[pair].Text(job.Set))
			graph, ok := language.Understand(caption)
			if !ok {
				t.Fatalf("%q is not of the language", caption)
			}
			want.Captions++
			for j := range n {
				at := k*n + j
				sentence := sentences[at*tokens : (at+1)*tokens]
				if job.Tokenizer.Decode(sentence) == caption {
					want.Own++
					continue
				}
				truth(&want.Written, image, sentence)
				if passed[at] == 1 {
					truth(&want.Passed, image, sentence)
				}
				draft := masked[(k*3+j/4)*tokens : (k*3+j/4+1)*tokens]
				kinds := map[string]bool{}
				for _, p := range graph.Phrases() {
					for _, word := range p.At {
						if word+2 < tokens && draft[word+1] != objective.Ignored { // a word is a token, behind [CLS]
							kinds[p.Kind.String()] = true
						}
					}
				}
				if len(kinds) != 1 {
					continue
				}
				kind := slices.Collect(maps.Keys(kinds))[0]
				both := want.ByElement[kind]
				truth(&both[0], image, sentence)
				if passed[at] == 1 {
					truth(&both[1], image, sentence)
				}
				want.ByElement[kind] = both
			}
			for _, j := range kept[k*keep : (k+1)*keep] {
				at := k*n + int(j)
				if passed[at] == 0 {
					continue
				}
				truth(&want.Kept, image, sentences[at*tokens:(at+1)*tokens])
				gap := 1/(1+math.Exp(-float64(scores[at]))) - 1/(1+math.Exp(-float64(own[k])))
				gaps[[2]int{tr.Step, int((gap + 1) * 20)}]++
			}
		}
	})
	got := *tr.observed().WrittenSentences()
	if g, w := fmt.Sprint(got.Captions, got.Graphless, got.Own, got.Written, got.Passed, got.Kept), fmt.Sprint(want.Captions, 0, want.Own,
		want.Written, want.Passed, want.Kept); g != w {
		t.Errorf("got %s, want %s", g, w)
	}
	if !reflect.DeepEqual(got.ByElement, want.ByElement) {
		t.Errorf("got by element %v, want %v", got.ByElement, want.ByElement)
	}
	if len(got.Gaps) != 5 {
		t.Errorf("got the gaps of %d intervals, want those of 5 steps", len(got.Gaps))
	}
	for i, g := range got.Gaps {
		if g.Step != i {
			t.Errorf("interval %d begins at step %d", i, g.Step)
		}
		for bin := range g.True {
			if count := g.True[bin] + g.False[bin] + g.Unknown[bin]; count != gaps[[2]int{i, bin}] {
				t.Errorf("interval %d, bin %d: got %d gaps, want %d", i, bin, count, gaps[[2]int{i, bin}])
			}
		}
	}
	if want.Written.True == 0 || want.Written.False == 0 || want.Passed.All() == want.Written.All() || want.Kept.All() == 0 ||
		len(want.ByElement) == 0 {
		t.Errorf("got %+v; the case reports little", want)
	}
	for _, s := range got.Shown {
		if holds, known := language.Judge(tr.pairs[s.Pair].Image, s.Sentence); s.Known && (holds != s.True || !known) {
			t.Errorf("%+v is shown, which is %t, known %t", s, holds, known)
		}
	}
	metrics := got.Metrics()
	for name, x := range map[string]float64{
		negative.WrittenTrue: 100 * portion(want.Written.True,
			want.Written.True+want.Written.False), negative.PassedTrue: 100 * portion(want.Passed.True, want.Passed.True+want.Passed.False),
		negative.WrittenOwn: 100 * portion(want.Own, want.Own+want.Written.All()), negative.PassedShare: 100 * portion(want.Passed.All(),
			want.Written.All()),
		negative.Ungrammatic: 100 * portion(want.Written.Unknown, want.Written.All()),
	} {
		if math.Abs(metrics[name]-x) > 1e-9 {
			t.Errorf("%s: got %g, want %g", name, metrics[name], x)
		}
	}
}

func portion(part, whole int) float64 { return float64(part) / float64(whole) }

// ownWriting is a Writing of one's own that reads what TAGS does.
type ownWriting struct{ negative.TAGS }

// What a Writing reads is made by the sizes that it reports, whatever its type.
func TestAWritingOfOnesOwn(t *testing.T) {
	m := writing()
	want := finish(t, onUNITER(t, m, 0)).Epochs
	m.Writing = ownWriting{m.Writing.(negative.TAGS)}
	got := finish(t, onUNITER(t, m, 0)).Epochs
	for k := range want {
		g, w := got[k].Observed.WrittenSentences(), want[k].Observed.WrittenSentences()
		if g == nil || !reflect.DeepEqual(g, w) || !maps.Equal(got[k].Losses, want[k].Losses) {
			t.Errorf("epoch %d: got %+v, want what TAGS itself gives, %+v", k, g, w)
		}
	}
}
