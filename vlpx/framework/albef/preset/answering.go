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

// MostAnswers is the number of distinct answers of a question that there is room for at most: as many as people answer.
const MostAnswers = 10

// answering is the fine-tuning for visual question answering that goes on from a pre-training run of ALBEF, on the questions of data whose
// captions have no noise. The last epoch is taken, as ALBEF does.
//
// The vocabulary grows by the words of the questions and answers, unless it is from a file. There is room for the longest question and the
// longest answer of training, and for as many distinct answers as one of its questions has.
func answering(t plan.Trained, from run.Run, m negative.Method) (run.Run, error) {
	pretrained, ok := from.Train.Framework.Framework.(albef.Model)
	if !ok {
		return run.Run{}, &framework.Lacking{Method: "visual question answering", Framework: from.Train.Framework.Name(),
			Needs: "fusion layers that a decoder of answers starts from", Advice: "pre-train ALBEF"}
	}
	data := t.Clean
	data.Texts = run.Questions
	r := t.Scale.Closer(t.Scale.Next(from, data, scale.Own[Sizes](t.Scale).VQA, m))
	r.Tasks = eval.Tasks{eval.VQA{}}
	c := &r.Train
	sizes, err := t.Grown(&r)
	if err != nil {
		return run.Run{}, err
	}
	pretrained.Text.Vocab = sizes.Words
	c.MaxLen = max(c.MaxLen, min(sizes.Text, pretrained.Text.Positions))
	c.Framework.Framework = albef.Answering{ALBEF: pretrained, Layers: pretrained.Text.Fusion,
		Answers: min(sizes.Answers, MostAnswers), Tokens: min(sizes.Answer, pretrained.Text.Positions)}
	if err := c.Validate(); err != nil {
		return run.Run{}, fmt.Errorf("fine-tuning for visual question answering: %w", err)
	}
	return r, nil
}
