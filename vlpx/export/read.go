package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// Folder is an export that was read, without its weights.
type Folder struct {
	Config
	// Run is the run's settings, without what run.Description leaves out.
	Run run.Run

	dir       string
	tokenizer *text.Tokenizer
	table     weights.Table
}

// Is reports whether a folder is one that Write wrote, as far as its config.json says so; one in the hub's layout is not, which is read as
// a published model is.
func Is(dir string) bool {
	said, err := content.ReadFile(filepath.Join(dir, ConfigName))
	var about struct {
		VLPX          json.RawMessage `json:"vlpx"`
		Architectures []string        `json:"architectures"`
	}
	return err == nil && json.Unmarshal(said, &about) == nil && about.VLPX != nil && len(about.Architectures) == 0
}

// Read reads an export.
func Read(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	path := filepath.Join(dir, ConfigName)
	said, err := content.ReadFile(path)
	if err != nil {
		return nil, absent(dir, ConfigName, err)
	}
	var described run.Description
	if f.Config, described, err = parse(said); err != nil {
		return nil, fmt.Errorf("export: %s: %w", path, err)
	}
	f.Run = described.Run
	f.Run.Train.Method.Name = f.VLPX.Method
	path = filepath.Join(dir, TokenizerName)
	if f.tokenizer, err = text.FromTokenizerJSON(path); errors.Is(err, fs.ErrNotExist) {
		return nil, absent(dir, TokenizerName, err)
	} else if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	of, err := exportOf(f.Run)
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if f.tokenizer.Hash() != f.VLPX.Tokenizer || f.tokenizer.Size() > of.Vocabulary {
		return nil, fmt.Errorf("export: %s is not the one that the model learned with; export the run again", path)
	}
	if words := f.tokenizer.MaxWords(); f.MaxWords != words {
		return nil, fmt.Errorf("export: max_words of %s is %d, and captions for %s have %d; export the run again",
			filepath.Join(dir, ConfigName), f.MaxWords, TokenizerName, words)
	}
	f.table = of.Table
	return f, nil
}

// absent tells of a file that is not there, or cannot be read.
func absent(dir, name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %s has no %s; name a folder that vlpx export wrote, or export the run again", dir, name)
	}
	return fmt.Errorf("export: %w", err)
}

// Model reads the weights.
func (f *Folder) Model(backend compute.Backend) (*train.Model, error) {
	path := filepath.Join(f.dir, WeightsName)
	if _, err := os.Stat(path); err != nil {
		return nil, absent(f.dir, WeightsName, err)
	}
	m, err := train.Fill(backend, f.Run.Train, f.tokenizer, func(store *model.Store) error {
		values, err := weights.Read(path, f.table)
		if err != nil {
			return err
		}
		var more []string
		for variable := range values {
			if store.GetVariable(variable) == nil {
				more = append(more, variable)
			}
		}
		if len(more) > 0 {
			slices.Sort(more)
			return fmt.Errorf("%s has %s, which the model of its %s has not", path, strings.Join(more, ", "), ConfigName)
		}
		for _, learned := range f.VLPX.Learned {
			if err := learned.Put(store); err != nil {
				return err
			}
		}
		err = values.Put(store, dtypes.Float32)
		if err == nil {
			err = weights.Missing(store, framework.Model)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("export: %w; export the run again", err)
	}
	return m, nil
}
