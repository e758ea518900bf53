package train

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// First is the model of a job before its first step: drawn, published, or an earlier run's. The job's folder is not read, and need not be
// there. The caller closes the model.
func First(job Job) (*Model, error) {
	if err := job.Config.Validate(); err != nil {
		return nil, err
	}
	t := &trainer{store: model.NewStore()}
	var err error
	if t.input, err = newInput(job); err == nil {
		err = t.firstValues(t.start())
	}
	if err != nil {
		t.store.Finalize()
		return nil, err
	}
	return &Model{config: job.Config, store: t.store, backend: job.Backend, Tokenizer: job.Tokenizer}, nil
}

// firstValues gives the variables their first values: drawn, published, or of an earlier run.
func (t *trainer) firstValues(start negative.Start) error {
	c, job := t.job.Config, t.job
	if err := framework.Initialise(c.Framework.Framework, c.Use(), job.Backend, t.store, start); err != nil {
		return err
	}
	if err := t.startWithWords(job.Words); err != nil {
		return err
	}
	if err := t.startWith(job.Weights); err != nil {
		return err
	}
	if c.Init != "" && !job.untrained {
		if err := t.startFrom(job.Init); err != nil {
			return fmt.Errorf("train: the model that %s starts from: %w", c.Method.Name, err)
		}
	}
	if c.Reference != "" {
		if err := t.freeze(); err != nil {
			return fmt.Errorf("train: the reference model of %s: %w", c.Method.Name, err)
		}
	}
	return t.store.SetRNGStateFromSeed(int64(c.Seed))
}

// freeze loads the reference model.
func (t *trainer) freeze() error {
	if t.job.untrained {
		return framework.Freeze(t.store, t.store)
	}
	reference, err := Load(t.job.Backend, t.job.Config, t.job.Tokenizer, t.job.Reference)
	if err != nil {
		return err
	}
	defer reference.Close()
	return framework.Freeze(reference.store, t.store)
}

// startFrom gives the model, and its momentum copy where there is one, the weights of a finished run.
func (t *trainer) startFrom(dir string) error {
	config := t.job.Config
	if t.job.InitConfig != nil { // which may read shorter texts than this one
		config = *t.job.InitConfig
	}
	first, err := Load(t.job.Backend, config, t.job.Tokenizer, dir)
	if err != nil {
		return err
	}
	defer first.Close()
	values, err := first.Weights()
	if err != nil {
		return err
	}
	return t.following(values)
}

// following gives the model the weights of an earlier one, and what its framework makes of them.
func (t *trainer) following(earlier weights.Values) error {
	for path, value := range earlier {
		if err := t.begin(path, value); err != nil {
			return err
		}
	}
	of, follows := t.job.Config.Framework.Framework.(framework.Following)
	if !follows {
		return nil
	}
	made, err := of.Follow(earlier)
	if err != nil {
		return err
	}
	for path, value := range made {
		if err := t.begin(path, value); err != nil {
			return err
		}
	}
	return nil
}

// startWith gives the model, and its momentum copy where there is one, published weights.
func (t *trainer) startWith(values weights.Values) error {
	for path, value := range values {
		v := t.store.GetVariable(path)
		if v == nil || !v.Shape().Equal(value.Shape()) {
			return fmt.Errorf("train: the published weights have a variable %s of shape %s, the model another or none", path, value.Shape())
		}
		if err := t.begin(path, value); err != nil {
			return fmt.Errorf("train: the published weights: %w", err)
		}
	}
	return nil
}

// startWithWords puts vectors of words into the text encoder's embedding table.
func (t *trainer) startWithWords(words weights.Words) error {
	if words == nil {
		return nil
	}
	f := t.job.Config.Framework
	worded, ok := f.Framework.(framework.Worded)
	if !ok {
		return fmt.Errorf("train: %s has no table of words that vectors could be put into; leave out -weights words", f.Name())
	}
	path := framework.Model + worded.Words()
	v := t.store.GetVariable(path)
	table, err := tensors.CopyFlatData[float32](v.MustValue())
	if err != nil {
		return err
	}
	words.Fill(table, v.Shape().Dim(1), func(row int) string { return t.job.Tokenizer.Decode([]int32{int32(row)}) })
	return t.begin(path, tensors.FromFlatDataAndDimensions(table, v.Shape().Dimensions...))
}

// begin gives a variable of the model, and its momentum copy where there is one, a copy of a first value.
func (t *trainer) begin(path string, first *tensors.Tensor) error {
	for _, root := range []string{framework.Model, framework.Momentum} {
		into := t.store.GetVariable(root + strings.TrimPrefix(path, framework.Model))
		if into == nil {
			continue
		}
		value, err := first.LocalClone()
		if err != nil {
			return err
		}
		if t.grown(into.Shape(), first.Shape()) {
			if value, err = above(value, into); err != nil {
				return fmt.Errorf("train: variable %s: %w", into.Path(), err)
			}
		}
		if err := into.SetValue(value); err != nil {
			return err
		}
	}
	return nil
}

// grown reports whether a variable is one with a row a token, of a vocabulary that had fewer words when the first value was learned.
func (t *trainer) grown(now, first shapes.Shape) bool {
	return t.job.Tokenizer != nil && now.Rank() == first.Rank() && now.Rank() > 0 && now.Dim(0) == t.job.Tokenizer.Size() &&
		first.Dim(0) < now.Dim(0) &&
		slices.Equal(now.Dimensions[1:], first.Dimensions[1:])
}

// above is the value of a variable with other first rows.
func above(rows *tensors.Tensor, v *model.Variable) (*tensors.Tensor, error) {
	drawn, err := v.Value()
	if err != nil {
		return nil, err
	}
	all, err := tensors.CopyFlatData[float32](drawn)
	if err != nil {
		return nil, err
	}
	first, err := tensors.CopyFlatData[float32](rows)
	if err != nil {
		return nil, err
	}
	copy(all, first)
	return tensors.FromFlatDataAndDimensions(all, v.Shape().Dimensions...), nil
}
