package run

import (
	"context"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// measuring is one evaluation of a model: it makes what tasks are given, and closes what that holds.
type measuring struct {
	e      *Executor
	run    Run
	model  *train.Model
	brief  bool
	closes []func()
}

// subject is the model on the part of a split that is used, of the run's data or of others, with the training split and other collections
// within reach.
func (m *measuring) subject(ctx context.Context, d Data, c data, split string) (eval.Subject, error) {
	set, err := d.split(c, split)
	if err != nil {
		return eval.Subject{}, err
	}
	inference, err := m.model.Inference()
	if err != nil {
		return eval.Subject{}, err
	}
	of := m.run
	of.Data = d
	features, closeFeatures, err := m.e.Features(ctx, of, c, split)
	if err != nil {
		return eval.Subject{}, err
	}
	m.closes = append(m.closes, closeFeatures)
	t := m.run.Train
	return eval.Subject{
		Model: inference, Set: set, Tokenizer: m.model.Tokenizer, Size: t.Transform.Size, Features: features, MaxLen: t.MaxLen,
		Accept: c.accept(split), Brief: m.brief, State: m.model.State, Examples: m.e.Store.Examples,
		Answers:  func() ([]string, error) { return m.answers(d, c) },
		Training: func(ctx context.Context) (eval.Subject, error) { return m.looked(ctx, d, c.Collection, "train") },
		On: func(ctx context.Context, other datasets.Collection, split string) (eval.Subject, error) {
			return m.looked(ctx, Data{Name: other.Name(), Hash: other.Hash()}, other, split)
		},
	}, nil
}

// answers are the distinct ones to the questions of training.
func (m *measuring) answers(d Data, c data) ([]string, error) {
	d = d.before()
	d.Texts = Questions
	set, err := d.split(c, "train")
	if err != nil {
		return nil, err
	}
	return datasets.DistinctAnswers(set.(datasets.Questioned)), nil
}

// looked is the model on a split that nobody has looked through yet for images that cannot be read.
func (m *measuring) looked(ctx context.Context, d Data, c datasets.Collection, split string) (eval.Subject, error) {
	of := m.run
	of.Data = d
	looked, err := m.e.look(ctx, of, c, split)
	if err != nil {
		return eval.Subject{}, err
	}
	return m.subject(ctx, d, looked, split)
}

// close closes what the subjects hold.
func (m *measuring) close() {
	for _, one := range m.closes {
		one()
	}
}

// Subject is a model on a split of data, which need not be those of its run: the collection is the data's, opened. Of the run it needs
// what [Executor.Measure] does, without the tasks. No image may be unreadable unless the caller sets Accept. The caller closes it.
func (e *Executor) Subject(ctx context.Context, r Run, m *train.Model, d Data, c datasets.Collection, split string) (s eval.Subject,
	close func(), err error) {
	about := &measuring{e: e, run: e.Store.Placed(r), model: m}
	s, err = about.subject(ctx, d, data{Collection: c}, split)
	s.Accept = nil
	return s, about.close, err
}
