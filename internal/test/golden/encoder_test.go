package golden_test

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// checkViT reads a DeiT checkpoint as ALBEF does: at its own size, and at another with the positions brought to it.
func checkViT(t *testing.T, m machine, c golden.Case) {
	const scope = "/vision"
	at := func(image string) encoder.ViT {
		width := c.Int("params", "width")
		return encoder.ViT{Image: c.Int("params", image), Patch: c.Int("params", "patch"), Width: width, Layers: c.Int("params", "layers"),
			Heads: c.Int("params", "heads"), MLP: width * c.Int("params", "mlp_ratio")}
	}
	store, checkpoint := model.NewStore(), values(t, c, "weights", weights.ViT("", scope))
	must.Do(t, checkpoint.Put(store, m.dtype))
	own := at("checkpoint_image")
	tokens := m.run(t, store, []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels_at_checkpoint_size")},
		func(s *model.Scope, in []*Node) []*Node { return []*Node{own.Encode(s.At("vision"), in[0], false)} })
	m.near(t, c, "tokens at the checkpoint's size", tokens[0], "tokens_at_checkpoint_size")

	larger := at("image")
	position := scope + "/position/" + encoder.Embedding
	resized := must.Get(weights.Positions(checkpoint[position], larger.Image/larger.Patch))(t)
	m.near(t, c, "positions", numbers(t, resized), "pos_embed")
	store, checkpoint[position] = model.NewStore(), resized
	must.Do(t, checkpoint.Put(store, m.dtype))
	inputs := []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), m.value(t, c, "inputs", "cotangent")}
	for layer := range larger.Layers {
		inputs = append(inputs, m.value(t, c, "expected", "block_outputs", strconv.Itoa(layer)))
	}
	read(t, c)
	var paths []string
	got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		tokens := larger.Encode(s.At("vision"), in[0], false)
		loss := ReduceAllSum(Mul(tokens, in[1]))
		out := []*Node{tokens, loss}
		// The first layers under the last normalisation, ours and the published.
		for layer, published := range in[2:] {
			first := larger
			first.Layers = layer + 1
			norm := s.At("vision").At("norm")
			out = append(out, Sub(first.Encode(s.At("vision"), in[0], false), encoder.LayerNorm(norm, published, 1e-6)))
		}
		var of []*Node
		paths, of = gradients(store, scope, loss)
		return append(out, of...)
	})
	m.near(t, c, "tokens", got[0], "tokens")
	// The loss is a sum whose terms nearly cancel: it is as exact as these.
	var terms float64
	for i, x := range c.Tensor("inputs", "cotangent").Float {
		terms += math.Abs(x * got[0][i])
	}
	loss := c.Tensor("expected", "loss").Float
	m.close(t, "loss", got[1], loss, c.Float("float32_deviation", "expected", "tokens")*terms/math.Abs(loss[0]))
	for layer := range larger.Layers {
		deviation := c.Float("float32_deviation", "expected", "block_outputs")
		m.close(t, fmt.Sprintf("normalised output of layer %d", layer), got[2+layer], make([]float64, len(got[2+layer])), zeros*deviation)
	}
	m.nearFile(t, c, "gradients", by(paths, got[2+larger.Layers:]), weights.ViT("", scope))

	for k := range c.Len("expected", "interpolated") {
		k := strconv.Itoa(k)
		grid := c.Tensor("inputs", "grid_pos_embeds", k)
		read(t, c)
		positions := m.tensor(t, tensors.FromFlatDataAndDimensions(grid.Float, grid.Shape[1:]...))
		resized := must.Get(weights.Positions(positions, c.Int("expected", "interpolated", k, "grid_to")))(t)
		want := c.Tensor("expected", "interpolated", k, "pos_embed").Float
		m.close(t, "positions of grid "+k, numbers(t, resized), want, c.Float("float32_deviation", "expected", "interpolated"))
	}
	read(t, c)
}

// checkBERT reads Hugging Face's BERT, by the names of today and by those of its first files.
func checkBERT(t *testing.T, m machine, c golden.Case) {
	const scope = "/bert"
	b := encoder.BERT{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "max_position"), Width: c.Int("params", "width"),
		Heads: c.Int("params", "heads"), MLP: c.Int("params", "intermediate"), Layers: c.Int("params", "layers"),
		Types: c.Int("params", "type_vocab")}
	inputs := []*tensors.Tensor{ids(c, "inputs", "input_ids"), ids(c, "inputs", "token_type_ids"),
		m.value(t, c, "inputs", "attention_mask"),
		ids(c, "inputs", "mlm_labels"), ids(c, "inputs", "next_sentence_label")}
	read(t, c)
	for _, file := range []string{"weights", "weights_legacy_names"} {
		store := model.NewStore()
		m.load(t, store, c, file, weights.BERTForPreTraining(scope))
		var paths []string
		got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
			at := func() *model.Scope { return s.At("bert") }
			bias := encoder.PaddingBias(in[2])
			embedded := b.Embed(at(), in[0], in[1])
			states := b.Read(at(), embedded, bias, nil, false)
			pooled := b.Pooled(at(), states, false)
			words, next := b.Words(at(), states, false), encoder.Linear(at().In("next_sentence"), pooled, 2, false)
			untyped := b.Words(at(), b.Encode(at(), in[0], bias, false), false)
			loss := Add(objective.MLM(words, in[3]), objective.CrossEntropy(next, OneHot(in[4], 2, next.DType())))
			out := []*Node{embedded, pooled, words, next, loss, untyped}
			for layers := range b.Layers + 1 {
				first := b
				first.Layers = layers
				out = append(out, first.Read(at(), embedded, bias, nil, false))
			}
			var of []*Node
			paths, of = gradients(store, scope, loss)
			return append(out, of...)
		})
		for i, name := range []string{"embeddings", "pooled", "mlm_logits", "nsp_logits", "loss", "mlm_logits_without_token_types"} {
			m.near(t, c, name, got[i], name)
		}
		for layer := range b.Layers + 1 {
			k := strconv.Itoa(layer)
			m.near(t, c, "state "+k, got[6+layer], "hidden_states", k)
		}
		m.nearFile(t, c, "gradients", by(paths, got[6+b.Layers+1:]), weights.BERTForPreTraining(scope))
	}
}
