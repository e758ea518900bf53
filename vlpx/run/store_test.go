package run

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/floats"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/train"
)

func executor(t *testing.T, home string) *Executor {
	t.Helper()
	b := enginetest.PureGo(t)
	return &Executor{Store: OpenStore(home), Backend: b, Engine: "go:ops_sequential"}
}

func TestResultRoundTrip(t *testing.T) {
	s, r := OpenStore(t.TempDir()), smallest(t)
	if _, done, err := s.Find(r); done || err != nil {
		t.Errorf("got done %v (%v) in an empty store", done, err)
	}
	want := Result{
		ID: r.ID(), Method: "GRIT-VLP", Seed: 1, Metrics: map[string]float64{"IR@1": 100.0 / 3},
		Epochs: []train.Record{{Epoch: 1, Losses: train.Losses{"ITC": 0.1}, False: train.FalseNegatives{Batch: 3, BatchTrue: 1}}},
		Engine: "e", Versions: map[string]string{"gomlx": "v1"}, Finished: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Seconds: 1.5,
		PeakMemory: 1 << 40, SkippedImages: 2,
	}
	unlock := must.Get(s.lock(t.Context(), r, func() { t.Error("a free folder is waited for") }))(t)
	defer unlock()
	must.Do(t, s.publish(r, resultName, want))
	if got, done, err := s.Find(r); !done || err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, %v, want %+v", got, done, err, want)
	}
}

