package run

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/source"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/watchdog"
	"vlpx.internal/vlpx/weights"
)

// Executor runs runs: it holds what they share.
type Executor struct {
	Store   *Store
	Backend compute.Backend
	Engine  string // its name, for the results
	// Versions of the libraries, for the results.
	Versions map[string]string
	// Label tells of a run that is made what it is called, but for the method's name; nil for runs without a label.
	Label func(Run) Label
	// Report hears of training's progress, Say of everything else worth a line. Either may be nil.
	Report func(Run, train.Report)
	Say    func(string)

	silence time.Duration // that is told, instead of watchdog.Quiet; 0 but in tests
}

const measures = "measuring it" // what is watched

// watch watches what is done for a run, if anybody hears of it. The context is what it asks whether to go on.
func (e *Executor) watch(ctx context.Context, r Run, what string) (asked context.Context, done func()) {
	if e.Say == nil { // there may be no store either
		return ctx, func() {}
	}
	return watchdog.Work(ctx, e.silence, e.Store.Dir(r), e.Say,
		fmt.Sprintf("%s, seed %d: %s has not moved on", r.Train.Method.Name, r.Train.Seed, what))
}

// checkpointEvery is the time between checkpoints within an epoch: what a kill costs at most, unless saving takes long
// (train's share of time for it). It is our choice, a wait that nobody minds.
const checkpointEvery = 10 * time.Second

// Run returns the run's result: from the store if it is there, else by running or resuming it. A cancelled context leaves a
// checkpoint behind.
func (e *Executor) Run(ctx context.Context, r Run) (Result, error) { return e.run(ctx, r, false) }

// run is Run. Where the model is asked for, a finished run whose checkpoint was pruned is trained again; its result stays what it was.
func (e *Executor) run(ctx context.Context, r Run, model bool) (Result, error) {
	find := func() (result Result, done, enough bool, err error) {
		if result, done, err = e.Store.Find(r); !done || !model {
			return result, done, done, err
		}
		enough, err = e.Store.hasModel(r)
		return result, done, enough, err
	}
	if result, _, enough, err := find(); enough || err != nil {
		return result, err
	}
	for _, needed := range r.Needs() {
		if _, err := e.run(ctx, *needed, true); err != nil {
			return Result{}, fmt.Errorf("%s, which %s needs: %w", needed.Train.Method.Name, r.Train.Method.Name, err)
		}
	}
	r = e.Store.Placed(r)
	if err := e.mine(ctx, r); err != nil {
		return Result{}, err
	}
	ctx, unlock, err := e.Store.take(ctx, r, func() {
		e.say("another process is at %s, seed %d; waiting for it", r.Train.Method.Name, r.Train.Seed)
	})
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	ctx, end := e.watch(ctx, r, "the run")
	defer end()
	before, done, enough, err := find()
	if enough || err != nil {
		return before, err
	}
	if done {
		e.say("%s, seed %d, is trained again: another run needs its model, and its checkpoint was removed", r.Train.Method.Name,
			r.Train.Seed)
		before.Files = nil // the curves are written anew
		if err := e.Store.publish(r, resultName, before); err != nil {
			return Result{}, err
		}
	}
	if err := e.Store.write(r, runName, append(r.JSON(), '\n')); err != nil {
		return Result{}, err
	}
	if err := e.label(r); err != nil {
		return Result{}, err
	}
	collection, err := e.open(ctx, r)
	if err != nil {
		return Result{}, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return Result{}, err
	}
	if tokenizer != nil {
		if err := e.Store.write(r, tokenizerName, tokenizer.JSON()); err != nil {
			return Result{}, err
		}
	}
	peakMemory := watchMemory()
	trained, outcome, err := e.train(ctx, r, collection, tokenizer)
	if err != nil {
		return Result{}, err
	}
	defer trained.Close()
	files, err := e.Store.sums(r)
	if err != nil {
		return Result{}, err
	}
	if done {
		before.Files = files
		return before, e.Store.publish(r, resultName, before)
	}
	if n := len(outcome.Skipped); n > 0 {
		e.say("%d images could not be read and others took their places in the mini-batches; the first: %s", n, outcome.Skipped[0])
	}
	measured, err := e.evaluate(ctx, r, collection, trained, "test", r.Tasks, false)
	if err != nil {
		return Result{}, err
	}
	metrics := plain(measured.Metrics)
	maps.Copy(metrics, outcome.Epochs[len(outcome.Epochs)-1].Counted())
	added, err := r.Data.added(collection)
	if err != nil {
		return Result{}, err
	}
	maps.Copy(metrics, added)
	result := Result{
		ID: r.ID(), Method: r.Train.Method.Name, Seed: r.Train.Seed, Metrics: metrics, Epochs: outcome.Epochs,
		Engine: e.Engine, Versions: e.Versions, Commit: source.Commit(), Code: r.Code(), Finished: time.Now().UTC().Truncate(time.Second),
		Seconds: outcome.Seconds, Clock: outcome.Clock, Parameters: outcome.Parameters, PairsPerSecond: outcome.PairsPerSecond(),
		Loader: outcome.Waiting / outcome.Seconds, Sampler: outcome.Sampling / outcome.Seconds,
		PeakMemory: peakMemory(), SkippedImages: len(outcome.Skipped), BestEpoch: outcome.BestEpoch,
		Examples: measured.Examples, Files: files,
	}
	result.Skipped, result.Unreadable = outcome.Skipped, collection.unreadable
	if result.ByEqualCaptions, err = r.Data.byEqualCaptions(collection, "train", "val", "test"); err != nil {
		return Result{}, err
	}
	return e.Store.finish(r, result)
}

