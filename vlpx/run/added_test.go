package run

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// onMined is a run of ALBEF on the pairs that the smallest first stage of BLIP-2 mines.
func onMined(t *testing.T) Run {
	t.Helper()
	r, _ := onScenes(t, scenes.Config{Train: 30, Val: 4, Test: 4, Captions: 2, Size: 16}, 2)
	miner := smallest(t)
	miner.Data, miner.Vocabulary = r.Data, r.Vocabulary
	collection := must.Get(r.Data.Open())(t)
	tokenizer := must.Get(r.Vocabulary.Tokenizer(collection))(t)
	r = miner
	change(&r, func(a *albef.Model) { a.Text.Vocab = tokenizer.Size() })
	r.Train.Method = negative.Plain()
	miner.Train.Framework = framework.Choice{Framework: blip2.Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, EVA: true, Open: true},
		Text:   encoder.QFormer{Vocab: tokenizer.Size(), Positions: 12, Queries: 3, Width: 8, Heads: 2, MLP: 16, Layers: 2, Every: 2},
		Embed:  6,
	}}
	miner.Train.Method = negative.Plain()
	r.Miner = &miner
	r.Data.Added = &Added{By: miner.ID(), Mining: eval.Mining{Sampling: negative.Grouped{SearchSpace: 16, Queue: 32}, BatchSize: 8,
		Threshold: 0.33, Seed: 4}}
	return r
}

// with is the run with other settings of what is added.
func with(r Run, how func(*Added)) Run {
	a := *r.Data.Added
	how(&a)
	r.Data.Added = &a
	return r
}

// minedBy are the pairs that a store has for a run.
func minedBy(t *testing.T, e *Executor, r Run) [][]int {
	t.Helper()
	mined := must.Get(e.Store.Placed(r).Data.Added.mined())(t)
	return mined.Further
}

