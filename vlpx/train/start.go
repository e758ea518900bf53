package train

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

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

// grown tells whether a variable is one with a row a token, of a vocabulary that had fewer words when the first value was learned.
func (t *trainer) grown(now, first shapes.Shape) bool {
	return t.job.Tokenizer != nil && now.Rank() == first.Rank() && now.Rank() > 0 && now.Dim(0) == t.job.Tokenizer.Size() && first.Dim(0) < now.Dim(0) &&
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

// resume continues from the folder's checkpoint, if there is one, and drops what the curves got after it.
func (t *trainer) resume() error {
	if err := removeUnfinished(t.job.Dir); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	err := LoadCheckpoint(filepath.Join(t.job.Dir, CheckpointName), t.store, &t.progress)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; delete the file to start the run afresh", err)
	}
	if err == nil && len(t.Sampler) == 0 && t.Epoch < t.job.Config.Epochs {
		return fmt.Errorf("train: the checkpoint in %s is of an older version, and its training is not finished; delete the file to start the run afresh",
			t.job.Dir)
	}
	if err == nil && len(t.Sampler) > 0 {
		if err := t.sampler.UnmarshalBinary(t.Sampler); err != nil {
			return fmt.Errorf("train: resuming the sampler of %s: %w", t.job.Config.Method.Name, err)
		}
		if err := t.observeOn(); err != nil {
			return err
		}
	}
	t.curves, t.Curves, err = openCurves(t.job.Dir, t.Curves)
	return err
}
