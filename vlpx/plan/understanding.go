package plan

import (
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// VQA is fine-tuning for visual question answering, from each row's pre-training.
var VQA = Downstream{Name: "VQA", jobs: func(t trained) ([]Job, error) {
	return t.fineTuned("VQA", answering)
}}

// NLVR2 is fine-tuning for statements about two images, from each row's pre-training.
var NLVR2 = Downstream{Name: "NLVR2", jobs: func(t trained) ([]Job, error) {
	return t.fineTuned("NLVR2", reasoning)
}}

// DistilledUnderstanding is ALBEF's fine-tuning for questions and for statements: what a momentum model says are soft targets (METHODS.md
// 15.5 and 15.6).
func DistilledUnderstanding() negative.Method {
	return negative.Method{Contrast: negative.Distilled{Alpha: 0.4, Decay: 0.995}}
}

// PlainUnderstanding is that of GRIT-VLP and MAFA, which do without.
func PlainUnderstanding() negative.Method { return negative.Method{} }

// fineTuned are the runs of fine-tuning for a task: with momentum distillation where the row has it, as ALBEF and SRCL fine-tune, and
// without, as GRIT-VLP and those that build on it do.
func (t trained) fineTuned(task string, to func(scale.Scale, planner, run.Run, run.Data, negative.Method) (run.Run, error)) ([]Job, error) {
	method := PlainUnderstanding()
	if _, distils := t.before[0].Train.Method.Contrast.(negative.Distiller); distils {
		method = DistilledUnderstanding()
	}
	method.Name = t.row.Name + " fine-tuned for " + task
	var all []Job
	for _, from := range t.before {
		r, err := to(t.scale, t.planner, from, t.clean, method)
		if err != nil {
			return nil, err
		}
		all = append(all, Job{Run: r})
	}
	return all, nil
}
