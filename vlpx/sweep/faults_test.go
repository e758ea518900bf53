package sweep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/faults"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/disk"
)

// Whatever operation on files fails while a sweep is begun and its tasks are done, the next call ends it, and nothing is left.
func TestFaults(t *testing.T) {
	program := filepath.Join(t.TempDir(), "script")
	must.Do(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755))
	w := must.Get(workerOf(program))(t)
	p := planned(3)
	var said strings.Builder
	t.Log(faults.Every(t, 0, faults.Program{
		Do: func(dir string) error {
			s := New(dir, p)
			if err := s.Write(w); err != nil {
				return err
			}
			if _, err := Open(s.PlanFile()); err != nil {
				return err
			}
			for k := range s.Tasks {
				said.Reset()
				status := s.Work(t.Context(), k, nil, &said, func(_ context.Context, task Task) error {
					path := filepath.Join(dir, filepath.FromSlash(task.Result))
					if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
						return err
					}
					return disk.WriteFile(path, []byte(task.ID), 0o644)
				})
				if status != 0 {
					return errors.New(said.String())
				}
			}
			return s.Tidy()
		},
		Readable: func(dir string) error {
			s := New(dir, p)
			for k, task := range s.Tasks {
				text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(task.Result)))
				if s.Done(k) && (err != nil || string(text) != task.ID) {
					return fmt.Errorf("task %d is done with %q (%w)", k, text, err)
				}
			}
			if _, err := Open(s.PlanFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			return nil
		},
		Done: func(dir string) error {
			s := New(dir, p)
			if undone := s.Undone(); len(undone) > 0 {
				return fmt.Errorf("%v are not done", undone)
			}
			for k := range s.Tasks {
				if failed := s.Failure(k); failed != "" {
					return fmt.Errorf("task %d is said to have failed: %s", k, failed)
				}
			}
			return faults.Left(dir, func(d fs.DirEntry) bool { return faults.Hidden(d) || strings.HasPrefix(d.Name(), programPrefix) })
		},
	}))
}
