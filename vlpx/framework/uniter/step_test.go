package uniter

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// seen is what the heads of a model tell of one caption with one image, as in evaluation.
type seen struct {
	score           float64     // a logit
	words, wod, woc [][]float64 // logits at each token
}

// alone asks a model of a store for one caption, padded as another, with one image.
func alone(t *testing.T, on compute.Backend, store *model.Store, root string, m Model, ids, padded []int32, image []float32) seen {
	t.Helper()
	of := func(ids []int32) *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(slices.Clone(ids), 1, len(ids))
	}
	got := called(t, on, store, func(s *model.Scope, in []*Node) []*Node {
		s.Store().SetTraining(in[0].Graph(), false)
		scope := s.Store().Scope(root)
		states := m.Encode(scope, in[0], in[1], in[2], nil)
		tokens := m.tokens(states)
		return []*Node{m.rank(scope, states), m.MaskedWords(scope, states), encoder.Linear(scope.At("wod"), tokens, 2, false),
			m.Text.WordsBy(scope.At("text"), corrector, tokens, false)}
	}, of(ids), of(padded), framework.Rows(slices.Clone(image), m.Regions.Input()...))
	rows := func(flat []float64) (rows [][]float64) {
		for k := range ids {
			n := len(flat) / len(ids)
			rows = append(rows, flat[k*n:(k+1)*n])
		}
		return rows
	}
	return seen{got[0][0], rows(got[1]), rows(got[2]), rows(got[3])}
}

// minusLog is that of the softmax of a row at a place.
func minusLog(row []float64, at int) float64 {
	sum := 0.0
	for _, x := range row {
		sum += math.Exp(x - row[at])
	}
	return math.Log(sum)
}

// mean is that of numbers, 0 of none.
func mean(numbers []float64) float64 {
	sum := 0.0
	for _, x := range numbers {
		sum += x / float64(len(numbers))
	}
	return sum
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// hardest are the places of the largest scores that count, and after them of others in their order.
func hardest(scores []float64, counts []bool, keep int) []int {
	ranks := slices.Clone(scores)
	var order []int
	for k := range scores {
		order = append(order, k)
		if !counts[k] {
			ranks[k] = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ranks[b], ranks[a]) })
	return order[:keep]
}

// slowStep computes a step of a method that retrieves, and writes if it does, pair by pair and row by row.
func slowStep(t *testing.T, on compute.Backend, store *model.Store, m Model, method negative.Method, b mini) outcome {
	t.Helper()
	o := outcome{losses: map[negative.Loss]float64{}, outputs: map[field.Name][]float64{}}
	score := func(ids []int32, image []float32) float64 {
		return alone(t, on, store, framework.Model, m, ids, ids, image).score
	}
	r := method.Matching.(negative.Retrieved)
	var positives []float64
	var sides [2][]float64 // of the triplet loss
	triplet := func(negatives []float64, counts []bool, keep, k int) (each []float64) {
		for _, p := range hardest(negatives, counts, keep) {
			if counts[p] {
				each = append(each, max(0, m.Margin+sigmoid(negatives[p])-sigmoid(positives[k])))
			}
		}
		return each
	}
	for k := range b.captions {
		positives = append(positives, score(b.captions[k], b.images[k]))
		var texts, pictures []float64
		var counts []bool
		for p := range b.pool {
			texts, pictures = append(texts, score(b.pool[p], b.images[k])), append(pictures, score(b.captions[k], b.poolImages[p]))
			counts = append(counts, b.items[k] != b.poolItems[p])
		}
		sides[0] = append(sides[0], triplet(texts, counts, r.Keep, k)...)
		sides[1] = append(sides[1], triplet(pictures, counts, r.Keep, k)...)
	}
	o.losses[negative.ITM] = mean(sides[0]) + mean(sides[1])
	o.total = o.losses[negative.ITM]
	tags, writes := method.Writing.(negative.TAGS)
	if !writes {
		return o
	}
	o.outputs[field.CaptionScores] = positives
	writer := framework.Model
	if tags.Static {
		writer = framework.Frozen
	}
	var mlm, istm, wod, woc []float64
	tokens := len(b.captions[0])
	for k, caption := range b.captions {
		var sentences, labels [][]int32
		var scores []float64
		var passed []bool
		for d := k * tags.Masks; d < (k+1)*tags.Masks; d++ {
			of := alone(t, on, store, writer, m, b.drafts[d], caption, b.images[k])
			for at, label := range b.draftWords[d] {
				if label != objective.Ignored {
					mlm = append(mlm, minusLog(alone(t, on, store, framework.Model, m, b.drafts[d], caption, b.images[k]).words[at], int(label)))
				}
			}
			for l := range tags.Refills {
				sentence := slices.Clone(b.drafts[d])
				for at, label := range b.draftWords[d] {
					if label == objective.Ignored {
						continue
					}
					sum, word := 0.0, 0
					for ; word < m.Text.Vocab; word++ {
						cooler := slices.Clone(of.words[at])
						for i := range cooler {
							cooler[i] /= tags.Temperature
						}
						if sum += math.Exp(-minusLog(cooler, word)); sum > float64(b.refills[((d*tags.Refills)+l)*tokens+at]) {
							break
						}
					}
					sentence[at] = int32(word)
				}
				sentences, labels, scores = append(sentences, sentence), append(labels, b.draftWords[d]), append(scores, score(sentence, b.images[k]))
			}
		}
		for j, sentence := range sentences {
			again := slices.ContainsFunc(sentences[j+1:], func(other []int32) bool { return slices.Equal(sentence, other) })
			new := slices.ContainsFunc(sentence, func(id int32) bool { return id != 0 && !slices.Contains(caption, id) }) // 0 is the padding of what is annotated
			passed = append(passed, new && !again)
			o.outputs[field.SentencePassed] = append(o.outputs[field.SentencePassed], map[bool]float64{true: 1}[new && !again])
			for _, id := range sentence {
				o.outputs[field.Sentences] = append(o.outputs[field.Sentences], float64(id))
			}
		}
		o.outputs[field.SentenceScores] = append(o.outputs[field.SentenceScores], scores...)
		for _, j := range hardest(scores, passed, tags.Keep) {
			o.outputs[field.SentencesKept] = append(o.outputs[field.SentencesKept], float64(j))
			if !passed[j] {
				continue
			}
			of := alone(t, on, store, framework.Model, m, sentences[j], sentences[j], b.images[k])
			for at, id := range caption {
				if id == 0 {
					continue
				}
				if original := sentences[j][at] == id; original {
					wod = append(wod, 0.11*minusLog(of.wod[at], 1))
				} else {
					wod = append(wod, minusLog(of.wod[at], 0))
				}
				if label := labels[j][at]; label != objective.Ignored {
					woc = append(woc, minusLog(of.woc[at], int(label)))
				}
			}
		}
		istm = append(istm, triplet(scores, passed, tags.Keep, k)...)
	}
	for loss, each := range map[negative.Loss][]float64{negative.MLM: mlm, negative.ISTM: istm, negative.WoD: wod, negative.WoC: woc} {
		if weight := tags.Weight(loss); weight > 0 {
			o.losses[loss] = mean(each)
			o.total += weight * mean(each)
		}
	}
	return o
}

