package run

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/run/store"
)

// Label is what a run was called when it was made, which its settings do not tell. It is no part of the run's identity: the first request
// that makes a run labels it, and runs of older versions have none.
type Label struct {
	Method string   // the row's name: a method with its settings
	Scale  string   // the preset
	Set    []string `json:",omitempty"` // what the request changed of it, "key=value"
	// Needed tells that nobody asked for the run by itself: others need it, such as a warm start.
	Needed bool `json:",omitempty"`
	Begun  time.Time
}

// label keeps what a run is called, unless it is labelled.
func (e *Executor) label(r Run) error {
	if e.Label == nil {
		return nil
	}
	if _, err := disk.Stat(filepath.Join(e.Store.Dir(r), labelName)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l := e.Label(r)
	l.Method, l.Begun = r.Train.Method.Name, time.Now().UTC().Truncate(time.Second)
	return e.Store.publish(r, labelName, l)
}

// Requested notes that a run is one that somebody requests by itself, if the store has it as one that only others need.
func (s *Store) Requested(r Run) error {
	l, err := s.Label(r.ID())
	if err != nil || !l.Needed {
		return err
	}
	l.Needed = false
	return s.publish(r, labelName, l)
}

// Label is that of a run; the zero value where it has none.
func (s *Store) Label(id string) (Label, error) {
	path := s.folders.Path(id, labelName)
	text, err := store.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Label{}, nil
	}
	var l Label
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return Label{}, &Damaged{ID: id, Path: path, Err: err, Again: "name the run"}
	}
	return l, nil
}
