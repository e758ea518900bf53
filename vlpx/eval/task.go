package eval

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/source"
)

// Task is something that a model is measured by. It is plain data: its JSON is part of the identity of a run that has it (see [Tasks]).
type Task interface {
	// Metrics lists all that it may measure, in the order of tables; names are its own among all tasks.
	Metrics() []Info
	// Check tells, before anything is trained, why it cannot be done with a framework on a split: an ability or a field that is missing.
	Check(f framework.Framework, set datasets.Set) error
	// Measure measures a model on a split.
	Measure(ctx context.Context, on Subject) (Measured, error)
}

// Measured is what a task gives of a model.
type Measured struct {
	Metrics  Result
	Examples Examples
}

// Join adds what another task measured. Lists of examples under one name are joined; of other examples the later ones stay.
func (m *Measured) Join(more Measured) {
	if m.Metrics == nil {
		m.Metrics = Result{}
	}
	maps.Copy(m.Metrics, more.Metrics)
	m.Examples.join(more.Examples)
}

// Tasks are those of a run. Their JSON has the names of their types, and their source where they are defined outside of this module
// (see [source.Named]).
type Tasks []Task

// MarshalJSON implements json.Marshaler.
func (t Tasks) MarshalJSON() ([]byte, error) {
	all := make([]map[string]any, len(t))
	for i, task := range t {
		named, err := source.Named(task)
		if err != nil {
			return nil, fmt.Errorf("eval: %w", err)
		}
		all[i] = named
	}
	return json.Marshal(all)
}

// UnmarshalJSON implements json.Unmarshaler. A task that is not registered is left out.
func (t *Tasks) UnmarshalJSON(text []byte) error {
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*t = nil
	for _, one := range all {
		for name, settings := range one {
			entry, ok := registry[name]
			if !ok {
				continue
			}
			task, err := entry.decode(settings)
			if err != nil {
				return fmt.Errorf("task %s: %w", name, err)
			}
			*t = append(*t, task)
		}
	}
	return nil
}

// Metrics are those of all the tasks.
func (t Tasks) Metrics() []Info {
	var all []Info
	for _, task := range t {
		all = append(all, task.Metrics()...)
	}
	return all
}

// Check reports why one of the tasks cannot be done, or is not plain data, or measures what another one does.
func (t Tasks) Check(f framework.Framework, set datasets.Set) error {
	if f == nil {
		return framework.ErrUnknown
	}
	by := map[Metric]Task{}
	for _, task := range t {
		if err := source.Plain(task); err != nil {
			return fmt.Errorf("eval: task %T: %w", task, err)
		}
		for _, info := range task.Metrics() {
			if other, taken := by[info.Metric]; taken {
				return fmt.Errorf("eval: the tasks %T and %T both measure %q; name it otherwise in one", other, task, info.Metric)
			}
			by[info.Metric] = task
		}
		if err := task.Check(f, set); err != nil {
			return err
		}
	}
	return nil
}
