package uniter

import (
	"fmt"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/initializer"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// corrector names the head for word correction, which has its place beside that for masked words.
const corrector = "corrected"

// declare makes the variables of all heads of fine-tuning, so that the model of one method can be the start of another's, whose losses have
// heads that the first does without. It puts nothing into a graph.
func (m Model) declare(s *model.Scope) {
	declare := func(scope *model.Scope, name string, dims ...int) {
		if scope.GetVariable(name) == nil {
			scope.WithInitializer(initializer.Zero).VariableWithShape(name, shapes.Make(encoder.DType(s), dims...))
		}
	}
	width, text := m.Text.Width, s.At("text")
	linear := func(scope *model.Scope, out int) {
		declare(scope, encoder.Weights, width, out)
		declare(scope, encoder.Bias, out)
	}
	linear(s.At("wod"), 2)
	for _, head := range []string{"mlm", corrector} {
		linear(text.At("%s", head).At("dense"), width)
		declare(text.At("%s", head).At("norm"), encoder.Gain, width)
		declare(text.At("%s", head).At("norm"), encoder.Offset, width)
		declare(text.At("%s", head).At("decoder"), encoder.Bias, m.Text.Vocab)
	}
}

// Before implements framework.Following.
func (m Model) Before() framework.Framework {
	m.Pretraining = true
	return m
}

// Follow implements framework.Following: the matching score starts from the row of "matched" of pre-training's head for matching, word
// discrimination from both, word correction from the head for masked words (METHODS.md 12; once, before the first stage).
func (m Model) Follow(earlier weights.Values) (weights.Values, error) {
	const itm, mlm = framework.Model + "/itm/", framework.Model + "/text/mlm/"
	first := weights.Values{}
	for _, name := range []string{encoder.Weights, encoder.Bias} {
		both := earlier[itm+name]
		if both == nil {
			return nil, nil // a stage of fine-tuning, which has these heads
		}
		numbers, err := tensors.CopyFlatData[float32](both)
		if err != nil {
			return nil, fmt.Errorf("uniter: %s%s: %w", itm, name, err)
		}
		var matched []float32
		for k := 1; k < len(numbers); k += 2 {
			matched = append(matched, numbers[k])
		}
		dims := append([]int{}, both.Shape().Dimensions...)
		dims[len(dims)-1] = 1
		first[framework.Model+"/rank/"+name] = tensors.FromFlatDataAndDimensions(matched, dims...)
		first[framework.Model+"/wod/"+name] = both
	}
	for _, part := range []string{"dense/" + encoder.Weights, "dense/" + encoder.Bias, "norm/" + encoder.Gain, "norm/" + encoder.Offset,
		"decoder/" + encoder.Bias} {
		first[framework.Model+"/text/"+corrector+"/"+part] = earlier[mlm+part]
	}
	return first, nil
}
