package golden_test

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// reasoning is the published model for NLVR2 at a case's sizes. Its fusion layers are counted doubled.
func reasoning(c golden.Case) albef.Reasoning {
	width, heads := c.Int("params", "width"), c.Int("params", "heads")
	return albef.Reasoning{ALBEF: albef.Model{
		Vision: encoder.ViT{Image: c.Int("params", "image"), Patch: c.Int("params", "patch"), Width: width,
			Layers: c.Int("params", "vision_layers"),
			Heads:  heads, MLP: width * c.Int("params", "mlp_ratio")},
		Text: encoder.BERT{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "max_position"), Width: width, Heads: heads,
			MLP: c.Int("params", "intermediate"), Layers: c.Int("params", "text_layers"), Fusion: c.Int("params", "fusion_layers") / 2},
		Embed: width,
	}}
}

// checkNLVR recomputes ALBEF's model for NLVR2 (METHODS.md 15.6): logits, the loss of the step that trains and all
// of its gradients.
func checkNLVR(t *testing.T, m machine, c golden.Case) {
	r, store := reasoning(c), model.NewStore()
	table := weights.NLVR(framework.Model, r.ALBEF.Text.Layers, r.ALBEF.Text.Fusion)
	m.load(t, store, c, "weights", table)
	batch, length := c.Int("params", "batch"), c.Int("params", "tokens")
	config := train.Config{
		Framework: framework.Choice{Framework: r}, Transform: transform.Pipeline{Size: r.ALBEF.Vision.Image}, Method: negative.Plain(),
		BatchSize: batch, MaxLen: length,
	}
	must.Do(t, framework.Declare(r, config.Use(), m.Backend, store))
	must.Do(t, weights.Missing(store, framework.Model))
	left, right, text := m.pixels(t, c, "inputs", "pixels_0"), m.pixels(t, c, "inputs", "pixels_1"), ids(c, "inputs", "input_ids")
	values := field.Values{field.Captions: text, field.Verdict: ids(c, "inputs", "targets"), field.Image: left, field.Other: right}
	var inputs []*tensors.Tensor
	var names []field.Name
	for _, f := range config.Framework.Inputs(config.Use()) {
		if values[f.Name] == nil || !slices.Equal(values[f.Name].Shape().Dimensions, f.Shape.Dimensions) {
			t.Fatalf("the case has no %s of shape %s", f.Name, f.Shape)
		}
		inputs, names = append(inputs, values[f.Name]), append(names, f.Name)
	}
	read(t, c)
	var paths []string
	got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		nodes := field.Nodes{}
		for k, name := range names {
			nodes[name] = in[k]
		}
		told := r.Step(s, config.Use(), nodes)
		loss := told.Of(r, config.Objectives)
		out := []*Node{loss, r.Judge(s.At("model"), nodes[field.Captions], nodes[field.Image], nodes[field.Other])}
		var of []*Node
		paths, of = gradients(store, framework.Model, loss)
		return append(out, of...)
	})
	m.near(t, c, "loss", got[0], "loss")
	m.near(t, c, "logits", got[1], "prediction")
	m.nearFile(t, c, "gradients", by(paths, got[2:]), table)
	if m.dtype == dtypes.Float32 { // as a trained model is evaluated
		n := must.Get(framework.NewInference(r, config.Use(), m.Backend, store))(t)
		t.Cleanup(n.Close)
		logits := must.Get(n.Judge(tensors.MustCopyFlatData[int32](text), tensors.MustCopyFlatData[float32](left),
			tensors.MustCopyFlatData[float32](right)))(t)
		m.near(t, c, "inferred logits", wide(logits), "prediction")
	}
}
