package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"runtime/trace"
	"slices"
	"time"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/disk"
	"vlpx.internal/vlpx/ending"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/watchdog"
)

// This file is the life of a run, from top to bottom: open, and then an epoch's input, step, observe, record, evaluate and keep.

// trainer is a run at work.
type trainer struct {
	progress
	input
	store     *model.Store
	model     *Model
	step      *Step
	sampler   negative.Sampler
	observers []negative.Observer // of the method
	loader    *loader.Loader
	curves    *disk.File
	release   func()            // of the end of the process, held while there are steps to save; nil before
	ahead     [][]int           // mini-batches that the loader has and the step has not
	coming    *miniBatch        // the mini-batch of the next step, where its images are sent ahead
	steps     int               // an epoch
	taken     map[string]string // names of numbers, with what has them
	saved     time.Time
	saving    time.Duration // what the last checkpoint took
	started   time.Time     // of this process's share of the run, but its first step, which compiles
	made      int           // steps this process made

	stepping, writing watchdog.Dog
}

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

// ==== Open ====

func newTrainer(job Job) (_ *trainer, err error) {
	c := job.Config
	t := &trainer{store: model.NewStore()}
	defer func() {
		if err != nil {
			t.close()
			t.store.Finalize()
		}
	}()
	if t.input, err = newInput(job); err != nil {
		return nil, err
	}
	start := t.start()
	if t.sampler, err = c.Method.Batches.Start(start); err != nil {
		return nil, fmt.Errorf("train: %s: %w", c.Method.Name, err)
	}
	if t.observers, err = t.openObservers(); err != nil {
		return nil, err
	}
	if err = t.firstValues(start); err != nil {
		return nil, err
	}
	if err = t.resume(); err != nil {
		return nil, err
	}
	if _, err = c.Optimiser.heights(t.store); err != nil {
		return nil, err
	}
	t.step, t.taken = NewStep(job.Backend, t.store, c), c.taken()
	maps.Copy(t.taken, job.Taken)
	if err = t.step.survey(t.room(), t.knows(), t.taken); err != nil {
		return nil, err
	}
	t.reads = t.step.inputs
	t.model = &Model{config: c, store: t.store, backend: job.Backend, Tokenizer: job.Tokenizer}
	t.loader = loader.New(t.loading())
	t.stepping = watchdog.Dog{First: 15 * time.Minute, Later: 5 * time.Minute, Counted: time.Second} // the first one compiles
	t.writing = watchdog.Dog{First: 15 * time.Minute, Later: 5 * time.Minute}
	t.saved, t.started = time.Now(), time.Now()
	return t, nil
}

// start is what samplers and first values are made by.
func (t *trainer) start() negative.Start {
	c := t.job.Config
	return negative.Start{
		Pairs: len(t.pairs), BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: c.samplerEpoch(c.Epochs),
		Seed: c.Seed, Shards: datasets.ShardPairs(t.job.Set),
	}
}

// resume continues from the folder's checkpoint, if there is one, and drops what the curves got after it.
func (t *trainer) resume() error {
	if err := disk.RemoveLeft(t.job.Dir, func(string) bool { return true }); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	err := LoadCheckpoint(filepath.Join(t.job.Dir, CheckpointName), t.store, &t.progress)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; delete the file to start the run afresh", err)
	}
	if err == nil && len(t.Sampler) == 0 && !t.job.Config.over(t.progress) {
		return fmt.Errorf("train: the checkpoint in %s is of an older version, and its training is not finished; "+
			"delete the file to start the run afresh",
			t.job.Dir)
	}
	if err == nil && len(t.Sampler) > 0 {
		if err := t.sampler.UnmarshalBinary(t.Sampler); err != nil {
			return fmt.Errorf("train: resuming the sampler of %s: %w", t.job.Config.Method.Name, err)
		}
		if err := t.resumeObservers(); err != nil {
			return err
		}
	}
	t.curves, t.Curves, err = openCurves(t.job.Dir, t.Curves)
	return err
}

// close frees what there is; the model outlives it.
func (t *trainer) close() {
	t.coming.release()
	if t.step != nil {
		t.step.Close()
	}
	if t.loader != nil {
		t.loader.Close()
	}
	if t.release != nil {
		t.release()
	}
	if t.curves != nil {
		t.curves.Close()
	}
}

