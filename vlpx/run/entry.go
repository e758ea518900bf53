package run

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// State is how far a run of the store is.
type State string

// States of a run.
const (
	Finished State = "finished"
	AtWork   State = "at work" // a process has its folder
	Stopped  State = "stopped" // the same request goes on from its checkpoint, or from the start where it has none
	Broken   State = "damaged" // see Entry.Err
	Stale    State = "stale"   // of an older version, which this one does not ask for
)

// Entry is a run's folder as it lies in the store, whole or not.
type Entry struct {
	Kept         // but for the identity and the folder empty where the settings cannot be read
	Label  Label // empty in runs of older versions
	State  State
	Err    error // what is wrong with it; nil for nothing
	Bytes  int64
	Model  int64     // of Bytes, those of the files with weights
	Epochs int       // that are finished
	Time   time.Time // when it was finished, else when a file of it was last written

	left []string // temporary files of a process that was killed
}

// Method is the name of the run's method with its settings; empty where nothing tells it.
func (e Entry) Method() string { return cmp.Or(e.Result.Method, e.Label.Method) }

// Short is the beginning of a run's identity that lists show, which most often tells it from all others.
func Short(id string) string { return store.Short(id) }

// Entries are all runs of the store, sorted by identity. What is wrong with one stands in its entry.
func (s *Store) Entries() ([]Entry, error) {
	ids, err := s.folders.IDs()
	var all []Entry
	for _, id := range ids {
		all = append(all, s.entry(id))
	}
	return all, err
}

// entry reads a run's folder.
func (s *Store) entry(id string) Entry {
	e := Entry{Kept: Kept{Description: Description{ID: id}, Dir: s.folders.Folder(id)}}
	busy := s.folders.Busy(id) // before the files are read, so that a run which ends meanwhile is at work, not stopped
	files, err := disk.ReadDir(e.Dir)
	e.Err = err
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			continue // replaced meanwhile
		}
		e.Bytes += info.Size()
		if slices.Contains(modelNames, file.Name()) {
			e.Model += info.Size()
		}
		if strings.HasPrefix(file.Name(), ".") && !busy {
			e.left = append(e.left, file.Name())
		}
		if file.Name() != store.LockName && info.ModTime().After(e.Time) {
			e.Time = info.ModTime()
		}
	}
	var label, curved error
	e.Label, label = s.Label(id)
	kept, err := s.Kept(id)
	switch {
	case err == nil:
		e.Kept = kept
	case e.Err == nil:
		e.Err = err
	}
	if e.Done {
		e.Time, e.Epochs = e.Result.Finished, len(e.Result.Epochs)
	} else {
		var curves train.Curves
		curves, curved = train.ReadCurves(e.Dir)
		e.Epochs = len(curves.Epochs)
	}
	e.Err = cmp.Or(e.Err, label, curved)
	switch {
	case busy:
		e.State, e.Err = AtWork, nil // what is half written now is no damage
	case s.stale(id):
		e.State = Stale
	case e.Err != nil:
		e.State = Broken
	case e.Done:
		e.State = Finished
	default:
		e.State = Stopped
	}
	return e
}

// Busy tells whether a process has the folder of a run, by its identity; on another node where the file system carries locks between nodes.
func (s *Store) Busy(id string) bool { return s.folders.Busy(id) }

// NeededBy tells of each run which runs of the store need it, by their identities.
func NeededBy(all []Entry) map[string][]Entry {
	by := map[string][]Entry{}
	for _, e := range all {
		for _, need := range e.Needs() {
			by[need.ID] = append(by[need.ID], e)
		}
	}
	return by
}
