package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// saveShare bounds what checkpoints within an epoch cost: a large model saves less often, one part in so many of its time. It is our
// choice: 2 % of the time are little for what a kill can no longer cost.
const saveShare = 50

// lookahead is the number of mini-batches that are decoded while a step runs.
func (t *trainer) lookahead() int {
	if learner, ok := t.job.Config.Method.Batches.(negative.Rewarded); ok {
		return learner.Ahead(t.Epoch)
	}
	return 2
}

// epoch makes the epoch's remaining steps, evaluates, and saves a checkpoint.
func (t *trainer) epoch(ctx context.Context) error {
	c := t.job.Config
	var err error
	sampling := time.Now()
	if t.steps, err = t.sampler.Epoch(t.Epoch); err != nil {
		return err
	}
	t.Sampling += time.Since(sampling).Seconds()
	if err := t.ask(); err != nil {
		return err
	}
	submitted := t.Step
	for t.Step < t.steps {
		if ctx.Err() != nil {
			return t.stop(ctx)
		}
		begun := time.Now()
		for ; submitted < min(t.steps, t.Step+1+t.lookahead()); submitted++ {
			batch, err := t.sampler.Next()
			if err != nil {
				return err
			}
			if err := t.loader.Submit(t.request(batch, submitted)); err != nil {
				return err
			}
			t.ahead = append(t.ahead, batch)
		}
		t.Sampling += time.Since(begun).Seconds()
		if err := t.one(ctx); err != nil {
			if errors.Is(err, ctx.Err()) { // no step was made; after any other error the state is not to be kept
				return t.stop(ctx)
			}
			return err
		}
		t.Seconds += time.Since(begun).Seconds()
		t.report()
		if t.due() {
			if err := t.save(); err != nil {
				return err
			}
		}
	}
	record := t.Current.record(t.Epoch, c.Schedule.At(t.Epoch, t.steps-1, t.steps))
	record.Observed = t.observed()
	if t.job.Evaluate != nil {
		if record.Metrics, err = t.job.Evaluate(ctx, t.model, t.Epoch); err != nil {
			if ctx.Err() != nil {
				return t.stop(ctx)
			}
			return fmt.Errorf("train: evaluating after epoch %d: %w", t.Epoch, err)
		}
	}
	if err := t.keepIfBest(record); err != nil {
		return err
	}
	t.Epochs, t.Current = append(t.Epochs, record), tally{}
	for _, o := range t.observers {
		o.Forget()
	}
	t.Clock = append(t.Clock, t.Seconds)
	t.Epoch, t.Step = t.Epoch+1, 0
	if err := t.curve(record); err != nil {
		return err
	}
	return t.save()
}

// one makes one step with the next mini-batch of the loader.
func (t *trainer) one(ctx context.Context) error {
	c := t.job.Config
	begun := time.Now()
	batch, err := t.next(ctx)
	if err != nil {
		return err
	}
	t.Waiting += time.Since(begun).Seconds()
	in := t.input(batch)
	defer in.Release()
	out, err := t.run(in)
	if err != nil {
		return err
	}
	defer out.Release()
	if !out.finite() {
		return fmt.Errorf("train: %s: epoch %d, step %d: %s: training left the numbers; the pairs of this batch are %v; "+
			"lower the learning rate or clip the gradient", c.Method.Name, t.Epoch, t.Step, out, batch.Pairs)
	}
	sampling := time.Now()
	observation, err := observed(t.ahead[0], batch.Pairs, out)
	if err != nil {
		return err
	}
	if err := t.sampler.Observe(observation); err != nil {
		return err
	}
	t.ahead = t.ahead[1:]
	t.Sampling += time.Since(sampling).Seconds()
	for _, s := range batch.Skipped {
		if reason := s.Err.Error(); !slices.Contains(t.Broken, reason) {
			t.Broken = append(t.Broken, reason)
		}
	}
	if err := errors.Join(t.ask(), t.count(batch.Pairs, out)); err != nil {
		return err
	}
	if t.Step%curveEvery == 0 {
		if err := t.curve(Point{Epoch: t.Epoch, Step: t.Step, Rate: c.Schedule.At(t.Epoch, t.Step, t.steps), Losses: out.Losses,
			GradientNorm: out.Float(field.GradientNorm), Temperature: out.Float(field.Temperature), Improvement: out.Float(field.Improvement),
			Numbers: out.Numbers}); err != nil {
			return err
		}
	}
	t.Step++
	t.made++
	return nil
}

// observed is what the sampler hears of a step: the mini-batch that it handed out, and the embeddings of the pairs that were made
// of it. A pair that another one replaced has zeros.
func observed(handed, made []int, out Output) (negative.Observation, error) {
	image, err := out.Floats(field.ImageEmbedding)
	if err != nil {
		return negative.Observation{}, err
	}
	text, err := out.Floats(field.TextEmbedding)
	for k, pair := range made {
		if pair != handed[k] {
			for _, side := range [][]float32{image, text} {
				dim := len(side) / len(handed)
				clear(side[k*dim : (k+1)*dim])
			}
		}
	}
	return negative.Observation{
		Pairs: handed, Image: image, Text: text, Temperature: out.Float(field.Temperature), Improvement: out.Float(field.Improvement),
	}, err
}

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
		report.PairsPerSecond, report.Left = float64(t.job.Config.BatchSize)/each.Seconds(), each*time.Duration(total-done)
	}
	t.job.Report(report)
}

// stop saves a checkpoint for a cancelled context and returns its error, or why there is no checkpoint.
func (t *trainer) stop(ctx context.Context) error {
	if err := t.save(); err != nil {
		return fmt.Errorf("stopped at step %d of epoch %d, which cannot be kept: %w", t.Step, t.Epoch, err)
	}
	return context.Cause(ctx)
}

// due tells whether it is time for a checkpoint within an epoch.
func (t *trainer) due() bool {
	return t.job.Every > 0 && time.Since(t.saved) > max(t.job.Every, saveShare*t.saving)
}

func (t *trainer) save() error {
	begun := time.Now()
	var err error
	if t.Sampler, err = t.sampler.MarshalBinary(); err != nil {
		return err
	}
	if t.Current.Observed, err = t.observing(); err != nil {
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