// epoch makes the epoch's remaining steps, evaluates, and saves a checkpoint.
func (t *trainer) epoch(ctx context.Context) error {
	begun := time.Now()
	var err error
	if t.steps, err = t.sampler.Epoch(t.job.Config.samplerEpoch(t.Epoch)); err != nil {
		return err
	}
	t.Sampling += time.Since(begun).Seconds()
	if err := t.samplerNumbers(); err != nil {
		return err
	}
	submitted := t.Step
	for t.Step < t.steps {
		if ctx.Err() != nil {
			return t.stop(ctx)
		}
		begun := time.Now()
		if submitted, err = t.submit(submitted); err != nil {
			return err
		}
		_, done := t.stepping.Watch(ctx, t.stuck(fmt.Sprintf("epoch %d, step %d", t.Epoch+1, t.Step+1)))
		err = t.one(ctx)
		done()
		if err != nil {
			if errors.Is(err, ctx.Err()) { // no step was made; after any other error the state is not to be kept
				return t.stop(ctx)
			}
			return err
		}
		t.Seconds += time.Since(begun).Seconds()
		t.report()
		if t.due() {
			if err := t.save(ctx); err != nil {
				return err
			}
		}
	}
	record := t.record()
	if record.Metrics, err = t.evaluate(ctx); err != nil {
		if ctx.Err() != nil {
			return t.stop(ctx)
		}
		return err
	}
	return t.keep(ctx, record)
}

// stuck says that a part of training may be stuck.
func (t *trainer) stuck(what string) func(after time.Duration) {
	c := t.job.Config
	return watchdog.Report(t.job.Dir, t.job.Say, fmt.Sprintf("%s, seed %d: %s has not ended", c.Method.Name, c.Seed, what))
}

// one makes one step with the next mini-batch of the loader.
func (t *trainer) one(ctx context.Context) error {
	begun, region := time.Now(), trace.StartRegion(ctx, "next mini-batch")
	batch, err := t.next(ctx)
	region.End()
	if err != nil {
		return err
	}
	t.Waiting += time.Since(begun).Seconds()
	in := t.fields(batch)
	defer in.Release()
	region = trace.StartRegion(ctx, "step")
	out, err := t.run(in)
	region.End()
	if err != nil {
		return err
	}
	defer out.Release()
	defer trace.StartRegion(ctx, "observe").End()
	if strayed := out.strayed(); strayed != "" {
		return fmt.Errorf("train: %s: epoch %d, step %d: %s; all of the step: %s; the pairs of its mini-batch are %v; "+
			"lower the learning rate or clip the gradient", t.job.Config.Method.Name, t.Epoch, t.Step, strayed, out, batch.Pairs)
	}
	if err := t.observe(batch, out); err != nil {
		return err
	}
	if t.release == nil {
		t.release = ending.Hold() // from here on there is something to save
	}
	t.Step++
	t.made++
	return nil
}

// ==== Input ====

// submit has the loader prepare the mini-batches up to those that may be decoded while the next step runs.
func (t *trainer) submit(submitted int) (int, error) {
	begun := time.Now()
	for ; submitted < min(t.steps, t.Step+1+t.lookahead()); submitted++ {
		batch, err := t.sampler.Next()
		if err != nil {
			return submitted, err
		}
		if err := t.loader.Submit(t.request(batch, submitted)); err != nil {
			return submitted, err
		}
		t.ahead = append(t.ahead, batch)
	}
	t.Sampling += time.Since(begun).Seconds()
	return submitted, nil
}

// lookahead is the number of mini-batches that are decoded while a step runs.
func (t *trainer) lookahead() int {
	if learner, ok := t.job.Config.Method.Batches.(negative.Rewarded); ok {
		return learner.Ahead(t.job.Config.samplerEpoch(t.Epoch))
	}
	return 2
}

// ==== Step ====

// run makes a step, again if it lacked room.
func (t *trainer) run(in field.Values) (Output, error) {
	room := t.room()
	out, err := t.step.Run(in, room)
	if err == nil && out.Joined > room {
		out.Release()
		out, err = t.step.Run(in, t.fitting(out.Joined))
	}
	if room > 0 {
		t.Joined = append(t.Joined[max(0, len(t.Joined)-roomHistory+1):], out.Joined)
	}
	return out, err
}

