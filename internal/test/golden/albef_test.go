package golden_test

import (
	"strconv"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/weights"
)

// published is ALBEF's model at a case's sizes, as the published code has it.
func published(c golden.Case) albef.Model {
	width, heads := c.Int("params", "width"), c.Int("params", "heads")
	return albef.Model{
		Vision: encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: width,
			Layers: c.Int("params", "vision_layers"),
			Heads:  heads, MLP: width * c.Int("params", "mlp_ratio")},
		Text: encoder.BERT{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "max_position"), Width: width, Heads: heads,
			MLP: c.Int("params", "intermediate"), Layers: c.Int("params", "text_layers"), Fusion: c.Int("params", "fusion_layers")},
		Embed:          c.Int("params", "embed_dim"),
		CaptionPadding: true,
	}
}

// complete tells whether a file had every weight of the model.
func complete(t *testing.T, m machine, store *model.Store, f framework.Framework, image int) {
	t.Helper()
	must.Do(t, framework.Declare(f, framework.Use{Image: image, Tokens: 3}, m.Backend, store))
	must.Do(t, weights.Missing(store, framework.Model))
}

// checkEvaluation recomputes the states of ALBEF's encoders layer by layer, the logits of every pair of image and text, and the
// scores of re-ranking.
func checkEvaluation(t *testing.T, m machine, c golden.Case) {
	a, store := published(c), model.NewStore()
	m.load(t, store, c, "weights", weights.ALBEF(framework.Model), weights.ALBEFMomentum(framework.Momentum), weights.Queues)
	complete(t, m, store, a, a.Vision.Image)
	batch, k := c.Tensor("inputs", "pixels").Shape[0], c.Int("inputs", "k_test")
	var images, texts []int32 // of every pair
	for i := range int32(batch) {
		for j := range int32(batch) {
			images, texts = append(images, i), append(texts, j)
		}
	}
	pixels, tokens := m.pixels(t, c, "inputs", "pixels"), ids(c, "inputs", "input_ids")
	inputs := []*tensors.Tensor{pixels, tokens, tensors.FromValue(images), tensors.FromValue(texts)}
	for layer := range a.Vision.Layers {
		inputs = append(inputs, m.value(t, c, "expected", "image_block_outputs", strconv.Itoa(layer)))
	}
	read(t, c)
	got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		at := func() *model.Scope { return s.At("model") }
		image, text := a.EncodeImage(at(), in[0]), a.EncodeText(at(), in[1])
		pick := func(rows, x *Node) *Node { return encoder.SelectRows(OneHot(rows, batch, x.DType()), x) }
		own := ConvertDType(Diagonal(in[0].Graph(), batch), in[0].DType())
		fused := a.Fuse(at(), text.States, text.Bias, image.Tokens, own)
		texts := albef.Text{States: pick(in[3], text.States), Bias: pick(in[3], text.Bias)}
		grid := a.Matched(at(), texts, image.Tokens, OneHot(in[2], batch, in[0].DType()))
		out := []*Node{image.Tokens, text.States, fused, a.Text.Words(at().At("text"), fused, false),
			a.Matched(at(), text, image.Tokens, own), grid, image.Feature, text.Feature, MatMul(image.Feature, Transpose(text.Feature, 0, 1))}
		first := a
		for layers, block := range in[4:] { // under the last normalisation, ours and the published
			first.Vision.Layers = layers + 1
			out = append(out, Sub(first.EncodeImage(at(), in[0]).Tokens, encoder.LayerNorm(at().At("vision").At("norm"), block, 1e-6)))
		}
		for layers := range a.Text.Layers + 1 {
			first.Text.Layers = layers
			out = append(out, first.EncodeText(at(), in[1]).States)
		}
		first, out = a, append(out, text.States)
		for layers := range a.Text.Fusion {
			first.Text.Fusion = layers + 1
			out = append(out, first.Fuse(at(), text.States, text.Bias, image.Tokens, own))
		}
		return out
	})
	for i, name := range []string{"image_embeds", "text_embeds", "fused", "fused_from_ids", "itm_logits_pairs", "itm_logits_grid",
		"image_feat",
		"text_feat", "similarity"} {
		m.near(t, c, name, got[i], name)
	}
	rest := got[9:]
	for range a.Vision.Layers {
		m.close(t, "image_block_outputs", rest[0], make([]float64, len(rest[0])),
			zeros*c.Float("float32_deviation", "expected", "image_block_outputs"))
		rest = rest[1:]
	}
	for _, states := range []struct {
		name   string
		layers int
	}{{"text_hidden", a.Text.Layers}, {"fused_hidden", a.Text.Fusion}} {
		for layer := range states.layers + 1 {
			m.near(t, c, states.name, rest[0], states.name, strconv.Itoa(layer))
			rest = rest[1:]
		}
	}

	similarity, logits := got[8], got[5]
	matching := func(pairs []eval.ImageText) ([]float64, error) {
		var scores []float64
		for _, p := range pairs {
			scores = append(scores, logits[2*(p.Image*batch+p.Text)+1])
		}
		return scores, nil
	}
	if m.dtype == dtypes.Float32 { // as a trained model is evaluated
		similarity, matching = inference(t, m, c, a, store, pixels, tokens)
	}
	sims := eval.Scores{Rows: batch, Cols: batch, Data: similarity}
	i2t, t2i := must.Get2(eval.Rerank(sims, sims.Transpose(), k, matching))(t)
	m.near(t, c, "score_i2t", whole(i2t).Data, "score_i2t")
	m.near(t, c, "score_t2i", whole(t2i).Data, "score_t2i")
}

// inference is how framework.Inference sees images and texts.
func inference(t *testing.T, m machine, c golden.Case, a albef.Model, store *model.Store, pixels,
	ids *tensors.Tensor) (similarity []float64,
	matching func([]eval.ImageText) ([]float64, error)) {
	t.Helper()
	batch, tokens := ids.Shape().Dim(0), ids.Shape().Dim(1)
	n := must.Get(framework.NewInference(a, framework.Use{Image: a.Vision.Image, Tokens: tokens}, m.Backend, store))(t)
	t.Cleanup(n.Close)
	captions := tensors.MustCopyFlatData[int32](ids)
	images := must.Get(n.Images(tensors.MustCopyFlatData[float32](pixels)))(t)
	texts := must.Get(n.Texts(captions))(t)
	u, w := wide(images.Features), wide(texts.Features)
	m.near(t, c, "inferred image_feat", u, "image_feat")
	m.near(t, c, "inferred text_feat", w, "text_feat")
	for i := range batch {
		for j := range batch {
			similarity = append(similarity, dot(u[i*a.Embed:(i+1)*a.Embed], w[j*a.Embed:(j+1)*a.Embed]))
		}
	}
	return similarity, func(pairs []eval.ImageText) ([]float64, error) {
		var states, patches []float32
		var of []int32
		row := func(x []float32, i int) []float32 { return x[i*len(x)/batch : (i+1)*len(x)/batch] }
		for _, p := range pairs {
			states, patches = append(states, row(texts.States, p.Text)...), append(patches, row(images.States, p.Image)...)
			of = append(of, captions[p.Text*tokens:(p.Text+1)*tokens]...)
		}
		logits, err := n.Match(states, of, patches)
		return wide(logits), err
	}
}
