package train

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
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
	// Init is the folder of the finished run that Config.Init names, InitConfig its configuration; nil where it has the framework and sizes of Config.
	Init       string
	InitConfig *Config
	// Weights are published ones, by their variables' paths below framework.Model, that take the place of first values.
	Weights weights.Values
	Words   weights.Words // vectors for the embedding table of the text encoder; nil for none
	Every   time.Duration // between checkpoints within an epoch, at least
	// Report, if not nil, hears of every step.
	Report func(Report)
	// Evaluate, if not nil, measures the model after each epoch; what it returns joins the epoch's record.
	Evaluate func(ctx context.Context, m *Model, epoch int) (map[string]float64, error)
	// Taken are names of numbers that the run has besides, with what has them; a part that tells one by such a name is an error.
	Taken map[string]string

	// untrained has its own first values in the place of the models that it starts from and refers to.
	untrained bool
}

// Report is where a run stands.
type Report struct {
	Step, Steps    int // done and in all
	Epoch, Epochs  int
	Loss           float64
	PairsPerSecond float64 // zero at a process's first step, as Left
	Left           time.Duration
}

// Outcome is what a finished run tells besides its model.
type Outcome struct {
	Epochs     []Record
	Clock      []float64 // seconds of training at the end of each epoch
	BestEpoch  int       // whose weights the model has, from 1; 0 where none was selected and they are the last epoch's
	Parameters int
	Pairs      int // mini-batches times their size
	Seconds    float64
	// Waiting and Sampling are the seconds that training waited for the loader and spent in the sampler.
	Waiting, Sampling float64
	// Skipped tells the images that could not be decoded and were replaced in their mini-batches, each once with the reason.
	Skipped []string
}

// PairsPerSecond is the speed over the whole run.
func (o Outcome) PairsPerSecond() float64 { return float64(o.Pairs) / math.Max(o.Seconds, 1e-9) }

// progress is the state of the host in a checkpoint.
type progress struct {
	Epoch, Step int    // the step to make next
	Sampler     []byte `json:"-"` // kept as bytes
	Epochs      []Record
	Clock       []float64
	Current     tally
	Curves      int64 // bytes of the curves written so far
	Seconds     float64
	Waiting     float64
	Sampling    float64
	Broken      []string // Outcome.Skipped so far
	Joined      []int    `json:",omitempty"` // new positives in MLM of the last steps
	Best        *best    `json:",omitempty"` // nil before the first epoch's end, and where none is selected
}

// long is what a checkpoint keeps as bytes beside the state's JSON.
func (p progress) long() []byte { return p.Sampler }

// setLong is the inverse of long.
func (p *progress) setLong(sampler []byte) { p.Sampler = sampler }

