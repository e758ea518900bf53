package uniter

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// seen is what the heads of a model report of one caption with one image, as in evaluation.
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
	got := steptest.Run(t, on, store, func(s *model.Scope, in []*Node) []*Node {
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
func slowStep(t *testing.T, on compute.Backend, store *model.Store, m Model, method negative.Method, b mini) steptest.Step {
	t.Helper()
	o := steptest.Step{Losses: map[negative.Loss]float64{}, Outputs: map[field.Name][]float64{}}
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
	o.Losses[negative.ITM] = mean(sides[0]) + mean(sides[1])
	o.Total = o.Losses[negative.ITM]
	tags, writes := method.Writing.(negative.TAGS)
	if !writes {
		return o
	}
	o.Outputs[field.CaptionScores] = positives
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
					mlm = append(mlm, minusLog(alone(t, on, store, framework.Model, m, b.drafts[d], caption, b.images[k]).words[at],
						int(label)))
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
				sentences, labels, scores = append(sentences, sentence), append(labels, b.draftWords[d]),
					append(scores, score(sentence, b.images[k]))
			}
		}
		for j, sentence := range sentences {
			again := slices.ContainsFunc(sentences[j+1:], func(other []int32) bool { return slices.Equal(sentence, other) })
			// 0 is the padding of what is annotated
			new := slices.ContainsFunc(sentence, func(id int32) bool { return id != 0 && !slices.Contains(caption, id) })
			passed = append(passed, new && !again)
			o.Outputs[field.SentencePassed] = append(o.Outputs[field.SentencePassed], map[bool]float64{true: 1}[new && !again])
			for _, id := range sentence {
				o.Outputs[field.Sentences] = append(o.Outputs[field.Sentences], float64(id))
			}
		}
		o.Outputs[field.SentenceScores] = append(o.Outputs[field.SentenceScores], scores...)
		for _, j := range hardest(scores, passed, tags.Keep) {
			o.Outputs[field.SentencesKept] = append(o.Outputs[field.SentencesKept], float64(j))
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
			o.Losses[loss] = mean(each)
			o.Total += weight * mean(each)
		}
	}
	return o
}

// agree compares steps.
func agree(t *testing.T, got, want steptest.Step) {
	t.Helper()
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 2e-4*max(1, math.Abs(want))) {
			t.Errorf("%s: got %g, want %g", what, got, want)
		}
	}
	near("total", got.Total, want.Total)
	if len(got.Losses) != len(want.Losses) || len(got.Outputs) != len(want.Outputs) {
		t.Errorf("got the losses %v and %d outputs, want %v and %d", got.Losses, len(got.Outputs), want.Losses, len(want.Outputs))
	}
	for name, loss := range want.Losses {
		near(string(name), got.Losses[name], loss)
	}
	for name, numbers := range want.Outputs {
		if len(got.Outputs[name]) != len(numbers) {
			t.Errorf("%s: got %d numbers, want %d", name, len(got.Outputs[name]), len(numbers))
			continue
		}
		for k, x := range numbers {
			near(string(name), got.Outputs[name][k], x)
		}
	}
}
