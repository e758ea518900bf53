package preset

import (
	"fmt"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// assigning is the name of what trains text assignment.
const assigning = "Text assignment"

// assignment is the stage of text assignment that goes on from a pre-training run of ALBEF, on the same captions (METHODS.md 15.6).
func assignment(s scale.Scale, from run.Run) (run.Run, error) {
	pretrained, err := doubled(from)
	if err != nil {
		return run.Run{}, err
	}
	method := negative.Plain()
	method.Name = assigning
	regime := scale.Own[Sizes](s).Assignment
	if regime.BatchSize == 0 { // a smaller one has no two other images for a caption
		regime.BatchSize = max(from.Train.BatchSize, 3)
	}
	r := s.Next(from, from.Data, regime, method)
	r.Train.Framework.Framework = albef.Assignment{ALBEF: pretrained}
	r.Tasks = eval.Tasks{eval.Assignment{}}
	if err := r.Train.Validate(); err != nil {
		return run.Run{}, fmt.Errorf("paper: text assignment: %w", err)
	}
	return r, nil
}

// reasoning is the fine-tuning for NLVR2 that goes on from a pre-training run of ALBEF by way of text assignment, where the scale has
// epochs for that, on the statements of data whose captions have no noise. The epoch with the highest accuracy on the validation split is
// taken, as ALBEF does.
//
// The vocabulary grows by the words of the statements, unless it is from a file. There is room for the longest statement of training.
func reasoning(t plan.Trained, from run.Run, m negative.Method) (run.Run, error) {
	s, data := t.Scale, t.Clean
	pretrained, err := doubled(from)
	if err != nil {
		return run.Run{}, err
	}
	if scale.Own[Sizes](s).Assignment.Epochs > 0 {
		if from, err = assignment(s, from); err != nil {
			return run.Run{}, err
		}
	}
	data.Texts = run.Statements
	r := s.Closer(s.Next(from, data, scale.Own[Sizes](s).NLVR, m))
	r.Tasks, r.Train.Select = eval.Tasks{eval.Reasoning{}}, string(eval.ReasoningAccuracy)
	sizes, err := t.Grown(&r)
	if err != nil {
		return run.Run{}, err
	}
	pretrained.Text.Vocab = sizes.Words
	c := &r.Train
	c.Framework.Framework = albef.Reasoning{ALBEF: pretrained}
	c.MaxLen = max(c.MaxLen, min(sizes.Text, pretrained.Text.Positions))
	if err := c.Validate(); err != nil {
		return run.Run{}, fmt.Errorf("paper: fine-tuning for NLVR2: %w", err)
	}
	return r, nil
}

// doubled is the pre-trained model whose fusion layers are doubled.
func doubled(from run.Run) (albef.Model, error) {
	pretrained, ok := from.Train.Framework.Framework.(albef.Model)
	if !ok {
		return albef.Model{}, &framework.Lacking{Method: "reasoning over two images", Framework: from.Train.Framework.Name(),
			Needs: "fusion layers that read two images", Advice: "pre-train ALBEF"}
	}
	return pretrained, nil
}
