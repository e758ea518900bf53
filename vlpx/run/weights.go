package run

import (
	"errors"
	"fmt"
	"maps"

	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// Weights are published models that a model starts from.
type Weights struct {
	Vision *weights.Source `json:",omitempty"` // the image encoder
	Text   *weights.Source `json:",omitempty"` // the text encoder with its fusion layers
	Model  *weights.Source `json:",omitempty"` // the whole model, which Vision and Text are parts of
	Words  *weights.Source `json:",omitempty"` // vectors of words, in the text encoder's embedding table
}

// published reads the weights that a run starts from, and tells what became of each file.
func (e *Executor) published(r Run) (weights.Values, error) {
	if source := r.Weights.Model; source != nil {
		return e.whole(*source, r.Train)
	}
	all, f := weights.Values{}, r.Train.Framework
	for _, of := range []struct {
		part   framework.Part
		source *weights.Source
	}{{framework.Vision, r.Weights.Vision}, {framework.Text, r.Weights.Text}} {
		if of.source == nil {
			continue
		}
		pretrained, ok := f.Framework.(framework.Pretrained)
		if !ok {
			return nil, fmt.Errorf("run: %s takes no published weights; -weights %s=none draws them", f.Name(), of.part)
		}
		values, report, err := pretrained.First(of.part, *of.source)
		if err != nil {
			return nil, fmt.Errorf("run: the %s encoder's first weights: %w; -weights %s=none draws them", of.part, err, of.part)
		}
		e.tell(string(of.part), *of.source, report)
		maps.Copy(all, values)
	}
	return all, nil
}

// whole reads all of a model's first weights from one file, of a first stage where the framework has stages.
func (e *Executor) whole(source weights.Source, c train.Config) (weights.Values, error) {
	f := c.Framework.Framework
	following, follows := f.(framework.Following)
	if follows {
		f = following.Before()
	}
	store := gomlx.NewStore()
	defer store.Finalize()
	if err := framework.Declare(f, c.Use(), e.Backend, store); err != nil {
		return nil, err
	}
	values, report, err := source.Model(store, framework.Model)
	if err == nil && follows {
		err = e.follow(following, c.Use(), values)
	}
	if err != nil {
		return nil, fmt.Errorf("run: the first weights of %s: %w; -weights model=none draws them", c.Framework.Name(), err)
	}
	e.tell("model", source, report)
	return values, nil
}

// follow makes the first values of a stage of a first one's.
func (e *Executor) follow(f framework.Following, u framework.Use, values weights.Values) error {
	made, err := f.Follow(values)
	if err != nil {
		return err
	}
	maps.Copy(values, made)
	store := gomlx.NewStore()
	defer store.Finalize()
	if err := framework.Declare(f, u, e.Backend, store); err != nil {
		return err
	}
	maps.DeleteFunc(values, func(path string, _ *tensors.Tensor) bool { return store.GetVariable(path) == nil })
	return nil
}

// tell says what became of a file of weights.
func (e *Executor) tell(what string, source weights.Source, report weights.Report) {
	e.say("%s weights from %s (%s)", what, source.Name, source.Hash)
	for _, line := range report.Lines() {
		e.say("  %s", line)
	}
}

// words reads vectors of words, and tells how many of the vocabulary have one.
func (e *Executor) words(s weights.Source, k *text.Tokenizer) (weights.Words, error) {
	if k == nil {
		return nil, errors.New("run: vectors of words for a framework that reads no captions; leave -weights words= out")
	}
	words, err := s.ReadWords()
	if err != nil {
		return nil, fmt.Errorf("run: the vectors of words: %w", err)
	}
	known := 0
	for id := range int32(k.Size()) {
		if _, ok := words[k.Decode([]int32{id})]; ok {
			known++
		}
	}
	e.say("words from %s (%s): %d of %d have a vector", s.Name, s.Hash, known, k.Size())
	return words, nil
}
