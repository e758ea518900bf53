package preset

import (
	"fmt"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/framework/opt"
	lm "vlpx.internal/vlpx/framework/opt/preset"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// languageName is the name of what trains the language model that a second stage has frozen.
const languageName = "Language model"

// captions is how captions are searched for, with room for as many tokens as the captions of training have.
func captions(s scale.Scale) generate.Search {
	search := generate.Captions()
	search.Max = min(search.Max, s.MaxLen)
	return search
}

// writing is what a model that writes is measured by, as far as data has it: the captions of images, and answers to questions about them.
// The error is that of what nothing can be measured by.
func writing(s scale.Scale, has func(eval.Task) error) (tasks eval.Tasks, err error) {
	for _, task := range []eval.Task{
		eval.Captioning{Search: captions(s)},
		eval.Asking{Search: generate.Answers(), Questions: scale.Own[Sizes](s).Questions},
	} {
		lacking := has(task)
		if lacking == nil {
			tasks = append(tasks, task)
		}
		if err == nil {
			err = lacking
		}
	}
	if len(tasks) > 0 {
		return tasks, nil
	}
	return nil, err
}

// language is the run of the language model that a row's second stage has frozen, the same for all methods and all seeds that share
// scenes, and for all noise and portions of the data: it reads captions, and questions with their answers.
func language(t plan.Trained) (run.Run, error) {
	s, own := t.Scale, scale.Own[Sizes](t.Scale)
	regime := own.Language
	s.Epochs, s.Schedule = regime.Epochs, regime.Schedule()
	if regime.BatchSize != 0 {
		s.BatchSize = regime.BatchSize
	}
	r, err := t.Apart(s, lm.Name, languageName)
	if err != nil {
		return run.Run{}, err
	}
	r.Data.Texts = run.Talk
	sizes, err := t.Grown(&r)
	if err != nil {
		return run.Run{}, err
	}
	m := r.Train.Framework.Framework.(opt.Model)
	r.Train.MaxLen = max(r.Train.MaxLen, sizes.Text)
	m.Lead = own.Queries
	m.Text.Vocab, m.Text.Positions = sizes.Words, max(m.Text.Positions, own.Queries+r.Train.MaxLen+max(generate.Captions().Max, s.MaxLen))
	r.Train.Framework.Framework = m
	return r, r.Train.Validate()
}

// secondStage is the second stage that goes on from a run of the first, on data, in front of the language model of another run.
func secondStage(s scale.Scale, from, language run.Run, data run.Data, name string) (run.Run, error) {
	first, ok := from.Train.Framework.Framework.(blip2.Model)
	if !ok {
		return run.Run{}, &framework.Lacking{Method: name, Framework: from.Train.Framework.Name(), Needs: "queries for a language " +
			"model to read",
			Advice: "take BLIP-2"}
	}
	method := negative.Plain()
	method.Name = name
	r := s.Next(from, data, scale.Own[Sizes](s).Generation, method)
	r.Language, r.Train.Language = &language, language.ID()
	r.Train.MaxLen = max(r.Train.MaxLen, language.Train.MaxLen) // for questions that are prompts
	r.Train.Framework.Framework = blip2.Generative{BLIP2: first, Language: language.Train.Framework.Framework.(opt.Model).Text}
	set, err := data.TestSet()
	if err != nil {
		return run.Run{}, err
	}
	if r.Tasks, err = writing(s, func(task eval.Task) error { return task.Check(r.Train.Framework.Framework, set) }); err != nil {
		return run.Run{}, err
	}
	if err := r.Train.Validate(); err != nil {
		return run.Run{}, fmt.Errorf("paper: the second stage: %w", err)
	}
	return r, nil
}

// adds puts what the row's second stage learns from besides into its run.
func adds(t plan.Trained, r *run.Run) {
	if t.Row.Added == "" {
		return
	}
	s := t.Scale.Resolved()
	r.Miner = r.Init
	r.Data.Added = &run.Added{By: r.Init.ID(), Repeated: t.Row.Added == plan.RepeatedPairs, Mining: eval.Mining{
		Sampling: negative.Grouped{SearchSpace: s.SearchSpace, Queue: s.GroupQueue}, BatchSize: s.BatchSize,
		Threshold: negative.PublishedECM().High,
		Seed:      r.Train.Seed}}
}

// speaks are the second stages that go on from a row's runs of the first, one a seed.
func speaks(t plan.Trained) ([]run.Run, error) {
	language, err := language(t)
	if err != nil {
		return nil, err
	}
	var all []run.Run
	for _, from := range t.Before {
		r, err := secondStage(t.Scale, from, language, from.Data, t.Row.Name+", second stage")
		if err != nil {
			return nil, err
		}
		adds(t, &r)
		all = append(all, r)
	}
	return all, nil
}

// Generation is BLIP-2's second stage on each row's first: captions, and answers to questions about the images and about those of the
// second data, without training for either.
var Generation = plan.Downstream{Name: "generation", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	stages, err := speaks(t)
	if err != nil {
		return nil, err
	}
	return plan.Made(stages), nil
}}

// GenerationElsewhere is what the second stages on each row's first write of the second data.
var GenerationElsewhere = plan.Downstream{Name: "second", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	stages, err := speaks(t)
	if err != nil {
		return nil, err
	}
	return writtenElsewhere(t, stages)
}}

// writtenElsewhere is what runs write of the second data.
func writtenElsewhere(t plan.Trained, by []run.Run) ([]plan.Job, error) {
	data, err := t.Second()
	if err != nil {
		return nil, err
	}
	tasks, err := writing(t.Scale, func(task eval.Task) error {
		return eval.Elsewhere{Prefix: plan.SecondPrefix, Of: eval.Tasks{task},
			Target: plan.Target(data)}.Check(by[0].Train.Framework.Framework, nil)
	})
	if err != nil {
		return nil, err
	}
	var all []plan.Job
	for _, r := range by {
		all = append(all, plan.Job{Run: r, Task: eval.Elsewhere{Prefix: plan.SecondPrefix, Of: tasks, Target: plan.Target(data)}})
	}
	return all, nil
}

// captioned are the second stages on each row's first, fine-tuned for captions without noise.
func captioned(t plan.Trained) ([]run.Run, error) {
	stages, err := speaks(t)
	if err != nil {
		return nil, err
	}
	for k, from := range stages {
		method := negative.Plain()
		method.Name = t.Row.Name + " fine-tuned for captions"
		r := t.Scale.Next(from, t.Clean, scale.Own[Sizes](t.Scale).Captioning, method)
		r.Language, r.Train.Language, r.Miner = nil, "", nil
		if err := r.Train.Validate(); err != nil {
			return nil, fmt.Errorf("paper: fine-tuning for captions: %w", err)
		}
		stages[k] = r
	}
	return stages, nil
}

// Captioning is fine-tuning each row's second stage for captions.
var Captioning = plan.Downstream{Name: "captioning", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	tuned, err := captioned(t)
	if err != nil {
		return nil, err
	}
	return plan.Made(tuned), nil
}}

// NoCaps is what the models that are fine-tuned for captions write of the second data, whose objects they know in part.
var NoCaps = plan.Downstream{Name: "NoCaps", Jobs: func(t plan.Trained) ([]plan.Job, error) {
	tuned, err := captioned(t)
	if err != nil {
		return nil, err
	}
	return writtenElsewhere(t, tuned)
}}
