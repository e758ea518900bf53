package paper_test

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// put is an artifact of a row that is asked as it is and one that is fine-tuned, with downstream tasks.
func put(tasks ...plan.Downstream) []paper.Artifact {
	return []paper.Artifact{{
		ID: "vlpx/put", Downstream: tasks, Table: paper.Comparison,
		Rows:    []plan.Row{plan.MethodRow("InfoNCE"), plan.MethodRow("InfoNCE").As("tuned").Tuned(scale.PlainTuning)},
		Columns: append(paper.Retrieval(), paper.OnSecond(eval.TR1, eval.IR1)...),
	}}
}

// On the second data a row is asked as it is, or fine-tuned from the pre-training that the row itself was fine-tuned from.
func TestSecond(t *testing.T) {
	p := papertest.Plan(t, put(plan.Second), "vlpx/put", plan.Request{Seeds: []uint64{4, 5}})
	for k := range p.Seeds {
		asked, tuned := p.Jobs[0][k][1], p.Jobs[1][k][1]
		if task, is := asked.Task.(eval.Elsewhere); !is || task.Target.Scenes.World == "" || task.Target.Hash == p.Data.Hash ||
			asked.Run.ID() != p.Rows[0][k].ID() {
			t.Errorf("seed %d: asked %s for %+v, want the row's own run for other scenes", p.Seeds[k], asked.Run.ID(), asked.Task)
		}
		if tuned.Task != nil || tuned.Run.Init.ID() != p.Rows[1][k].Init.ID() || tuned.Run.Data.Scenes.World == "" ||
			tuned.Run.ID() == p.Rows[1][k].ID() || !tuned.Run.Vocabulary.Grows {
			t.Errorf("seed %d: got %s from %s on %+v, want a fine-tuning of %s on other scenes", p.Seeds[k], tuned.Run.ID(),
				tuned.Run.Init.ID(), tuned.Run.Data, p.Rows[1][k].Init.ID())
		}
	}
	var names []string
	for _, r := range p.Runs() {
		names = append(names, called(r))
	}
	want := []string{"InfoNCE 4", "tuned fine-tuned 4", "InfoNCE 5", "tuned fine-tuned 5", // pre-training is shared
		"tuned fine-tuned on the second data 4", "tuned fine-tuned on the second data 5"}
	if names = slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "Warm start") }); !slices.Equal(names, want) {
		t.Errorf("got runs %q, want %q: those of downstream tasks behind all seeds", names, want)
	}
}

// What a downstream task gave joins the result of its row and seed, without hiding what the row measured itself; a row tells what is left.
func TestOutcomesInAReport(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, put(plan.Second), "vlpx/put", plan.Request{Seeds: []uint64{1, 2}})
	for _, row := range []string{"InfoNCE", "tuned"} {
		papertest.Finish(t, store, p, row, map[string][]float64{"TR@1": {10, 20}})
	}
	answer := func(seed int, v float64) {
		papertest.Keep(t, store, p.Jobs[0][seed][1], map[string]float64{"second TR@1": v})
	}
	tuned := p.Jobs[1][0][1].Run
	papertest.Put(t, store, tuned, run.Result{ID: tuned.ID(), Seed: 1, Metrics: map[string]float64{"TR@1": 7}, Finished: papertest.Noon})
	answer(0, 5)
	r := papertest.Report(t, p, store)
	if s := papertest.Row(r, "InfoNCE"); s.Status != "second of 1 of 2 seeds" || *s.Metrics["second TR@1"].Mean != 5 ||
		*s.Metrics["TR@1"].Mean != 15 {
		t.Errorf("asked once: %s %+v", s.Status, s.Metrics)
	}
	if s := papertest.Row(r, "tuned"); s.Status != "second of 1 of 2 seeds" || *s.Metrics["second TR@1"].Mean != 7 ||
		*s.Metrics["TR@1"].Mean != 15 {
		t.Errorf("fine-tuned once: %s %+v", s.Status, s.Metrics)
	}
	if of, done := papertest.Row(r, "tuned").First("second"); !done || of.ID != tuned.ID() {
		t.Errorf("the fine-tuning on the second data: got %t, %+v, want %s", done, of, tuned.ID())
	}
	if of, done := papertest.Row(r, "InfoNCE").First("second"); done {
		t.Errorf("of a row that is asked got the result %+v, want none", of)
	}
	answer(1, 6)
	r = papertest.Report(t, p, store)
	if s := papertest.Row(r, "InfoNCE"); s.Status != "ready" || s.Metrics["second TR@1"].N != 2 {
		t.Errorf("asked twice: %s %+v", s.Status, s.Metrics)
	}
	shipped := must.Get(paper.NewReference(r))(t)
	if whole, part := shipped.Rows[0].Downstream["second"], shipped.Rows[1].Downstream; len(whole) != 2 || part != nil {
		t.Errorf("shipped outcomes %v of a row that has all and %v of one that lacks some; want two and none", whole, part)
	}
	// A row shipped before a task was added is as good as ever, in the columns that it has; one whose task is another today is not.
	without := shipped
	without.Rows = slices.Clone(shipped.Rows)
	without.Rows[0].Downstream = nil
	r.SetReference(&without)
	if note := papertest.Table(t, r).Note; strings.Contains(note, "Withdrawn") {
		t.Errorf("without outcomes: %s", note)
	}
	shipped.Rows[0].Downstream = map[string][]string{"second": {"other", "runs"}}
	r.SetReference(&shipped)
	if note := papertest.Table(t, r).Note; !strings.Contains(note, "the shipped results of InfoNCE. ") {
		t.Errorf("with another task's outcomes: %s", note)
	}
}

// A task can be left out; one that nobody knows is an error. A folder without a second one is told, and the rest is measured.
func TestWithout(t *testing.T) {
	p := papertest.Plan(t, put(plan.Second), "vlpx/put", plan.Request{Seeds: []uint64{1}, Without: []string{"Second"}})
	if len(p.Jobs[0][0]) != 1 || p.FileName("x") != "x-tiny-without-Second-seeds-1-02e755cc" {
		t.Errorf("got %v in files %s", p.Jobs[0][0], p.FileName("x"))
	}
	must.Fail(t, must.Err(paper.NewPlan(put(plan.Second)[0], plan.Request{Scale: "tiny", Without: []string{"secnd"}})), "second",
		"an unknown task")
	folder := papertest.Photographs(t)
	p = papertest.Plan(t, put(plan.Second), "vlpx/put", plan.Request{Seeds: []uint64{1}, Data: folder})
	if table := papertest.Table(t, papertest.Report(t, p, run.OpenStore(t.TempDir()))); !strings.Contains(table.Note, "-data2") {
		t.Errorf("photographs without second ones: %s", table.Note)
	}
	p = papertest.Plan(t, put(plan.Second), "vlpx/put", plan.Request{Seeds: []uint64{1}, Data: folder, Second: folder})
	if task := p.Jobs[0][0][1].Task.(eval.Elsewhere); task.Target.Dir != folder {
		t.Errorf("got the target %+v, want %s", task.Target, folder)
	}
}
