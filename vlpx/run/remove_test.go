package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

// labelled is an executor whose runs have labels: those named are asked for, others needed.
func labelled(t *testing.T, home string, asked ...Run) *Executor {
	t.Helper()
	e := executor(t, home)
	e.Label = func(r Run) Label {
		return Label{Scale: "tiny", Set: []string{"epochs=2"},
			Needed: !slices.ContainsFunc(asked, func(a Run) bool { return a.ID() == r.ID() })}
	}
	return e
}

// entries are all runs of the store by their identities.
func entries(t *testing.T, s *Store) map[string]Entry {
	t.Helper()
	all := must.Get(s.Entries())(t)
	by := map[string]Entry{}
	for _, e := range all {
		by[e.ID] = e
	}
	return by
}

func makeRun(t *testing.T, e *Executor, r Run) Result {
	t.Helper()
	result := must.Get(e.Run(t.Context(), r))(t)
	return result
}

// An entry tells a run's name, state and size; one that is stopped, damaged or of an older version is there, too.
func TestEntries(t *testing.T) {
	r := tuned(t)
	e := labelled(t, t.TempDir(), r)
	result := makeRun(t, e, r)
	all := entries(t, e.Store)
	first, own := all[r.Init.ID()], all[r.ID()]
	if len(all) != 2 || own.State != Finished || own.Method() != "tuned" || own.Label.Scale != "tiny" || own.Label.Needed ||
		!first.Label.Needed || own.Epochs != 2 {
		t.Fatalf("got %+v and %+v", own, first)
	}
	var bytes, weights int64
	files := must.Get(os.ReadDir(own.Dir))(t)
	for _, file := range files {
		info := must.Get(file.Info())(t)
		bytes += info.Size()
		if file.Name() == train.CheckpointName || file.Name() == train.BestName {
			weights += info.Size()
		}
	}
	if own.Bytes != bytes || own.Model != weights || weights == 0 || !own.Time.Equal(result.Finished) {
		t.Errorf("got %d bytes, %d of weights, at %v; want %d, %d and %v", own.Bytes, own.Model, own.Time, bytes, weights, result.Finished)
	}
	if needs := own.Needs(); len(needs) != 1 || needs[0].ID != first.ID {
		t.Errorf("it needs %v, want %s", needs, first.ID)
	}
	if err := e.Store.Requested(*r.Init); err != nil || entries(t, e.Store)[first.ID].Label.Needed {
		t.Errorf("a run that was asked for is told as one that others need (%v)", err)
	}

	unlock := must.Get(e.Store.lock(t.Context(), r, func() {}))(t)
	if got := entries(t, e.Store)[r.ID()].State; got != AtWork {
		t.Errorf("a run whose folder is taken is %s", got)
	}
	unlock()
	for name, c := range map[string]struct {
		file, text string
		want       State
	}{
		"cut off":  {resultName, "{", Broken},
		"unnamed":  {labelName, "{", Broken},
		"older":    {runName, `{"Format": 1}`, Stale},
		"begun":    {resultName, "", Stopped},
		"other's":  {runName, string(r.Init.JSON()), Broken},
		"settings": {runName, "", Broken},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(own.Dir, c.file)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if c.text == "" {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, []byte(c.text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			got := entries(t, e.Store)[own.ID]
			if got.State != c.want || (got.Err != nil) != (c.want == Broken || c.want == Stale) || got.ID != own.ID {
				t.Errorf("got %s (%v), want %s", got.State, got.Err, c.want)
			}
			must.Do(t, os.WriteFile(path, before, 0o644))
		})
	}
}

