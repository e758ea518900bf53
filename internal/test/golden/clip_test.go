package golden_test

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// checkCLIP recomputes a step of the whole CLIP, by the framework, with both activations: OpenAI's, and the exact GELU, which open_clip
// has.
func checkCLIP(t *testing.T, m machine, c golden.Case) {
	for _, of := range []struct {
		activation encoder.Activation
		gradients  string
		expected   [][]string // features of images and texts, the loss, and logits where the case has them
	}{
		{encoder.Quick, "gradients", [][]string{{"image_features"}, {"text_features"}, {"loss"}, {"logits_per_image"},
			{"logits_per_text"}}},
		{"", "gradients_gelu", [][]string{{"gelu", "image_features"}, {"gelu", "text_features"}, {"gelu", "loss"}}},
	} {
		visionWidth, textWidth := c.Int("params", "vision_width"), c.Int("params", "text_width")
		whole := clip.Model{
			Vision: encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: visionWidth, MLP: 4 * visionWidth,
				Layers: c.Int("params", "vision_layers"), Heads: c.Int("params", "vision_heads"), CLIP: true, Activation: of.activation},
			Text: encoder.CLIPText{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "context"), Width: textWidth,
				MLP:    4 * textWidth,
				Layers: c.Int("params", "text_layers"), Heads: c.Int("params", "text_heads"), Activation: of.activation},
			Embed: c.Int("params", "embed_dim"),
		}
		store := model.NewStore()
		m.load(t, store, c, "weights", weights.CLIPModel(framework.Model))
		tokens := ids(c, "inputs", "text")
		use := framework.Use{Method: negative.Plain(), Batch: tokens.Shape().Dim(0), Image: whole.Vision.Image,
			Tokens: tokens.Shape().Dim(1)}
		must.Do(t, framework.Declare(whole, use, m.Backend, store))
		must.Do(t, weights.Missing(store, framework.Model))
		inputs := []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), tokens}
		read(t, c)
		var paths []string
		got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
			at := func() *model.Scope { return s.Store().Scope(framework.Model) }
			class := Squeeze(Slice(whole.Vision.Encode(at().At("vision"), in[0], false), AxisRange(), AxisRange(0, 1)), 1)
			images := encoder.Project(at().At("vision_projection"), class, whole.Embed, false)
			texts := encoder.Project(at().At("text_projection"), whole.Text.Encode(at().At("text"), in[1], false), whole.Embed, false)
			told := whole.Step(s.Store().RootScope(), use,
				field.Nodes{field.Image: in[0], field.Captions: in[1], field.Progress: ScalarOne(in[0].Graph(), in[0].DType())})
			z := objective.Similarities(told.Outputs.Of(field.ImageEmbedding), told.Outputs.Of(field.TextEmbedding),
				told.Outputs.Of(field.Temperature))
			var gradient []*Node
			paths, gradient = gradients(store, framework.Model, told.Losses[negative.ITC])
			return append([]*Node{images, texts, told.Losses[negative.ITC], z, Transpose(z, 0, 1)}, gradient...)
		})
		for i, path := range of.expected {
			m.near(t, c, strings.Join(path, " of "), got[i], path...)
		}
		m.nearFile(t, c, of.gradients, by(paths, got[5:]), weights.CLIPModel(framework.Model))
	}
}
