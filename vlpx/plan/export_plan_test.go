package plan

import (
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

func (q Request) Published(s scale.Scale) (run.Weights, error) { return q.published(s) }

func AnsweringRun(s scale.Scale, from run.Run, data run.Data, m negative.Method) (run.Run, error) {
	return answering(s, planner{sizes: map[string]textSizes{}}, from, data, m)
}

func ReasoningRun(s scale.Scale, from run.Run, data run.Data, m negative.Method) (run.Run, error) {
	return reasoning(s, planner{sizes: map[string]textSizes{}}, from, data, m)
}
