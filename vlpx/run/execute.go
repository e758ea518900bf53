package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/train"
	"vlpx.internal/vlpx/weights"
)

// Executor runs runs: it holds what they share.
type Executor struct {
	Store   *Store
	Backend compute.Backend
	Engine  string // its name, for the results
	// Versions of the libraries, for the results.
	Versions map[string]string
	// Report hears of training's progress, Say of everything else worth a line. Either may be nil.
	Report func(Run, train.Report)
	Say    func(string)
}

// checkpointEvery is the time between checkpoints within an epoch: what a kill costs at most, unless saving takes long
// (train's share of time for it). It is our choice, a wait that nobody minds.
const checkpointEvery = 10 * time.Second

// Run returns the run's result: from the store if it is there, else by running or resuming it. A cancelled context leaves a
// checkpoint behind.
func (e *Executor) Run(ctx context.Context, r Run) (Result, error) {
	if result, done, err := e.Store.Find(r); done || err != nil {
		return result, err
	}
	for _, needed := range r.Needs() {
		if _, err := e.Run(ctx, *needed); err != nil {
			return Result{}, fmt.Errorf("%s, which %s needs: %w", needed.Train.Method.Name, r.Train.Method.Name, err)
		}
	}
	unlock, err := e.Store.lock(ctx, r, func() {
		e.say("another process is at %s, seed %d; waiting for it", r.Train.Method.Name, r.Train.Seed)
	})
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if result, done, err := e.Store.Find(r); done || err != nil {
		return result, err
	}
	if err := e.Store.publish(r, runName, json.RawMessage(r.JSON())); err != nil {
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
	if err := e.Store.write(r, tokenizerName, tokenizer.JSON()); err != nil {
		return Result{}, err
	}
	peakMemory := watchMemory()
	model, outcome, err := e.train(ctx, r, collection, tokenizer)
	if err != nil {
		return Result{}, err
	}
	defer model.Close()
	if n := len(outcome.Skipped); n > 0 {
		e.say("%d images could not be read and others took their places in the mini-batches; the first: %s", n, outcome.Skipped[0])
	}
	var retrieved []eval.Retrieved
	var items eval.Items
	metrics, err := e.evaluate(ctx, r, collection, model, "test", func(q eval.Retrieval, ctx context.Context, n *framework.Inference) (eval.Result, error) {
		q.Show = func(examples []eval.Retrieved) { retrieved = examples }
		q.Keep = func(queries eval.Items) { items = queries }
		return q.Full(ctx, n)
	})
	if err != nil {
		return Result{}, err
	}
	maps.Copy(metrics, outcome.Epochs[len(outcome.Epochs)-1].Counted())
	result := Result{
		ID: r.ID(), Method: r.Train.Method.Name, Seed: r.Train.Seed, Metrics: metrics, Epochs: outcome.Epochs,
		Engine: e.Engine, Versions: e.Versions, Commit: Commit(), Finished: time.Now().UTC().Truncate(time.Second),
		Seconds: outcome.Seconds, Clock: outcome.Clock, Parameters: outcome.Parameters, PairsPerSecond: outcome.PairsPerSecond(),
		Loader: outcome.Waiting / outcome.Seconds, Sampler: outcome.Sampling / outcome.Seconds,
		PeakMemory: peakMemory(), SkippedImages: len(outcome.Skipped), BestEpoch: outcome.BestEpoch, Retrieved: retrieved,
		Items: &items,
	}
	result.Skipped, result.Unreadable = outcome.Skipped, collection.unreadable
	return result, e.Store.publish(r, resultName, result)
}

// open opens the run's data and checks what would fail only after hours of training. It tells what the data leaves out.
func (e *Executor) open(ctx context.Context, r Run) (data, error) {
	if r.Rerank < 1 {
		return data{}, fmt.Errorf("run: re-ranking %d candidates; use at least 1", r.Rerank)
	}
	if err := selectable(r.Train.Select); err != nil {
		return data{}, err
	}
	collection, err := r.Data.Open()
	if err != nil {
		return data{}, err
	}
	if partial, ok := collection.(interface{ Skipped() []error }); ok {
		for _, omission := range partial.Skipped() {
			e.say("%v", omission)
		}
	}
	for _, split := range []string{"train", "val", "test"} {
		if _, err := collection.Split(split); err != nil {
			return data{}, fmt.Errorf("run: training needs the splits train, val and test: %w", err)
		}
	}
	return e.look(ctx, r.Data, collection, "val", "test")
}

// selectable tells why a metric is none to select the best epoch by; an empty one selects nothing.
func selectable(metric string) error {
	if metric == "" {
		return nil
	}
	for _, info := range eval.Metrics() {
		if name := string(info.Metric); !info.LowerIsBetter && (metric == name || metric == eval.CosinePrefix+name) {
			return nil
		}
	}
	return fmt.Errorf("run: selecting the best epoch by %q, which is no metric of retrieval of which more is better; use one such as %q", metric, eval.RMean)
}

// Evaluate measures a finished run's model on a split.
func (e *Executor) Evaluate(ctx context.Context, r Run, split string) (map[string]float64, error) {
	_, done, err := e.Store.Find(r)
	if err != nil {
		return nil, err
	}
	if !done {
		return nil, fmt.Errorf("run: %s, seed %d, is not trained yet; train it first", r.Train.Method.Name, r.Train.Seed)
	}
	collection, err := r.Data.Open()
	if err != nil {
		return nil, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return nil, err
	}
	model, err := train.Load(e.Backend, r.Train, tokenizer, e.Store.Dir(r))
	if err != nil {
		return nil, err
	}
	defer model.Close()
	return e.measure(ctx, r, collection, model, split)
}

// Measure measures a model on a split of a run's data, as the run would. Of the run it needs the data, the locked encoder, the re-ranking,
// and the sizes of images and captions.
func (e *Executor) Measure(ctx context.Context, r Run, m *train.Model, split string) (map[string]float64, error) {
	collection, err := r.Data.Open()
	if err != nil {
		return nil, err
	}
	return e.measure(ctx, r, collection, m, split)
}

func (e *Executor) measure(ctx context.Context, r Run, c datasets.Collection, m *train.Model, split string) (map[string]float64, error) {
	looked, err := e.look(ctx, r.Data, c, split)
	if err != nil {
		return nil, err
	}
	return e.evaluate(ctx, r, looked, m, split, eval.Retrieval.Full)
}

func (e *Executor) train(ctx context.Context, r Run, c data, k *text.Tokenizer) (*train.Model, train.Outcome, error) {
	set, err := r.Data.split(c, "train")
	if err != nil {
		return nil, train.Outcome{}, err
	}
	features, closeFeatures, err := e.Features(ctx, r, c, "train")
	if err != nil {
		return nil, train.Outcome{}, err
	}
	defer closeFeatures()
	folder := func(of *Run) string {
		if of == nil {
			return ""
		}
		return e.Store.Dir(*of)
	}
	var published weights.Values
	var words weights.Words
	if !e.Store.Started(r) {
		if published, err = e.published(r); err != nil {
			return nil, train.Outcome{}, err
		}
		if source := r.Weights.Words; source != nil {
			if words, err = e.words(*source, k); err != nil {
				return nil, train.Outcome{}, err
			}
		}
	}
	measure := eval.Retrieval.Cosine
	if r.Train.Select != "" {
		measure = eval.Retrieval.Full
	}
	return train.Train(ctx, train.Job{
		Config: r.Train, Set: set, Features: features, Tokenizer: k, Backend: e.Backend, Dir: e.Store.Dir(r), Every: checkpointEvery,
		Reference: folder(r.Reference), Init: folder(r.Init), Weights: published, Words: words,
		Report: func(p train.Report) {
			if e.Report != nil {
				e.Report(r, p)
			}
		},
		Evaluate: func(ctx context.Context, m *train.Model, _ int) (map[string]float64, error) {
			return e.evaluate(ctx, r, c, m, "val", measure)
		},
	})
}

type measurement func(eval.Retrieval, context.Context, *framework.Inference) (eval.Result, error)

// evaluate measures zero-shot retrieval of a model on a split, in the given way.
func (e *Executor) evaluate(ctx context.Context, r Run, c data, m *train.Model, split string, measure measurement) (map[string]float64, error) {
	set, err := r.Data.split(c, split)
	if err != nil {
		return nil, err
	}
	inference, err := m.Inference()
	if err != nil {
		return nil, err
	}
	features, closeFeatures, err := e.Features(ctx, r, c, split)
	if err != nil {
		return nil, err
	}
	defer closeFeatures()
	retrieval := eval.Retrieval{
		Set: set, Tokenizer: m.Tokenizer, Size: r.Train.Transform.Size, Features: features, MaxLen: r.Train.MaxLen, Rerank: r.Rerank, Accept: c.accept(split),
	}
	result, err := measure(retrieval, ctx, inference)
	if err != nil {
		return nil, fmt.Errorf("run: evaluating %s on %s: %w", r.Train.Method.Name, set.Name(), err)
	}
	metrics := map[string]float64{}
	for name, value := range result {
		metrics[string(name)] = value
	}
	return metrics, nil
}

func (e *Executor) say(format string, args ...any) {
	if e.Say != nil {
		e.Say(fmt.Sprintf(format, args...))
	}
}
