package golden_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// checkPhrases masks phrases by recorded draws (METHODS.md 12.1).
func checkPhrases(t *testing.T, c golden.Case) {
	ids := int32s(c.Ints("params", "tokens"))
	var phrases [][]int
	for _, kind := range []string{"relation", "attribute", "node"} {
		for k := range c.Len("params", "tree", kind) {
			if path := []string{"params", "tree", kind, strconv.Itoa(k), "ids"}; c.Has(path...) {
				phrases = append(phrases, c.Ints(path...))
			}
		}
	}
	uniforms, words := c.Tensor("inputs", "uniforms").Float, c.Ints("inputs", "choices")
	usedUniforms, usedWords := 0, 0
	special := [2]int32{int32(c.Int("params", "cls")), int32(c.Int("params", "sep"))}
	times, mask := c.Int("params", "nsample"), int32(c.Int("params", "mask_id"))
	read(t, c)
	masked := objective.MaskPhrases(ids, phrases, times, 0.15, mask, objective.PhraseDraws{
		Uniform: func() float64 { usedUniforms++; return uniforms[usedUniforms-1] },
		Word:    func() int32 { usedWords++; return int32(words[usedWords-1]) },
		Shuffle: func(int, func(i, j int)) {},
	})
	var got, labels []int32
	for _, m := range masked {
		got = append(append(append(got, special[0]), m.IDs...), special[1])
		labels = append(append(append(labels, -1), m.Labels...), -1)
	}
	for k := range labels {
		labels[k] = max(labels[k], -1)
	}
	for _, is := range []struct {
		name      string
		got, want []int32
	}{
		{"masked_ids", got, int32s(c.Ints("expected", "masked_ids"))},
		{"labels", labels, int32s(c.Ints("expected", "labels"))},
		{"draws", []int32{int32(usedUniforms), int32(usedWords)},
			[]int32{int32(c.Int("expected", "uniforms_consumed")), int32(c.Int("expected", "choices_consumed"))}},
	} {
		if !slices.Equal(is.got, is.want) {
			t.Errorf("%s: got %v, want %v", is.name, is.got, is.want)
		}
	}
	read(t, c)
}

// ignoring are labels of the published code, -1 where nothing is predicted, as ours.
func ignoring(labels *Node) *Node {
	return Where(LessThan(labels, ZerosLike(labels)), ConstAs(labels, objective.Ignored), labels)
}

// checkRefill refills masked sentences by recorded draws; the probabilities and the loss of the masked words are compared, too (METHODS.md
// 12.2).
func checkRefill(t *testing.T, c golden.Case) {
	masked, draws := c.Tensor("inputs", "masked_ids").Shape, c.Int("params", "L")
	inputs := []*tensors.Tensor{value(c, "inputs", "logits"), ids(c, "inputs", "txt_labels"), ids(c, "inputs", "masked_ids"),
		ids(c, "inputs", "sampled_tokens")}
	temperature := c.Float("params", "temperature")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		labels := ignoring(in[1])
		words := Transpose(Reshape(in[3], masked[0], masked[1], draws), 1, 2)
		return withGradients(objective.MLM(in[0], labels), in[:1], objective.RefillProbabilities(in[0], temperature),
			objective.Refilled(in[2], labels, words))
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "mlm_loss_mean").Float)
	near(t, c, "probabilities", got[1], c.Tensor("expected", "sampling_probs").Float)
	near(t, c, "sentences", got[2], c.Tensor("expected", "filled_ids").Float)
	near(t, c, "gradient", got[3], c.Tensor("expected", "grad", "logits").Float)
	read(t, c)
}

// checkPenalties takes the published penalties off the scores of a caption and the sentences written from it, and keeps the hardest
// (METHODS.md 12.3, stage 1).
func checkPenalties(t *testing.T, c golden.Case) {
	written := c.Tensor("inputs", "synthetic_ids").Shape
	inputs := []*tensors.Tensor{ids(c, "inputs", "gt_ids"), ids(c, "inputs", "synthetic_ids"), value(c, "inputs", "scores")}
	keep := c.Int("params", "m")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		sentences := InsertAxes(Concatenate(in[:2], 0), 0) // the caption first, as published
		scores := Reshape(in[2], 1, -1)
		penalised := Sub(scores, negative.Penalties(in[0], sentences, dtypes.Float64))
		kept := OnePlus(negative.Top(Slice(penalised, AxisRange(), AxisRange(1)), keep))
		return []*Node{penalised, kept, negative.Choose(Slice(sentences, AxisRange(), AxisRange(1)), AddScalar(kept, -1))}
	})
	near(t, c, "penalised scores", got[0], c.Tensor("expected", "penalised_scores").Float)
	near(t, c, "kept rows", append([]float64{0}, got[1]...), c.Tensor("expected", "kept_rows").Float)
	near(t, c, "kept sentences", got[2], c.Tensor("expected", "kept_ids").Float[written[1]:])
}

