package ours

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// A question that several rows were asked is shown once, with the answers of each.
func TestQuestions(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/questions", plan.Request{Seeds: []uint64{1}})
	if table := papertest.Table(t, papertest.Report(t, p, store)); len(table.Rows) != 4 || table.Rows[0].Status == "" {
		t.Errorf("before anything has run: got %+v", table.Rows)
	}
	many := []string{"red", "red", "red", "red", "red", "Red.", "blue", "blue", "pink", "pink"}
	albef := []eval.AnsweredQuestion{
		{Image: 2, Text: "what color ?", Right: many,
			Answers: []eval.Answer{{Text: "pink", Probability: .6}, {Text: "red", Probability: .3}}},
		{Image: 3, Text: "how many ?", Right: []string{"2"}, Answers: []eval.Answer{{Text: "2", Probability: .5},
			{Text: "1", Probability: .4}, {Text: "3", Probability: .06}, {Text: "0", Probability: .04}}},
	}
	blip2 := []eval.AnsweredQuestion{
		{Image: 3, Text: "how many ?", Right: []string{"2"}, Answers: []eval.Answer{{Text: ""}}},
		{Image: 4, Text: "how many ?", Right: []string{"1"}, Answers: []eval.Answer{{Text: "1"}}},
	}
	goOn(t, store, p, 0, 0, "VQA", run.Result{Examples: eval.AnsweredQuestions.Examples(albef)})
	goOn(t, store, p, 2, 0, "generation", run.Result{Examples: eval.AnsweredQuestions.Examples(blip2)})
	r := papertest.Report(t, p, store)

	type shown struct {
		caption string
		mark    plots.Mark
	}
	for k, want := range []struct {
		name     string
		pictures []shown
	}{
		// two people said so: an accuracy of .6
		{"what color ? (red (6 of 10), blue (2 of 10))", []shown{{"ALBEF: pink 0.60, red 0.30", plots.Right}}},
		{"how many ? (2)", []shown{{"ALBEF: 2 0.50, 1 0.40, 3 0.06", plots.Right}, {"BLIP-2: (nothing)", plots.Wrong}}},
		{"how many ? (1)", []shown{{"BLIP-2: 1", plots.Right}}},
	} {
		row := pictures(t, r).Rows[k]
		var got []shown
		for _, picture := range row.Pictures {
			got = append(got, shown{picture.Caption, picture.Mark})
		}
		if row.Name != want.name || !slices.Equal(got, want.pictures) {
			t.Errorf("question %d: got %q, %v, want %q, %v", k+1, row.Name, got, want.name, want.pictures)
		}
	}
	table := papertest.Table(t, r)
	lines := slices.DeleteFunc(table.Rows, func(line tables.Row) bool { return line.Status != "" })
	if want := []string{"2", "ALBEF", "*2 0.50* · 1 0.40 · 3 0.06 · 0 0.04"}; len(lines) != 4 || !slices.Equal(texts(lines[1]), want) {
		t.Errorf("got lines %+v, want the second to be %q", lines, want)
	}
	if got, want := texts(lines[0])[2], "*pink 0.60* · *red 0.30*"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if strings.Contains(table.Note, "Not measured") { // VQA is by ALBEF's rows, generation by BLIP-2's
		t.Errorf("the note %q says of a task that no row has it", table.Note)
	}
}
