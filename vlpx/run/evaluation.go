package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"vlpx.internal/datasets/plainjson"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/source"
	"vlpx.internal/vlpx/train"
)

// Evaluation is what a task gave of a finished run, kept beside the run in a file of its own.
type Evaluation struct {
	ID       string // of the run
	Of       Measure
	Metrics  map[string]float64
	Engine   string
	Commit   string
	Code     string `json:",omitempty"` // see [Run.Code]; none of older versions
	Finished time.Time
}

// lacks tells whether other code than today's has measured a run by what has metrics today that it did not tell.
func (v Evaluation) lacks(r Run) bool {
	return v.Code != r.Code() && slices.ContainsFunc(v.Of.Tasks.Metrics(), func(info eval.Info) bool {
		_, has := v.Metrics[string(info.Metric)]
		return !has
	})
}

// Measure says by what a run is measured, and on which split. Its JSON identifies it.
type Measure struct {
	Split string
	Tasks eval.Tasks
	// First says that it is of the model before the run's first step.
	First bool `json:",omitempty"`
}

// name is the file's, by the hash of the measure's JSON.
func (m Measure) name() (string, error) {
	for _, task := range m.Tasks {
		if err := source.Plain(task); err != nil {
			return "", fmt.Errorf("run: task %T: %w", task, err)
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("run: %w", err)
	}
	sum := sha256.Sum256(text)
	return taskPrefix + hex.EncodeToString(sum[:8]) + ".json", nil
}

// Evaluation returns what the store has of a run by a measure, and whether it has it.
func (s *Store) Evaluation(r Run, of Measure) (map[string]float64, bool, error) {
	kept, done, err := s.evaluation(r, of)
	return kept.Metrics, done, err
}

// EvaluationFile is the file that is there once a run is measured so.
func (s *Store) EvaluationFile(r Run, of Measure) (string, error) {
	name, err := of.name()
	return filepath.Join(s.Dir(r), name), err
}

// Outdated tells whether the store has of a run by a measure what older code told, which lacks metrics that the measure has today.
func (s *Store) Outdated(r Run, of Measure) (bool, error) {
	kept, done, err := s.evaluation(r, of)
	return done && kept.lacks(r), err
}

func (s *Store) evaluation(r Run, of Measure) (Evaluation, bool, error) {
	name, err := of.name()
	if err != nil {
		return Evaluation{}, false, err
	}
	path := filepath.Join(s.Dir(r), name)
	text, err := store.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Evaluation{}, false, nil
	}
	var kept struct {
		Evaluation
		Of json.RawMessage // whose tasks a program of its own may define
	}
	if err == nil {
		err = plainjson.Unmarshal(text, &kept)
	}
	if err == nil && (kept.ID != r.ID() || kept.Metrics == nil) {
		err = fmt.Errorf("this is no evaluation of run %s", r.ID())
	}
	if err == nil && !sameMeasure(kept.Of, of) {
		err = errors.New("this is what another task gave")
	}
	if err != nil {
		return Evaluation{}, false, &Damaged{ID: r.ID(), Path: path, Err: err, Again: "measure"}
	}
	kept.Evaluation.Of = of
	return kept.Evaluation, true, nil
}

// Keep puts what a task gave beside its run, from where Evaluation returns it.
func (s *Store) Keep(r Run, of Evaluation) error {
	name, err := of.Of.name()
	if err != nil {
		return err
	}
	return s.publish(r, name, of)
}

// sameMeasure tells whether a measure is what JSON tells.
func sameMeasure(told json.RawMessage, of Measure) bool {
	text, err := json.Marshal(of)
	if err != nil {
		return false
	}
	var one, other any
	return errors.Join(json.Unmarshal(told, &one), json.Unmarshal(text, &other)) == nil && reflect.DeepEqual(one, other)
}

// EvaluateBy measures a finished run's model by a task on a split: from the store where it has been measured so, else by
// [Executor.Evaluate], and it keeps what comes out. Where older code told less than the task tells today, what is missing is added, if the
// weights are still kept.
func (e *Executor) EvaluateBy(ctx context.Context, r Run, split string, task eval.Task) (map[string]float64, error) {
	of := Measure{Split: split, Tasks: eval.Tasks{task}}
	kept, done, err := e.Store.evaluation(r, of)
	if err != nil || done && !kept.lacks(r) {
		return kept.Metrics, err
	}
	metrics, err := e.Evaluate(ctx, r, split, task)
	if done && errors.Is(err, fs.ErrNotExist) {
		return kept.Metrics, nil
	}
	if err != nil {
		return nil, err
	}
	maps.Copy(metrics, kept.Metrics)
	return metrics, e.keep(r, of, metrics)
}

// keep puts metrics beside their run.
func (e *Executor) keep(r Run, of Measure, metrics map[string]float64) error {
	return e.Store.Keep(r, Evaluation{
		ID: r.ID(), Of: of, Metrics: metrics, Engine: e.Engine, Commit: source.Commit(), Code: r.Code(),
		Finished: time.Now().UTC().Truncate(time.Second),
	})
}

// EvaluateFirst measures the model that a run begins with, before its first step, by a task on a split: published weights, or those of the
// run that it starts from, which must be finished. It is kept once the run is finished.
func (e *Executor) EvaluateFirst(ctx context.Context, r Run, split string, task eval.Task) (map[string]float64, error) {
	of := Measure{Split: split, Tasks: eval.Tasks{task}, First: true}
	kept, measured, err := e.Store.evaluation(r, of)
	if err != nil || measured && !kept.lacks(r) {
		return kept.Metrics, err
	}
	r = e.Store.Placed(r)
	ctx, end := e.watch(ctx, r, measures)
	defer end()
	collection, err := e.open(ctx, r)
	if err != nil {
		return nil, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return nil, err
	}
	job, closeJob, err := e.job(ctx, r, collection, tokenizer, true)
	if err != nil {
		return nil, err
	}
	defer closeJob()
	first, err := train.First(job)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	metrics, err := e.measure(ctx, r, collection, first, split, eval.Tasks{task})
	if err != nil {
		return nil, err
	}
	if _, done, err := e.Store.Find(r); !done || err != nil {
		return metrics, err
	}
	return metrics, e.keep(r, of, metrics)
}
