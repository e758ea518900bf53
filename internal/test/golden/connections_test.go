package golden_test

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// checkConnections recomputes MAFA's ECM with S-ITC on a table of Con-D's probabilities. Fusion is the element-wise product of
// the [CLS] vectors under a linear head.
func checkConnections(t *testing.T, c golden.Case) {
	names := []string{"image_cls", "text_cls", "temp", "itm_weight", "itm_bias"}
	var inputs []*tensors.Tensor
	for _, name := range append(slices.Clone(names), "con_d_prob_image_text") {
		inputs = append(inputs, value(c, "inputs", name))
	}
	mafa := negative.MAFA(4800, 48000)
	ecm := negative.ECM{Low: c.Float("params", "low_threshold"), High: c.Float("params", "high_threshold")}
	epoch := c.Float("params", "epoch")
	read(t, c)
	got := run(t, model.NewStore(), inputs, func(_ *model.Scope, in []*Node) []*Node {
		u, w, batch := framework.Normalise(in[0]), framework.Normalise(in[1]), in[0].Shape().Dim(0)
		rows := func(of, x *Node) *Node { return MatMul(OneHot(of, batch, x.DType()), x) }
		float := func(x *Node) *Node { return ConvertDType(x, in[0].DType()) }
		i2t := objective.Similarities(StopGradient(u), StopGradient(w), in[2])
		k := mafa.Picked(negative.Features{}, negative.Contrasted{I2T: i2t, T2I: Transpose(i2t, 0, 1)}, nil)
		k.TextScores = ReduceSum(Mul(in[5], OneHot(k.Texts, batch, in[5].DType())), -1)
		k.ImageScores = ReduceSum(Mul(Transpose(in[5], 0, 1), OneHot(k.Images, batch, in[5].DType())), -1)
		connections := ecm.Connect(k)
		features := negative.Features{Image: u, Text: w, Temperature: in[2], Progress: ConstAs(in[2], epoch), Connections: &connections}
		z := mafa.Contrast.ITC(features)
		pairs := connections.Pairs
		logits := MatMul(Mul(rows(pairs.Texts, in[1]), rows(pairs.Images, in[0])), Transpose(in[3], 0, 1))
		itm := objective.ITM(Add(logits, InsertAxes(in[4], 0)), pairs.Labels, pairs.Weights)
		out := []*Node{z.Loss, itm, float(k.Images), float(k.Texts), float(k.SecondImages), float(k.SecondTexts), k.ImageScores,
			k.TextScores,
			z.Labels, float(pairs.Images), float(pairs.Texts), float(pairs.Labels), pairs.Weights, connections.NewImages,
			connections.NewTexts}
		out = append(out, Gradient(z.Loss, in[:3]...)...)
		return append(out, Gradient(itm, in[0], in[1], in[3], in[4])...)
	})
	images, texts, secondImages, secondTexts := got[2], got[3], got[4], got[5]
	near(t, c, "loss_ita", got[0], c.Tensor("expected", "loss_ita").Float)
	near(t, c, "loss_itm", got[1], c.Tensor("expected", "loss_itm").Float)
	for i, name := range []string{"neg_image_for_text", "neg_text_for_image"} {
		same(t, name, got[2+i], c.Ints("expected", name))
	}
	same(t, "second_text_for_image", secondTexts, c.Ints("expected", "second_text_for_image"))
	near(t, c, "con_d_score_t2i", got[6], c.Tensor("expected", "con_d_score_t2i").Float)
	near(t, c, "con_d_score_i2t", got[7], c.Tensor("expected", "con_d_score_i2t").Float)
	near(t, c, "sim_i2t_targets", got[8], c.Tensor("expected", "sim_i2t_targets").Float)

	// The published code lists its pairs by what became of them.
	batch := len(images)
	type pair struct{ image, text, label int }
	var kinds [7][]pair
	var mlm []pair
	for r, weight := range got[12] {
		p := pair{int(got[9][r]), int(got[10][r]), int(got[11][r])}
		k, side := r%batch, r/batch // 1: an image for text k, 2: a text for image k
		kind := 0
		switch {
		case side == 0:
		case weight == 0:
			continue
		case p.label == 1:
			kind = 2 + side
		case side == 1 && p.image == int(secondImages[k]) || side == 2 && p.text == int(secondTexts[k]):
			kind = 4 + side
		default:
			kind = side
		}
		kinds[kind] = append(kinds[kind], p)
	}
	var want []pair
	labels := c.Ints("expected", "itm_labels")
	for r, p := range c.Matrix("expected", "itm_pairs_image_text") {
		want = append(want, pair{int(p[0]), int(p[1]), int(labels[r])})
	}
	if got := slices.Concat(kinds[:]...); !slices.Equal(got, want) {
		t.Errorf("ITM pairs: got %v, want %v", got, want)
	}
	for k := range batch {
		mlm = append(mlm, pair{k, k, 0})
	}
	for k, isNew := range got[14] {
		if isNew == 1 {
			mlm = append(mlm, pair{k, int(texts[k]), 0})
		}
	}
	for k, isNew := range got[13] {
		if isNew == 1 {
			mlm = append(mlm, pair{int(images[k]), k, 0})
		}
	}
	want = nil
	for _, p := range c.Matrix("expected", "mlm_pairs_image_text") {
		want = append(want, pair{int(p[0]), int(p[1]), 0})
	}
	if !slices.Equal(mlm, want) {
		t.Errorf("MLM pairs: got %v, want %v", mlm, want)
	}
	for i, name := range names[:3] {
		near(t, c, "ITC gradient of "+name, got[15+i], c.Tensor("expected", "grad_ita", name).Float)
	}
	for i, name := range []string{"image_cls", "text_cls", "itm_weight", "itm_bias"} {
		near(t, c, "ITM gradient of "+name, got[18+i], c.Tensor("expected", "grad_itm", name).Float)
	}
	read(t, c)
}

// same compares positions.
func same(t *testing.T, name string, got []float64, want []int) {
	t.Helper()
	if !sames(got, want) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func sames(got []float64, want []int) bool {
	return slices.EqualFunc(got, want, func(g float64, w int) bool { return g == float64(w) })
}
