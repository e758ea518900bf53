package train

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"vlpx.internal/vlpx/framework"
)

// BestName is the file of the best epoch's model in the folder of a run that selects (see Config.Select). It has the
// checkpoint's format, and the model's variables with what the method keeps beside it.
const BestName = "best"

// best is the epoch whose weights are kept so far.
type best struct {
	Epoch int     // from 0
	Value float64 // of Config.Select
}

// number is the epoch counted from 1, 0 for none.
func (b *best) number() int {
	if b == nil {
		return 0
	}
	return b.Epoch + 1
}

// over tells whether the training is finished, by its state at an epoch's end: all epochs are made, or patience is at its end.
func (c Config) over(p progress) bool {
	return p.Epoch >= c.Epochs || c.Patience > 0 && p.Best != nil && p.Epoch-p.Best.number() >= c.Patience
}

// better tells whether a value of Config.Select is better than that of the best epoch so far.
func (t *trainer) better(value float64) bool {
	switch {
	case t.Best == nil:
		return true
	case t.job.Lower:
		return value < t.Best.Value
	}
	return value > t.Best.Value
}

// keepIfBest writes the weights at an epoch's end if no epoch before was as good. The checkpoint that says so comes after it: a
// run that is killed between the two makes the epoch's rest again, and writes the same weights.
func (t *trainer) keepIfBest(r Record) error {
	metric := t.job.Config.Select
	if metric == "" {
		return nil
	}
	value, measured := r.Metrics[metric]
	if !measured {
		return fmt.Errorf("train: the best epoch is to be selected by %q, which evaluation does not give; select by one of %q, or by none",
			metric, slices.Sorted(maps.Keys(r.Metrics)))
	}
	if !t.better(value) {
		return nil
	}
	t.Best = &best{r.Epoch, value}
	return t.averaged(func() error {
		variables := append(sortedVariables(t.store, framework.Model), sortedVariables(t.store, framework.State)...)
		return save(filepath.Join(t.job.Dir, BestName), variables, progress{Best: t.Best})
	})
}

// takeBest gives the model the best epoch's weights, where one was selected, else the averages, where there are any.
func (t *trainer) takeBest() error {
	if t.Best == nil {
		return swapAverages(t.store)
	}
	if err := LoadCheckpoint(filepath.Join(t.job.Dir, BestName), t.store, new(progress)); err != nil {
		return fmt.Errorf("train: taking the weights of epoch %d: %w; to train the run again delete its folder %s", t.Best.number(), err,
			t.job.Dir)
	}
	return nil
}
