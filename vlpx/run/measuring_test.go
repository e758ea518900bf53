package run

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	variables "github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/imagefolder"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// looking is a task that tells of what it is given: images and captions of the training split and of a folder of classes.
type looking struct {
	Folder string
	Saw    *[]string `json:"-"`
}

func (looking) Metrics() []eval.Info                          { return []eval.Info{{Metric: "width"}} }
func (looking) Check(framework.Framework, datasets.Set) error { return nil }

func (l looking) Measure(ctx context.Context, on eval.Subject) (eval.Measured, error) {
	training, err := on.Training(ctx)
	if err != nil {
		return eval.Measured{}, err
	}
	other, err := imagefolder.Open(l.Folder)
	if err != nil {
		return eval.Measured{}, err
	}
	away, err := on.On(ctx, other, "val")
	if err != nil {
		return eval.Measured{}, err
	}
	width := 0
	for _, s := range []eval.Subject{training, away} {
		features, err := s.Represent(ctx)
		if err != nil {
			return eval.Measured{}, err
		}
		width = len(features) / s.Set.Len()
		captions := 0
		for i := range s.Set.Len() {
			captions += len(s.Set.Captions(i))
		}
		*l.Saw = append(*l.Saw, fmt.Sprintf("%d of %d images with %d captions, locked %t", s.Set.Len(), len(features)/width, captions,
			s.Features != nil))
	}
	_, kept, err := on.State(negative.ThresholdPath(negative.ImageAnchors))
	if err == nil && kept {
		err = fmt.Errorf("a state that nobody keeps")
	}
	return eval.Measured{Metrics: eval.Result{"width": float64(width)}}, err
}

// A task reaches the training images as the run uses them, with those that cannot be read, and other collections, in the run's size and
// through its locked encoder.
func TestTasksReachOtherImages(t *testing.T) {
	folder := classFolder(t)
	plain, whole := on(t, shades(t, "train3.jpg")), on(t, shades(t))
	portion := whole
	portion.Data.Portion, portion.Data.Captions, portion.Data.CaptionNoise = 0.5, 1, 0.3
	for name, c := range map[string]struct {
		run   Run
		saw   []string
		width float64
	}{
		"whole":   {plain, []string{"16 of 16 images with 32 captions, locked false", "40 of 40 images with 0 captions, locked false"}, 8},
		"portion": {portion, []string{"8 of 8 images with 8 captions, locked false", "40 of 40 images with 0 captions, locked false"}, 8},
		"locked": {behindLocked(t, plain.Data.Dir), []string{"16 of 16 images with 32 captions, locked true", "40 of 40 images with 0 " +
			"captions, locked true"}, 8},
	} {
		e := executor(t, t.TempDir())
		var said []string
		e.Say = func(line string) { said = append(said, line) }
		if _, err := e.Run(t.Context(), c.run); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said = nil
		task := looking{folder, new([]string)}
		got, err := e.Evaluate(t.Context(), c.run, "test", task)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(*task.Saw, c.saw) || got["width"] != c.width {
			t.Errorf("%s: got %q of width %g, want %q of %g", name, *task.Saw, got["width"], c.saw, c.width)
		}
		told := slices.ContainsFunc(said, func(line string) bool { return strings.Contains(line, "images of shades/train cannot be read") })
		if told != (name != "portion") {
			t.Errorf("%s: said %q, where the portion alone can be read whole", name, said)
		}
	}
}

// probing is a run of the framework views by tasks that read representations.
func probing(t *testing.T, tasks ...eval.Task) Run {
	t.Helper()
	data := must.Get(ScenesData(scenes.Config{Train: 64, Val: 40, Test: 40, Captions: 1, Size: 16, OneShape: true}))(t)
	r := byViews(t, data)
	r.Tasks, r.Train.Epochs, r.Train.Schedule.Epochs = tasks, 3, 3
	return r
}

// linear is a linear evaluation of few epochs.
var linear = eval.LinearEvaluation{Shares: []float64{1, .25}, Epochs: []int{20, 40}}

