package paper_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// comparedPlan is what a comparison of rows, as they are named, comes to at scale tiny.
func comparedPlan(t *testing.T, q plan.Request, names ...string) *paper.Planned {
	t.Helper()
	var rows []plan.Row
	for _, name := range names {
		row := must.Get(plan.Variant(name, q.Own))(t)
		rows = append(rows, row)
	}
	a := must.Get(paper.Compared(rows))(t)
	q.Scale = "tiny"
	p := must.Get(paper.NewPlan(a, q))(t)
	return p
}

// A line a row, seed and metric, with the settings of all rows as columns, each with its value in every row.
func TestSeedsCSV(t *testing.T) {
	p := comparedPlan(t, plan.Request{Seeds: []uint64{1, 5}, Set: []string{"Epochs=2"}}, "GRIT-VLP", "GRIT-VLP, SearchSpace=16",
		"InfoNCE, temperature=.2, epochs=1")
	store := run.OpenStore(t.TempDir())
	papertest.Finish(t, store, p, "GRIT-VLP", map[string][]float64{"TR@1": {10, 20.125}, "odd": {1, 2}})
	papertest.Finish(t, store, p, "InfoNCE, temperature=.2, epochs=1", map[string][]float64{"IR@1": {30}})
	r := papertest.Report(t, p, store)
	var b bytes.Buffer
	must.Do(t, r.SeedsCSV(&b))
	lines := must.Get(csv.NewReader(&b).ReadAll())(t)
	if want := "artifact row epochs searchspace temperature seed metric value scale data data hash unreadable images engine commit run source"; strings.Join(lines[0], " ") != want {
		t.Fatalf("got the heading %q, want %q", lines[0], want)
	}
	var got []string
	for _, line := range lines[1:] {
		got = append(got, strings.Join(line[:8], "|"))
	}
	want := []string{
		"vlpx/compare|GRIT-VLP|2|40|0.07|1|TR@1|10", "vlpx/compare|GRIT-VLP|2|40|0.07|1|odd|1",
		"vlpx/compare|GRIT-VLP|2|40|0.07|5|TR@1|20.125",
		"vlpx/compare|GRIT-VLP|2|40|0.07|5|odd|2", "vlpx/compare|InfoNCE, temperature=.2, epochs=1|1|40|0.2|1|IR@1|30",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if tail := lines[1][8:]; !slices.Equal(tail, []string{"tiny", "scenes", p.Data.Hash, "0", "go", "c0ffee", p.Rows[0][0].ID(),
		"this store"}) {
		t.Errorf("got %q at the end of a line", tail)
	}

	text := must.Get(json.Marshal(r))(t)
	var told struct {
		Rows []struct {
			Set   []string
			Seeds []struct {
				Seed    uint64
				Run     string
				Metrics map[string]float64
			}
		}
	}
	must.Do(t, json.Unmarshal(text, &told))
	if s := told.Rows[0].Seeds; len(s) != 2 || s[1].Seed != 5 || s[1].Metrics["TR@1"] != 20.125 || s[1].Run != p.Rows[0][1].ID() {
		t.Errorf("the JSON has %+v of the seeds of GRIT-VLP", s)
	}
	if got := told.Rows[1].Set; !slices.Equal(got, []string{"searchspace=16"}) || len(told.Rows[1].Seeds) != 0 {
		t.Errorf("the JSON has the settings %v and %d seeds of a row that is not run", got, len(told.Rows[1].Seeds))
	}
}
