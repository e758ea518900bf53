package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/numpy"

	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework/uniter"
	"vlpx.internal/vlpx/locked"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/regions"
	"vlpx.internal/vlpx/train"
)

// byRegions is a run of UNITER's pre-training on another run's data, by regions.
func byRegions(r Run, of regions.Source) Run {
	text := model(r).Text
	text.Fusion = 0
	r.Regions = of
	r.Train.Framework.Framework = uniter.Model{Text: text, Pretraining: true}.WithRegions(of.Count, of.Width)
	r.Train.Method = negative.Plain()
	return r
}

// A framework that reads regions and embeds nothing trains, is measured by its scores, and ends in the same bits if it was stopped.
func TestRunByBoxes(t *testing.T) {
	r, e := byRegions(smallest(t), regions.Source{Count: 4, Width: 8, Boxes: &regions.Boxes{}}), executor(t, t.TempDir())
	r.Train.Select = string(eval.RMean)
	result := must.Get(e.Run(t.Context(), r))(t)
	last := result.Epochs[len(result.Epochs)-1]
	for _, metric := range []eval.Metric{eval.IR1, eval.TRMAP} {
		_, tested := result.Metrics[string(metric)]
		if _, cosine := result.Metrics[string(eval.CosinePrefix+metric)]; !tested || cosine {
			t.Errorf("got the metrics %v, want %s without a cosine's", result.Metrics, metric)
		}
	}
	if _, validated := last.Metrics[string(eval.RMean)]; !validated || result.BestEpoch == 0 {
		t.Errorf("got %v after the last epoch and the best epoch %d, want one by the mean recall", last.Metrics, result.BestEpoch)
	}
	again, err := e.Evaluate(t.Context(), r, "test")
	if err != nil || again[string(eval.IRMAP)] != result.Metrics[string(eval.IRMAP)] {
		t.Errorf("evaluated again: got %v (%v), want %v", again, err, result.Metrics)
	}
	stopped := executor(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	stopped.Report = func(_ Run, p train.Report) {
		if p.Step == 2 {
			cancel()
		}
	}
	if _, err := stopped.Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped: got %v", err)
	}
	resumed, err := stopped.Run(t.Context(), r)
	if err != nil || !reflect.DeepEqual(resumed.Metrics, result.Metrics) ||
		!reflect.DeepEqual(weightsOf(t, stopped, r), weightsOf(t, e, r)) {
		t.Errorf("stopped, it ends in other weights or metrics (%v)", err)
	}

	noisy := r
	noisy.Regions.Boxes = &regions.Boxes{Noise: 0.1}
	if noisy.ID() == r.ID() {
		t.Error("other regions have the run's identity")
	}
	if told, err := Describe(noisy.JSON()); err != nil || !reflect.DeepEqual(told.Run.Regions, noisy.Regions) || told.ID != noisy.ID() {
		t.Errorf("described: got %+v (%v), want %+v", told.Run.Regions, err, noisy.Regions)
	}
}

// found writes a file of three regions for each photograph of shades but some, and describes the folder.
func found(t *testing.T, without ...string) (dir string, of regions.Source) {
	t.Helper()
	dir = t.TempDir()
	for split, n := range map[string]int{"train": 16, "val": 4, "test": 4} {
		for i := range n {
			var features, boxes []float32
			for k := range 3 {
				features = append(features, float32(i), float32(k), float32(len(split)), 1)
				boxes = append(boxes, float32(k)/4, 0, 1, 1, 1-float32(k)/4, 1)
			}
			name := fmt.Sprintf("%s%d.npz", split, i)
			if strings.Contains(strings.Join(without, " "), name) {
				continue
			}
			must.Do(t, numpy.ToNpzFile(map[string]*tensors.Tensor{
				"features": tensors.FromFlatDataAndDimensions(features, 3, 4), "norm_bb": tensors.FromFlatDataAndDimensions(boxes, 3, 6),
			}, filepath.Join(dir, name)))
		}
	}
	files := must.Get(regions.Folder(dir))(t)
	return dir, regions.Source{Count: 5, Width: 4, Files: &files}
}

// Regions that a folder has take the place of photographs, which nobody decodes then; those it lacks are told as unreadable ones are.
func TestRunByFiles(t *testing.T) {
	photographs := shades(t, "train5.jpg", "test1.jpg")
	_, of := found(t, "train3.npz", "test0.npz")
	r, e := byRegions(on(t, photographs), of), executor(t, t.TempDir())
	var said []string
	e.Say = func(line string) { said = append(said, line) }
	result := must.Get(e.Run(t.Context(), r))(t)
	if len(result.Skipped) != 1 || !strings.Contains(result.Skipped[0], "train3.npz") ||
		!reflect.DeepEqual(result.Unreadable, map[string][]string{"test": {"test0.jpg"}}) {
		t.Errorf("skipped %q, unreadable %v; want train3 and test0", result.Skipped, result.Unreadable)
	}
	if told := strings.Join(said, "\n"); !strings.Contains(told, "1 of the 4 images of shades/test cannot be read and count as images "+
		"without regions: test0.jpg") {
		t.Errorf("it says %q", told)
	}
	_, none := found(t, "val0.npz", "val1.npz", "val2.npz", "val3.npz")
	must.Fail(t, must.Err(e.Run(t.Context(), byRegions(on(t, photographs), none))), "no file for any picture of shades/val",
		"no file of a split")
}

// A locked encoder's tokens are regions where they lie in the image.
func TestRunByGrid(t *testing.T) {
	dir := shades(t)
	behind, e := behindLocked(t, dir), executor(t, t.TempDir())
	r := byRegions(on(t, dir), regions.Source{Count: 10, Width: 16, Grid: true})
	r.Locked, r.Train.Transform = behind.Locked, transform.Pipeline{Size: 24}
	must.Get(e.Run(t.Context(), r))(t)
	if made := caches(t, filepath.Dir(e.Store.LockedDir())); len(made) != 3 {
		t.Errorf("got %d caches of tokens, want one a split", len(made))
	}
}

// What does not fit together is told before the first step.
func TestRegionsThatDoNotFit(t *testing.T) {
	of := regions.Source{Count: 4, Width: 8, Boxes: &regions.Boxes{}}
	for want, change := range map[string]func(*Run){
		"names none":             func(r *Run) { r.Regions = regions.Source{} },
		"which reads none":       func(r *Run) { r.Train.Framework = smallest(t).Train.Framework },
		"have [5 16]":            func(r *Run) { r.Regions.Count = 5 },
		"go together":            func(r *Run) { r.Locked = &locked.Encoder{} },
		"one of boxes":           func(r *Run) { r.Regions.Boxes = nil },
		"no metric of the run's": func(r *Run) { r.Train.Select = eval.CosinePrefix + string(eval.RMean) },
	} {
		r, e := byRegions(smallest(t), of), executor(t, t.TempDir())
		change(&r)
		e.Report = func(Run, train.Report) { t.Errorf("%s: it makes a step", want) }
		must.Fail(t, must.Err(e.Run(t.Context(), r)), want)
	}
	photographs := byRegions(on(t, shades(t)), of)
	must.Fail(t, must.Err(executor(t, t.TempDir()).Run(t.Context(), photographs)), "give a folder of precomputed regions with -regions",
		"boxes of photographs")
}
