package golden_test

import (
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

// checkGenerative recomputes a step of BLIP-2's second stage: queries, logits of a frozen OPT behind them, the loss of texts behind their prompt, and
// the gradients of what is trained.
func checkGenerative(t *testing.T, m machine, c golden.Case) {
	of := func(name string) int { return c.Int("params", name) }
	width := of("vision_width")
	g := blip2.Generative{
		BLIP2: blip2.Model{
			Vision: encoder.ViT{Image: of("image"), Patch: of("patch"), Width: width, Layers: of("vision_layers"), Heads: of("vision_heads"), MLP: 4 * width,
				CLIP: true, Activation: encoder.Quick, Open: true},
			Text: encoder.QFormer{Vocab: of("vocab") - 1, Positions: of("max_position"), Queries: of("queries"), Width: of("width"), Heads: of("heads"),
				MLP: of("intermediate"), Layers: of("layers"), Every: of("cross_attention_freq")},
			Embed: of("embed_dim"), Frozen: true,
		},
		Language: encoder.OPT{Vocab: of("opt_vocab"), Positions: of("opt_max_position"), Width: of("opt_width"), Layers: of("opt_layers"), Heads: of("opt_heads"),
			MLP: of("opt_ffn")},
	}
	// Our padding is 0. What stands there is read by nobody.
	text, there := c.Tensor("inputs", "input_ids"), c.Ints("inputs", "attention_mask")
	padded := int32s(c.Ints("inputs", "input_ids"))
	for k, is := range there {
		padded[k] *= int32(is)
	}
	inputs := []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), tensors.FromFlatDataAndDimensions(padded, text.Shape...), m.value(t, c, "inputs", "attention_mask")}
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
