package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
)

// Job is one thing that a plan makes for a row and a seed: a run, or a measure of a finished run.
type Job struct {
	Run run.Run // that is made, or measured
	// Task measures Run's model on the test split; nil where the job is the run itself.
	Task eval.Task
	// Of is the run whose sentences Task reads (see eval.Sentence); nil where it reads none.
	Of *run.Run
	// Prefix is put before the names of the metrics.
	Prefix string
	// Downstream is the name of the downstream task that the job belongs to; empty for the row's own run and for what the row asks.
	Downstream string

	known *identity // nil where no plan has worked it out
}

// identity is what a job of a plan is known by, which takes time to work out.
type identity struct {
	id    string
	needs []*Job
}

// onValidation ends the name of a metric of a further run on the validation split, after the last epoch or the one that was selected.
const OnValidation = ", validation"

// Made are the jobs of making runs.
func Made(runs []run.Run) []Job {
	var all []Job
	for _, r := range runs {
		all = append(all, Job{Run: r})
	}
	return all
}

// asked tells of a job that is what a row asks.
func (j Job) Question() bool { return j.Task != nil && j.Downstream == "" }

// Needs are the jobs that are done before: the runs that a run needs, or the runs that a measure is of.
func (j Job) Needs() []*Job { return j.known.needs }

// identified is the job with its identity and its needs. Jobs of runs are shared, by where these lie.
func (j Job) identified(shared map[*run.Run]*Job) Job {
	runs := j.Run.Needs()
	if j.Task != nil {
		runs = []*run.Run{&j.Run}
	}
	if j.Of != nil {
		runs = []*run.Run{j.Of, &j.Run}
	}
	known := &identity{id: j.ID()}
	for _, r := range runs {
		if shared[r] == nil {
			needed := Job{Run: *r}.identified(shared)
			shared[r] = &needed
		}
		known.needs = append(known.needs, shared[r])
	}
	j.known = known
	return j
}

// Measure is what the store keeps the metrics under, where the job is a measure.
func (j Job) Measure() run.Measure { return run.Measure{Split: "test", Tasks: eval.Tasks{j.Task}} }

// ID is the job's identity: that of the run, or of who is measured, and by what.
func (j Job) ID() string {
	if j.known != nil {
		return j.known.id
	}
	if j.Task == nil {
		return j.Run.ID()
	}
	text, err := json.Marshal([]any{j.Run.ID(), j.Measure()})
	if err != nil {
		panic(fmt.Sprintf("paper: the task %T does not marshal: %v", j.Task, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// File is the file that the store has once the job is done.
func (j Job) File(store *run.Store) (string, error) {
	if j.Task == nil {
		return store.ResultFile(j.Run), nil
	}
	return store.EvaluationFile(j.Run, j.Measure())
}

// Metrics are what the store has of the job, under the names that a row's result has them by, and whether it has them.
func (j Job) Metrics(store *run.Store) (metrics map[string]float64, done bool, err error) {
	metrics, _, done, err = j.find(store)
	return metrics, done, err
}

// find is Metrics with the result of a run; nil where the job is a measure.
func (j Job) find(store *run.Store) (metrics map[string]float64, of *run.Result, done bool, err error) {
	metrics = map[string]float64{}
	if j.Task != nil {
		measured, done, err := store.Evaluation(j.Run, j.Measure())
		for name, v := range measured {
			metrics[j.Prefix+name] = v
		}
		return metrics, nil, done, err
	}
	result, done, err := store.Find(j.Run)
	if err != nil || !done {
		return nil, nil, false, err
	}
	for name, v := range result.Metrics {
		metrics[j.Prefix+name] = v
	}
	if n := cmp.Or(result.BestEpoch, len(result.Epochs)); n > 0 {
		for name, v := range result.Epochs[n-1].Metrics {
			metrics[j.Prefix+name+OnValidation] = v
		}
	}
	return metrics, &result, true, nil
}
