package lab

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/run/store"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/source"
)

// mine is a custom framework: CLIP under another name.
type mine struct{ clip.Model }

func (mine) Name() string { return "Mine" }

func newMine(s scale.Scale, vocab int) framework.Framework {
	s.Framework = "CLIP"
	return mine{s.Model(vocab).(clip.Model)}
}

// steps is a task of one's own: a number that grows with the images' places, so that means are known.
type steps struct{ Height float64 }

func (steps) Metrics() []eval.Info {
	return []eval.Info{{Metric: "height", What: "of the last image"}, {Metric: "depth", What: "that nobody measures"}}
}

func (steps) Check(framework.Framework, datasets.Set) error { return nil }

func (s steps) Measure(_ context.Context, on eval.Subject) (eval.Measured, error) {
	return eval.Measured{Metrics: eval.Result{"height": s.Height * float64(on.Set.Len())}}, nil
}

// texts are the words of a table.
func texts(t *testing.T, table tables.Table) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, table.Text(&b, tables.Terminal{Width: 200}))
	return b.String()
}

// A framework of one's own takes the scale's place in every run, a task of one's own is a column, and both change what runs there are.
// Tables and names of files tell of the framework; shipped results are not its.
func TestFrameworkAndTasksOfOnesOwn(t *testing.T) {
	o := smallest(t.TempDir())
	plain := must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	o.Model, o.Tasks = newMine, []eval.Task{steps{Height: 0.5}}
	grid := must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	r := grid.Plan.Rows[0][0]
	if _, own := r.Train.Framework.Framework.(mine); !own || len(r.Tasks) != 2 || r.ID() == plain.Plan.Rows[0][0].ID() {
		t.Errorf("got a run of %T by %d tasks, want one of its own, of mine by two", r.Train.Framework.Framework, len(r.Tasks))
	}
	report := made(t, grid)
	text := texts(t, report.table)
	if !strings.Contains(text, "framework=Mine") || !strings.Contains(text, "height") || !strings.Contains(text, "2.00") {
		t.Errorf("got the table\n%s\nwant Mine, and a height of 2", text)
	}
	if a, b := grid.Plan.FileName("run"), plain.Plan.FileName("run"); a == b || !strings.Contains(a, "framework-Mine") {
		t.Errorf("got the file names %q and %q", a, b)
	}
	table1 := must.Get(Open("falcon/table1", Options{Scale: "mini", Home: o.Home, Model: newMine, Set: []string{"falcon.objectives=ITC"}}))(
		t)
	if shipped, err := paper.FindReference(table1.Plan); shipped != nil || err != nil {
		t.Errorf("ALBEF's shipped results (%v) stand beside it", err)
	}
	if row := slices.IndexFunc(table1.Plan.Artifact.Rows, func(r plan.Row) bool { return r.Name == "MAFA" }); table1.Plan.Rows[row] != nil {
		t.Error("MAFA has runs of a framework that matches no pairs")
	}
	for want, o := range map[string]Options{
		"leave one of them out": {Scale: "tiny", Model: newMine, Framework: "clip"},
		"gives none":            {Scale: "tiny", Model: func(scale.Scale, int) framework.Framework { return nil }},
	} {
		must.Fail(t, must.Err(OpenComparison([]string{"InfoNCE"}, o)), want)
	}
}

// pictures is a framework that reads no captions: two views of an image are to be alike.
type pictures struct{ Image, Embed int }

func (pictures) Name() string              { return "Pictures" }
func (pictures) Losses() []negative.Loss   { return []negative.Loss{"views"} }
func (p pictures) Dim() int                { return p.Embed }
func (pictures) Check(framework.Use) error { return nil }

func (p pictures) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(), u.Images(field.Image, p.Image, p.Image, 3), u.Images(field.View, p.Image, p.Image, 3))
}

func (p pictures) EmbedImage(s *model.Scope, images *graph.Node) framework.Embedded {
	return framework.Embedded{Feature: framework.Normalise(encoder.Linear(s, graph.Reshape(images, -1, p.Image*p.Image*3), p.Embed, false))}
}

func (p pictures) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	view := func(name field.Name) *graph.Node {
		return p.EmbedImage(s.Store().Scope(framework.Model), in.Of(name)).Feature
	}
	one, other := view(field.Image), view(field.View)
	alike := objective.Similarities(one, other, graph.Const(one.Graph(), float32(0.1)))
	return framework.Forward{Outputs: field.Nodes{}, Losses: map[negative.Loss]*graph.Node{"views": objective.CrossEntropy(alike,
		objective.OneHotTargets(alike))}}
}