// ==== Observe ====

// observe shows the sampler, the counts of the epoch, the observers and the curves what a step gave.
func (t *trainer) observe(b *miniBatch, out Output) error {
	begun := time.Now()
	observation, err := observed(t.ahead[0], b.Pairs, out)
	if err != nil {
		return err
	}
	if err := t.sampler.Observe(observation); err != nil {
		return err
	}
	t.ahead = t.ahead[1:]
	t.Sampling += time.Since(begun).Seconds()
	for _, s := range b.Skipped {
		if reason := s.Err.Error(); !slices.Contains(t.Broken, reason) {
			t.Broken = append(t.Broken, reason)
		}
	}
	if err := t.samplerNumbers(); err != nil {
		return err
	}
	if err := t.count(b, out); err != nil {
		return err
	}
	if t.Step%curveEvery > 0 {
		return nil
	}
	return t.curve(Point{
		Epoch: t.Epoch, Step: t.Step, Rate: t.job.Config.Schedule.At(t.Epoch, t.Step, t.steps), Losses: out.Losses,
		GradientNorm: out.Float(field.GradientNorm), Temperature: out.Float(field.Temperature), Improvement: out.Float(field.Improvement),
		Numbers: out.Numbers,
	})
}

// observed is what the sampler hears of a step: the mini-batch that it handed out, and the embeddings of the pairs that were made
// of it. A pair that another one replaced has zeros.
func observed(handed, made []int, out Output) (negative.Observation, error) {
	image, err := out.Floats(field.ImageEmbedding)
	if err != nil {
		return negative.Observation{}, err
	}
	text, err := out.Floats(field.TextEmbedding)
	clearReplaced(handed, made, image, text)
	return negative.Observation{
		Pairs: handed, Image: image, Text: text, Temperature: out.Float(field.Temperature), Improvement: out.Float(field.Improvement),
	}, err
}

// clearReplaced sets the embeddings of pairs that others replaced to zero.
func clearReplaced(handed, made []int, image, text []float32) {
	for k, pair := range made {
		if pair != handed[k] {
			for _, side := range [][]float32{image, text} {
				dim := len(side) / len(handed)
				clear(side[k*dim : (k+1)*dim])
			}
		}
	}
}

// count takes a step with its mini-batch into the epoch's tally, and shows it to the observers.
func (t *trainer) count(b *miniBatch, out Output) error {
	t.Current.add(out, t.job.Config.Optimiser.ClipNorm)
	if err := t.addNumbers(out.Numbers, func(k int) string { return t.step.tellers[k] }); err != nil {
		return err
	}
	if out.Has(field.HardestImages) {
		images, err := out.Ints(field.HardestImages)
		texts, failed := out.Ints(field.HardestTexts)
		if err = errors.Join(err, failed); err != nil {
			return err
		}
		t.Current.False.count(t.holds, b.Pairs, images, texts)
	}
	step := negative.Step{Epoch: t.Epoch, Number: t.Step, Of: t.steps, Pairs: b.Pairs, Outputs: out.Values}
	if b.drafts != nil {
		step.Drafted = b.drafts.Drafted
	}
	return t.showObservers(step)
}

// estimable is how many steps of a process do not tell how long the others take: the engine, the loader and caches are not warm yet.
const estimable = 10

// report says to whoever started the run where it stands.
func (t *trainer) report() {
	if t.job.Report == nil {
		return
	}
	done, total := t.Epoch*t.steps+t.Step, t.job.Config.Epochs*t.steps
	report := Report{Step: done, Steps: total, Epoch: t.Epoch, Epochs: t.job.Config.Epochs, Loss: t.Current.last}
	if t.made == 1 {
		t.started = time.Now()
	} else {
		each := time.Since(t.started) / time.Duration(t.made-1)
		report.PairsPerSecond = float64(t.job.Config.BatchSize) / each.Seconds()
		if t.made > estimable {
			report.Left = each * time.Duration(total-done)
		}
	}
	t.job.Report(report)
}

// ==== Record ====

// tally gathers an epoch's steps.
type tally struct {
	Steps       int
	Losses      Losses // sums
	Temperature float64
	False       FalseNegatives
	Observed    map[string]json.RawMessage `json:",omitempty"` // what the observers have of the epoch; filled for a checkpoint
	Numbers     field.Numbers              `json:",omitempty"`
	Clipped     int                        `json:",omitempty"` // steps
	last        float64
}

