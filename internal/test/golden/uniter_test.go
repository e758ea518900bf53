package golden_test

import (
	"strconv"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// checkUNITER recomputes UNITER's pre-training on one mini-batch (METHODS.md 12): embeddings, layers, pooled, both losses, all gradients.
// The published rows are compact, ours have the regions behind the padding, which changes no number.
func checkUNITER(t *testing.T, m machine, c golden.Case) {
	const root = "/model"
	u := uniter.Model{
		Text: encoder.BERT{Vocab: c.Int("params", "vocab"), Positions: c.Int("params", "max_position"), Width: c.Int("params", "width"),
			Heads: c.Int("params", "heads"), MLP: c.Int("params", "intermediate"), Layers: c.Int("params", "layers"),
			Types: c.Int("params", "type_vocab")},
		Regions: encoder.Regions{Features: c.Int("params", "img_dim")}, Pretraining: true,
	}
	features, geometry := c.Tensor("inputs", "img_feat"), c.Tensor("inputs", "img_pos_feat")
	u.Regions.Count = features.Shape[1]
	boxes := c.Ints("params", "num_bbs")
	rows, tokens := len(boxes), c.Tensor("inputs", "input_ids").Shape[1]
	var regions []float64
	for row, boxes := range boxes {
		for k := range u.Regions.Count {
			at := row*u.Regions.Count + k
			regions = append(regions, features.Float[at*u.Regions.Features:(at+1)*u.Regions.Features]...)
			regions = append(regions, geometry.Float[at*encoder.Geometry:(at+1)*encoder.Geometry]...)
			regions = append(regions, map[bool]float64{true: 1}[k < boxes])
		}
	}
	inputs := []*tensors.Tensor{ids(c, "inputs", "input_ids"),
		m.tensor(t, tensors.FromFlatDataAndDimensions(regions, append([]int{rows}, u.Regions.Input()...)...)),
		ids(c, "inputs", "txt_labels"), ids(c, "inputs", "targets")}
	store := model.NewStore()
	m.load(t, store, c, "weights", weights.UNITER(root))
	var paths []string
	got := m.run(t, store, inputs, func(s *model.Scope, in []*Node) []*Node {
		scope, target := s.At("model"), OneHot(in[3], 2, in[1].DType())
		states := u.Encode(scope, in[0], in[0], in[1], nil)
		words := u.MaskedWords(scope, states)
		labels := Where(LessThan(in[2], ZerosLike(in[2])), ConstAs(in[2], objective.Ignored), in[2])
		matching := u.MatchLogits(scope, states)
		mlm, itm := objective.MLM(words, labels), objective.CrossEntropy(matching, target)
		out := []*Node{u.Pooled(scope, states), words, matching, mlm, itm, Add(mlm, itm)}
		for layers := range u.Text.Layers + 1 {
			first := u
			first.Text.Layers = layers
			out = append(out, first.Encode(scope, in[0], in[0], in[1], nil))
		}
		var of []*Node
		paths, of = gradients(store, root, out[5])
		return append(out, of...)
	})
	m.near(t, c, "pooled", got[0], "pooled")
	vocab := u.Text.Vocab
	var predicted []float64
	for at, label := range c.Ints("inputs", "txt_labels") {
		if label >= 0 {
			predicted = append(predicted, got[1][at*vocab:(at+1)*vocab]...)
		}
	}
	m.near(t, c, "logits of masked words", predicted, "mlm_logits")
	m.near(t, c, "logits of ITM", got[2], "itm_logits")
	m.near(t, c, "MLM", got[3], "loss_mlm")
	m.near(t, c, "ITM", got[4], "loss_itm")
	m.near(t, c, "loss", got[5], "loss")

	places, there := c.Ints("inputs", "gather_index"), c.Ints("inputs", "attn_masks")
	compact := func(states []float64, path ...string) (ours, theirs []float64) {
		published := c.Tensor(append([]string{"expected"}, path...)...)
		read(t, c)
		width, length := u.Text.Width, tokens+u.Regions.Count
		for k, has := range there {
			if has == 1 {
				at := k/published.Shape[1]*length + places[k]
				ours = append(ours, states[at*width:(at+1)*width]...)
				theirs = append(theirs, published.Float[k*width:(k+1)*width]...)
			}
		}
		return ours, theirs
	}
	for layers := range u.Text.Layers + 1 {
		name, path := "embeddings", []string{"joint_embeddings"}
		if layers > 0 {
			name, path = "states", []string{"layer_outputs", strconv.Itoa(layers - 1)}
		}
		ours, theirs := compact(got[6+layers], path...)
		m.close(t, name, ours, theirs, c.Float("float32_deviation", "expected", path[0]))
	}
	m.nearFile(t, c, "gradients", by(paths, got[7+u.Text.Layers:]), weights.UNITER(root))
	read(t, c)
}
