package golden_test

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/golden"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// TestCLIPTower recomputes the image tower of CLIP's cases: its features, and its gradients where the text features are the case's.
func TestCLIPTower(t *testing.T) {
	cases, err := golden.Cases()
	if err != nil {
		t.Fatal(err)
	}
	met := false
	for _, c := range cases {
		if c.Name == "clip_openai_forward" {
			met = true
			t.Run(c.Title(), func(t *testing.T) { onMachines(checkTower)(t, c) })
		}
	}
	if !met && golden.Shipped() {
		t.Error("no case clip_openai_forward is shipped")
	}
}

// checkTower recomputes the tower with both activations: OpenAI's, and the exact GELU, which open_clip has.
func checkTower(t *testing.T, m machine, c golden.Case) {
	const scope = "/vision"
	// What lies outside of an image encoder: the projection, which is no torch Linear, and the scale of the logits.
	heads := weights.Table{Rules: []weights.Rule{
		{Variable: "/heads/projection", Layout: weights.Same, Tensors: []string{"visual.proj"}},
		{Variable: "/heads/scale", Layout: weights.Same, Tensors: []string{"logit_scale"}},
	}}
	tables := []weights.Table{weights.CLIP("visual.", scope), heads}
	for _, of := range []struct {
		activation      encoder.Activation
		gradients       string
		path, deviation []string
	}{
		{encoder.Quick, "gradients", []string{"expected"}, []string{"expected", "image_features"}},
		{"", "gradients_gelu", []string{"expected", "gelu"}, []string{"expected", "gelu"}},
	} {
		width := c.Int("params", "vision_width")
		v := encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: width, MLP: 4 * width,
			Layers: c.Int("params", "vision_layers"), Heads: c.Int("params", "vision_heads"), CLIP: true, Activation: of.activation}
		embed, batch := c.Int("params", "embed_dim"), c.Int("params", "batch")
		expected := func(name string) []string { return append(of.path[:len(of.path):len(of.path)], name) }
		store := model.NewStore()
		m.load(t, store, c, "weights", tables...)
		inputs := []*tensors.Tensor{m.pixels(t, c, "inputs", "pixels"), m.value(t, c, expected("text_features")...)}
		var paths []string
		got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
			image, text := v.Encode(s.At("vision"), in[0], false), in[1]
			features := MatMul(Squeeze(Slice(image, AxisRange(), AxisRange(0, 1)), 1), encoder.Variable(s.At("heads"), text.Graph(), "projection", width, embed))
			scale := Exp(encoder.Variable(s.At("heads"), text.Graph(), "scale"))
			logits := Mul(MatMul(framework.Normalise(features), Transpose(framework.Normalise(text), 0, 1)), scale)
			own := ConvertDType(Diagonal(text.Graph(), batch), logits.DType())
			loss := MulScalar(Add(objective.CrossEntropy(logits, own), objective.CrossEntropy(Transpose(logits, 0, 1), own)), 0.5)
			var gradient []*Node
			paths, gradient = gradients(store, "/", loss)
			return append([]*Node{features, loss}, gradient...)
		})
		deviation := c.Float(append([]string{"float32_deviation"}, of.deviation...)...)
		for i, name := range []string{"image_features", "loss"} {
			want := c.Tensor(expected(name)...).Float
			read(t, c)
			m.close(t, name+" with "+of.gradients, got[i], want, deviation)
		}
		m.nearFile(t, c, of.gradients, by(paths, got[2:]), tables...)
	}
}