// agree compares steps.
func agree(t *testing.T, got, want outcome) {
	t.Helper()
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 2e-4*max(1, math.Abs(want))) {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	near("total", got.total, want.total)
	if len(got.losses) != len(want.losses) || len(got.outputs) != len(want.outputs) {
		t.Errorf("got the losses %v and %d outputs, want %v and %d", got.losses, len(got.outputs), want.losses, len(want.outputs))
	}
	for name, loss := range want.losses {
		near(string(name), got.losses[name], loss)
	}
	for name, numbers := range want.outputs {
		if len(got.outputs[name]) != len(numbers) {
			t.Errorf("%s: got %d numbers, want %d", name, len(got.outputs[name]), len(numbers))
			continue
		}
		for k, x := range numbers {
			near(string(name), got.outputs[name][k], x)
		}
	}
}

// changed is the method with other settings of writing.
func changed(how func(*negative.TAGS)) negative.Method {
	m := writing()
	tags := m.Writing.(negative.TAGS)
	how(&tags)
	m.Writing = tags
	return m
}

// A step is what the model tells of each caption with each image alone, whatever the method and wherever pairs of the same image are.
func TestStepAgainstLoops(t *testing.T) {
	retrieving := negative.Method{Name: "UNITER", Matching: negative.Retrieved{Pool: 4, Keep: 2}}.WithDefaults()
	all := retrieving
	all.Matching = negative.Retrieved{Pool: 4, Keep: 4}
	for name, c := range map[string]struct {
		method negative.Method
		move   func(*mini)
	}{
		"retrieved": {method: retrieving}, "all": {method: all}, "written": {method: writing()},
		"none is apart": {writing(), func(b *mini) { b.items, b.poolItems = []int32{5, 5, 5}, []int32{5, 5, 5, 5} }},
		"one is moved":  {retrieving, func(b *mini) { b.items, b.poolItems = []int32{0, 7, 1}, []int32{1, 7, 7, 7} }},
		"no matching":   {method: changed(func(m *negative.TAGS) { m.ISTM = 0 })},
		"no words":      {method: changed(func(m *negative.TAGS) { m.WoD, m.WoC = 0, 0 })},
		"no masked":     {method: changed(func(m *negative.TAGS) { m.MLM = 0 })},
		"static":        {method: changed(func(m *negative.TAGS) { m.Static = true })},
	} {
		t.Run(name, func(t *testing.T) {
			on, b := backend(t), newMini(6, 3)
			if c.move != nil {
				c.move(&b)
			}
			store := initialised(t, on, small(), use(c.method), 3)
			if c.method.NeedsReference() {
				if err := framework.Freeze(initialised(t, on, small(), use(c.method), 4), store); err != nil {
					t.Fatal(err)
				}
			}
			got, want := step(t, on, store, small(), use(c.method), b), slowStep(t, on, store, small(), c.method, b)
			agree(t, got, want)
			if name == "written" && !slices.Contains(want.outputs[field.SentencePassed], 0) {
				t.Error("every sentence passes; the case tells little")
			}
		})
	}
}

