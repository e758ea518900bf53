package golden_test

import (
	"math"
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
)

// checkRetrievalRecall compares recall by own captions with ALBEF's (retrieval_recall_albef; METHODS.md 15.1).
func checkRetrievalRecall(t *testing.T, c golden.Case) {
	i2t, t2i := scores(c, "inputs", "scores_i2t"), scores(c, "inputs", "scores_t2i")
	each := c.Int("params", "captions_per_image")
	must.Do(t, c.Err())
	recallBetween(t, c, i2t, t2i, captionsInOrder(t2i.Rows, each), "expected")
}

// checkRerank compares re-ranked scores and their recall with ALBEF's (albef_rerank_scores; METHODS.md 15.2). The case stands
// in for the fusion encoder with the element-wise product of the [CLS] vectors, under a linear head.
func checkRerank(t *testing.T, c golden.Case) {
	images, texts := c.Matrix("inputs", "image_cls"), c.Matrix("inputs", "text_cls")
	weight, bias := c.Matrix("inputs", "itm_weight"), c.Tensor("inputs", "itm_bias").Float
	wantI2T, wantT2I := scores(c, "expected", "score_matrix_i2t"), scores(c, "expected", "score_matrix_t2i")
	k := c.Int("params", "k_test")
	must.Do(t, c.Err())

	sims := eval.NewScores(len(images), len(texts))
	for i, image := range images {
		for j, text := range texts {
			sims.Row(i)[j] = dot(image, text) / math.Sqrt(dot(image, image)*dot(text, text))
		}
	}
	i2t, t2i := must.Get2(eval.Rerank(sims, sims.Transpose(), k, func(pairs []eval.ImageText) ([]float64, error) {
		logits := make([]float64, len(pairs))
		for p, pair := range pairs {
			fused := make([]float64, len(images[pair.Image]))
			for d := range fused {
				fused[d] = images[pair.Image][d] * texts[pair.Text][d]
			}
			logits[p] = dot(weight[1], fused) + bias[1]
		}
		return logits, nil
	}))(t)
	for _, m := range []struct {
		name      string
		got, want eval.Scores
	}{{"i2t", whole(i2t), wantI2T}, {"t2i", whole(t2i), wantT2I}} {
		if m.got.Rows != m.want.Rows || m.got.Cols != m.want.Cols {
			t.Fatalf("%s: got [%d, %d], want [%d, %d]", m.name, m.got.Rows, m.got.Cols, m.want.Rows, m.want.Cols)
		}
		for cell, want := range m.want.Data {
			if got := m.got.Data[cell]; math.Abs(got-want) > c.Tolerance {
				t.Errorf("%s: row %d, column %d: got %v, want %v", m.name, cell/m.want.Cols, cell%m.want.Cols, got, want)
			}
		}
	}
	recallBetween(t, c, whole(i2t), whole(t2i), captionsInOrder(len(texts), len(texts)/len(images)), "expected", "recall")
}

// whole are all scores that are read a row at a time.
func whole(of eval.Rows) eval.Scores {
	all := eval.NewScores(of.Shape())
	for i := range all.Rows {
		copy(all.Row(i), of.Row(i))
	}
	return all
}

// recallBetween compares recall with the values at a path, under ALBEF's names. ALBEF orders the pairs that re-ranking leaves
// out at random, we put the right one last; so its value lies between ours and that with the right ones put first. Without such
// ties the two are one number.
func recallBetween(t *testing.T, c golden.Case, i2t, t2i eval.Scores, captionImage []int, path ...string) {
	t.Helper()
	low := must.Get(eval.Recall(i2t, t2i, captionImage))(t)
	for caption, image := range captionImage {
		for _, score := range []*float64{&i2t.Row(image)[caption], &t2i.Row(caption)[image]} {
			if *score == eval.Unscored {
				*score++
			}
		}
	}
	high := must.Get(eval.Recall(i2t, t2i, captionImage))(t)
	for metric, name := range map[eval.Metric]string{
		eval.TR1: "txt_r1", eval.TR5: "txt_r5", eval.TR10: "txt_r10", eval.TRMean: "txt_r_mean",
		eval.IR1: "img_r1", eval.IR5: "img_r5", eval.IR10: "img_r10", eval.IRMean: "img_r_mean", eval.RMean: "r_mean",
	} {
		want := c.Float(append(path[:len(path):len(path)], name)...)
		if want < low[metric]-100*c.Tolerance || want > high[metric]+100*c.Tolerance {
			t.Errorf("%s: got %v (%v with ties for us), want %v", metric, low[metric], high[metric], want)
		}
	}
	if err := c.Err(); err != nil {
		t.Error(err)
	}
}

func scores(c golden.Case, path ...string) eval.Scores {
	x := c.Tensor(path...)
	if len(x.Shape) != 2 {
		return eval.Scores{}
	}
	return eval.Scores{Rows: x.Shape[0], Cols: x.Shape[1], Data: x.Float}
}

// captionsInOrder gives each image the same number of consecutive captions.
func captionsInOrder(captions, each int) []int {
	image := make([]int, captions)
	for t := range image {
		image[t] = t / each
	}
	return image
}

func dot(a, b []float64) float64 {
	var sum float64
	for d := range a {
		sum += a[d] * b[d]
	}
	return sum
}

// checkUNITERRecall compares recall with UNITER's, as it is meant: its code counts the number of a row among what image retrieval found.
// It has one score a pair, and both directions rank by it.
func checkUNITERRecall(t *testing.T, c golden.Case) {
	t2i := scores(c, "inputs", "scores_t2i")
	each := c.Int("params", "captions_per_image")
	meant := c.Tensor("expected", "ir_fixed").Float
	read(t, c)
	got := must.Get(eval.Recall(t2i.Transpose(), t2i, captionsInOrder(t2i.Rows, each)))(t)
	for k, at := range []string{"1", "5", "10"} {
		near(t, c, "TR@"+at, []float64{got[eval.Metric("TR@"+at)] / 100}, []float64{c.Float("expected", "txt_r"+at)})
		near(t, c, "IR@"+at, []float64{got[eval.Metric("IR@"+at)] / 100}, meant[k:k+1])
	}
	read(t, c)
}
