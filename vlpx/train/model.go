package train

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

// Model is a trained model, ready for inference. Not for concurrent use.
type Model struct {
	Tokenizer *text.Tokenizer // nil where the framework reads no captions

	config    Config
	store     *model.Store
	backend   compute.Backend
	inference *framework.Inference
}

// Inference returns the model's forward passes, compiled once; they follow the weights.
func (m *Model) Inference() (*framework.Inference, error) {
	var err error
	if m.inference == nil {
		m.inference, err = framework.NewInference(m.config.Framework.Framework, m.config.Use(), m.backend, m.store)
	}
	return m.inference, err
}

// Trained reports whether a folder has the model of a configuration that was trained to its end: its weights may have been removed since,
// or be on their way again.
func Trained(c Config, dir string) (bool, error) {
	var state progress
	err := readState(filepath.Join(dir, CheckpointName), &state)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && c.over(state), err
}

// LoadTrained is Load where the folder is that of a run of this very configuration, which must have the weights of its last epoch.
func LoadTrained(backend compute.Backend, c Config, k *text.Tokenizer, dir string) (*Model, error) {
	there, err := Trained(c, dir)
	if err == nil && !there {
		err = fmt.Errorf("train: %s has no weights of a training that was finished (%w); to train the run again delete the folder", dir,
			fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return Load(backend, c, k, dir)
}

// Load reads the model of a configuration from a finished run's folder: the best epoch's weights where the run selected, else
// those of the checkpoint, or their averages where it has any.
func Load(backend compute.Backend, c Config, k *text.Tokenizer, dir string) (*Model, error) {
	return Fill(backend, c, k, func(store *model.Store) error {
		var state progress
		err := LoadCheckpoint(filepath.Join(dir, BestName), store, &state)
		if errors.Is(err, fs.ErrNotExist) {
			missing := err
			if err = LoadCheckpoint(filepath.Join(dir, CheckpointName), store, &state); err == nil && state.Best != nil {
				err = missing
			}
		}
		if err != nil {
			return fmt.Errorf("%w; to train the run again delete its folder %s", err, dir)
		}
		if err := swapAverages(store); err != nil {
			return err
		}
		return finite(store, dir)
	})
}

// finite tells of a value of the model that is no number or infinite, as no run of this program ends with: one from elsewhere may.
func finite(store *model.Store, dir string) error {
	for v := range store.Scope(framework.Model).IterVariables() {
		if !v.HasValue() {
			continue
		}
		value, err := v.Value()
		if err == nil {
			err = weights.Finite(value)
		}
		if err != nil {
			return fmt.Errorf("train: %s: variable %s: %w; to train the run again delete the folder", dir, v.Path(), err)
		}
	}
	return nil
}

// Fill makes the model of a configuration, of which it reads the framework and the sizes of its inputs, with weights that fill puts into a
// store which has its variables, without values.
func Fill(backend compute.Backend, c Config, k *text.Tokenizer, fill func(*model.Store) error) (*Model, error) {
	if c.Framework.Framework == nil {
		return nil, framework.ErrUnknown
	}
	m := &Model{config: c, store: model.NewStore(), backend: backend, Tokenizer: k}
	err := framework.Declare(c.Framework.Framework, c.Use(), backend, m.store)
	if err == nil {
		err = fill(m.store)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Weights are the model's variables by their paths, below framework.Model.
func (m *Model) Weights() (map[string]*tensors.Tensor, error) {
	values := map[string]*tensors.Tensor{}
	for v := range m.store.Scope(framework.Model).IterVariables() {
		value, err := v.Value()
		if err != nil {
			return nil, fmt.Errorf("train: variable %s: %w", v.Path(), err)
		}
		values[v.Path()] = value
	}
	return values, nil
}

// State is what the method keeps at a path below framework.State, such as negative.ThresholdPath's, in flat order, and whether it keeps
// that. It goes with the weights: that of a run that selected is the best epoch's.
func (m *Model) State(path string) ([]float32, bool, error) {
	v := m.store.GetVariable(framework.State + path)
	if v == nil || !v.HasValue() {
		return nil, false, nil
	}
	value, err := v.Value()
	if err != nil {
		return nil, false, fmt.Errorf("train: variable %s: %w", v.Path(), err)
	}
	numbers, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, false, fmt.Errorf("train: variable %s: %w", v.Path(), err)
	}
	return numbers, true, nil
}

// Learned is the value of a variable that a part of the method has trained (see negative.Trainable).
type Learned struct {
	Role   string    `json:"role"` // of the part, such as "Contrast"
	Name   string    `json:"name"`
	Decays bool      `json:"decays,omitempty"`
	Shape  []int     `json:"shape"`
	Values []float32 `json:"values"` // in flat order
}

// Learned are the values of the variables that the method's parts have trained, by role and name.
func (m *Model) Learned() ([]Learned, error) {
	var all []Learned
	for _, v := range sortedVariables(m.store, framework.State) {
		path := strings.TrimPrefix(v.Path(), framework.State)
		role, of, trained := negative.Trained(path)
		if !trained {
			continue
		}
		values, _, err := m.State(path)
		if err != nil {
			return nil, err
		}
		all = append(all, Learned{role, of.Name, of.Decays, v.Shape().Dimensions, values})
	}
	return all, nil
}

// Put makes the variable in a store, as training does.
func (l Learned) Put(store *model.Store) error {
	path := framework.State + negative.VariablePath(l.Role, negative.Variable{Name: l.Name, Decays: l.Decays})
	size := 1
	for _, dim := range l.Shape {
		size *= dim
	}
	if size != len(l.Values) {
		return fmt.Errorf("train: %s: %d values of the shape %v", path, len(l.Values), l.Shape)
	}
	_, err := store.CreateVariable(path, tensors.FromFlatDataAndDimensions(l.Values, l.Shape...))
	return err
}

// Close frees the compiled graphs and the weights.
func (m *Model) Close() {
	if m.inference != nil {
		m.inference.Close()
	}
	m.store.Finalize()
}
