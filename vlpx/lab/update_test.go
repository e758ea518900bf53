package lab

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// An older result lacks a metric: its column shows a dash, and Update fills it without training. A run without weights is told of, one that
// is not finished is passed over.
func TestUpdateOfAColumn(t *testing.T) {
	o := smallest(t.TempDir())
	o.Seeds, o.Tasks = []uint64{1, 2}, []eval.Task{steps{Height: 0.5}}
	grid, err := OpenComparison([]string{"InfoNCE"}, o)
	if err != nil {
		t.Fatal(err)
	}
	must.Fail(t, must.Err(grid.Update(t.Context())), "no run of these settings is finished", "an empty store")
	made(t, grid)
	for k, r := range grid.Plan.Rows[0] {
		path := filepath.Join(grid.Store.Dir(r), "result.json")
		text := must.Get(os.ReadFile(path))(t)
		var older run.Result
		must.Do(t, json.Unmarshal(text, &older))
		older.Code = ""
		delete(older.Metrics, "height")
		text = must.Get(json.Marshal(older))(t)
		must.Do(t, os.WriteFile(path, text, 0o644))
		if k == 1 {
			must.Do(t, os.Remove(filepath.Join(grid.Store.Dir(r), train.CheckpointName)))
		}
	}
	report := must.Get(grid.Report())(t)
	if text := texts(t, report.table); !strings.Contains(text, "height") || strings.Contains(text, "2.00") {
		t.Errorf("got\n%s\nwant the height, without a value", text)
	}
	table := must.Get(grid.Update(t.Context()))(t)
	if text := texts(t, table); len(table.Rows) != 2 || !strings.Contains(text, "InfoNCE, seed 1") || !strings.Contains(text, "height") ||
		!strings.Contains(text, "InfoNCE, seed 2 (its weights are not kept)") {
		t.Errorf("got\n%s\nwant the height added to seed 1, and why not to seed 2", text)
	}
	report = must.Get(grid.Report())(t)
	if text := texts(t, report.table); !strings.Contains(text, "2.00") {
		t.Errorf("got\n%s\nwant a height of 2", text)
	}
	o.Seeds = []uint64{1, 3}
	grid = must.Get(OpenComparison([]string{"InfoNCE"}, o))(t)
	if table, err = grid.Update(t.Context()); err != nil || len(table.Rows) != 1 ||
		!strings.Contains(table.Note, "Not finished, and left alone: 1.") ||
		strings.Contains(texts(t, table), "height") {
		t.Errorf("a second time: got\n%s\n(%v), want nothing added to seed 1, and that another is left alone", texts(t, table), err)
	}
}
