package golden_test

import (
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/golden"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// checkCLIP recomputes the whole of CLIP with both activations: OpenAI's, and the exact GELU, which open_clip has.
func checkCLIP(t *testing.T, m machine, c golden.Case) {
	for _, of := range []struct {
		activation encoder.Activation
		gradients  string
		expected   [][]string // features of images and texts, the loss, and logits where the case has them
	}{
		{encoder.Quick, "gradients", [][]string{{"image_features"}, {"text_features"}, {"loss"}, {"logits_per_image"}, {"logits_per_text"}}},
		{"", "gradients_gelu", [][]string{{"gelu", "image_features"}, {"gelu", "text_features"}, {"gelu", "loss"}}},
	} {
		visionWidth, textWidth := c.Int("params", "vision_width"), c.Int("params", "text_width")
		vision := encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: visionWidth, MLP: 4 * visionWidth,
			Layers: c.Int("params", "vision_layers"), Heads: c.Int("params", "vision_heads"), CLIP: true, Activation: of.activation}
		text := encoder.CLIPText{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "context"), Width: textWidth, MLP: 4 * textWidth,
			Layers: c.Int("params", "text_layers"), Heads: c.Int("params", "text_heads"), Activation: of.activation}
		embed := c.Int("params", "embed_dim")
		store := model.NewStore()
		m.load(t, store, c, "weights", weights.CLIPModel(""))
		inputs := []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), ids(c, "inputs", "text")}
		read(t, c)
		var paths []string
		got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
			class := Squeeze(Slice(vision.Encode(s.At("vision"), in[0], false), AxisRange(), AxisRange(0, 1)), 1)
			images := encoder.Project(s.At("vision_projection"), class, embed, false)
			texts := encoder.Project(s.At("text_projection"), text.Encode(s.At("text"), in[1], false), embed, false)
			temperature := Exp(Neg(encoder.Variable(s, in[0].Graph(), encoder.Scale)))
			z := negative.InfoNCE{}.ITC(negative.Features{Image: framework.Normalise(images), Text: framework.Normalise(texts), Temperature: temperature})
			var gradient []*Node
			paths, gradient = gradients(store, "/", z.Loss)
			return append([]*Node{images, texts, z.Loss, z.I2T, z.T2I}, gradient...)
		})
		for i, path := range of.expected {
			m.near(t, c, strings.Join(path, " of "), got[i], path...)
		}
		m.nearFile(t, c, of.gradients, by(paths, got[5:]), weights.CLIPModel(""))
	}
}
