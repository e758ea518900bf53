package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// Store keeps runs in a folder, each in a folder named by its identity: run.json, label.json with what it is called, tokenizer.json,
// result.json once it is finished, the checkpoint with the weights, those of the best epoch where it selects, the curves, the pairs that
// its model mined for other runs, and what tasks gave of it.
type Store struct{ folders *store.Store }

// Files of a run's folder, besides those of package train.
const (
	runName       = "run.json"
	labelName     = "label.json"
	resultName    = "result.json"
	tokenizerName = "tokenizer.json"
	minedPrefix   = "mined-" // and a hash; see Added
	taskPrefix    = "task-"  // and a hash; see Evaluation
)

// modelNames are the files with weights.
var modelNames = []string{train.CheckpointName, train.BestName}

// OpenStore opens the store at home. The folder need not exist yet: only finished and started runs make it.
func OpenStore(home string) *Store { return &Store{store.Open(filepath.Join(home, "runs"))} }

// LockedDir is the folder of what locked encoders made of images.
func (s *Store) LockedDir() string { return filepath.Join(filepath.Dir(s.folders.Dir()), "locked") }

// Dir is the folder of a run.
func (s *Store) Dir(r Run) string { return s.folders.Folder(r.ID()) }

// ResultFile is the file that is there once a run is finished.
func (s *Store) ResultFile(r Run) string { return filepath.Join(s.Dir(r), resultName) }

// Result returns a finished run's result; for one that is not finished the error is fs.ErrNotExist.
func (s *Store) Result(r Run) (Result, error) { return s.result(r.ID()) }

func (s *Store) result(id string) (Result, error) {
	path := s.folders.Path(id, resultName)
	text, err := store.Read(path)
	var result Result
	switch {
	case err == nil:
		if result, err = readResult(text); err == nil {
			err = result.check(id)
		}
	case !errors.Is(err, store.ErrUnsealed):
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
	_, err := disk.Stat(filepath.Join(s.Dir(r), train.CheckpointName))
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

// lock is take for what needs no word of a takeover.
func (s *Store) lock(ctx context.Context, r Run, waiting func()) (unlock func(), err error) {
	_, unlock, err = s.take(ctx, r, waiting)
	return unlock, err
}

// take takes a run's folder for this process; see [store.Store.Take].
func (s *Store) take(ctx context.Context, r Run, waiting func()) (held context.Context, unlock func(), err error) {
	return s.folders.Take(ctx, r.ID(), waiting)
}

// publish writes a value as JSON that ends with its sum.
func (s *Store) publish(r Run, name string, value any) error {
	return s.folders.Publish(r.ID(), name, value)
}

// write writes a file of the run's folder as a whole or not at all.
func (s *Store) write(r Run, name string, content []byte) error {
	return s.folders.Write(r.ID(), name, content)
}

// finish publishes a run's result. The first one stays, where two processes have made the run at once, as on a cluster whose node came back
// after its run had been given to another one: finish returns the result that the store has.
func (s *Store) finish(r Run, result Result) (Result, error) {
	first, err := s.folders.PublishFirst(r.ID(), resultName, result)
	if err != nil || first {
		return result, err
	}
	return s.Result(r)
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
