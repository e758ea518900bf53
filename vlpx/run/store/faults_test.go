package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/faults"
)

// kept is what the tests write as a result.
type kept struct{ ID, Said string }

// result reads a result: an error where it is damaged.
func result(s *Store, id string) (there bool, err error) {
	text, err := Read(s.Path(id, "result.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err == nil && (k.ID != id || k.Said != "as undisturbed") {
		err = fmt.Errorf("it reads %+v", k)
	}
	return true, err
}

// sound tells what is wrong with results in a store, and that all are there.
func sound(dir string, want []string) error {
	s := Open(dir)
	for _, id := range want {
		if there, err := result(s, id); !there || err != nil {
			return fmt.Errorf("the result of %s: there %v (%v)", id, there, err)
		}
	}
	ids, err := s.IDs()
	if err == nil && len(ids) != len(want) {
		err = fmt.Errorf("the store has %v, want %v", ids, want)
	}
	return cmp.Or(err, faults.Left(filepath.Dir(dir), faults.Hidden))
}

var kind = Kind{Format: 2, Belongs: func(name string) bool { return strings.HasSuffix(name, ".json") },
	Needs: []string{"run.json", "result.json"}}

const other = "fedcba9876543210"

// make makes a run as an executor does.
func makeRun(t *testing.T, s *Store, id string) error {
	if there, err := result(s, id); there || err != nil {
		return err
	}
	_, unlock, err := s.Take(t.Context(), id, func() {})
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.Write(id, "run.json", []byte("{}\n")); err != nil {
		return err
	}
	if err := s.Publish(id, "label.json", kept{id, "a label"}); err != nil {
		return err
	}
	_, err = s.PublishFirst(id, "result.json", kept{id, "as undisturbed"})
	return err
}

// Whatever operation on files fails while runs are made, removed, packed and unpacked: what is read is whole, the next call ends as an
// undisturbed one, and nothing is left.
func TestFaults(t *testing.T) {
	readable := func(dir string) error {
		s := Open(filepath.Join(dir, "runs"))
		ids, err := s.IDs()
		for _, id := range ids {
			if _, damaged := result(s, id); damaged != nil {
				err = errors.Join(err, fmt.Errorf("%s: %w", id, damaged))
			}
		}
		return err
	}
	two := func(t *testing.T, dir string) {
		s := Open(filepath.Join(dir, "runs"))
		if err := errors.Join(makeRun(t, s, id), makeRun(t, s, other)); err != nil {
			t.Fatal(err)
		}
	}
	pack := func(dir string) error {
		all := func(string) ([]string, error) { return []string{"run.json", "result.json"}, nil }
		return Open(filepath.Join(dir, "runs")).Pack(t.Context(), filepath.Join(dir, "runs.tar.gz"), 2, []string{id, other}, all)
	}
	whole := func(*Store, string) error { return nil }
	for name, p := range map[string]faults.Program{
		"make": {
			Do: func(dir string) error { return makeRun(t, Open(filepath.Join(dir, "runs")), id) },
			Done: func(dir string) error {
				return sound(filepath.Join(dir, "runs"), []string{id})
			},
		},
		"remove": {
			Prepare: two,
			Do:      func(dir string) error { return Open(filepath.Join(dir, "runs")).Remove(id) },
			Done:    func(dir string) error { return sound(filepath.Join(dir, "runs"), []string{other}) },
		},
		"pack": {
			Prepare: two,
			Do:      pack,
			Done: func(dir string) error {
				into := Open(filepath.Join(dir, "into"))
				if _, _, err := into.Unpack(t.Context(), filepath.Join(dir, "runs.tar.gz"), kind, whole); err != nil {
					return err
				}
				defer os.RemoveAll(into.Dir())
				return sound(into.Dir(), []string{id, other})
			},
		},
		"unpack": {
			Prepare: func(t *testing.T, dir string) {
				two(t, dir)
				if err := errors.Join(pack(dir), os.RemoveAll(filepath.Join(dir, "runs"))); err != nil {
					t.Fatal(err)
				}
			},
			Do: func(dir string) error {
				_, _, err := Open(filepath.Join(dir, "runs")).Unpack(t.Context(), filepath.Join(dir, "runs.tar.gz"), kind, whole)
				return err
			},
			Done: func(dir string) error { return sound(filepath.Join(dir, "runs"), []string{id, other}) },
		},
	} {
		p.Readable = readable
		t.Run(name, func(t *testing.T) { t.Log(faults.Every(t, 0, p)) })
	}
}