// A run that others need goes with them, or by force; one that is at work, or that such a one needs, never.
func TestRemove(t *testing.T) {
	r := tuned(t)
	e := executor(t, t.TempDir())
	makeRun(t, e, r)
	first := r.Init.ID()
	must.Fail(t, e.Store.Remove(t.Context(), []string{first}, false, nil), "needed by "+Short(r.ID())+" (tuned, seed 1)",
		"a run that another one needs")
	unlock := must.Get(e.Store.lock(t.Context(), r, func() {}))(t)
	for _, ids := range [][]string{{r.ID()}, {first}, {first, r.ID()}} {
		if err := e.Store.Remove(t.Context(), ids, true, nil); err == nil ||
			!strings.Contains(err.Error(), "a process is at run "+Short(r.ID())) {
			t.Errorf("%v: got %v while a process is at one of them", ids, err)
		}
	}
	unlock()
	stopped, stop := context.WithCancel(t.Context())
	var gone []string
	told := func(x Entry) {
		gone = append(gone, x.ID)
		stop()
	}
	if err := e.Store.Remove(stopped, []string{first, r.ID()}, false, told); !errors.Is(err, context.Canceled) ||
		!slices.Equal(gone, []string{r.ID()}) {
		t.Errorf("stopped after the first: got %v and %v gone, want the one that needs the other", err, gone)
	}
	if all := entries(t, e.Store); len(all) != 1 || all[first].State != Finished {
		t.Errorf("left %+v, want %s whole", all, first)
	}
	if err := e.Store.Remove(t.Context(), []string{first}, false, nil); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(e.Store.folders.Dir())
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	makeRun(t, e, r) // all again
	if err := e.Store.Remove(t.Context(), []string{first}, true, nil); err != nil || len(entries(t, e.Store)) != 1 {
		t.Errorf("by force: %v", err)
	}
}

// A process that waits for a run which is removed meanwhile makes it anew, in a folder that is there.
func TestRemovedWhileWaitedFor(t *testing.T) {
	e, r := executor(t, t.TempDir()), smallest(t)
	unlock := must.Get(e.Store.lock(t.Context(), r, func() {}))(t)
	waiting, taken := make(chan bool, 1), make(chan error, 1)
	go func() {
		again, err := e.Store.lock(t.Context(), r, func() { waiting <- true })
		if err == nil {
			defer again()
			err = e.Store.write(r, "kept", []byte("kept"))
		}
		taken <- err
	}()
	<-waiting
	must.Do(t, os.Rename(e.Store.Dir(r), e.Store.Dir(r)+"-gone"))
	unlock()
	must.Do(t, <-taken)
	if _, err := os.Stat(filepath.Join(e.Store.Dir(r), "kept")); err != nil {
		t.Error(err)
	}
}

// pruned are the runs that pruning finds of a kind, or the files.
func pruned(t *testing.T, s *Store, kind string) (ids []string) {
	t.Helper()
	found := must.Get(s.Prunable(kind))(t)
	for _, p := range found {
		if p.Bytes <= 0 || p.Why == "" || p.Kind != kind {
			t.Errorf("got %+v, want its size and why", p)
		}
		if p.Paths != nil && kind == PruneOrphans {
			ids = append(ids, filepath.Base(p.Paths[0]))
			continue
		}
		ids = append(ids, p.Entry.ID)
	}
	slices.Sort(ids)
	return ids
}

// The weights of a run that nobody needs can go, and its result stays; what needs a model whose weights are gone trains it again.
func TestPruneCheckpoints(t *testing.T) {
	r := tuned(t)
	e := executor(t, t.TempDir())
	r.Init.Train.Epochs, r.Init.Train.Schedule.Epochs = 1, 1 // fewer than of what starts from it
	r.Train.Init = r.Init.ID()
	before, first := makeRun(t, e, *r.Init), *r.Init
	if got := pruned(t, e.Store, PruneCheckpoints); !slices.Equal(got, []string{first.ID()}) {
		t.Fatalf("got %v, want %s", got, first.ID())
	}
	other := before
	other.Code = "0123456789abcdef"
	must.Do(t, e.Store.publish(first, resultName, other))
	for _, kinds := range [][]string{{PruneCheckpoints}, {PruneStale}, {}} {
		what, err := e.Store.Prunable(kinds...)
		if err != nil || len(what) != 1 || what[0].Entry.ID != first.ID() || (what[0].Kind == PruneStale) != (what[0].Paths == nil) {
			t.Errorf("%v: got %+v (%v), want the run of other code, or its weights where these alone are asked for", kinds, what, err)
		}
	}
	must.Do(t, e.Store.publish(first, resultName, before))
	what := must.Get(e.Store.Prunable(PruneCheckpoints))(t)
	must.Do(t, e.Store.Prune(t.Context(), what, nil))
	if got := entries(t, e.Store)[first.ID()]; got.State != Finished || got.Model != 0 {
		t.Errorf("got %+v, want a finished run without weights", got)
	}
	if _, err := e.Evaluate(t.Context(), first, "test"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), "its checkpoint was removed") {
		t.Errorf("measured without weights: %v", err)
	}
	// Stopped while it is trained again, the model is none yet.
	ctx, stop := context.WithCancel(t.Context())
	e.Report = func(_ Run, p train.Report) {
		if p.Step == 1 {
			stop()
		}
	}
	if _, err := e.Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	e.Report = nil
	if got := entries(t, e.Store)[first.ID()]; got.State != Finished || got.Model == 0 {
		t.Errorf("got %+v, want a finished run with weights of a part of training", got)
	}
	if _, err := e.Evaluate(t.Context(), first, "test"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("measured with weights of a part of training: %v", err)
	}
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	makeRun(t, e, r)
	if len(said) != 1 || !strings.Contains(said[0], "is trained again") {
		t.Errorf("said %q, want that the model is trained again", said)
	}
	again, err := e.Evaluate(t.Context(), first, "test")
	if err != nil || !reflect.DeepEqual(again, plainOnly(before.Metrics, again)) {
		t.Errorf("the model trained again gives %v (%v), want %v", again, err, before.Metrics)
	}
	if result, err := e.Store.Result(first); err != nil || !reflect.DeepEqual(result, before) {
		t.Errorf("got the result %+v (%v), want the one from before", result, err)
	}
	if got := pruned(t, e.Store, PruneCheckpoints); !slices.Equal(got, []string{r.ID()}) {
		t.Errorf("got %v, want %s alone, since it needs the other", got, r.ID())
	}
}