// More padding, more rows to spare and other numbers in these change nothing.
func TestStepToSpare(t *testing.T) {
	on := backend(t)
	store := initialised(t, on, small(), use(writing()), 3)
	want := step(t, on, store, small(), use(writing()), newMini(6, 3))
	wider, longer := small(), use(writing())
	wider.Regions.Count, longer.Tokens = 5, 9
	b := newMini(9, 5)
	for _, images := range [][][]float32{b.images, b.poolImages} {
		for _, image := range images {
			for k := range image {
				if row := k / 13; image[row*13+12] == 0 && k%13 < 12 {
					image[k] = 1e3
				}
			}
		}
	}
	got := step(t, on, store, wider, longer, b)
	var sentences []float64
	for k, id := range got.outputs[field.Sentences] {
		if k%9 < 6 {
			sentences = append(sentences, id)
		} else if id != 0 {
			t.Errorf("a word %g behind the padding", id)
		}
	}
	got.outputs[field.Sentences] = sentences
	agree(t, got, want)
	for path, size := range want.gradients {
		if !(math.Abs(got.gradients[path]-size) <= 1e-3*max(0.01, size)) {
			t.Errorf("gradient of %s: got %g, want %g", path, got.gradients[path], size)
		}
	}
}

// A loss reaches the heads that it has and no other, and nothing reaches what writes or picks.
func TestWhatGradientsReach(t *testing.T) {
	on := backend(t)
	const rank, wod, mlm, corrected = "/rank/", "/wod/", "/text/mlm/", "/text/corrected/"
	of := func(loss negative.Loss) negative.Method {
		return changed(func(m *negative.TAGS) {
			at := map[negative.Loss]*float64{negative.MLM: &m.MLM, negative.ISTM: &m.ISTM, negative.WoD: &m.WoD, negative.WoC: &m.WoC}
			m.MLM, m.ISTM, m.WoD, m.WoC = 0, 0, 0, 0
			if at[loss] != nil {
				*at[loss] = 1
			}
		})
	}
	for loss, heads := range map[negative.Loss][]string{
		negative.ITM: {rank}, negative.ISTM: {rank}, negative.MLM: {rank, mlm}, negative.WoD: {rank, wod}, negative.WoC: {rank, corrected},
	} {
		b := newMini(6, 3)
		store := initialised(t, on, small(), use(of(loss)), 3)
		got := step(t, on, store, small(), use(of(loss)), b).gradients
		for _, head := range []string{rank, wod, mlm, corrected} {
			sum := 0.0
			for path, size := range got {
				if strings.HasPrefix(path, head) {
					sum += size
				}
			}
			if reached := sum > 0; reached != slices.Contains(heads, head) {
				t.Errorf("%s: the gradient of %s is %g", loss, head, sum)
			}
		}
		for _, path := range []string{"/text/layer_0/attention/qkv/weights", "/regions/features/in/weights", "/regions/geometry/in/weights", "/text/pooler/weights",
			"/text/embeddings/word/embedding"} {
			if !(got[path] > 0) {
				t.Errorf("%s: no gradient of %s", loss, path)
			}
		}
	}
	// Where no pair is apart and no loss on sentences is asked for, nothing is left to learn from.
	b := newMini(6, 3)
	b.items, b.poolItems = []int32{5, 5, 5}, []int32{5, 5, 5, 5}
	for path, size := range step(t, on, initialised(t, on, small(), use(of("")), 3), small(), use(of("")), b).gradients {
		if size != 0 {
			t.Errorf("the gradient of %s is %g without anything to learn", path, size)
		}
	}
}

// Sentences and negatives are picked and scored as in evaluation, while what is trained has dropout.
func TestDropoutIsOfTraining(t *testing.T) {
	on, b := backend(t), newMini(6, 3)
	dropping := small()
	dropping.Text.Dropout = 0.4
	static := changed(func(m *negative.TAGS) { m.Static = true })
	store := initialised(t, on, dropping, use(static), 3)
	if err := framework.Freeze(initialised(t, on, dropping, use(static), 4), store); err != nil {
		t.Fatal(err)
	}
	got, want := step(t, on, store, dropping, use(static), b), slowStep(t, on, store, dropping, static, b)
	for _, name := range []field.Name{field.Sentences, field.SentenceScores, field.SentencePassed, field.SentencesKept} {
		for k, x := range want.outputs[name] {
			if math.Abs(got.outputs[name][k]-x) > 2e-4*max(1, math.Abs(x)) {
				t.Errorf("%s: got %g, want %g as in evaluation", name, got.outputs[name][k], x)
			}
		}
	}
	for loss, without := range want.losses {
		if math.Abs(got.losses[loss]-without) < 1e-4 {
			t.Errorf("%s is %g, as without dropout", loss, got.losses[loss])
		}
	}
}
