package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/train"
)

// Store keeps runs in a folder, each in a folder named by its identity: run.json, label.json with what it is called, tokenizer.json,
// result.json once it is finished, the checkpoint with the weights, those of the best epoch where it selects, the curves, the pairs that
// its model mined for other runs, and what tasks gave of it.
type Store struct {
	dir  string
	pace pace // of processes that hold and wait for folders
}

// Files of a run's folder, besides those of package train.
const (
	runName       = "run.json"
	labelName     = "label.json"
	resultName    = "result.json"
	tokenizerName = "tokenizer.json"
	lockName      = "lock"
	minedPrefix   = "mined-" // and a hash; see Added
	taskPrefix    = "task-"  // and a hash; see Evaluation
)

// modelNames are the files with weights.
var modelNames = []string{train.CheckpointName, train.BestName}

// OpenStore opens the store at home. The folder need not exist yet: only finished and started runs make it.
func OpenStore(home string) *Store { return &Store{filepath.Join(home, "runs"), usualPace} }

// LockedDir is the folder of what locked encoders made of images.
func (s *Store) LockedDir() string { return filepath.Join(filepath.Dir(s.dir), "locked") }

// Dir is the folder of a run.
func (s *Store) Dir(r Run) string { return filepath.Join(s.dir, r.ID()) }

// ResultFile is the file that is there once a run is finished.
func (s *Store) ResultFile(r Run) string { return filepath.Join(s.Dir(r), resultName) }

// Result returns a finished run's result; for one that is not finished the error is fs.ErrNotExist.
func (s *Store) Result(r Run) (Result, error) { return s.result(r.ID()) }

func (s *Store) result(id string) (Result, error) {
	path := filepath.Join(s.dir, id, resultName)
	text, err := readSealed(path)
	var result Result
	switch {
	case err == nil:
		if result, err = readResult(text); err == nil {
			err = result.check(id)
		}
	case !errors.Is(err, errUnsealed):
		return Result{}, fmt.Errorf("run: %w; if the store's place is wrong, choose another with VLPX_HOME, -home or Options.Home", err)
	}
	if err != nil {
		return Result{}, &Damaged{ID: id, Path: path, Err: err, Again: "run it"}
	}
	return result, nil
}

// check tells why a result is none of the run with that identity.
func (r Result) check(id string) error {
	switch {
	case r.ID != id:
		return fmt.Errorf("this is the result of run %q", r.ID)
	case r.BestEpoch < 0 || r.BestEpoch > len(r.Epochs):
		return fmt.Errorf("epoch %d is the best of %d", r.BestEpoch, len(r.Epochs))
	}
	return nil
}

// Damaged is what is wrong with a file that the store keeps of a run. The run can be stepped around; without the file it is made again.
type Damaged struct {
	ID    string // of the run
	Path  string
	Err   error
	Again string // what is done again without the file: "run it"
}

func (d *Damaged) Error() string {
	return fmt.Sprintf("run: %s: %v; delete the file to %s again", d.Path, d.Err, d.Again)
}

func (d *Damaged) Unwrap() error { return d.Err }

// Examples are those of a finished run, by its identity.
func (s *Store) Examples(id string) (eval.Examples, error) {
	result, done, err := s.find(id)
	if err == nil && !done {
		err = fmt.Errorf("run: %s is asked for what it gave, and is not finished; make it first", id)
	}
	return result.Examples, err
}

// Started tells whether a run has a checkpoint to resume from.
func (s *Store) Started(r Run) bool {
	_, err := os.Stat(filepath.Join(s.Dir(r), train.CheckpointName))
	return err == nil
}

// hasModel tells whether the weights of a finished run are there, which pruning may have removed.
func (s *Store) hasModel(r Run) (bool, error) {
	there, err := train.Trained(r.Train, s.Dir(r))
	if err != nil {
		err = fmt.Errorf("%w; vlpx rm %s removes the run, to be trained again", err, Short(r.ID()))
	}
	return there, err
}

// publish writes a value as JSON that ends with its sum; see write and readSealed.
func (s *Store) publish(r Run, name string, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("run: %s: %w", name, err)
	}
	return s.write(r, name, sealed(text))
}

// write writes a file of the run's folder as a whole or not at all.
func (s *Store) write(r Run, name string, content []byte) error {
	path := filepath.Join(s.Dir(r), name)
	if err := renameio.WriteFile(path, content, 0o644, renameio.WithTempDir(s.Dir(r))); err != nil {
		return fmt.Errorf("run: writing %s: %w; make room, or choose another place with VLPX_HOME, -home or Options.Home", path, err)
	}
	return nil
}

// finish publishes a run's result. The first one stays, where two processes have made the run at once, as on a cluster whose node came back
// after its run had been given to another one: finish returns the result that the store has.
func (s *Store) finish(r Run, result Result) (Result, error) {
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return Result{}, fmt.Errorf("run: %s: %w", resultName, err)
	}
	path := filepath.Join(s.Dir(r), resultName)
	wrong := func(err error) error {
		return fmt.Errorf("run: writing %s: %w; make room, or choose another place with VLPX_HOME, -home or Options.Home", path, err)
	}
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(s.Dir(r)), renameio.WithPermissions(0o644))
	if err != nil {
		return Result{}, wrong(err)
	}
	defer file.Cleanup()
	if _, err := file.Write(sealed(text)); err != nil {
		return Result{}, wrong(err)
	}
	if err := file.Sync(); err != nil {
		return Result{}, wrong(err)
	}
	err = os.Link(file.Name(), path)
	switch {
	case err == nil:
		return result, nil
	case errors.Is(err, fs.ErrExist):
		return s.Result(r)
	case os.IsPermission(err) || errors.Is(err, errors.ErrUnsupported): // a file system without links, which has no two nodes either
		err = file.CloseAtomicallyReplace()
	}
	if err != nil {
		return Result{}, wrong(err)
	}
	return result, nil
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
