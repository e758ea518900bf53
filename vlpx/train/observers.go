package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// openObservers begins those of the method.
func (t *trainer) openObservers() ([]negative.Observer, error) {
	m := t.job.Config.Method
	all, err := m.Observers(negative.Training{
		Set: t.job.Set, Pairs: t.pairs, Epochs: t.job.Config.Epochs, Sampler: t.sampler, Tokenizer: t.job.Tokenizer, Relation: t.relation,
		Language: t.language, Holds: t.holds,
	})
	if err != nil {
		return nil, fmt.Errorf("train: %w", err)
	}
	for _, o := range all {
		if slices.Contains(recordKeys, o.Name()) {
			return nil, fmt.Errorf("train: %s: an observer is called %q, as something else of each epoch; give %T another name", m.Name,
				o.Name(), o)
		}
	}
	return all, nil
}

// showObservers has them take in a step.
func (t *trainer) showObservers(step negative.Step) error {
	for _, o := range t.observers {
		var numbers field.Numbers
		step.Numbers = &numbers
		if err := o.Observe(step); err != nil {
			return fmt.Errorf("train: %s: observing %s: %w", t.job.Config.Method.Name, o.Name(), err)
		}
		if err := t.reported(numbers, field.Part("observer", o)); err != nil {
			return err
		}
	}
	return nil
}

// observed are the results of the epoch.
func (t *trainer) observed() negative.Observations {
	var all negative.Observations
	for _, o := range t.observers {
		if result := o.Epoch(); result != nil {
			if all == nil {
				all = negative.Observations{}
			}
			all[o.Name()] = result
		}
	}
	return all
}

// observerStates are what the observers have of the epoch so far, by their names.
func (t *trainer) observerStates() (map[string]json.RawMessage, error) {
	all := map[string]json.RawMessage{}
	for _, o := range t.observers {
		state, err := json.Marshal(o)
		if err != nil {
			return nil, fmt.Errorf("train: %s: what was observed of %s: %w", t.job.Config.Method.Name, o.Name(), err)
		}
		if string(state) != "null" {
			all[o.Name()] = state
		}
	}
	return all, nil
}

// resumeObservers gives the observers what they had when the checkpoint was written.
func (t *trainer) resumeObservers() error {
	for _, o := range t.observers {
		state, kept := t.Current.Observed[o.Name()]
		if !kept {
			continue
		}
		if err := json.Unmarshal(state, o); err != nil {
			return fmt.Errorf("train: %s: resuming what was observed of %s: %w", t.job.Config.Method.Name, o.Name(), err)
		}
	}
	return nil
}
