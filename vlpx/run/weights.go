package run

import (
	"fmt"
	"maps"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Weights are published models that a model starts from.
type Weights struct {
	Vision *weights.Source `json:",omitempty"` // the image encoder
	Text   *weights.Source `json:",omitempty"` // the text encoder with its fusion layers
	Words  *weights.Source `json:",omitempty"` // vectors of words, in the text encoder's embedding table
}

// published reads the weights that a run starts from, and tells what became of each file.
func (e *Executor) published(r Run) (weights.Values, error) {
	all, model := weights.Values{}, r.Train.Framework
	take := func(part string, s weights.Source, values weights.Values, report weights.Report, err error) error {
		if err != nil {
			return err
		}
		e.say("%s weights from %s (%s)", part, s.Name, s.Hash)
		for _, line := range report.Lines() {
			e.say("  %s", line)
		}
		maps.Copy(all, values)
		return nil
	}
	if s := r.Weights.Vision; s != nil {
		values, report, err := s.ImageEncoder(model.Vision, framework.Model+"/vision")
		if err := take("vision", *s, values, report, err); err != nil {
			return nil, fmt.Errorf("run: the image encoder's first weights: %w; -weights vision=none draws them", err)
		}
	}
	if s := r.Weights.Text; s != nil {
		values, report, err := s.TextEncoder(model.Text, framework.Model+"/text")
		if err := take("text", *s, values, report, err); err != nil {
			return nil, fmt.Errorf("run: the text encoder's first weights: %w; -weights text=none draws them", err)
		}
	}
	return all, nil
}

// words reads vectors of words, and tells how many of the vocabulary have one.
func (e *Executor) words(s weights.Source, k *text.Tokenizer) (weights.Words, error) {
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