// slowly mines as the definition says, with all of the set encoded at once.
func slowly(t *testing.T, e *Executor, r Run, m eval.Mining) (further [][]int, scored int) {
	t.Helper()
	_, model := must.Get2(e.finished(r))(t)
	defer model.Close()
	inference := must.Get(model.Inference())(t)
	set := must.Get(r.Data.TrainingSet())(t)
	pairs := datasets.Pairs(set)
	pixels, _ := must.Get2(loader.Images(t.Context(), set, upTo(set.Len()), 16, nil))(t)
	images := must.Get(inference.Images(pixels))(t)
	var ids []int32
	for _, p := range pairs {
		ids = append(ids, model.Tokenizer.EncodeCaption(p.Text(set), r.Train.MaxLen)...)
	}
	texts := must.Get(inference.Texts(ids))(t)
	dim, vectors := len(texts.Features)/len(pairs), inference.Vectors()
	vector := func(image, v int) []float32 { return images.Features[(image*vectors+v)*dim:][:dim] }
	nearest := func(image, p int) (v int, cosine float32) {
		for k := range vectors {
			sum := float32(0)
			for d, x := range vector(image, k) {
				sum += x * texts.Features[p*dim+d]
			}
			if k == 0 || sum > cosine {
				v, cosine = k, sum
			}
		}
		return v, cosine
	}
	probability := func(image, p int) float64 {
		size, width := len(images.States)/set.Len(), len(texts.States)/len(pairs)
		got := must.Get(inference.Probabilities(texts.States[p*width:][:width], ids[p*r.Train.MaxLen:][:r.Train.MaxLen],
			images.States[image*size:][:size]))(t)
		return float64(got[0])
	}
	sampler := must.Get(m.Sampling.Start(negative.Start{Pairs: len(pairs), BatchSize: m.BatchSize, Dim: dim, Epochs: 2, Seed: m.Seed}))(t)
	further = make([][]int, set.Len())
	has := func(image, p int) bool {
		same := func(caption string) bool { return text.Clean(caption, 0) == text.Clean(pairs[p].Text(set), 0) }
		return slices.ContainsFunc(set.Captions(image), same) ||
			slices.ContainsFunc(further[image], func(q int) bool { return same(pairs[q].Text(set)) })
	}
	for epoch := range 2 {
		steps := must.Get(sampler.Epoch(epoch))(t)
		for range steps {
			batch := must.Get(sampler.Next())(t)
			if epoch == 0 {
				seen := negative.Observation{Pairs: batch, Temperature: 1}
				for _, p := range batch {
					v, _ := nearest(pairs[p].Image, p)
					seen.Image = append(seen.Image, vector(pairs[p].Image, v)...)
					seen.Text = append(seen.Text, texts.Features[p*dim:][:dim]...)
				}
				must.Do(t, sampler.Observe(seen))
				continue
			}
			type candidate struct{ image, p int }
			hardest := func(of func(p int) candidate) (best candidate, is bool) {
				most := float32(-2)
				for _, p := range batch {
					c := of(p)
					if _, cosine := nearest(c.image, c.p); !has(c.image, c.p) && cosine > most {
						best, is, most = c, true, cosine
					}
				}
				return best, is
			}
			var candidates []candidate
			add := func(c candidate, is bool) {
				same := func(o candidate) bool { return o.image == c.image && pairs[o.p].Text(set) == pairs[c.p].Text(set) }
				if is && !slices.ContainsFunc(candidates, same) {
					candidates = append(candidates, c)
				}
			}
			for _, anchor := range batch {
				add(hardest(func(p int) candidate { return candidate{pairs[anchor].Image, p} }))
			}
			for _, anchor := range batch {
				add(hardest(func(p int) candidate { return candidate{pairs[p].Image, anchor} }))
			}
			scored += len(candidates)
			for _, c := range candidates {
				if probability(c.image, c.p) > m.Threshold {
					further[c.image] = append(further[c.image], c.p)
				}
			}
		}
	}
	return further, scored
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// The first run mines the pairs that a slow loop finds, trains on them behind the captions, and tells how many are true.
func TestMinedPairs(t *testing.T) {
	r, e := onMined(t), executor(t, t.TempDir())
	steps := map[string]int{}
	e.Report = func(r Run, _ train.Report) { steps[r.ID()]++ }
	result := must.Get(e.Run(t.Context(), r))(t)
	mining := r.Data.Added.Mining
	want, scored := slowly(t, e, *r.Miner, mining)
	mined, err := e.Store.Placed(r).Data.Added.mined()
	if err != nil || !reflect.DeepEqual(mined.Further, want) || mined.Scored != scored {
		t.Fatalf("got %v of %d (%v), want %v of %d", mined.Further, mined.Scored, err, want, scored)
	}
	n := count(want)
	if n == 0 || n == scored {
		t.Fatalf("%d of %d candidates are new pairs; the threshold of this test tells nothing", n, scored)
	}
	if result.Metrics[AddedPairs] != float64(n) || steps[r.ID()] != 2*((60+n)/8) || steps[r.Miner.ID()] != 2*(60/8) {
		t.Errorf("%d pairs: got %v and steps %v", n, result.Metrics[AddedPairs], steps)
	}
	base := must.Get(r.Miner.Data.TrainingSet())(t)
	shown := must.Get(e.Store.Placed(r).Data.TrainingSet())(t)
	right, relation := 0, shown.(datasets.Related).Relation()
	for p, pair := range datasets.Pairs(shown) {
		if holds, _ := relation.Holds(pair.Image, p); holds && pair.Caption >= len(base.Captions(pair.Image)) {
			right++
		}
		if own := base.Captions(pair.Image); pair.Caption >= len(own) && slices.Contains(own, pair.Text(shown)) {
			t.Errorf("image %d gets its own caption %q", pair.Image, pair.Text(shown))
		}
	}
	if got := result.Metrics[AddedTrue]; got != 100*float64(right)/float64(n) {
		t.Errorf("got %g %% true, want %d of %d", got, right, n)
	}
	for _, split := range []string{"val", "test"} {
		collection := must.Get(r.Data.Open())(t)
		if set, err := r.Data.Part(collection, split); err != nil || len(datasets.Pairs(set)) != 8 {
			t.Errorf("%s: got %d pairs (%v), want its own 8", split, len(datasets.Pairs(set)), err)
		}
	}
	if measured, err := e.Evaluate(t.Context(), r, "test"); err != nil || measured["TR@1"] != result.Metrics["TR@1"] {
		t.Errorf("measured again: %v (%v)", measured["TR@1"], err)
	}
}

// Other settings mine what the slow loop finds, too: by whatever mini-batches, no text is found twice for an image.
func TestMinedBySettings(t *testing.T) {
	r, e := onMined(t), executor(t, t.TempDir())
	must.Get(e.Run(t.Context(), *r.Miner))(t)
	base := must.Get(r.Miner.Data.TrainingSet())(t)
	pairs := datasets.Pairs(base)
	for seed := range uint64(4) {
		of := with(r, func(a *Added) {
			a.Mining = eval.Mining{Sampling: negative.Grouped{SearchSpace: 12, Queue: 24}, BatchSize: 4, Seed: seed}
		})
		must.Do(t, e.mine(t.Context(), e.Store.Placed(of)))
		got := minedBy(t, e, of)
		if want, _ := slowly(t, e, *r.Miner, of.Data.Added.Mining); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
		for i, of := range got {
			once := map[string]bool{}
			for _, p := range of {
				if caption := pairs[p].Text(base); once[caption] {
					t.Errorf("seed %d: image %d gets %q twice", seed, i, caption)
				} else {
					once[caption] = true
				}
			}
		}
	}
}

// The control sees as many of its own pairs again, by draws that a seed names; no pair is there a third time before all are twice.
func TestRepeatedPairs(t *testing.T) {
	r, e := onMined(t), executor(t, t.TempDir())
	control := with(r, func(a *Added) { a.Repeated = true })
	if control.ID() == r.ID() {
		t.Error("the control is the same run")
	}
	result := must.Get(e.Run(t.Context(), control))(t)
	n := count(minedBy(t, e, r))
	set := must.Get(e.Store.Placed(control).Data.TrainingSet())(t)
	base := must.Get(r.Miner.Data.TrainingSet())(t)
	if got := len(datasets.Pairs(set)) - len(datasets.Pairs(base)); got != n || result.Metrics[AddedPairs] != float64(n) || n == 0 {
		t.Errorf("got %d pairs more, %v told, want %d", got, result.Metrics[AddedPairs], n)
	}
	for i := range set.Len() {
		own := base.Captions(i)
		for _, caption := range set.Captions(i)[len(own):] {
			if !slices.Contains(own, caption) {
				t.Errorf("image %d gets %q, which is not its own", i, caption)
			}
		}
	}
	mined := minedPairs{r.Data.Added.By, r.Data.Added.Mining, eval.Mined{Further: [][]int{make([]int, 60+7)}}}
	placed := e.Store.Placed(control)
	must.Do(t, e.Store.publish(*r.Miner, placed.Data.Added.name(), mined))
	further := must.Get(placed.Data.Added.further(base))(t)
	times := make([]int, 60)
	for i, of := range further {
		for _, p := range of {
			times[p]++
			if datasets.Pairs(base)[p].Image != i {
				t.Errorf("image %d gets pair %d", i, p)
			}
		}
	}
	if slices.Min(times) != 1 || slices.Max(times) != 2 || count(further) != 67 {
		t.Errorf("67 of 60 pairs: got them %v times", times)
	}
	other := with(placed, func(a *Added) { a.Mining.Seed++ })
	mined.Mining = other.Data.Added.Mining
	must.Do(t, e.Store.publish(*r.Miner, other.Data.Added.name(), mined))
	if drawn, err := e.Store.Placed(other).Data.Added.further(base); err != nil || reflect.DeepEqual(drawn, further) {
		t.Errorf("another seed draws the same pairs (%v)", err)
	}
}

// No probability is above 1, so that nothing is added, and the run ends as one on the data alone.
func TestThresholdOneAddsNothing(t *testing.T) {
	e := executor(t, t.TempDir())
	r := with(onMined(t), func(a *Added) { a.Mining.Threshold = 1 })
	got := must.Get(e.Run(t.Context(), r))(t)
	plain := r
	plain.Data, plain.Miner = r.Data.before(), nil
	want := must.Get(e.Run(t.Context(), plain))(t)
	if got.Metrics[AddedPairs] != 0 || !reflect.DeepEqual(got.Epochs, want.Epochs) || got.ID == want.ID {
		t.Errorf("got %v with %v pairs, want %v", got.Epochs, got.Metrics[AddedPairs], want.Epochs)
	}
	if _, told := want.Metrics[AddedPairs]; told {
		t.Error("a run without added pairs tells of some")
	}
}

// What is mined is mined once: two at once share it, one that is stopped in training goes on to the same numbers, and another threshold is
// another file.
func TestMinedOnce(t *testing.T) {
	home, r := t.TempDir(), onMined(t)
	var mines int
	var saying sync.Mutex
	said := func(line string) {
		saying.Lock()
		defer saying.Unlock()
		if strings.Contains(line, "mines pairs") {
			mines++
		}
	}
	control := with(r, func(a *Added) { a.Repeated = true })
	var both sync.WaitGroup
	for _, of := range []Run{r, control} {
		e := executor(t, home)
		e.Say = said
		both.Go(func() {
			if _, err := e.Run(t.Context(), of); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	e := executor(t, home)
	e.Say = said
	if mines != 1 {
		t.Errorf("mined %d times, want once", mines)
	}
	want := must.Get(e.Store.Result(r))(t)
	if _, err := e.Run(t.Context(), with(r, func(a *Added) { a.Mining.Threshold = 0.5 })); err != nil || mines != 2 {
		t.Errorf("another threshold: %v, mined %d times", err, mines)
	}

	e = executor(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	e.Report = func(of Run, p train.Report) {
		if of.ID() == r.ID() && p.Step == 9 {
			cancel()
		}
	}
	if _, err := e.Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: got %v", err)
	}
	got, err := e.Run(t.Context(), r)
	if err != nil || !reflect.DeepEqual(got.Metrics, want.Metrics) || !reflect.DeepEqual(got.Epochs, want.Epochs) {
		t.Errorf("got %v, %v (%v), want %v, %v", got.Metrics, got.Epochs, err, want.Metrics, want.Epochs)
	}
}

// A mining that is stopped leaves no file.
func TestStoppedMining(t *testing.T) {
	r, e := onMined(t), executor(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	e.Say = func(line string) {
		if strings.Contains(line, "mines pairs") {
			cancel()
		}
	}
	if _, err := e.Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(e.Store.Dir(*r.Miner), "mined-*")); len(left) > 0 || err != nil {
		t.Errorf("got %v (%v)", left, err)
	}
}

// Every field of what is added is part of the identity, but where it lies; a run without has the identity that it always had.
func TestAddedIdentity(t *testing.T) {
	r := onMined(t)
	seen := map[string]string{r.ID(): "the run itself"}
	var outside []string
	bump(reflect.ValueOf(r.Data.Added).Elem(), "Added", func(path string) {
		if other, ok := seen[r.ID()]; ok {
			outside = append(outside, path+" as "+other)
		}
		seen[r.ID()] = path
	})
	if !slices.Equal(outside, []string{"Added.File as the run itself"}) || len(seen) != 9 {
		t.Errorf("got %v outside the identity, %d within", outside, len(seen))
	}
	if strings.Contains(string(Run{}.JSON()), "Added") {
		t.Error("a run without added pairs tells of them")
	}
	described, err := Describe(r.JSON())
	if err != nil || !reflect.DeepEqual(described.Run.Data.Added, r.Data.Added) {
		t.Errorf("read back: %+v (%v)", described.Run.Data.Added, err)
	}
}

// Mistakes are told before a step on the added pairs is made.
func TestMistakesOfMining(t *testing.T) {
	whole := onMined(t)
	for want, spoil := range map[string]func(r *Run){
		"give that run as Run.Miner":    func(r *Run) { r.Miner = nil },
		"mines, which the store lacks":  func(r *Run) { *r = with(*r, func(a *Added) { a.By = "0123456789abcdef" }) },
		"whose data are others":         func(r *Run) { r.Data.Images = 20 },
		"no multiple of the batch size": func(r *Run) { *r = with(*r, func(a *Added) { a.Mining.BatchSize = 7 }) },
		"use one from 0 to 1":           func(r *Run) { *r = with(*r, func(a *Added) { a.Mining.Threshold = -1 }) },
		"which Towers does not make": func(r *Run) {
			miner := byTowers(t, negative.Plain())
			r.Miner, r.Data = &miner, miner.Data
			r.Data.Added = &Added{By: miner.ID(), Mining: whole.Data.Added.Mining}
		},
	} {
		r, e := whole, executor(t, t.TempDir())
		spoil(&r)
		e.Report = func(of Run, _ train.Report) {
			if of.ID() == r.ID() {
				t.Errorf("%s: a step is made", want)
			}
		}
		must.Fail(t, must.Err(e.Run(t.Context(), r)), want)
	}
	asking, e := whole.Data, executor(t, t.TempDir())
	asking.Texts = Questions
	must.Fail(t, must.Err(asking.TrainingSet()), "which are no captions", "added to questions")
	must.Fail(t, must.Err(whole.Data.TrainingSet()), "Store.Placed", "without a store")
	placed := e.Store.Placed(whole)
	must.Fail(t, must.Err(placed.Data.TrainingSet()), placed.Data.Added.File, "before it is mined")
	must.Do(t, os.MkdirAll(e.Store.Dir(*whole.Miner), 0o755))
	for name, content := range map[string]string{
		"cut off": `{"By": "`, "of another run": `{"By": "0123456789abcdef"}`,
		"of fewer images": strings.TrimSuffix(toldAs(t,
			minedPairs{whole.Miner.ID(), whole.Data.Added.Mining, eval.Mined{Further: [][]int{{1}}}}), "\n"),
	} {
		must.Do(t, os.WriteFile(placed.Data.Added.File, []byte(content), 0o644))
		must.Fail(t, must.Err(placed.Data.TrainingSet()), "delete the file to mine again", "%s", name)
	}
}

// A second stage of BLIP-2 goes on from the first, which mines for it, and learns to write what both kinds of pairs say.
func TestSecondStageOnMinedPairs(t *testing.T) {
	r, e := onMined(t), executor(t, t.TempDir())
	stage := r.Miner.Train.Framework.Framework.(blip2.Model)
	r.Train.Framework = framework.Choice{Framework: blip2.Generative{
		BLIP2: stage, Language: encoder.OPT{Vocab: stage.Text.Vocab, Positions: 24, Width: 8, Layers: 1, Heads: 2, MLP: 16},
	}}
	r.Init, r.Train.Init, r.Tasks = r.Miner, r.Miner.ID(),
		eval.Tasks{eval.Captioning{Search: generate.Search{Beams: 1, Max: 6, RepetitionPenalty: 1}}}
	for _, added := range []Run{r, with(r, func(a *Added) { a.Repeated = true })} {
		result := must.Get(e.Run(t.Context(), added))(t)
		first, last := result.Epochs[0].Losses[negative.LM], result.Epochs[1].Losses[negative.LM]
		if n := count(minedBy(t, e, r)); result.Metrics[AddedPairs] != float64(n) || !(last < first) ||
			len(eval.WrittenCaptions.Of(result.Examples)) == 0 {
			t.Errorf("repeated %t: got %v for %d pairs, losses %g and %g, %d captions", added.Data.Added.Repeated, result.Metrics, n,
				first, last,
				len(eval.WrittenCaptions.Of(result.Examples)))
		}
	}
}
