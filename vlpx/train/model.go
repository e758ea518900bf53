package train

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
)

// Model is a trained model, ready for inference. Not for concurrent use.
type Model struct {
	Tokenizer *text.Tokenizer

	framework framework.ALBEF
	store     *model.Store
	backend   compute.Backend
	tokens    int
	inference *framework.Inference
}

// Inference returns the model's forward passes, compiled once; they follow the weights.
func (m *Model) Inference() (*framework.Inference, error) {
	var err error
	if m.inference == nil {
		m.inference, err = m.framework.NewInference(m.backend, m.store, m.tokens)
	}
	return m.inference, err
}

// Load reads the model of a configuration from a finished run's folder: the best epoch's weights where the run selected, else
// those of the checkpoint.
func Load(backend compute.Backend, c Config, k *text.Tokenizer, dir string) (*Model, error) {
	m := &Model{framework: c.Framework, store: model.NewStore(), backend: backend, Tokenizer: k, tokens: c.MaxLen}
	if err := c.Framework.Declare(backend, m.store); err != nil {
		return nil, err
	}
	var state progress
	err := LoadCheckpoint(filepath.Join(dir, BestName), m.store, &state)
	if errors.Is(err, fs.ErrNotExist) {
		missing := err
		if err = LoadCheckpoint(filepath.Join(dir, CheckpointName), m.store, &state); err == nil && state.Best != nil {
			err = missing
		}
	}
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("%w; to train the run again delete its folder %s", err, dir)
	}
	return m, nil
}

// Close frees the compiled graphs and the weights.
func (m *Model) Close() {
	if m.inference != nil {
		m.inference.Close()
	}
	m.store.Finalize()
}