// checkAnnotated applies the paper's filter (METHODS.md 12.3).
func checkAnnotated(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{ids(c, "inputs", "captions"), ids(c, "inputs", "synthetic")}
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		caption, annotated := Slice(in[0], AxisRange(0, 1)), Reshape(in[0], 1, -1)
		out := negative.AllAnnotated(caption, annotated, InsertAxes(in[1], 0))
		return []*Node{ConvertDType(Not(out), dtypes.Int32)}
	})
	near(t, c, "kept", got[0], c.Tensor("expected", "keep").Float)
	read(t, c)
}

// checkRetrieved keeps the hardest retrieved negatives beside the positive (METHODS.md 12.4).
func checkRetrieved(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "scores")}
	keep, size := c.Int("params", "hard_size"), c.Int("expected", "sample_size")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		return []*Node{OnePlus(negative.Top(Slice(Reshape(in[0], 1, -1), AxisRange(), AxisRange(1)), keep))}
	})[0]
	rows := append([]float64{0}, got...)
	slices.Sort(rows)
	near(t, c, "kept rows", rows, c.Tensor("expected", "kept_rows_sorted").Float)
	if len(rows) != size {
		t.Errorf("got %d rows, want %d", len(rows), size)
	}
}

// checkTriplet compares the triplet loss on sigmoids with its gradient (METHODS.md 12.4).
func checkTriplet(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "rank_logits")}
	size, margin := c.Int("params", "sample_size"), c.Float("params", "margin")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		logits := Reshape(in[0], -1, size)
		positives := Squeeze(Slice(logits, AxisRange(), AxisRange(0, 1)), -1)
		return withGradients(objective.Triplet(positives, Slice(logits, AxisRange(), AxisRange(1)), nil, margin), in)
	})
	near(t, c, "loss", got[0], c.Tensor("expected", "loss").Float)
	near(t, c, "gradient", got[1], c.Tensor("expected", "grad", "rank_logits").Float)
	each := c.Tensor("expected", "rank_loss_matrix").Float
	mean := 0.0
	for _, x := range each {
		mean += x / float64(len(each))
	}
	near(t, c, "mean of the triplets", got[0], []float64{mean})
	read(t, c)
}

// checkWords compares word discrimination and word correction with their gradients (METHODS.md 12.4).
func checkWords(t *testing.T, c golden.Case) {
	inputs := []*tensors.Tensor{value(c, "inputs", "disc_logits"), value(c, "inputs", "correction_logits"), ids(c, "inputs", "gt_ids"),
		ids(c, "inputs", "syn_ids"), ids(c, "inputs", "txt_labels")}
	weights := c.Tensor("params", "disc_weights").Float
	read(t, c)
	if !slices.Equal(weights, []float64{1, objective.MatchedWord}) {
		t.Errorf("the case weighs words by %v, word discrimination by 1 and %g", weights, objective.MatchedWord)
	}
	got := run(t, model.NewStore(), inputs, func(s *model.Scope, in []*Node) []*Node {
		original := ConvertDType(Equal(in[3], BroadcastToDims(in[2], in[3].Shape().Dimensions...)), dtypes.Int32)
		wod, woc := objective.WordDiscrimination(in[0], original, nil), objective.WordCorrection(in[1], ignoring(in[4]))
		return []*Node{original, wod, Gradient(wod, in[0])[0], woc, Gradient(woc, in[1])[0]}
	})
	for k, path := range [][]string{{"wod_labels"}, {"wod_loss"}, {"grad", "disc_logits"}, {"woc_loss"}, {"grad", "correction_logits"}} {
		near(t, c, path[len(path)-1], got[k], c.Tensor(append([]string{"expected"}, path...)...).Float)
	}
	read(t, c)
}
