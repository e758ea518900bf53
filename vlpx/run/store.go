package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// Store keeps runs in a folder, each in a folder named by its identity: run.json, tokenizer.json, result.json once it is finished, the
// checkpoint with the weights, those of the best epoch where it selects, the curves, and the pairs that its model mined for other runs.
type Store struct{ dir string }

// Files of a run's folder, besides those of package train.
const (
	runName       = "run.json"
	resultName    = "result.json"
	tokenizerName = "tokenizer.json"
	lockName      = "lock"
)

// OpenStore opens the store at home. The folder need not exist yet: only finished and started runs make it.
func OpenStore(home string) *Store { return &Store{filepath.Join(home, "runs")} }

// LockedDir is the folder of what locked encoders made of images.
func (s *Store) LockedDir() string { return filepath.Join(filepath.Dir(s.dir), "locked") }

// Dir is the folder of a run.
func (s *Store) Dir(r Run) string { return filepath.Join(s.dir, r.ID()) }

// Result returns a finished run's result; for one that is not finished the error is fs.ErrNotExist.
func (s *Store) Result(r Run) (Result, error) { return s.result(r.ID()) }

func (s *Store) result(id string) (Result, error) {
	path := filepath.Join(s.dir, id, resultName)
	text, err := os.ReadFile(path)
	if err != nil {
		return Result{}, fmt.Errorf("run: %w; if the store's place is wrong, choose another with VLPX_HOME, -home or Options.Home", err)
	}
	var result Result
	if err := json.Unmarshal(text, &result); err != nil {
		return Result{}, fmt.Errorf("run: %s: %w; delete the file to run it again", path, err)
	}
	if result.ID != id {
		return Result{}, fmt.Errorf("run: %s is the result of run %q; delete the file to run it again", path, result.ID)
	}
	if result.Items != nil {
		if err := result.Items.Check(); err != nil {
			return Result{}, fmt.Errorf("run: %s: %w; delete the file to run it again", path, err)
		}
	}
	if result.BestEpoch < 0 || result.BestEpoch > len(result.Epochs) {
		return Result{}, fmt.Errorf("run: %s: epoch %d is the best of %d; delete the file to run it again", path, result.BestEpoch, len(result.Epochs))
	}
	return result, nil
}

// Sentences are those that a finished run wrote of its test split, by the run's identity; it is an error if there are none.
func (s *Store) Sentences(id string) ([]eval.Sentence, error) {
	result, done, err := s.find(id)
	switch {
	case err != nil:
		return nil, err
	case !done:
		return nil, fmt.Errorf("run: %s is asked for the sentences that it wrote, and is not finished; make it first", id)
	case len(result.Sentences) == 0:
		return nil, fmt.Errorf("run: %s (%s, seed %d) wrote no sentences; ask for those of a run that a task lets write", id, result.Method, result.Seed)
	}
	return result.Sentences, nil
}

// Started tells whether a run has a checkpoint to resume from.
func (s *Store) Started(r Run) bool {
	_, err := os.Stat(filepath.Join(s.Dir(r), train.CheckpointName))
	return err == nil
}

// lock makes the run's folder and takes it for this process. It waits while another process has it, telling waiting once.
func (s *Store) lock(ctx context.Context, r Run, waiting func()) (unlock func(), err error) {
	dir := s.Dir(r)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("run: making the run's folder: %w; choose another place with VLPX_HOME, -home or Options.Home", err)
	}
	lock := flock.New(filepath.Join(dir, lockName))
	got, err := lock.TryLock()
	if err == nil && !got {
		waiting()
		got, err = lock.TryLockContext(ctx, 200*time.Millisecond)
	}
	if ctx.Err() != nil {
		lock.Unlock()
		return nil, context.Cause(ctx)
	}
	if err != nil || !got {
		return nil, fmt.Errorf("run: taking the run's folder %s: %w; choose another place with VLPX_HOME, -home or Options.Home", dir, err)
	}
	return func() { lock.Unlock() }, nil
}

// publish writes a value as JSON; see write.
func (s *Store) publish(r Run, name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("run: %s: %w", name, err)
	}
	return s.write(r, name, append(text, '\n'))
}

// write writes a file of the run's folder as a whole or not at all.
func (s *Store) write(r Run, name string, content []byte) error {
	path := filepath.Join(s.Dir(r), name)
	if err := renameio.WriteFile(path, content, 0o644, renameio.WithTempDir(s.Dir(r))); err != nil {
		return fmt.Errorf("run: writing %s: %w; make room, or choose another place with VLPX_HOME, -home or Options.Home", path, err)
	}
	return nil
}

// Find returns the run's result if it is finished, and whether it is.
func (s *Store) Find(r Run) (Result, bool, error) { return s.find(r.ID()) }

func (s *Store) find(id string) (Result, bool, error) {
	result, err := s.result(id)
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, false, nil
	}
	return result, err == nil, err
}
