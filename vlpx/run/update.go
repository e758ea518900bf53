package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"time"

	"vlpx.internal/vlpx/source"
)

// Update tells what was added to a result after its run.
type Update struct {
	Metrics  []string // all that were added, sorted
	Code     string   // see [Run.Code], of the last time that the model was measured, as are the others
	Commit   string
	Engine   string
	Finished time.Time
}

// Updated is what measuring a finished run's model anew gave.
type Updated struct {
	Added []string // metrics that the result lacked, sorted
	// Other are metrics that the result has and the model gives other values of, with these; the result keeps its own.
	Other map[string][2]float64
}

// Others are the names of the metrics of which the model gives other values, sorted.
func (u Updated) Others() []string { return slices.Sorted(maps.Keys(u.Other)) }

// errWeightless says that a run's model is gone.
var errWeightless = errors.New("its weights are not kept")

// Weightless tells whether an update failed for want of the run's weights.
func Weightless(err error) bool { return errors.Is(err, errWeightless) }

// Update measures a finished run's kept model by the run's own tasks, as this program has them, and adds to its result the metrics that it
// lacks, with what tasks tell besides. Nothing is trained, and what the result has stays. A result that today's code has measured is
// complete.
func (e *Executor) Update(ctx context.Context, r Run) (Updated, error) {
	r = e.Store.Placed(r)
	if _, done, err := e.Store.Find(r); !done || err != nil {
		return Updated{}, cmp.Or(err, untrained(r))
	}
	unlock, err := e.Store.lock(ctx, r, func() {
		e.say("another process is at %s, seed %d; waiting for it", r.Train.Method.Name, r.Train.Seed)
	})
	if err != nil {
		return Updated{}, err
	}
	defer unlock()
	ctx, end := e.watch(ctx, r, measures)
	defer end()
	result, err := e.Store.Result(r)
	if err != nil || result.complete(r) {
		return Updated{}, err
	}
	collection, model, err := e.finished(r)
	if errors.Is(err, fs.ErrNotExist) {
		return Updated{}, fmt.Errorf("run: %s, seed %d (%s): %w, so that nothing can be added to its result: %w",
			r.Train.Method.Name, r.Train.Seed, result.ID, errWeightless, err)
	}
	if err != nil {
		return Updated{}, err
	}
	defer model.Close()
	looked, err := e.look(ctx, r, collection, "test")
	if err != nil {
		return Updated{}, err
	}
	measured, err := e.evaluate(ctx, r, looked, model, "test", r.Tasks, false)
	if err != nil {
		return Updated{}, err
	}
	updated := Updated{Other: map[string][2]float64{}}
	for name, value := range plain(measured.Metrics) {
		kept, has := result.Metrics[name]
		switch {
		case !has:
			result.Metrics[name] = value
			updated.Added = append(updated.Added, name)
		case math.Abs(kept-value) > rounded*math.Max(1, math.Abs(kept)):
			updated.Other[name] = [2]float64{kept, value}
		}
	}
	slices.Sort(updated.Added)
	if len(updated.Other) == 0 {
		examples := maps.Clone(measured.Examples)
		maps.Copy(examples, result.Examples)
		result.Examples = examples
	}
	if len(updated.Added) > 0 && !slices.Contains(result.ByEqualCaptions, "test") {
		of, err := r.Data.byEqualCaptions(collection, "test")
		if err != nil {
			return Updated{}, err
		}
		result.ByEqualCaptions = append(result.ByEqualCaptions, of...)
	}
	result.updated(e, r, updated.Added)
	return updated, e.Store.publish(r, resultName, result)
}

// rounded is by how much, of a value above one by which share of it, a metric may differ from engine to engine.
const rounded = 1e-3

// complete tells whether the code of this program has measured a result, so that it gives nothing more.
func (result Result) complete(r Run) bool {
	code := result.Code
	if result.Updated != nil {
		code = result.Updated.Code
	}
	return code == r.Code()
}

// updated notes that metrics were added.
func (result *Result) updated(e *Executor, r Run, added []string) {
	all := map[string]bool{}
	for _, name := range added {
		all[name] = true
	}
	if result.Updated != nil {
		for _, name := range result.Updated.Metrics {
			all[name] = true
		}
	}
	result.Updated = &Update{slices.Sorted(maps.Keys(all)), r.Code(), source.Commit(), e.Engine, time.Now().UTC().Truncate(time.Second)}
}