// A damaged result is told with its file and what to do, and no run is made over it.
func TestDamagedResult(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "cut off": `{"ID": "a`, "other kind": `[1]`, "other run": `{"ID": "0123456789abcdef"}`, "nothing": `null`,
		"no such epoch": `{"ID": "` + smallest(t).ID() + `", "BestEpoch": 1}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, r := executor(t, t.TempDir()), smallest(t)
			must.Do(t, os.MkdirAll(e.Store.Dir(r), 0o755))
			path := filepath.Join(e.Store.Dir(r), resultName)
			must.Do(t, os.WriteFile(path, []byte(text), 0o644))
			_, err := e.Run(t.Context(), r)
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete the file") {
				t.Errorf("got %v, want an error that names the file and says to delete it", err)
			}
		})
	}
}

// Whatever a result's file is, it is refused by an error that names it, or it is the result of this run, which can be told and kept again.
func FuzzResult(f *testing.F) {
	s, r := OpenStore(f.TempDir()), Run{}
	must.Do(f, os.MkdirAll(s.Dir(r), 0o755))
	path := filepath.Join(s.Dir(r), resultName)
	for _, rest := range []string{
		`}`, `, "Metrics": {"IR@1": 3}, "Epochs": [{"Epoch": 0}, {}], "BestEpoch": 2}`, `, "BestEpoch": 1}`, `, "BestEpoch": -1}`,
		`, "Epochs": null, "Metrics": null}`,
		`, "Unreadable": {"test": ["a"], "val": null}, "Skipped": [""]}`, `, "Finished": "now"}`, `, "Seconds": 1e999}`, `}}`,
		`, "Clock": [1, 2]`,
	} {
		f.Add([]byte(`{"ID": "` + r.ID() + `"` + rest))
	}
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		must.Do(t, os.WriteFile(path, text, 0o644))
		result, done, err := s.Find(r)
		if err != nil {
			if done || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete the file") {
				t.Fatalf("%s: done %v, %v; want an error that names the file and says to delete it", text, done, err)
			}
			return
		}
		if !done || result.ID != r.ID() || result.BestEpoch > len(result.Epochs) {
			t.Fatalf("%s: got %v, %+v", text, done, result)
		}
		_ = result.String()
		must.Do(t, s.publish(r, resultName, result))
		first := must.Get(os.ReadFile(path))(t)
		if result, _, err = s.Find(r); err != nil {
			t.Fatalf("%s: kept again it is refused: %v", text, err)
		}
		must.Do(t, s.publish(r, resultName, result))
		if second, err := os.ReadFile(path); err != nil || string(first) != string(second) {
			t.Fatalf("%s: kept again it is %s, and then %s (%v)", text, first, second, err)
		}
	})
}

// Two executors that ask for one run at once make it once and get the same result; so does a third, later, of a store that
// holds nothing but the result.
func TestTwoExecutorsMakeARunOnce(t *testing.T) {
	home, r := t.TempDir(), smallest(t)
	var results [2]Result
	var steps atomic.Int64
	var waiting sync.WaitGroup
	for i := range results {
		e := executor(t, home)
		e.Report = func(Run, train.Report) { steps.Add(1) }
		waiting.Go(func() {
			var err error
			if results[i], err = e.Run(t.Context(), r); err != nil {
				t.Error(err)
			}
		})
	}
	waiting.Wait()
	if want := int64(2 * 4); steps.Load() != want {
		t.Errorf("got %d steps, want %d: two epochs of four, once", steps.Load(), want)
	}
	if !reflect.DeepEqual(results[0], results[1]) || len(results[0].Epochs) != 2 || results[0].ID != r.ID() {
		t.Errorf("got results %+v and %+v, want the same", results[0], results[1])
	}
	e := &Executor{Store: OpenStore(home)}
	if got, err := e.Run(t.Context(), r); err != nil || !reflect.DeepEqual(got, results[0]) {
		t.Errorf("asked again: got %+v (%v), want %+v", got, err, results[0])
	}
	for _, metric := range []string{"TR@1", "IR@10", "cosine IR rank"} {
		shares := eval.QueryItems.Of(results[0].Examples).Shares(metric)
		if len(shares) != 1 {
			t.Errorf("%s: got %d shares of the result, want 1", metric, len(shares))
			continue
		}
		if got, want := floats.Sum(shares[0].Sums)/floats.Sum(shares[0].Queries), results[0].Metrics[metric]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: got %v from the result's items, want %v", metric, got, want)
		}
	}
}

// Results of older versions, without the queries' items, are read as ever; items that do not fit each other are told with the file.
func TestResultWithoutItems(t *testing.T) {
	s, r := OpenStore(t.TempDir()), smallest(t)
	must.Do(t, os.MkdirAll(s.Dir(r), 0o755))
	path := filepath.Join(s.Dir(r), resultName)
	for _, c := range []struct{ more, want string }{
		{``, ""},
		{`, "Items": {"Captions": "1 1", "Queries": {"IR rank": "1"}}`,
			path + `: eval: items: 1 entries of "IR rank", but 2 queries; delete the file`},
	} {
		must.Do(t, os.WriteFile(path, []byte(`{"ID": "`+r.ID()+`", "Metrics": {"IR@1": 3}`+c.more+`}`), 0o644))
		result, err := s.Result(r)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			continue
		}
		if err != nil || result.Examples != nil || result.Metrics["IR@1"] != 3 {
			t.Errorf("got %+v (%v), want the metric and no items", result, err)
		}
	}
}

// Examples of results of older versions, which had fields of their own, are read as those of today, and kept again as these.
func TestExamplesOfOlderVersions(t *testing.T) {
	s, r := OpenStore(t.TempDir()), smallest(t)
	must.Do(t, os.MkdirAll(s.Dir(r), 0o755))
	former := `"Retrieved": [{"Caption": 3, "Matched": [1]}], "Items": {"Captions": "1", "Queries": {"IR rank": "1"}}, "Laid": {"class": [1]},
		"Thresholds": [{"Anchors": "image"}], "Sentences": [{"pair": 1}], "Captioned": [{"image": 2}], "Verdicts": [{"Probability": 0.5}],
		"Asked": [{"Text": "what?"}], "Candidates": ["yes"]`
	var all []Result
	for _, text := range []string{former, `"Examples": {` + former + `}`} {
		text = `{"ID": "` + r.ID() + `", "Metrics": {"IR@1": 3}, ` + text + `}`
		must.Do(t, os.WriteFile(filepath.Join(s.Dir(r), resultName), []byte(text), 0o644))
		for range 2 {
			result, err := s.Result(r)
			if err != nil || len(result.Examples) != len(formerExamples) {
				t.Fatalf("got %d examples (%v), want %d", len(result.Examples), err, len(formerExamples))
			}
			all = append(all, result)
			must.Do(t, s.publish(r, resultName, result))
			if _, err := store.Read(filepath.Join(s.Dir(r), resultName)); err != nil {
				t.Error(err)
			}
		}
	}
	for _, other := range all[1:] {
		if !reflect.DeepEqual(other, all[0]) {
			t.Errorf("got %+v and %+v of the same examples", other, all[0])
		}
	}
	if got := eval.AnsweredQuestions.Of(all[0].Examples); len(got) != 1 || got[0].Text != "what?" {
		t.Errorf("got the questions %+v", got)
	}
	if got := eval.QueryItems.Of(all[0].Examples); got == nil || len(got.Queries) != 1 {
		t.Errorf("got the items %+v", got)
	}
}

// One that waits for another is told so, and can be stopped.
func TestStoppedWhileWaiting(t *testing.T) {
	home, r := t.TempDir(), smallest(t)
	unlock := must.Get(OpenStore(home).lock(t.Context(), r, nil))(t)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	e := executor(t, home)
	var said []string
	e.Say = func(line string) {
		said = append(said, line)
		cancel()
	}
	if _, err := e.Run(ctx, r); !errors.Is(err, context.Canceled) || len(said) != 1 ||
		!strings.Contains(said[0], "another process is at GRIT-VLP") {
		t.Errorf("got %v and lines %q, want context.Canceled and one about the other process", err, said)
	}
}

// A run that is stopped goes on to the result of one that is not.
func TestStoppedRunGoesOn(t *testing.T) {
	r := smallest(t)
	want := must.Get(executor(t, t.TempDir()).Run(t.Context(), r))(t)
	e := executor(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	e.Report = func(_ Run, p train.Report) {
		if p.Step == 6 {
			cancel()
		}
	}
	if _, err := e.Run(ctx, r); !errors.Is(err, context.Canceled) || !e.Store.Started(r) {
		t.Errorf("got %v and started %v, want context.Canceled and a checkpoint", err, e.Store.Started(r))
	}
	got, err := e.Run(t.Context(), r)
	if err != nil || !reflect.DeepEqual(got.Metrics, want.Metrics) || !reflect.DeepEqual(got.Epochs, want.Epochs) {
		t.Errorf("got %v, %v (%v), want %v, %v", got.Metrics, got.Epochs, err, want.Metrics, want.Epochs)
	}
}

// A program that dies loses the seconds since the last checkpoint within the epoch, not the epoch. Until it dies, its clock is one of
// the test's own.
func TestSavesWithinAnEpoch(t *testing.T) {
	r := smallest(t)
	want := must.Get(executor(t, t.TempDir()).Run(t.Context(), r))(t)
	e := executor(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if recover() != "dies" {
				t.Fatal("the run has ended before it died")
			}
		}()
		e.Report = func(_ Run, p train.Report) {
			if started := e.Store.Started(r); started != (p.Step == 4) {
				t.Errorf("step %d, %v after the start: a checkpoint is there: %v", p.Step, time.Duration(p.Step-1)*checkpointEvery*
					2/5, started)
			}
			if p.Step == 4 {
				panic("dies")
			}
			time.Sleep(checkpointEvery * 2 / 5)
		}
		e.Run(t.Context(), r)
	})
	var steps []int
	e.Report = func(_ Run, p train.Report) { steps = append(steps, p.Step) }
	got, err := e.Run(t.Context(), r)
	if err != nil || !reflect.DeepEqual(got.Metrics, want.Metrics) || !reflect.DeepEqual(got.Epochs, want.Epochs) {
		t.Errorf("got %v, %v (%v), want %v, %v", got.Metrics, got.Epochs, err, want.Metrics, want.Epochs)
	}
	if !slices.Equal(steps, []int{4, 5, 6, 7, 8}) {
		t.Errorf("went on with the steps %v, want from the fourth of eight on", steps)
	}
}

// A run makes its reference model's run first, if it is missing, and is known by it.
func TestReferenceRun(t *testing.T) {
	e, reference, r := executor(t, t.TempDir()), smallest(t), smallest(t)
	reference.Train.Method = negative.Plain()
	r.Train.Method = negative.SRCL(2)
	r.Reference, r.Train.Reference = &reference, reference.ID()
	must.Get(e.Run(t.Context(), r))(t)
	for _, made := range []Run{reference, r} {
		if _, done, err := e.Store.Find(made); !done || err != nil {
			t.Errorf("%s: done %v, error %v", made.Train.Method.Name, done, err)
		}
	}
	other := r
	other.Train.Reference = "another"
	if other.ID() == r.ID() {
		t.Error("two reference models give one identity")
	}
}

// A store that cannot be written says so and what to do; here its place is below a file, which holds for root too.
func TestStoreThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o644))
	_, err := executor(t, file).Run(t.Context(), smallest(t))
	if err == nil || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "-home") {
		t.Errorf("got %v, want an error that names the place and -home", err)
	}
}

// What would fail only after the training fails before it.
func TestMistakesShowBeforeTraining(t *testing.T) {
	e, r := executor(t, t.TempDir()), smallest(t)
	e.Report = func(Run, train.Report) { t.Error("a step was made") }
	r.Tasks = eval.Tasks{eval.Retrieval{}}
	must.Fail(t, must.Err(e.Run(t.Context(), r)), "re-ranking 0")
	r = smallest(t)
	r.Data.Scenes, r.Data.Dir = nil, folder(t)
	data := must.Get(FolderData(r.Data.Dir))(t)
	r.Data = data
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	if _, err := e.Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), `no split "val"`) ||
		len(said) != 1 || !strings.Contains(said[0], "b.jpg") {
		t.Errorf("got %v and lines %q, want an error about the missing split and a line about b.jpg", err, said)
	}
	r.Data.Hash = "other"
	must.Fail(t, must.Err(e.Run(t.Context(), r)), "has changed")
}

// folder is a collection in Karpathy's layout; the image of its split "val" is missing.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"images/a.jpg": "",
		"dataset_few.json": `{"dataset": "few", "images": [{"filename": "a.jpg", "split": "train", "sentences": [{"raw": "one"}]},
			{"filename": "b.jpg", "split": "val", "sentences": [{"raw": "two"}]}]}`,
	} {
		path := filepath.Join(dir, name)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
	return dir
}

// The weights of a finished run can be measured again; without them, or before it is finished, the error says what to do.
func TestEvaluate(t *testing.T) {
	e, r := executor(t, t.TempDir()), smallest(t)
	must.Fail(t, must.Err(e.Evaluate(t.Context(), r, "test")), "train it first")
	result := must.Get(e.Run(t.Context(), r))(t)
	metrics := must.Get(e.Evaluate(t.Context(), r, "test"))(t)
	for name, got := range metrics {
		if got != result.Metrics[name] {
			t.Errorf("%s: got %g, want the result's %g", name, got, result.Metrics[name])
		}
	}
	must.Fail(t, must.Err(e.Evaluate(t.Context(), r, "tset")), "test", "a split that is not there, want an error that lists the splits")
	must.Do(t, os.Remove(filepath.Join(e.Store.Dir(r), train.CheckpointName)))
	must.Fail(t, must.Err(e.Evaluate(t.Context(), r, "test")), "vlpx rm "+Short(r.ID()))
	left := must.Get(os.ReadDir(e.Store.Dir(r)))(t)
	var names []string
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	if want := []string{"curves.jsonl", "lock", "result.json", "run.json", "tokenizer.json"}; !slices.Equal(names, want) {
		t.Errorf("got files %v, want %v", names, want)
	}
}

// Of two results of a run the first one stays.
func TestFinishTwice(t *testing.T) {
	s, r := OpenStore(t.TempDir()), smallest(t)
	unlock := must.Get(s.lock(t.Context(), r, func() {}))(t)
	defer unlock()
	first := Result{ID: r.ID(), Metrics: map[string]float64{"TR@1": 1}}
	second := Result{ID: r.ID(), Metrics: map[string]float64{"TR@1": 2}}
	for _, result := range []Result{first, second} {
		got, err := s.finish(r, result)
		if err != nil || got.Metrics["TR@1"] != 1 {
			t.Errorf("got %v (%v), want the first result", got.Metrics, err)
		}
	}
	if kept, err := s.Result(r); err != nil || kept.Metrics["TR@1"] != 1 {
		t.Errorf("kept %v (%v), want the first result", kept.Metrics, err)
	}
	text, err := store.Read(s.ResultFile(r))
	if err != nil || !store.Seal.Match(text) {
		t.Errorf("the result has no seal (%v): %s", err, text)
	}
	files, err := os.ReadDir(s.Dir(r))
	if err != nil || len(files) != 2 {
		t.Errorf("the folder has %v (%v), want the lock and the result", files, err)
	}
}
