package preset

import (
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// VQA is fine-tuning for visual question answering, from each row's pre-training.
var VQA = plan.Downstream{Name: "VQA", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	return fineTuned(t, "VQA", answering)
}}

// NLVR2 is fine-tuning for statements about two images, from each row's pre-training.
var NLVR2 = plan.Downstream{Name: "NLVR2", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	return fineTuned(t, "NLVR2", reasoning)
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
func fineTuned(t plan.Trained, task string, to func(plan.Trained, run.Run, negative.Method) (run.Run, error)) ([]plan.Job, error) {
	method := PlainUnderstanding()
	if _, distils := t.Before[0].Train.Method.Contrast.(negative.Distiller); distils {
		method = DistilledUnderstanding()
	}
	method.Name = t.Row.Name + " fine-tuned for " + task
	var all []plan.Job
	for _, from := range t.Before {
		r, err := to(t, from, method)
		if err != nil {
			return nil, err
		}
		all = append(all, plan.Job{Run: r})
	}
	return all, nil
}