// add takes a step in, whose gradient is clipped to a norm; 0 for no clipping.
func (t *tally) add(o Output, clip float64) {
	t.Steps++
	if clip > 0 && o.Float(field.GradientNorm) > clip {
		t.Clipped++
	}
	if t.Losses == nil {
		t.Losses = Losses{}
	}
	for name, loss := range o.Losses {
		t.Losses[name] += loss
	}
	t.Temperature, t.last = o.Float(field.Temperature), o.Loss()
}

// record has the means of the epoch.
func (t tally) record(epoch int, rate float64) Record {
	means := Losses{}
	for name, sum := range t.Losses {
		means[name] = sum / float64(t.Steps)
	}
	return Record{Epoch: epoch, Steps: t.Steps, Rate: rate, Losses: means, Temperature: t.Temperature, False: t.False,
		Numbers: t.Numbers, Clipped: float64(t.Clipped) / float64(max(t.Steps, 1))}
}

// record is that of the epoch whose steps are made, without what evaluation measures.
func (t *trainer) record() Record {
	r := t.Current.record(t.Epoch, t.job.Config.Schedule.At(t.Epoch, t.steps-1, t.steps))
	r.Observed = t.observed()
	return r
}

// ==== Evaluate ====

// evaluate measures the model after the epoch, where that is wanted.
func (t *trainer) evaluate(ctx context.Context) (map[string]float64, error) {
	if t.job.Evaluate == nil {
		return nil, nil
	}
	var metrics map[string]float64
	err := t.averaged(func() (err error) {
		metrics, err = t.job.Evaluate(ctx, t.model, t.Epoch)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("train: evaluating after epoch %d: %w", t.Epoch, err)
	}
	return metrics, nil
}

// ==== Keep ====

// keep ends the epoch: its record, the model if it is the best so far, and a checkpoint.
func (t *trainer) keep(ctx context.Context, record Record) error {
	if err := t.keepIfBest(record); err != nil {
		return err
	}
	t.Epochs, t.Clock, t.Current = append(t.Epochs, record), append(t.Clock, t.Seconds), tally{}
	for _, o := range t.observers {
		o.Forget()
	}
	t.Epoch, t.Step = t.Epoch+1, 0
	if err := t.curve(record); err != nil {
		return err
	}
	return t.save(ctx)
}

// saveShare bounds what checkpoints within an epoch cost: a large model saves less often, one part in so many of its time. It is our
// choice: 2 % of the time are little for what a kill can no longer cost.
const saveShare = 50

// due reports whether it is time for a checkpoint within an epoch.
func (t *trainer) due() bool {
	return t.job.Every > 0 && time.Since(t.saved) > max(t.job.Every, saveShare*t.saving)
}

// stop saves a checkpoint for a cancelled context and returns its error, or why there is no checkpoint.
func (t *trainer) stop(ctx context.Context) error {
	if err := t.save(ctx); err != nil {
		return fmt.Errorf("stopped at step %d of epoch %d, which cannot be kept: %w", t.Step, t.Epoch, err)
	}
	return context.Cause(ctx)
}

// save writes a checkpoint.
func (t *trainer) save(ctx context.Context) error {
	begun := time.Now()
	_, done := t.writing.Watch(ctx, t.stuck(fmt.Sprintf("writing the checkpoint at epoch %d, step %d", t.Epoch+1, t.Step)))
	defer done()
	var err error
	if t.Sampler, err = t.sampler.MarshalBinary(); err != nil {
		return err
	}
	if t.Current.Observed, err = t.observerStates(); err != nil {
		return err
	}
	if err := t.curves.Sync(); err != nil {
		return fmt.Errorf("train: %w", err)
	}
	if err := SaveCheckpoint(filepath.Join(t.job.Dir, CheckpointName), t.store, t.progress); err != nil {
		return err
	}
	t.saved, t.saving = time.Now(), time.Since(begun)
	return nil
}

// curve appends a line to the curves.
func (t *trainer) curve(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	n, err := t.curves.Write(append(text, '\n'))
	t.Curves += int64(n)
	if err != nil {
		return fmt.Errorf("train: writing a curve: %w; make room and start the run again", err)
	}
	return nil
}