// plainOnly are the metrics of those names.
func plainOnly(metrics, names map[string]float64) map[string]float64 {
	only := map[string]float64{}
	for name := range names {
		only[name] = metrics[name]
	}
	return only
}

// Orphans are runs that only others needed, once these are gone and a day has passed, what kills left, and runs of a program that another
// one has replaced; a run of an older version is stale.
func TestPruneOrphans(t *testing.T) {
	r := tuned(t)
	e := labelled(t, t.TempDir(), r)
	makeRun(t, e, r)
	if got := pruned(t, e.Store, PruneOrphans); got != nil {
		t.Errorf("nothing is an orphan, got %v", got)
	}
	must.Do(t, e.Store.Remove(t.Context(), []string{r.ID()}, false, nil))
	if got := pruned(t, e.Store, PruneOrphans); got != nil {
		t.Errorf("those who need it may come within a day, got %v", got)
	}
	result := must.Get(e.Store.Result(*r.Init))(t)
	result.Finished = result.Finished.Add(-25 * time.Hour)
	must.Do(t, e.Store.publish(*r.Init, resultName, result))
	left := filepath.Join(e.Store.Dir(*r.Init), ".checkpoint123")
	dead, importing := filepath.Join(e.Store.folders.Dir(), ".import-1"), filepath.Join(e.Store.folders.Dir(), ".import-2")
	for _, dir := range []string{dead, importing} {
		must.Do(t, errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o644)))
	}
	lock := flock.New(filepath.Join(importing, store.LockName))
	must.Get(lock.TryLock())(t)
	defer lock.Unlock()
	if got, want := pruned(t, e.Store, PruneOrphans), []string{".import-1", r.Init.ID()}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	must.Do(t, e.Store.Requested(*r.Init))
	must.Do(t, os.WriteFile(left, []byte("x"), 0o644))
	if got, want := pruned(t, e.Store, PruneOrphans), []string{".checkpoint123", ".import-1"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	older := filepath.Join(e.Store.folders.Dir(), "0123456789abcdef")
	must.Do(t, errors.Join(os.Mkdir(older, 0o755), os.WriteFile(filepath.Join(older, runName), []byte(`{"Format": 1}`), 0o644)))
	if got := pruned(t, e.Store, PruneStale); !slices.Equal(got, []string{filepath.Base(older)}) {
		t.Errorf("got %v, want the run of format 1", got)
	}
	what := must.Get(e.Store.Prunable(PruneOrphans, PruneStale))(t)
	must.Do(t, e.Store.Prune(t.Context(), what, nil))
	if all := entries(t, e.Store); len(all) != 1 || all[r.Init.ID()].State != Finished || all[r.Init.ID()].left != nil {
		t.Errorf("left %+v, want the one run without leftovers", all)
	}
	if _, err := os.Stat(importing); err != nil {
		t.Errorf("an import at work was removed: %v", err)
	}
	must.Fail(t, must.Err(e.Store.Prunable("all")), "orphans, checkpoints, stale", "a kind that is none")
}