// open opens the run's data and checks what would fail only after hours of training. It tells what the data leaves out.
func (e *Executor) open(ctx context.Context, r Run) (data, error) {
	collection, err := r.Data.Open()
	if err != nil {
		return data{}, err
	}
	if partial, ok := collection.(interface{ Skipped() []error }); ok {
		for _, omission := range partial.Skipped() {
			e.say("%v", omission)
		}
	}
	if err := r.Check(collection); err != nil {
		return data{}, err
	}
	return e.look(ctx, r, collection, "val", "test")
}

// selectable tells why the metric by which the best epoch is selected is none to do so by.
func (r Run) selectable() error {
	metric := r.Train.Select
	if _, found := r.selected(); found || metric == "" {
		return nil
	}
	var near eval.Metric
	for i, info := range r.Tasks.Metrics() {
		if i == 0 || strings.EqualFold(string(info.Metric), metric) {
			near = info.Metric
		}
	}
	return fmt.Errorf("run: selecting the best epoch by %q, which is no metric of the run's tasks; use one such as %q, of those that "+
		"vlpx show tasks lists", metric, near)
}

// selected is the metric of the run's tasks by which the best epoch is selected, and whether there is one.
func (r Run) selected() (eval.Info, bool) {
	_, embeds := r.Train.Framework.Framework.(framework.Embeds)
	for _, info := range r.Tasks.Metrics() {
		if name := string(info.Metric); r.Train.Select == name || embeds && r.Train.Select == eval.CosinePrefix+name {
			return info, true
		}
	}
	return eval.Info{}, false
}

// Evaluate measures a finished run's model on a split, by the run's own tasks where none are named. It changes nothing in the store.
func (e *Executor) Evaluate(ctx context.Context, r Run, split string, tasks ...eval.Task) (map[string]float64, error) {
	r = e.Store.Placed(r)
	ctx, end := e.watch(ctx, r, measures)
	defer end()
	collection, model, err := e.finished(r)
	if err != nil {
		return nil, err
	}
	defer model.Close()
	return e.measure(ctx, r, collection, model, split, tasks)
}

// untrained says that a run is not finished.
func untrained(r Run) error {
	return fmt.Errorf("run: %s, seed %d, is not trained yet; train it first", r.Train.Method.Name, r.Train.Seed)
}

// finished is the model of a finished run, with its data. The caller closes it.
func (e *Executor) finished(r Run) (datasets.Collection, *train.Model, error) {
	_, done, err := e.Store.Find(r)
	if err != nil {
		return nil, nil, err
	}
	if !done {
		return nil, nil, untrained(r)
	}
	if there, err := e.Store.hasModel(r); err != nil {
		return nil, nil, err
	} else if !there {
		return nil, nil, fmt.Errorf("run: %s, seed %d, has a result, and its checkpoint was removed (%w); vlpx rm %s removes the run, to "+
			"be trained again",
			r.Train.Method.Name, r.Train.Seed, fs.ErrNotExist, Short(r.ID()))
	}
	collection, err := r.Data.Open()
	if err != nil {
		return nil, nil, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return nil, nil, err
	}
	model, err := train.LoadTrained(e.Backend, r.Train, tokenizer, e.Store.Dir(r))
	return collection, model, err
}

// Measure measures a model on a split of a run's data, by the run's own tasks where none are named. Of the run it needs the data, the
// tasks, the locked encoder, the regions, and the sizes of images and captions.
func (e *Executor) Measure(ctx context.Context, r Run, m *train.Model, split string, tasks ...eval.Task) (map[string]float64, error) {
	ctx, end := e.watch(ctx, r, measures)
	defer end()
	collection, err := r.Data.Open()
	if err != nil {
		return nil, err
	}
	return e.measure(ctx, e.Store.Placed(r), collection, m, split, tasks)
}