// A run is measured by neighbours after each epoch, and by what takes long at its end alone; a finished run gives the same again, of a task
// alone.
func TestProbesOfARun(t *testing.T) {
	target := must.Get(eval.SceneTarget("shapes", scenes.Config{Train: 40, Val: 20, Test: 20, Captions: 1, Size: 24, OneShape: true,
		Seed: 5}))(t)
	folder := must.Get(eval.FolderTarget(classFolder(t), ""))(t)
	tasks := eval.Tasks{eval.Neighbours{K: 3}, linear, eval.Transfer{Targets: []eval.Target{target, folder}}}
	r, e := probing(t, tasks...), executor(t, t.TempDir())
	result := must.Get(e.Run(t.Context(), r))(t)
	for _, info := range tasks.Metrics() {
		if v, measured := result.Metrics[string(info.Metric)]; !measured || v <= 0 || v > 100 {
			t.Errorf("%s: got %g, %t", info.Metric, v, measured)
		}
	}
	for _, epoch := range result.Epochs {
		if got := slices.Collect(maps.Keys(epoch.Metrics)); !slices.Equal(got, []string{string(eval.NeighboursTop1)}) {
			t.Errorf("epoch %d: got %v, want neighbours alone", epoch.Epoch, epoch.Metrics)
		}
	}
	for _, task := range tasks {
		again := must.Get(e.Evaluate(t.Context(), r, "test", task))(t)
		for metric, value := range again {
			if value != result.Metrics[metric] {
				t.Errorf("%s: got %g again, want %g", metric, value, result.Metrics[metric])
			}
		}
	}
	read, err := Describe(r.JSON())
	if err != nil || len(read.Run.Tasks) != 3 || !reflect.DeepEqual(read.Run.Tasks[1], tasks[1]) {
		t.Errorf("its settings are read as %+v (%v)", read.Run.Tasks, err)
	}
}

// A run whose only task measures nothing in brief trains, with epochs that have no metrics; one that selects the best epoch by such a task
// measures it after each.
func TestRunWithoutBriefMetrics(t *testing.T) {
	r, e := probing(t, linear), executor(t, t.TempDir())
	result, err := e.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, epoch := range result.Epochs {
		if len(epoch.Metrics) > 0 {
			t.Errorf("epoch %d: got %v, want nothing", epoch.Epoch, epoch.Metrics)
		}
	}
	if _, measured := result.Metrics[string(eval.LinearAverage)]; !measured {
		t.Errorf("got %v at the end", result.Metrics)
	}
	r.Train.Select = string(eval.LinearAverage)
	if result, err = e.Run(t.Context(), r); err != nil || result.BestEpoch == 0 {
		t.Fatalf("selecting: got epoch %d (%v)", result.BestEpoch, err)
	}
	for _, epoch := range result.Epochs {
		if epoch.Metrics[string(eval.LinearAverage)] > result.Epochs[result.BestEpoch-1].Metrics[string(eval.LinearAverage)] {
			t.Errorf("epoch %d is better than the best, %d", epoch.Epoch, result.BestEpoch)
		}
	}
}

// What a probe cannot have is told before the first step.
func TestProbesWithoutClasses(t *testing.T) {
	data := must.Get(FolderData(shades(t)))(t)
	for _, task := range []eval.Task{eval.Neighbours{}, linear} {
		r := probing(t, task)
		r.Data, r.Train.Method = data, negative.Plain()
		if _, err := executor(t, t.TempDir()).Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), "take data with classes") {
			t.Errorf("%T: got %v", task, err)
		}
	}
}

// leaving is a contrast that keeps a threshold of each training pair, 0.3 of the first and more of the others. Nobody asks it for a loss.
type leaving struct{ negative.InfoNCE }

func (leaving) Declare(state *variables.Scope, run negative.Start) error {
	values := make([]float32, run.Pairs)
	for i := range values {
		values[i] = 0.3 + float32(i)/1000
	}
	v, err := state.At("left").At("image").At("samples").CreateVariable("lambda", tensors.FromFlatDataAndDimensions(values, run.Pairs))
	if err == nil {
		v.SetTrainable(false)
	}
	return err
}

// The thresholds that a method keeps are compared at the run's end, and from its checkpoint afterwards, to the same numbers.
func TestThresholdsOfARun(t *testing.T) {
	r, e := probing(t, eval.Neighbours{}, eval.Thresholds{Alpha: 0.1, Batch: 16}), executor(t, t.TempDir())
	r.Train.Method.Contrast = leaving{}
	result := must.Get(e.Run(t.Context(), r))(t)
	again, err := e.Evaluate(t.Context(), r, "val", eval.Thresholds{Alpha: 0.1, Batch: 16})
	if err != nil || len(again) != 4 {
		t.Fatalf("got %v (%v), want the thresholds of images", again, err)
	}
	for metric, value := range again {
		if value != result.Metrics[metric] || value == 0 {
			t.Errorf("%s: got %g from the checkpoint, %g at the end", metric, value, result.Metrics[metric])
		}
	}
	kept, done, err := e.Store.Find(r)
	if err != nil || !done || len(eval.ThresholdHistograms.Of(kept.Examples)) != 1 || !reflect.DeepEqual(kept.Examples, result.Examples) {
		t.Errorf("the result keeps %+v, want %+v", kept.Examples, result.Examples)
	}
}
