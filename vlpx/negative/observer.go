package negative

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/field"
)

// Observer gathers what a part of a method does in each epoch of a training run. It has no influence on training. Most of it is what
// [Gathered] gives a type that embeds it.
type Observer interface {
	// Name is the key of its result in an epoch's record, such as "weighing".
	Name() string
	// Observe takes in one step.
	Observe(Step) error
	// Epoch is the result of the epoch that was observed, whose JSON is kept with the run, or nil for none. It may be called again.
	Epoch() any
	// Forget begins the next epoch.
	Forget()
	// MarshalJSON and UnmarshalJSON are for checkpoints: they keep what was gathered of the epoch so far.
	json.Marshaler
	json.Unmarshaler
}

// Observing is a part of a method that has an Observer of its own.
type Observing interface {
	// Observer begins to observe a training run.
	Observer(Training) Observer
}

// Training is a run as an Observer knows it.
type Training struct {
	Set       datasets.Set
	Pairs     []datasets.Pair
	Epochs    int
	Sampler   Sampler
	Tokenizer *text.Tokenizer   // nil where nothing reads captions
	Relation  datasets.Relation // nil where nothing is known of captions and images
	Language  datasets.Spoken   // nil where nobody knows whether a sentence is true
	// Holds reports whether the caption of one pair is true of the image of another, or, where the model sees images alone, whether the two
	// images are of one class.
	Holds func(image, text int) (holds, known bool)
}

// Step is one training step as an Observer sees it.
type Step struct {
	Epoch      int // from 0
	Number, Of int // Number of the epoch's Of steps, from 0
	Pairs      []int
	Outputs    field.Values // of the step
	Drafted    Drafted      // what was masked, where the method writes
	// Numbers are where an Observer reports metrics of the epoch by names of its own, as by step.Tell("spread", x).
	*field.Numbers
}

// Drafted are the captions of a mini-batch whose words were masked for a Writing.
type Drafted struct {
	Captions  []int32  // ids, [batch, tokens]
	Graphless []bool   // whether a caption has no scene graph, [batch]
	Elements  []string // what alone a draft masks: object, attribute or relation; "" for several and for words; [batch, drafts]
}

// Gathered is what an Observer has of an epoch, by default its result.
type Gathered[T any] struct{ epoch *T }

// Now is what is gathered of the epoch so far.
func (g *Gathered[T]) Now() *T {
	if g.epoch == nil {
		g.epoch = new(T)
	}
	return g.epoch
}

// Epoch implements Observer.
func (g *Gathered[T]) Epoch() any {
	if g.epoch == nil {
		return nil
	}
	return g.epoch
}

// Forget implements Observer.
func (g *Gathered[T]) Forget() { g.epoch = nil }

// MarshalJSON implements Observer.
func (g *Gathered[T]) MarshalJSON() ([]byte, error) { return json.Marshal(g.epoch) }

// UnmarshalJSON implements Observer.
func (g *Gathered[T]) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &g.epoch) }

// Observers are those of a method in a training run: of the roles that its parts have, and of the parts that are Observing. A name is of
// one observer.
func (m Method) Observers(run Training) ([]Observer, error) {
	var all []Observer
	for _, kind := range observed {
		if kind.observer != nil {
			all = append(all, kind.observer(m, run))
		}
	}
	all = slices.DeleteFunc(all, func(o Observer) bool { return o == nil })
	names := map[string]bool{}
	for _, kind := range observed {
		names[kind.name] = kind.observer != nil
	}
	for _, part := range m.parts() {
		observing, observes := part.(Observing)
		if !observes {
			continue
		}
		o := observing.Observer(run)
		if names[o.Name()] {
			return nil, fmt.Errorf("negative: two observers are called %q; give %T of %s another name", o.Name(), o, m.Name)
		}
		names[o.Name()], all = true, append(all, o)
	}
	return all, nil
}

// Observations are what observers found in an epoch, by their names.
type Observations map[string]any

// Observed finds a result by its observer's name; nil where there is none.
func Observed[T any](o Observations, name string) *T {
	switch found := o[name].(type) {
	case *T:
		return found
	case T:
		return &found
	case json.RawMessage:
		value := new(T)
		if json.Unmarshal(found, value) == nil {
			return value
		}
	}
	return nil
}

// ReadObservations reads what was kept of an epoch. Results of observers outside of this package stay as they are, for Observed.
func ReadObservations(kept map[string]json.RawMessage) (Observations, error) {
	if len(kept) == 0 {
		return nil, nil
	}
	all := Observations{}
	for name, data := range kept {
		if k := slices.IndexFunc(observed, func(kind observation) bool { return kind.name == name }); k >= 0 {
			value := observed[k].value()
			if err := json.Unmarshal(data, value); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all[name] = value
			continue
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all[name] = json.RawMessage(compact.Bytes())
	}
	return all, nil
}

// metrical is a result that has metrics.
type metrical interface{ Metrics() map[string]float64 }

// Metrics are those of this package's results by their names. Other observers report theirs by [Step].
func (o Observations) Metrics() map[string]float64 {
	metrics := map[string]float64{}
	for _, kind := range observed {
		if result, has := o[kind.name].(metrical); has {
			maps.Copy(metrics, result.Metrics())
		}
	}
	return metrics
}

// observation is what this package's own observers observe.
type observation struct {
	name     string
	value    func() metrical                       // an empty result
	metrics  func() []string                       // names of its metrics
	observer func(m Method, run Training) Observer // nil where a part is Observing
}

var observed = []observation{
	{schedulingName, func() metrical { return new(Scheduling) }, schedulingMetrics, observeScheduling},
	{judgementsName, func() metrical { return new(Judgements) }, judgementsMetrics, nil},
	{labelsName, func() metrical { return new(SoftLabels) }, labelsMetrics, observeLabels},
	{weighingName, func() metrical { return new(Weighing) }, weighingMetrics, observeWeighing},
	{foundName, func() metrical { return new(Found) }, foundMetrics, observeFound},
	{sentencesName, func() metrical { return new(WrittenSentences) }, sentencesMetrics, observeSentences},
}

// ObservedMetrics are the names of the metrics of this package's observers.
func ObservedMetrics() []string {
	var names []string
	for _, kind := range observed {
		names = append(names, kind.metrics()...)
	}
	return names
}

// portion is a part of a whole, 0 of nothing.
func portion(part, whole int) float64 { return float64(part) / float64(max(whole, 1)) }
