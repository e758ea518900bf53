package plan

import (
	"cmp"
	"fmt"
	"iter"
	"sync"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// planner works out the runs of rows.
type planner struct {
	Request
	seeds     []uint64
	published run.Weights
	files     *regions.Files      // of Request.Regions; nil for none
	on        *memo[string, bool] // frameworks that a run of the plan is on
	known     *Known              // nil of a row outside of a plan
}

// Known is what planning has found out of captions, which plans of the same data may share: it takes most of a plan's time. The zero value
// is ready.
type Known struct {
	words   memo[words, *text.Tokenizer]
	lengths memo[string, TextSizes] // of the texts of runs that go on from others, by what they are read from
}

// memo keeps what was made by its key, and makes it once. Several may ask at a time. The zero value is ready.
type memo[K comparable, V any] struct{ all sync.Map }

func (m *memo[K, V]) get(key K, make func() (V, error)) (V, error) {
	of, _ := m.all.LoadOrStore(key, sync.OnceValues(make))
	return of.(func() (V, error))()
}

// keys are those that were asked for.
func (m *memo[K, V]) keys() iter.Seq[K] {
	return func(yield func(K) bool) { m.all.Range(func(key, _ any) bool { return yield(key.(K)) }) }
}

// words are what a tokenizer is made of; rows mostly share them.
type words struct {
	data       string // the hash
	vocabulary run.Vocabulary
}

// Trained is a row with its runs, which a downstream task goes on from.
type Trained struct {
	Row   Row
	Scale scale.Scale // the row's
	Clean run.Data    // what it is fine-tuned on, without caption noise
	// Before are the runs of pre-training, and Own those that are the row's, the same where it is not fine-tuned; one a seed.
	Before, Own []run.Run

	planner planner
}

// runs are the runs of a row at a scale on its data, one a seed, with those that they need.
func (w planner) runs(row Row, scale scale.Scale, data run.Data) ([]run.Run, error) {
	t, err := w.trained(row, scale, data)
	return t.Own, err
}

// trained works out the runs of a row at a scale on its data.
func (w planner) trained(row Row, scale scale.Scale, data run.Data) (Trained, error) {
	before, scale, data, err := w.pretraining(row, scale, data)
	if err != nil {
		return Trained{}, err
	}
	if scale.CaptionNoise != 0 || scale.Scenes.CaptionNoise != 0 {
		// The papers pre-train on captions from the web and fine-tune on COCO's.
		scale.CaptionNoise, scale.Scenes.CaptionNoise = 0, 0
		if data, err = w.data(scale); err != nil {
			return Trained{}, err
		}
	}
	t := Trained{row, scale, data, before, before, w}
	if err := before[0].Train.Validate(); err != nil || row.Tune == nil {
		return t, err
	}
	method := row.Tune(scale.Resolved())
	method.Name = row.Name + " fine-tuned"
	t.Own = nil
	for _, from := range before {
		t.Own = append(t.Own, scale.Tuned(from, data, method))
	}
	return t, t.Own[0].Train.Validate()
}

// pretraining are the runs of a row before it is fine-tuned, with the row's scale and data.
func (w planner) pretraining(row Row, scale scale.Scale, data run.Data) ([]run.Run, scale.Scale, run.Data, error) {
	base := scale
	if row.Scenes && w.Folder() {
		return nil, scale, data, &framework.Lacking{Method: row.Name, Framework: data.Name, Needs: "which captions are true of which images",
			Advice: "use generated scenes"}
	}
	scale, err := w.ScaleOf(row, scale)
	if err != nil {
		return nil, scale, data, err
	}
	if row.Framework != "" || row.Vary != nil || row.Set != nil {
		if data, err = w.data(scale); err != nil {
			return nil, scale, data, err
		}
	}
	if row.Framework != "" {
		if w.published, err = w.Request.published(scale); err != nil { // those of the plan's scale are for its framework
			return nil, scale, data, err
		}
	}
	method := row.Method(scale.Resolved())
	if row.Measure == nil { // else it is the measure that the row is named after
		method.Name = row.Name
	}
	vocabulary, vocab, err := w.vocabulary(scale, data, method)
	if err != nil {
		return nil, scale, data, err
	}
	runs := w.of(scale, data, vocabulary, vocab, method, w.seeds)
	for k := range runs {
		runs[k].Tasks = append(runs[k].Tasks, row.Tasks...)
	}
	if err := w.publish(runs, scale); err != nil {
		return nil, scale, data, err
	}
	if err := w.warm(runs, scale, vocabulary, vocab); err != nil {
		return nil, scale, data, err
	}
	if row.From != nil {
		first, err := w.runs(*row.From, base, data)
		if err != nil {
			return nil, scale, data, err
		}
		for k := range runs {
			runs[k].Init, runs[k].Train.Init = &first[k], first[k].ID()
		}
	}
	if row.Reference != nil {
		references, err := w.runs(*row.Reference, scale, data)
		if err != nil {
			return nil, scale, data, err
		}
		for k := range runs {
			runs[k].Reference, runs[k].Train.Reference = &references[k], references[k].ID()
		}
	}
	return runs, scale, data, nil
}

// ScaleOf is the scale with a row's framework and changes.
func (w planner) ScaleOf(row Row, s scale.Scale) (scale.Scale, error) {
	plain := s.Framework == ""
	if err := row.onto(&s); err != nil {
		return s, err
	}
	if plain && s.Framework != "" { // whose preset has changed what the request has set
		if err := s.SetAll(scale.Common(w.Set)); err != nil {
			return s, err
		}
	}
	if row.Vary != nil {
		row.Vary(&s)
	}
	return s, s.SetAll(row.Set)
}

// onto gives the scale the row's framework, if it has one of its own.
func (row Row) onto(s *scale.Scale) error {
	if row.Framework == "" {
		return nil
	}
	k, err := scale.FindKind(row.Framework)
	if err == nil && s.Framework != "" && s.Framework != k.Name {
		return &framework.Lacking{Method: row.Name, Framework: s.Framework, Needs: "what " + k.Name + " does",
			Advice: "leave the framework to the row"}
	}
	if err != nil {
		return err
	}
	return s.Frame(row.Framework)
}

// of are the runs of a method at a scale, by the request's framework and tasks.
func (w planner) of(s scale.Scale, data run.Data, vocabulary run.Vocabulary, vocab int, m negative.Method, seeds []uint64) []run.Run {
	runs, usual := s.Runs(data, vocabulary, vocab, m, seeds), scale.Usual().Name
	for k := range runs {
		f := &runs[k].Train.Framework
		if w.Model != nil {
			f.Framework = w.Model(s.Resolved(), vocab)
		} else {
			w.on.get(cmp.Or(s.Framework, usual), func() (bool, error) { return true, nil })
		}
		if !framework.Retrieves(f.Framework) {
			runs[k].Tasks = nil
		}
		runs[k].Tasks = append(append(runs[k].Tasks, s.FrameworkTasks()...), w.Tasks...)
	}
	return runs
}

// Apart is a run beside those of the row: see [planner.apart].
func (t Trained) Apart(s scale.Scale, framework, name string) (run.Run, error) {
	return t.planner.apart(s, framework, name)
}

// apart is a run of InfoNCE, or of what a framework has in its place, on that framework: the same for all methods and all seeds that
// share scenes, and for all noise and portions of the data. The scale has its epochs and learning rate.
func (w planner) apart(s scale.Scale, framework, name string) (run.Run, error) {
	s.Locked, s.Framework, s.WarmStart = scale.Locked{}, "", 0
	s.Select, s.Patience, s.EMA, s.Optimiser.LoRA = "", 0, 0, 0
	s.CaptionNoise, s.Scenes.CaptionNoise, s.Portion = 0, 0, 0
	if err := s.Frame(framework); err != nil {
		return run.Run{}, err
	}
	data, err := w.data(s)
	if err != nil {
		return run.Run{}, err
	}
	method := negative.Plain()
	method.Name = name
	w.Model, w.Tasks = nil, nil
	vocabulary, vocab, err := w.vocabulary(s, data, method)
	if err != nil {
		return run.Run{}, err
	}
	return w.of(s, data, vocabulary, vocab, method, []uint64{s.WarmSeed()})[0], nil
}

// vocabulary is that of a method's runs, with its size, by the data of their warm start where they have one: none and 0 where the framework
// reads no captions.
func (w planner) vocabulary(scale scale.Scale, data run.Data, m negative.Method) (run.Vocabulary, int, error) {
	c := w.of(scale, data, run.Vocabulary{}, 1, m, w.seeds[:1])[0].Train
	switch {
	case w.Model != nil && scale.Framework != "":
		return run.Vocabulary{}, 0, fmt.Errorf("framework=%s beside a framework of your own; leave one of them out", scale.Framework)
	case c.Framework.Framework == nil:
		return run.Vocabulary{}, 0, fmt.Errorf("the function that makes your framework gives none")
	case !framework.Reads(c.Framework.Framework, c.Use()):
		return run.Vocabulary{}, 0, nil
	}
	if scale.WarmStart > 0 {
		var err error
		if data, err = w.data(scale.WarmScale()); err != nil {
			return run.Vocabulary{}, 0, err
		}
	}
	v := run.Vocabulary{MinCount: scale.MinCount, MaxSize: scale.MaxVocab, File: w.Vocabulary}
	tokenizer, err := w.known.words.get(words{data.Hash, v}, func() (*text.Tokenizer, error) {
		collection, err := data.Open()
		if err != nil {
			return nil, err
		}
		return v.Tokenizer(collection)
	})
	if err != nil {
		return v, 0, err
	}
	if w.Vocabulary != "" {
		v = run.Vocabulary{File: w.Vocabulary, Hash: tokenizer.Hash()}
	}
	return v, tokenizer.Size(), nil
}

// warm lets runs start from the scale's warm start, if it has one.
func (w planner) warm(runs []run.Run, s scale.Scale, vocabulary run.Vocabulary, vocab int) error {
	if s.WarmStart == 0 {
		return nil
	}
	s = s.WarmScale()
	data, err := w.data(s)
	if err != nil {
		return err
	}
	starts := w.of(s, data, vocabulary, vocab, s.WarmMethod(), []uint64{s.WarmSeed()})
	if err := w.publish(starts, s); err != nil {
		return err
	}
	starts[0].Warm = true
	for k := range runs {
		runs[k].Weights = run.Weights{} // those that the warm start began with
		runs[k].Init, runs[k].Train.Init = &starts[0], starts[0].ID()
		runs[k].Train.Look = s.Look && negative.ByEmbeddings(runs[k].Train.Method.Batches)
	}
	return nil
}
