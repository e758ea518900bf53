package run

import (
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenes"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/train"
)

// gap is a task of one's own.
type gap struct{}

func (gap) Metrics() []eval.Info {
	return []eval.Info{{Metric: "gap", What: "mean cosine of an image and its captions over that of all pairs"}}
}

func (gap) Check(framework.Framework, datasets.Set) error { return nil }

func (gap) Measure(ctx context.Context, on eval.Subject) (eval.Measured, error) {
	e, err := on.Encode(ctx)
	if err != nil {
		return eval.Measured{}, err
	}
	var own, all float64
	cosines, pairs := e.Similarities(), datasets.Pairs(on.Set)
	for i := range on.Set.Len() {
		for p, cosine := range cosines.Row(i) {
			if all += cosine; pairs[p].Image == i {
				own += cosine
			}
		}
	}
	n := float64(len(pairs))
	return eval.Measured{Metrics: eval.Result{"gap": own/n - all/n/float64(on.Set.Len())}}, nil
}

// byTowers is the smallest run of the framework towers.
func byTowers(t *testing.T, m negative.Method) Run {
	t.Helper()
	r := smallest(t)
	r.Train.Framework.Framework = towers{Image: 16, Patch: 4, Vocab: model(r).Text.Vocab, Embed: 8}
	r.Train.Method, r.Train.Epochs, r.Tasks = m, 4, append(r.Tasks, gap{})
	r.Train.Schedule.Rate, r.Train.Schedule.Epochs = 1e-2, 4
	return r
}

// weightsOf are the numbers of a finished run's model.
func weightsOf(t *testing.T, e *Executor, r Run) map[string][]float32 {
	t.Helper()
	m := must.Get(train.Load(e.Backend, r.Train, nil, e.Store.Dir(r)))(t)
	defer m.Close()
	variables := must.Get(m.Weights())(t)
	all := map[string][]float32{}
	for path, value := range variables {
		all[path] = must.Get(tensors.CopyFlatData[float32](value))(t)
	}
	return all
}

// A framework of one's own trains, is measured by retrieval and by a task of one's own, and ends in the same bits if it was stopped, with
// uniform mini-batches and with those that FALCON's scheduler builds.
func TestFrameworkOfOnesOwn(t *testing.T) {
	scheduled := negative.FALCON(negative.Scheduled{SearchSpace: 16, Objectives: negative.Of(negative.ITC), Quantiles: 5, Hidden: 8,
		Baseline: 0.9})
	for _, m := range []negative.Method{negative.Plain(), scheduled} {
		t.Run(m.Name, func(t *testing.T) {
			r, e := byTowers(t, m), executor(t, t.TempDir())
			result := must.Get(e.Run(t.Context(), r))(t)
			first, last := result.Epochs[0], result.Epochs[len(result.Epochs)-1]
			if first.Losses[negative.ITC] < last.Losses[negative.ITC]+0.1 {
				t.Errorf("ITC went from %g to %g; it learns nothing", first.Losses[negative.ITC], last.Losses[negative.ITC])
			}
			if _, recalled := result.Metrics[string(eval.IR1)]; !recalled || last.Metrics["gap"] == 0 {
				t.Errorf("got metrics %v and, after the last epoch, %v; want retrieval and the gap in both", result.Metrics, last.Metrics)
			}
			if m.Name == "FALCON" && (last.Observed.Scheduling() == nil || last.Observed.Scheduling().Reward.N == 0) {
				t.Errorf("got the scheduling %+v, want rewards", last.Observed.Scheduling())
			}
			again := executor(t, t.TempDir())
			for _, stop := range []int{2, 5, 11} {
				ctx, cancel := context.WithCancel(t.Context())
				again.Report = func(_ Run, p train.Report) {
					if p.Step == stop {
						cancel()
					}
				}
				if _, err := again.Run(ctx, r); !errors.Is(err, context.Canceled) {
					t.Fatalf("stopped at %d: got %v", stop, err)
				}
			}
			resumed := must.Get(again.Run(t.Context(), r))(t)
			if !reflect.DeepEqual(weightsOf(t, again, r), weightsOf(t, e, r)) || !reflect.DeepEqual(resumed.Metrics, result.Metrics) ||
				toldAs(t, resumed.Epochs) != toldAs(t, result.Epochs) {
				t.Error("stopped, it ends in other weights, metrics or records")
			}
		})
	}
}

func toldAs(t *testing.T, value any) string {
	t.Helper()
	text := must.Get(json.Marshal(value))(t)
	return string(text)
}

