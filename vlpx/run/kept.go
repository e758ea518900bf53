package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/disk"
)

// Kept is a run as its folder in a store tells it.
type Kept struct {
	Description
	Dir    string
	Done   bool
	Result Result // of a run that is done
}

// IDs are the identities of the runs that the store has, finished or not, sorted.
func (s *Store) IDs() ([]string, error) {
	folders, err := s.folders.IDs()
	return slices.DeleteFunc(folders, func(id string) bool {
		_, err := disk.Stat(s.folders.Path(id, runName))
		return err != nil
	}), err
}

// Kept reads a run of the store by its identity.
func (s *Store) Kept(id string) (Kept, error) {
	dir := s.folders.Folder(id)
	path := filepath.Join(dir, runName)
	settings, err := disk.ReadFile(path)
	if err != nil {
		return Kept{}, fmt.Errorf("run: %w", err)
	}
	described, err := Describe(settings)
	if err == nil && described.ID != id {
		err = fmt.Errorf("these are the settings of run %s", described.ID)
	}
	if err != nil {
		return Kept{}, fmt.Errorf("run: %s: %w; delete the folder to make the run again", path, err)
	}
	result, done, err := s.find(id)
	return Kept{described, dir, done, result}, err
}

// Tokenizer is that of a run of the store. One that an older version made has none in its folder: where its words are those of generated
// scenes they are collected again.
func (s *Store) Tokenizer(k Kept) (*text.Tokenizer, error) {
	t, err := text.FromTokenizerJSON(filepath.Join(k.Dir, tokenizerName))
	if !errors.Is(err, fs.ErrNotExist) {
		return t, cmp.Or(k.Unchanged(tokenizerName), err)
	}
	folder := k.Dir
	for k.Run.Train.Init != "" {
		if k, err = s.Kept(k.Run.Train.Init); err != nil {
			return nil, err
		}
	}
	if k.Run.Data.Scenes == nil || k.Run.Vocabulary.Hash != "" {
		return nil, fmt.Errorf("run: %s has no %s, as a version made it that kept none; delete the folder and make the run again", folder,
			tokenizerName)
	}
	collection, err := k.Run.Data.Open()
	if err != nil {
		return nil, err
	}
	return k.Run.Vocabulary.Tokenizer(collection)
}