// A framework that reads no captions is measured by custom tasks alone, and shows itself all the same; methods that go by captions'
// embeddings are refused where they are named, and left out of a paper's table.
func TestFrameworkOfPictures(t *testing.T) {
	o := smallest(t.TempDir())
	o.Model = func(s scale.Scale, vocab int) framework.Framework { return pictures{Image: s.Image, Embed: 8} }
	o.Tasks = []eval.Task{steps{Height: 0.5}}
	grid := must.Get(OpenComparison([]string{"InfoNCE", "InfoNCE, schedule.rate=1e-2"}, o))(t)
	if r := grid.Plan.Rows[0][0]; len(r.Tasks) != 1 || r.Vocabulary != (run.Vocabulary{}) {
		t.Errorf("got %d tasks and the vocabulary %+v, want its own alone and none", len(r.Tasks), r.Vocabulary)
	}
	report := made(t, grid)
	if text := texts(t, report.table); strings.Count(text, "2.00") != 2 || strings.Contains(text, "R@1") {
		t.Errorf("got\n%s\nwant the height alone", text)
	}
	one := must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	for _, r := range []*Report{report, made(t, one)} {
		if r.HasFigure() {
			if err := r.PNG(io.Discard); err != nil {
				t.Error(err)
			}
		}
		if err := r.HTML(io.Discard); err != nil {
			t.Error(err)
		}
	}
	must.Fail(t, must.Err(OpenComparison([]string{"GRIT-VLP"}, o)), "which Pictures has not")
	table1 := must.Get(Open("falcon/table1", o))(t)
	report = must.Get(table1.Report())(t)
	if text := texts(t, report.table); !strings.Contains(text, "FALCON (") ||
		!strings.Contains(text, "Left out, as they need what Pictures has not") {
		t.Errorf("got\n%s\nwant a note of what is left out", text)
	}
}

// Finished runs are measured by a task without training, and answered from the store afterwards; one that is not finished is refused.
func TestMeasure(t *testing.T) {
	o := smallest(t.TempDir())
	o.Seeds, o.Set = []uint64{1, 2}, append(o.Set, "scenes.val=6")
	grid := must.Get(OpenComparison([]string{"InfoNCE", "DiHT"}, o))(t)
	const how = `train it first with the same settings: vlpx.Run("InfoNCE"`
	must.Fail(t, must.Err(grid.Measure(t.Context(), steps{1}, "test")), how)
	must.Do(t, grid.Make(t.Context(), nil))
	for split, want := range map[string]string{"test": "4.000", "val": "6.000"} {
		table := must.Get(grid.Measure(t.Context(), steps{1}, split))(t)
		if text := texts(t, table); len(table.Columns) != 2 || len(table.Rows) != 2 || strings.Count(text, want+"±0.000") != 2 ||
			!strings.Contains(text, "depth") ||
			strings.Count(text, "–") != 2 {
			t.Errorf("%s: got\n%s\nwant a height of %s of both, and – for their depth", split, text, want)
		}
		if !strings.Contains(table.Note, grid.Plan.Data.Hash[:12]) || !strings.Contains(table.Note, "commit "+source.Commit()+".") {
			t.Errorf("%s: the note tells neither data nor commit: %s", split, table.Note)
		}
	}
	classes := eval.Classification{Prompts: []string{"an object on {}"}}
	first := must.Get(grid.Measure(t.Context(), classes, "test"))(t)
	checkpoints, err := filepath.Glob(filepath.Join(o.Home, "runs", "*", "checkpoint"))
	if err != nil || len(checkpoints) < 4 {
		t.Fatalf("got checkpoints %v (%v)", checkpoints, err)
	}
	for _, path := range checkpoints {
		must.Do(t, os.Remove(path))
	}
	again, err := grid.Measure(t.Context(), classes, "test")
	if err != nil || texts(t, again) != texts(t, first) || len(first.Columns) != 3 {
		t.Errorf("from the store: got\n%s\n(%v), want\n%s", texts(t, again), err, texts(t, first))
	}
	// What other code trained, and what other code measured, is marked.
	rewrite(t, filepath.Join(grid.Store.Dir(grid.Plan.Rows[0][1]), "result.json"))
	answers, err := filepath.Glob(filepath.Join(grid.Store.Dir(grid.Plan.Rows[1][0]), "task-*.json"))
	if err != nil || len(answers) == 0 {
		t.Fatalf("got the answers %v (%v)", answers, err)
	}
	for _, path := range answers {
		rewrite(t, path)
	}
	marked, err := grid.Measure(t.Context(), classes, "test")
	if err != nil || marked.Rows[0].Status != "1 of 2 runs of other code" || marked.Rows[1].Status != marked.Rows[0].Status ||
		!strings.HasSuffix(marked.Note, paper.CodeMeaning) {
		t.Errorf("got\n%s\n(%v), want a run of each marked", texts(t, marked), err)
	}
	if strings.Contains(texts(t, again), "other code") {
		t.Errorf("got a mark in\n%s", texts(t, again))
	}
}

