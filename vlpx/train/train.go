package train

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/weights"
)

// Job is a configuration with its data, on a backend.
type Job struct {
	Config    Config
	Set       datasets.Set
	Features  loader.Features // of its images, by a locked encoder; nil where the model reads pixels
	Tokenizer *text.Tokenizer // nil where the framework reads no captions
	Backend   compute.Backend
	Dir       string // folder of the checkpoint and the curves; it exists
	// Reference is the folder of the finished run that Config.Reference names.
	Reference string
	// Init is the folder of the finished run that Config.Init names, InitConfig its configuration; nil where it has the framework and sizes
	// of Config.
	Init       string
	InitConfig *Config
	// Weights are published ones, by their variables' paths below framework.Model, that take the place of first values.
	Weights weights.Values
	Words   weights.Words // vectors for the embedding table of the text encoder; nil for none
	Every   time.Duration // between checkpoints within an epoch, at least
	// Report, if not nil, hears of every step.
	Report func(Report)
	// Say, if not nil, hears of what a user should know meanwhile, such as a step that may be stuck. It may be called from any goroutine.
	Say func(string)
	// Evaluate, if not nil, measures the model after each epoch; what it returns joins the epoch's record.
	Evaluate func(ctx context.Context, m *Model, epoch int) (map[string]float64, error)
	// Lower says that the metric of Config.Select is the better the lower it is.
	Lower bool
	// Taken are names of numbers that the run has besides, with what has them; a part that reports one by such a name is an error.
	Taken map[string]string

	// untrained has its own first values in the place of the models that it starts from and refers to.
	untrained bool
}

// Report is where a run stands.
type Report struct {
	Step, Steps    int // done and in all
	Epoch, Epochs  int
	Loss           float64
	PairsPerSecond float64       // zero at a process's first step
	Left           time.Duration // zero where it cannot be told yet, in a process's first steps, and at the end
}

// Outcome is what a finished run gives besides its model.
type Outcome struct {
	Epochs     []Record
	Clock      []float64 // seconds of training at the end of each epoch
	BestEpoch  int       // whose weights the model has, from 1; 0 where none was selected and they are the last epoch's
	Parameters int
	Pairs      int // mini-batches times their size
	Seconds    float64
	// Waiting and Sampling are the seconds that training waited for the loader and spent in the sampler.
	Waiting, Sampling float64
	// Skipped lists the images that could not be decoded and were replaced in their mini-batches, each once with the reason.
	Skipped []string
}

// PairsPerSecond is the speed over the whole run.
func (o Outcome) PairsPerSecond() float64 { return float64(o.Pairs) / math.Max(o.Seconds, 1e-9) }

// Train runs a job to its end, from its folder's checkpoint if there is one. When the context is cancelled it saves a
// checkpoint and returns the context's error.
func Train(ctx context.Context, job Job) (*Model, Outcome, error) {
	if err := job.Config.Validate(); err != nil {
		return nil, Outcome{}, err
	}
	if half, ok := job.Config.Framework.Framework.(framework.InHalf); ok && half.InHalf() &&
		!job.Backend.Capabilities().DTypes[dtypes.BFloat16] {
		return nil, Outcome{},
			fmt.Errorf("train: %s has no products in bfloat16; set half=false, or use an engine that has them, such as XLA on a GPU",
				job.Backend.Name())
	}
	if err := job.Config.splittable(job.Backend); err != nil {
		return nil, Outcome{}, err
	}
	t, err := newTrainer(job)
	if err != nil {
		return nil, Outcome{}, err
	}
	defer t.close()
	if err := t.look(ctx); err != nil {
		t.model.Close()
		return nil, Outcome{}, err
	}
	for !job.Config.over(t.progress) {
		if err := t.epoch(ctx); err != nil {
			t.model.Close()
			return nil, Outcome{}, err
		}
	}
	if err := t.takeBest(); err != nil {
		t.model.Close()
		return nil, Outcome{}, err
	}
	return t.model, Outcome{
		Epochs: t.Epochs, BestEpoch: t.Best.number(), Clock: t.Clock, Parameters: framework.Parameters(t.store), Seconds: t.Seconds,
		Pairs:   t.Epoch * t.steps * job.Config.BatchSize,
		Waiting: t.Waiting, Sampling: t.Sampling, Skipped: t.Broken,
	}, nil
}