// Train runs a job to its end, from its folder's checkpoint if there is one. When the context is cancelled it saves a
// checkpoint and returns the context's error.
func Train(ctx context.Context, job Job) (*Model, Outcome, error) {
	if err := job.Config.Validate(); err != nil {
		return nil, Outcome{}, err
	}
	if half, ok := job.Config.Framework.Framework.(framework.InHalf); ok && half.InHalf() && !job.Backend.Capabilities().DTypes[dtypes.BFloat16] {
		return nil, Outcome{}, fmt.Errorf("train: %s has no products in bfloat16; set half=false, or use an engine that has them, such as XLA on a GPU",
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
	for t.Epoch < job.Config.Epochs {
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
		Pairs:   job.Config.Epochs * t.steps * job.Config.BatchSize,
		Waiting: t.Waiting, Sampling: t.Sampling, Skipped: t.Broken,
	}, nil
}

type trainer struct {
	progress
	job       Job
	pairs     []datasets.Pair
	relation  datasets.Relation    // nil where nothing is known
	labelled  datasets.Labelled    // nil where images have no classes
	stated    []datasets.Statement // of each pair; none where the step reads no second images or verdicts
	language  datasets.Spoken      // nil where nobody can tell whether a sentence is true
	answers   answers              // to the questions, where the framework reads some
	shares    map[int][2]float32   // of false negatives, of the pairs asked for so far
	store     *model.Store
	model     *Model
	step      *Step
	sampler   negative.Sampler
	observers []negative.Observer // of the method
	loader    *loader.Loader
	curves    *os.File
	ahead     [][]int           // mini-batches that the loader has and the step has not
	coming    *miniBatch        // the mini-batch of the next step, where its images are sent ahead
	drafted   drafts            // of the current step
	steps     int               // an epoch
	taken     map[string]string // names of numbers, with what has them
	saved     time.Time
	saving    time.Duration // what the last checkpoint took
	started   time.Time     // of this process's share of the run, but its first step, which compiles
	made      int           // steps this process made
}

func newTrainer(job Job) (_ *trainer, err error) {
	c := job.Config
	job.Set = c.Sees(job.Set)
	t := &trainer{job: job, pairs: datasets.Pairs(job.Set), store: model.NewStore()}
	defer func() {
		if err != nil {
			t.close()
			t.store.Finalize()
		}
	}()
	if related, ok := job.Set.(datasets.Related); ok {
		t.relation = related.Relation()
	}
	t.labelled, _ = job.Set.(datasets.Labelled)
	t.language = datasets.Language(job.Set)
	if t.stated, err = t.statements(); err != nil {
		return nil, err
	}
	if err := t.readable(); err != nil {
		return nil, err
	}
	if g, grows := c.Framework.Framework.(framework.Growing); grows && job.Tokenizer != nil && job.Tokenizer.Size() > g.Vocabulary() {
		return nil, fmt.Errorf("train: a vocabulary of %d words for %s, which has room for %d; plan the run with the vocabulary that its data gives",
			job.Tokenizer.Size(), g.Name(), g.Vocabulary())
	}
	start := negative.Start{
		Pairs: len(t.pairs), BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: c.Epochs, Seed: c.Seed,
		Shards: datasets.ShardPairs(job.Set),
	}
	if t.sampler, err = c.Method.Batches.Start(start); err != nil {
		return nil, fmt.Errorf("train: %s: %w", c.Method.Name, err)
	}
	if err = t.observe(); err != nil {
		return nil, err
	}
	if err = framework.Initialise(c.Framework.Framework, c.Use(), job.Backend, t.store, start); err != nil {
		return nil, err
	}
	if err = t.startWithWords(job.Words); err != nil {
		return nil, err
	}
	if err = t.startWith(job.Weights); err != nil {
		return nil, err
	}
	if c.Init != "" && !job.untrained {
		if err = t.startFrom(job.Init); err != nil {
			return nil, fmt.Errorf("train: the model that %s starts from: %w", c.Method.Name, err)
		}
	}
	if c.Reference != "" {
		if err = t.freeze(); err != nil {
			return nil, fmt.Errorf("train: the reference model of %s: %w", c.Method.Name, err)
		}
	}
	if err := t.store.SetRNGStateFromSeed(int64(c.Seed)); err != nil {
		return nil, err
	}
	if err := t.resume(); err != nil {
		return nil, err
	}
	t.step, t.taken = NewStep(job.Backend, t.store, c), c.taken()
	maps.Copy(t.taken, job.Taken)
	if err = t.step.survey(t.room(), t.knows(), t.taken); err != nil {
		return nil, err
	}
	t.model = &Model{config: c, store: t.store, backend: job.Backend, Tokenizer: job.Tokenizer}
	t.loader = loader.New(t.loading())
	t.saved, t.started = time.Now(), time.Now()
	return t, nil
}

// loading is what the loader reads, and how.
func (t *trainer) loading() loader.Config {
	c, reads := t.job.Config, field.Names(t.job.Config.Inputs())
	return loader.Config{
		Set: t.job.Set, Pairs: t.pairs, Tokenizer: t.job.Tokenizer, Transform: c.Transform, Features: t.job.Features,
		MaxLen: c.MaxLen, Seed: c.Seed, CacheBytes: imageCache, View: slices.Contains(reads, field.View), Others: t.others(),
		Blind: !slices.Contains(reads, field.Image) && !slices.Contains(reads, field.View),
	}
}

// imageCache bounds the decoded images that are kept in memory, in bytes. It is our choice: some 21,000 images of 128
// pixels at three bytes each, or 5,400 of 256, which leaves a machine of 4 GB room to train.
const imageCache = 1 << 30

// close frees what there is; the model outlives it.
func (t *trainer) close() {
	t.coming.release()
	if t.step != nil {
		t.step.Close()
	}
	if t.loader != nil {
		t.loader.Close()
	}
	if t.curves != nil {
		t.curves.Close()
	}
}
