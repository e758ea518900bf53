package run

import (
	"fmt"
	"maps"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// speech are first values with those of the frozen language model, which the run Language has trained.
func (e *Executor) speech(r Run, first weights.Values) (weights.Values, error) {
	f := r.Train.Framework
	speaking, ok := f.Framework.(framework.Speaking)
	switch {
	case !ok:
		return nil, fmt.Errorf("run: %s has no language model; leave Run.Language out", f.Name())
	case r.Train.Language != r.Language.ID():
		return nil, fmt.Errorf("run: the language model is of run %s, and Train.Language says %q; set it to that", r.Language.ID(),
			r.Train.Language)
	}
	_, done, err := e.Store.Find(*r.Language)
	if err != nil {
		return nil, err
	}
	if !done {
		return nil, fmt.Errorf("run: %s, whose language model is frozen, is not trained yet; train it first", r.Language.ID())
	}
	of := r.Language.Train
	model, err := train.LoadTrained(e.Backend, of, nil, e.Store.Dir(*r.Language))
	if err != nil {
		return nil, err
	}
	defer model.Close()
	learned, err := model.Weights()
	if err != nil {
		return nil, err
	}
	values, err := speaking.Speak(learned)
	if err != nil {
		return nil, fmt.Errorf("run: the language model of %s: %w", r.Language.ID(), err)
	}
	all := weights.Values{}
	maps.Copy(all, first)
	for path, value := range values {
		if all[path], err = value.LocalClone(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
