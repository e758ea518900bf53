package ours

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// goOn writes the result of the run that a downstream task goes on with from a row's seed, beside the row's own.
func goOn(t *testing.T, store *run.Store, p *paper.Planned, row, seed int, task string, result run.Result) {
	t.Helper()
	own := p.Rows[row][seed]
	papertest.Put(t, store, own, run.Result{ID: own.ID(), Seed: own.Train.Seed, Finished: papertest.Noon})
	at := slices.IndexFunc(p.Jobs[row][seed], func(j plan.Job) bool { return j.Downstream == task })
	if at < 0 {
		t.Fatalf("row %d is not put to %s", row, task)
	}
	r := p.Jobs[row][seed][at].Run
	result.ID, result.Seed, result.Finished = r.ID(), r.Train.Seed, papertest.Noon
	papertest.Put(t, store, r, result)
}

// pictures is the figure of a report that has pictures.
func pictures(t *testing.T, r *paper.Report) plots.Pictures {
	t.Helper()
	drawing := must.Get(r.Figure())(t)
	of, is := drawing.(plots.Pictures)
	if !is {
		t.Fatalf("got a drawing of type %T, want pictures", drawing)
	}
	return of
}

// texts are the texts of a row's cells.
func texts(row tables.Row) []string {
	var all []string
	for _, cell := range row.Cells {
		all = append(all, cell[0].Text)
	}
	return all
}

// Of more captions than have room some are shown, evenly, of the first seed, with what is known of each.
func TestCaptions(t *testing.T) {
	store, p := run.OpenStore(t.TempDir()), papertest.Plan(t, Artifacts(), "vlpx/captions", plan.Request{Seeds: []uint64{3, 4}})
	if d, err := papertest.Report(t, p, store).Figure(); d != nil || err != nil {
		t.Errorf("nothing to draw: got %v, %v", d, err)
	}
	captioned := make([]eval.WrittenCaption, 14)
	for k := range captioned {
		captioned[k] = eval.WrittenCaption{Image: k, Caption: strings.Repeat("a", k), Own: "own", Known: k%3 != 2, True: k%3 == 0,
			Cut: k == 7}
	}
	goOn(t, store, p, 1, 0, "generation", run.Result{Examples: eval.WrittenCaptions.Examples(captioned)})
	goOn(t, store, p, 1, 0, "captioning", run.Result{Examples: eval.WrittenCaptions.Examples(captioned[4:5])})
	// another seed's, but that row's first
	goOn(t, store, p, 0, 1, "generation", run.Result{Examples: eval.WrittenCaptions.Examples(captioned[:1])})
	r := papertest.Report(t, p, store)

	shown := []int{0, 2, 4, 7, 9, 11}
	rows := pictures(t, r).Rows
	if len(rows) != 3 || rows[0].Name != "BLIP-2, second stage" || rows[1].Name != "BLIP-2 + MAFA, second stage" ||
		rows[2].Name != "BLIP-2 + MAFA, fine-tuned" {
		t.Fatalf("got rows %+v", rows)
	}
	set := must.Get(p.Data.TestSet())(t)
	for k, picture := range rows[1].Pictures {
		c := captioned[shown[k]]
		want := map[int]plots.Mark{0: plots.Right, 1: plots.Wrong, 2: plots.Unmarked}[shown[k]%3]
		if shown[k] > 0 && picture.Caption != c.Caption || shown[k] == 0 && picture.Caption != nothing || picture.Mark != want {
			t.Errorf("picture %d: got %q, %v, want caption %d, %v", k+1, picture.Caption, picture.Mark, shown[k], want)
		}
		image := must.Get(set.Image(t.Context(), c.Image))(t)
		if got, want := picture.Image.At(3, 3), image.At(3, 3); got != want {
			t.Errorf("picture %d is not image %d", k+1, c.Image)
		}
	}
	if len(rows[1].Pictures) != len(shown) {
		t.Errorf("got %d pictures, want %d", len(rows[1].Pictures), len(shown))
	}
	table := papertest.Table(t, r)
	var lines [][]string
	for _, line := range table.Rows {
		if line.Name == "BLIP-2 + MAFA" && line.Status == "" {
			lines = append(lines, texts(line))
		}
	}
	want := []string{"second stage", "own", strings.Repeat("a", 7) + " (cut)", "no"}
	if len(lines) != 7 || !slices.Equal(lines[3], want) || lines[0][3] != "yes" || lines[1][3] != "" || lines[6][0] != "fine-tuned" {
		t.Errorf("got lines %q, want the fourth to be %q", lines, want)
	}
}