func (e *Executor) measure(ctx context.Context, r Run, c datasets.Collection, m *train.Model, split string,
	tasks eval.Tasks) (map[string]float64, error) {
	if len(tasks) == 0 {
		tasks = r.Tasks
	}
	set, err := r.Data.split(c, split)
	if err == nil {
		err = tasks.Check(r.Train.Framework.Framework, set)
	}
	if err != nil {
		return nil, err
	}
	looked, err := e.look(ctx, r, c, split)
	if err != nil {
		return nil, err
	}
	measured, err := e.evaluate(ctx, r, looked, m, split, tasks, false)
	return plain(measured.Metrics), err
}

func (e *Executor) train(ctx context.Context, r Run, c data, k *text.Tokenizer) (*train.Model, train.Outcome, error) {
	job, closeJob, err := e.job(ctx, r, c, k, !e.Store.Started(r))
	if err != nil {
		return nil, train.Outcome{}, err
	}
	defer closeJob()
	return train.Train(ctx, job)
}

// job is what trains a run. Published weights are read where its first values are asked for. The caller closes it.
func (e *Executor) job(ctx context.Context, r Run, c data, k *text.Tokenizer, first bool) (train.Job, func(), error) {
	failed := func(err error) (train.Job, func(), error) { return train.Job{}, nil, err }
	set, err := r.Data.split(c, "train")
	if err != nil {
		return failed(err)
	}
	folder := func(of *Run) string {
		if of == nil {
			return ""
		}
		return e.Store.Dir(*of)
	}
	var published weights.Values
	var words weights.Words
	if first {
		if published, err = e.published(r); err != nil {
			return failed(err)
		}
		if r.Language != nil {
			if published, err = e.speech(r, published); err != nil {
				return failed(err)
			}
		}
		if source := r.Weights.Words; source != nil {
			if words, err = e.words(*source, k); err != nil {
				return failed(err)
			}
		}
	}
	var earlier *train.Config
	if r.Init != nil {
		earlier = &r.Init.Train
	}
	features, closeFeatures, err := e.Features(ctx, r, c, "train")
	if err != nil {
		return failed(err)
	}
	selected, _ := r.selected()
	return train.Job{
		Config: r.Train, Set: set, Features: features, Tokenizer: k, Backend: e.Backend, Dir: e.Store.Dir(r), Every: checkpointEvery,
		Reference: folder(r.Reference), Init: folder(r.Init), InitConfig: earlier, Weights: published, Words: words,
		Report: func(p train.Report) {
			if e.Report != nil {
				e.Report(r, p)
			}
		},
		Say: e.Say, Lower: selected.LowerIsBetter, Taken: r.taken(),
		Evaluate: func(ctx context.Context, m *train.Model, _ int) (map[string]float64, error) {
			measured, err := e.evaluate(ctx, r, c, m, "val", r.Tasks, r.Train.Select == "")
			return plain(measured.Metrics), err
		},
	}, closeFeatures, nil
}

// taken are the names of what models are measured by, which numbers that parts tell must not have.
func (r Run) taken() map[string]string {
	names := map[string]string{}
	for _, info := range slices.Concat(eval.Metrics(), r.Tasks.Metrics()) {
		for _, name := range []string{string(info.Metric), eval.CosinePrefix + string(info.Metric)} {
			names[name] = "what a task measures"
		}
	}
	return names
}

// evaluate measures a model on a split by tasks, in brief or wholly.
func (e *Executor) evaluate(ctx context.Context, r Run, c data, m *train.Model, split string, tasks eval.Tasks, brief bool) (eval.Measured,
	error) {
	all := eval.Measured{Metrics: eval.Result{}}
	about := measuring{e: e, run: r, model: m, brief: brief}
	defer about.close()
	subject, err := about.subject(ctx, r.Data, c, split)
	if err != nil {
		return all, err
	}
	for _, task := range tasks {
		measured, err := task.Measure(ctx, subject)
		if err != nil {
			return all, fmt.Errorf("run: measuring %s on %s: %w", r.Train.Method.Name, subject.Set.Name(), err)
		}
		all.Join(measured)
	}
	return all, nil
}

// plain are metrics by plain names.
func plain(result eval.Result) map[string]float64 {
	metrics := map[string]float64{}
	for name, value := range result {
		metrics[string(name)] = value
	}
	return metrics
}

func (e *Executor) say(format string, args ...any) {
	if e.Say != nil {
		e.Say(fmt.Sprintf(format, args...))
	}
}