// rewrite lets a file of a run be of other code than this program's.
func rewrite(t *testing.T, path string) {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	other := regexp.MustCompile(`"Code":\s*"[0-9a-f]{16}"`).ReplaceAll(text, []byte(`"Code": "0123456789abcdef"`))
	if string(other) == string(text) {
		t.Fatalf("%s tells no code", path)
	}
	must.Do(t, os.WriteFile(path, store.Sealed(store.Seal.ReplaceAll(other, []byte("\n}\n"))), 0o644))
}

// What a task of one's own measured of finished runs can be a column of their comparison, whether or not they are asked for by their
// methods. A run that was not measured has a dash, and the note says what measures it.
func TestMeasuredIsAColumn(t *testing.T) {
	o := smallest(t.TempDir())
	grid := must.Get(OpenComparison([]string{"InfoNCE", "DiHT"}, o))(t)
	must.Do(t, grid.Make(t.Context(), nil))
	o.View.Metrics = []string{"height"}
	grid = must.Get(OpenComparison([]string{"InfoNCE", "DiHT"}, o))(t)
	must.Fail(t, must.Err(grid.Report()), "vlpx.Measure has kept it", "before it is measured")
	one := must.Get(OpenComparison([]string{"DiHT"}, Options{Home: o.Home, Scale: o.Scale, Seeds: o.Seeds, Set: o.Set}))(t)
	must.Get(one.Measure(t.Context(), steps{1}, "test"))(t)
	check := func(what string, r *Report) {
		t.Helper()
		text := texts(t, r.table)
		if len(r.table.Columns) != 1 || strings.Count(text, "4.00") != 1 || !strings.Contains(text, "height by [{\"lab.steps\":") ||
			!strings.Contains(text, "–") ||
			!strings.Contains(strings.Join(strings.Fields(text), " "), "has not been measured by it yet: height. vlpx eval METHOD "+
				"-task TASK") {
			t.Errorf("%s: got\n%s\nwant a height of 4 of DiHT, and what measures that of InfoNCE", what, text)
		}
	}
	grid = must.Get(OpenComparison([]string{"InfoNCE", "DiHT"}, o))(t)
	report := must.Get(grid.Report())(t)
	check("by methods", report)
	store := must.Get(OpenStore(o.Home))(t)
	report = must.Get(store.Compare([]string{grid.Plan.Rows[0][0].ID(), grid.Plan.Rows[1][0].ID()}))(t)
	report = must.Get(report.Viewed(o.View))(t)
	check("by runs", report)

	measured := grid.Plan.Rows[1][0]
	answers := must.Get(filepath.Glob(filepath.Join(grid.Store.Dir(measured), "task-*.json")))(t)
	if len(answers) != 1 {
		t.Fatalf("got the answers %v", answers)
	}
	rewrite(t, answers[0])
	report = must.Get(must.Get(OpenComparison([]string{"InfoNCE", "DiHT"}, o))(t).Report())(t)
	const mark = "(by other code, which may give other numbers today: 1)"
	if text := strings.Join(strings.Fields(texts(t, report.table)), " "); !strings.Contains(text, mark) {
		t.Errorf("got\n%s\nwant %q", text, mark)
	}
	page := must.Get(store.Run(measured.ID()))(t)
	if note := page.metrics().Note; !slices.Equal(page.Outdated, []string{"height"}) || !strings.Contains(note, "other code") {
		t.Errorf("the run's page says %q of %q, want the height measured by other code", note, page.Outdated)
	}
}
