package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/vlpx/disk"
)

// Store is a folder of runs.
type Store struct {
	dir  string
	pace pace // of processes that hold and wait for folders
}

// Open opens the store in a folder, which need not exist yet.
func Open(dir string) *Store { return &Store{dir, usualPace} }

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// Folder is the folder of a run.
func (s *Store) Folder(id string) string { return filepath.Join(s.dir, id) }

// Path is a file of a run.
func (s *Store) Path(id, name string) string { return filepath.Join(s.dir, id, name) }

// idDigits are the hexadecimal digits of a run's identity.
const idDigits = 16

// IsID tells whether a name can be a run's identity.
func IsID(name string) bool {
	if len(name) != idDigits {
		return false
	}
	return strings.Trim(name, "0123456789abcdef") == ""
}

// Short is the beginning of a run's identity that lists show, which most often tells it from all others.
func Short(id string) string { return id[:min(len(id), 8)] }

// IDs are the identities by which the store has folders, sorted.
func (s *Store) IDs() ([]string, error) {
	folders, err := disk.ReadDir(s.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("run: %w", err)
	}
	var ids []string
	for _, folder := range folders {
		if IsID(folder.Name()) && folder.IsDir() { // others are what an import or a removal left
			ids = append(ids, folder.Name())
		}
	}
	return ids, nil
}

// Write writes a file of a run's folder as a whole or not at all.
func (s *Store) Write(id, name string, content []byte) error {
	path := s.Path(id, name)
	if err := disk.WriteFile(path, content, 0o644); err != nil {
		return unwritten(path, err)
	}
	return nil
}

func unwritten(path string, err error) error {
	return fmt.Errorf("run: writing %s: %w; make room, or choose another place with VLPX_HOME, -home or Options.Home", path, err)
}

// Publish writes a value as JSON that ends with its sum; see [Store.Write] and [Read].
func (s *Store) Publish(id, name string, value any) error {
	text, err := marshal(name, value)
	if err != nil {
		return err
	}
	return s.Write(id, name, text)
}

// marshal is a value as JSON that ends with its sum, unless it is longer than what [Read] takes.
func marshal(name string, value any) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("run: %s: %w", name, err)
	}
	if text = Sealed(text); len(text) > content.LongestText {
		return nil, fmt.Errorf("run: %s would have %d bytes, and has %d at most; train for fewer epochs, or mend images that cannot be read",
			name, len(text), content.LongestText)
	}
	return text, nil
}

// PublishFirst is Publish unless the file is there already, whoever wrote it. It tells whether this value is the one that the store has.
func (s *Store) PublishFirst(id, name string, value any) (first bool, err error) {
	text, err := marshal(name, value)
	if err != nil {
		return false, err
	}
	path := s.Path(id, name)
	file, err := disk.NewPending(path, 0o644)
	if err != nil {
		return false, unwritten(path, err)
	}
	defer file.Discard()
	if _, err := file.Write(text); err != nil {
		return false, unwritten(path, err)
	}
	err = file.PlaceFirst()
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, unwritten(path, err)
	}
	return true, nil
}
