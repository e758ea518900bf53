package plan

import (
	"fmt"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/generate"
	"vlpx.internal/vlpx/negative"
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
	for _, task := range []eval.Task{eval.Captioning{Search: captions(s)}, eval.Asking{Search: generate.Answers(), Questions: s.Asked}} {
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

// language is the run of the language model that a second stage at a scale has frozen, the same for all methods and seeds, and for all
// noise and portions of the data: it reads captions, and questions with their answers.
func (w planner) language(s scale.Scale) (run.Run, error) {
	t, queries := s.Language, s.Queries
	s.Locked, s.Framework, s.WarmStart, s.Epochs = scale.Locked{}, "", 0, t.Epochs
	s.CaptionNoise, s.Scenes.CaptionNoise, s.Portion = 0, 0, 0
	if t.BatchSize != 0 {
		s.BatchSize = t.BatchSize
	}
	s.Schedule = t.Schedule()
	if err := s.Frame("OPT"); err != nil {
		return run.Run{}, err
	}
	data, err := w.data(s)
	if err != nil {
		return run.Run{}, err
	}
	method := negative.Plain()
	method.Name = languageName
	w.Model, w.Tasks = nil, nil
	vocabulary, _, err := w.vocabulary(s, data, method)
	if err != nil {
		return run.Run{}, err
	}
	data.Texts = run.Talk
	r := w.of(s, data, vocabulary, 1, method, []uint64{scale.WarmSeed})[0]
	sizes, err := w.grown(&r)
	if err != nil {
		return run.Run{}, err
	}
	m := r.Train.Framework.Framework.(opt.Model)
	r.Train.MaxLen = max(r.Train.MaxLen, sizes.Text)
	m.Lead = queries
	m.Text.Vocab, m.Text.Positions = sizes.Words, max(m.Text.Positions, queries+r.Train.MaxLen+max(generate.Captions().Max, s.MaxLen))
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
	r := s.Next(from, data, s.Generation, method)
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

// Added is what the training captions of a second stage get besides (MAFA, Table 20).
type Added string

// What a second stage may learn from besides.
const (
	MinedPairs    Added = "mined"    // pairs that the first stage finds to match, among the hardest of grouped mini-batches
	RepeatedPairs Added = "repeated" // as many of its own pairs again
)

// adds puts what the row's second stage learns from besides into its run.
func (t trained) adds(r *run.Run) {
	if t.row.Added == "" {
		return
	}
	s := t.scale.Resolved()
	r.Miner = r.Init
	r.Data.Added = &run.Added{By: r.Init.ID(), Repeated: t.row.Added == RepeatedPairs, Mining: eval.Mining{
		Sampling: negative.Grouped{SearchSpace: s.SearchSpace, Queue: s.GroupQueue}, BatchSize: s.BatchSize, Threshold: Connections().High,
		Seed: r.Train.Seed}}
}

// speaks are the second stages that go on from a row's runs of the first, one a seed.
func (t trained) speaks() ([]run.Run, error) {
	language, err := t.planner.language(t.scale)
	if err != nil {
		return nil, err
	}
	var all []run.Run
	for _, from := range t.before {
		r, err := secondStage(t.scale, from, language, from.Data, t.row.Name+", second stage")
		if err != nil {
			return nil, err
		}
		t.adds(&r)
		all = append(all, r)
	}
	return all, nil
}

// Generation is BLIP-2's second stage on each row's first: captions, and answers to questions about the images and about those of the
// second data, without training for either.
var Generation = Downstream{Name: "generation", jobs: func(t trained) ([]Job, error) {
	stages, err := t.speaks()
	if err != nil {
		return nil, err
	}
	return jobs(stages), nil
}}

// GenerationElsewhere is what the second stages on each row's first write of the second data.
var GenerationElsewhere = Downstream{Name: "second", jobs: func(t trained) ([]Job, error) {
	stages, err := t.speaks()
	if err != nil {
		return nil, err
	}
	return t.writtenElsewhere(stages)
}}

// writtenElsewhere is what runs write of the second data.
func (t trained) writtenElsewhere(by []run.Run) ([]Job, error) {
	data, err := t.planner.second(t.scale)
	if err != nil {
		return nil, err
	}
	tasks, err := writing(t.scale, func(task eval.Task) error {
		return eval.Elsewhere{Prefix: SecondPrefix, Of: eval.Tasks{task}, Target: target(data)}.Check(by[0].Train.Framework.Framework, nil)
	})
	if err != nil {
		return nil, err
	}
	var all []Job
	for _, r := range by {
		all = append(all, Job{Run: r, Task: eval.Elsewhere{Prefix: SecondPrefix, Of: tasks, Target: target(data)}})
	}
	return all, nil
}

// captioned are the second stages on each row's first, fine-tuned for captions without noise.
func (t trained) captioned() ([]run.Run, error) {
	stages, err := t.speaks()
	if err != nil {
		return nil, err
	}
	for k, from := range stages {
		method := negative.Plain()
		method.Name = t.row.Name + " fine-tuned for captions"
		r := t.scale.Next(from, t.clean, t.scale.Captioning, method)
		r.Language, r.Train.Language, r.Miner = nil, "", nil
		if err := r.Train.Validate(); err != nil {
			return nil, fmt.Errorf("paper: fine-tuning for captions: %w", err)
		}
		stages[k] = r
	}
	return stages, nil
}

// Captioning is fine-tuning each row's second stage for captions.
var Captioning = Downstream{Name: "captioning", jobs: func(t trained) ([]Job, error) {
	tuned, err := t.captioned()
	if err != nil {
		return nil, err
	}
	return jobs(tuned), nil
}}

// NoCaps is what the models that are fine-tuned for captions write of the second data, whose objects they know in part.
var NoCaps = Downstream{Name: "NoCaps", jobs: func(t trained) ([]Job, error) {
	tuned, err := t.captioned()
	if err != nil {
		return nil, err
	}
	return t.writtenElsewhere(tuned)
}}