// classFolder is a folder a class of scenes of one shape.
func classFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	collection := must.Get(scenes.New(scenes.Config{Train: 64, Val: 40, Test: 40, Captions: 1, Size: 16, OneShape: true}))(t)
	for _, split := range collection.Splits() {
		set := must.Get(collection.Split(split))(t)
		labelled := set.(datasets.Labelled)
		for _, class := range labelled.Classes() {
			must.Do(t, os.MkdirAll(filepath.Join(dir, split, class), 0o755))
		}
		for i := range set.Len() {
			img := must.Get(set.Image(t.Context(), i))(t)
			file := must.Get(os.Create(filepath.Join(dir, split, labelled.Classes()[labelled.Class(i)], set.Key(i)+".png")))(t)
			must.Do(t, errors.Join(png.Encode(file, img), file.Close()))
		}
	}
	return dir
}

// byViews is a run of the framework views on data.
func byViews(t *testing.T, data Data) Run {
	t.Helper()
	r := smallest(t)
	r.Data, r.Vocabulary, r.Tasks = data, Vocabulary{}, eval.Tasks{neighbours{}}
	set := must.Get(data.TestSet())(t)
	r.Train.Framework.Framework = views{Image: 16, Embed: 8, Classes: len(set.(datasets.Labelled).Classes())}
	r.Train.Method, r.Train.Transform.Flip = negative.Plain(), true
	r.Train.Epochs, r.Train.Schedule.Rate, r.Train.Schedule.Epochs = 6, 1e-2, 6
	return r
}

// A framework that reads no captions needs none: it trains on labelled images, and makes no vocabulary of those that have some.
func TestFrameworkWithoutCaptions(t *testing.T) {
	folder := must.Get(FolderData(classFolder(t)))(t)
	generated := must.Get(ScenesData(scenes.Config{Train: 64, Val: 40, Test: 40, Captions: 1, Size: 16, OneShape: true}))(t)
	for _, data := range []Data{folder, generated} {
		r, e := byViews(t, data), executor(t, t.TempDir())
		result, err := e.Run(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", data.Name, err)
		}
		last := result.Epochs[len(result.Epochs)-1]
		if last.Losses["class"] <= 0 || last.Losses["views"] <= 0 || last.Losses["class"] >= result.Epochs[0].Losses["class"] {
			t.Errorf("%s: got losses %v after %v, want two, and classes that are learned", data.Name, last.Losses, result.Epochs[0].Losses)
		}
		if again, err := e.Evaluate(t.Context(), r, "test"); err != nil || again["neighbours"] != result.Metrics["neighbours"] {
			t.Errorf("%s: measured again: %v (%v), want %v", data.Name, again, err, result.Metrics)
		}
		if _, err := os.Stat(filepath.Join(e.Store.Dir(r), tokenizerName)); err == nil {
			t.Errorf("%s: there is a vocabulary", data.Name)
		}
	}
}

// declaring is a framework that declares one field more than views.
type declaring struct {
	views
	Field field.Name
}

func (d declaring) Inputs(u framework.Use) []field.Field {
	return append(d.views.Inputs(u), u.Fields(d.Field)...)
}

// What a framework or a task cannot get is told before the first step: a field that nobody makes, one that the data lacks, an ability.
func TestWhatIsMissingIsToldBeforeTraining(t *testing.T) {
	folder := must.Get(FolderData(classFolder(t)))(t)
	shades := must.Get(FolderData(shades(t)))(t)
	plain := byViews(t, folder).Train.Framework.Framework.(views)
	for name, c := range map[string]struct {
		change func(*Run)
		want   string
	}{
		"a field nobody makes": {func(r *Run) { r.Train.Framework.Framework = declaring{plain, "colour"} },
			`reads "colour", which nothing makes`},
		"captions":          {func(r *Run) { r.Train.Framework.Framework = declaring{plain, field.Captions} }, "has no caption"},
		"classes":           {func(r *Run) { r.Data, r.Tasks = shades, eval.Tasks{unasking{}} }, "take data with classes"},
		"classes of a task": {func(r *Run) { r.Data = shades }, "has no classes"},
		"an ability":        {func(r *Run) { r.Tasks = eval.Tasks{eval.Retrieval{Rerank: 2}} }, "which Views does not make"},
		"a task":            {func(r *Run) { r.Tasks = nil }, "no task to be measured by"},
		"embeddings": {func(r *Run) { r.Train.Method = negative.GRITVLP(8, 16) }, "needs embeddings of images and captions, which " +
			"Views has not"},
	} {
		r, e := byViews(t, folder), executor(t, t.TempDir())
		c.change(&r)
		e.Report = func(Run, train.Report) { t.Errorf("%s: it makes a step", name) }
		must.Fail(t, must.Err(e.Run(t.Context(), r)), c.want, "%s", name)
	}
}

// unasking is a task that takes any framework and data.
type unasking struct{ gap }
