package golden_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/weights"
)

// checkGenerative recomputes a step of BLIP-2's second stage: queries, logits of a frozen OPT behind them, the loss of texts behind their
// prompt, and the gradients of what is trained.
func checkGenerative(t *testing.T, m machine, c golden.Case) {
	of := func(name string) int { return c.Int("params", name) }
	width := of("vision_width")
	g := blip2.Generative{
		BLIP2: blip2.Model{
			Vision: encoder.ViT{Image: of("image"), Patch: of("patch"), Width: width, Layers: of("vision_layers"),
				Heads: of("vision_heads"), MLP: 4 * width,
				CLIP: true, Activation: encoder.Quick, Open: true},
			Text: encoder.QFormer{Vocab: of("vocab") - 1, Positions: of("max_position"), Queries: of("queries"), Width: of("width"),
				Heads: of("heads"),
				MLP:   of("intermediate"), Layers: of("layers"), Every: of("cross_attention_freq")},
			Embed: of("embed_dim"), Frozen: true,
		},
		Language: encoder.OPT{Vocab: of("opt_vocab"), Positions: of("opt_max_position"), Width: of("opt_width"), Layers: of("opt_layers"),
			Heads: of("opt_heads"),
			MLP:   of("opt_ffn")},
	}
	// Our padding is 0. What stands there is read by nobody.
	text, there := c.Tensor("inputs", "input_ids"), c.Ints("inputs", "attention_mask")
	padded := int32s(c.Ints("inputs", "input_ids"))
	for k, is := range there {
		padded[k] *= int32(is)
	}
	inputs := []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), tensors.FromFlatDataAndDimensions(padded, text.Shape...),
		m.value(t, c, "inputs", "attention_mask")}
	prompt := of("prompt_length")
	table := weights.GenerativeWithCLIP(framework.Model)
	store := model.NewStore()
	m.load(t, store, c, "weights", table)
	read(t, c)
	var paths []string
	got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		root := func() *model.Scope { return s.Store().Scope(framework.Model) }
		queries := g.BLIP2.See(root(), in[0])
		loss := g.Describe(root(), queries, in[1], prompt)
		language, front := root().At("language"), encoder.Linear(root().At("language_projection"), queries, g.Language.Width, false)
		all := Concatenate([]*Node{OnesLike(Slice(front, AxisRange(), AxisRange(), AxisRange(0, 1))), InsertAxes(in[2], -1)}, 1)
		states := g.Language.States(language, Concatenate([]*Node{front, g.Language.Words(language, in[1])}, 1), Squeeze(all, -1), false)
		out := []*Node{loss, g.BLIP2.Tokens(root(), in[0]), queries, front, g.Language.Next(language, states, false)}
		var grads []*Node
		paths, grads = gradients(store, framework.Model, loss)
		return append(out, grads...)
	})
	unprompted(t, m, c, store, g, inputs, got[4])
	m.near(t, c, "loss", got[0], "loss")
	for k, name := range []string{"image_embeds", "query_output", "opt_query_inputs"} {
		m.near(t, c, name, got[1+k], "intermediate", name)
	}
	want := c.Tensor("expected", "intermediate", "logits")
	var ours, theirs []float64
	vocabulary := want.Shape[2]
	for row := range text.Shape[0] {
		for place := range want.Shape[1] {
			if k := place - g.BLIP2.Text.Queries; k < 0 || there[row*text.Shape[1]+k] == 1 {
				at := (row*want.Shape[1] + place) * vocabulary
				ours, theirs = append(ours, got[4][at:at+vocabulary]...), append(theirs, want.Float[at:at+vocabulary]...)
			}
		}
	}
	m.close(t, "logits", ours, theirs, c.Float("float32_deviation", "expected", "intermediate"))
	m.nearFile(t, c, "gradients", by(paths, got[5:]), table)
	if k := slices.IndexFunc(paths, func(path string) bool {
		return strings.Contains(path, "/language/") || strings.Contains(path, "/vision/")
	}); k >= 0 {
		t.Errorf("%s has a gradient; it is frozen", paths[k])
	}
	read(t, c)
}

// labelled is the loss of the published code (blip2_opt.py) by logits over queries and a text's tokens, place by place, and its gradient by
// them. A label is a token, or none for queries, padding and, if there is a prompt, its tokens; a logit predicts the label of the next
// place.
func labelled(logits []float64, vocabulary, queries, prompt, tokens int, ids, there []int) (loss float64, slope []float64) {
	slope = make([]float64, len(logits))
	count := 0
	for row := range len(ids) / tokens {
		for token := prompt; token < tokens; token++ {
			if there[row*tokens+token] == 0 {
				continue
			}
			count++
			at := (row*(queries+tokens) + queries + token - 1) * vocabulary // the first token's is the last query's
			var sum float64
			for _, z := range logits[at : at+vocabulary] {
				sum += math.Exp(z)
			}
			for k, z := range logits[at : at+vocabulary] {
				slope[at+k] += math.Exp(z) / sum
			}
			own := at + ids[row*tokens+token]
			loss -= logits[own] - math.Log(sum)
			slope[own]--
		}
	}
	for k := range slope {
		slope[k] /= float64(count)
	}
	return loss / float64(count), slope
}

// unprompted holds the loss without a prompt, of which the case has none: the rule of labels gives the published loss of the case's own
// prompt, and by the same logits that of none, with the gradients of all that is trained.
func unprompted(t *testing.T, m machine, c golden.Case, store *model.Store, g blip2.Generative, inputs []*tensors.Tensor,
	logits []float64) {
	t.Helper()
	ids, there, tokens := c.Ints("inputs", "input_ids"), c.Ints("inputs", "attention_mask"), c.Tensor("inputs", "input_ids").Shape[1]
	of := func(prompt int) (float64, []float64) {
		return labelled(logits, g.Language.Vocab, g.BLIP2.Text.Queries, prompt, tokens, ids, there)
	}
	prompted, _ := of(c.Int("params", "prompt_length"))
	m.near(t, c, "loss by labels", []float64{prompted}, "loss")
	want, slope := of(0)
	rows := len(ids) / tokens
	by := m.tensor(t, tensors.FromFlatDataAndDimensions(slope, rows, g.BLIP2.Text.Queries+tokens, g.Language.Vocab))
	var paths []string
	got := m.run(t, store, append(slices.Clone(inputs), by), func(s *model.Scope, in []*Node) []*Node {
		root := func() *model.Scope { return s.Store().Scope(framework.Model) }
		queries := g.BLIP2.See(root(), in[0])
		loss := g.Describe(root(), queries, in[1], 0)
		language, front := root().At("language"), encoder.Linear(root().At("language_projection"), queries, g.Language.Width, false)
		states := g.Language.States(language, Concatenate([]*Node{front, g.Language.Words(language, in[1])}, 1), nil, false)
		var ours, theirs []*Node
		paths, ours = gradients(store, framework.Model, loss)
		_, theirs = gradients(store, framework.Model, ReduceAllSum(Mul(g.Language.Next(language, states, false), in[3])))
		return append(append([]*Node{loss}, ours...), theirs...)
	})
	deviation := c.Float("float32_deviation", "expected", "intermediate")
	m.close(t, "loss without a prompt", got[0], []float64{want}, deviation)
	for k, path := range paths {
		m.close(t, "gradient without a prompt of "+path, got[1+k], got[1+len(paths)+k], deviation)
	}
	if prompted == want {
		t.Error("the loss without a prompt is that with one")
	}
}
