package paper_test

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// itemised are a row's items of 200 images with one caption each, of which the first so many captions find their image first.
func itemised(hits int) *eval.Items {
	items := &eval.Items{Captions: slices.Repeat(eval.Numbers{1}, 200), Queries: map[eval.Metric]eval.Numbers{eval.IRRank: nil}}
	for i := range 200 {
		rank := 7
		if i < hits {
			rank = 1
		}
		items.Queries[eval.IRRank] = append(items.Queries[eval.IRRank], rank)
	}
	return items
}

// itemisedReport is table 1 with items of ALBEF and GRIT-VLP; GRIT-VLP's hits are ALBEF's and ten more in every seed but the last.
func itemisedReport(t *testing.T, older bool) *paper.Report {
	t.Helper()
	store := run.OpenStore(t.TempDir())
	p := papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Methods: []string{"ALBEF", "GRIT-VLP", "InfoNCE"}})
	for row, hits := range map[string][]int{"ALBEF": {40, 50, 60}, "GRIT-VLP": {50, 60, 71}} {
		i := slices.IndexFunc(p.Artifact.Rows, func(r plan.Row) bool { return r.Name == row })
		for k, r := range p.Rows[i] {
			result := run.Result{
				ID: r.ID(), Seed: r.Train.Seed, Finished: papertest.Noon, Engine: "go", Commit: "c0ffee",
				Examples: eval.QueryItems.Examples(itemised(hits[k])),
				Metrics:  map[string]float64{"IR@1": float64(hits[k]) / 2, "IR@5": float64(hits[k]) / 2, "TR@1": 1},
			}
			if older && row == "ALBEF" && k == 1 {
				result.Examples = nil
			}
			papertest.Put(t, store, r, result)
		}
	}
	return papertest.Report(t, p, store)
}

func TestIntervalsOverTestImages(t *testing.T) {
	r := itemisedReport(t, false)
	s := papertest.Row(r, "ALBEF").Metrics["IR@1"]
	// Over images the mean over seeds is of 40 that count for three seeds, 10 for two and 10 for one.
	mean := (40.*3 + 10*2 + 10) / 3 / 200
	variance := (40*1+10*4./9+10*1./9)/200 - mean*mean
	half := 100 * 1.96 * math.Sqrt(variance/200)
	if s.Interval == nil || math.Abs(s.Interval[0]-(25-half)) > .5 || math.Abs(s.Interval[1]-(25+half)) > .5 {
		t.Fatalf("got %v, want about 25 ± %v", s.Interval, half)
	}
	if s := papertest.Row(r, "ALBEF").Metrics["TR@1"]; s.Interval != nil || s.Mean == nil {
		t.Errorf("got %v of a column that has no items, want none", s.Interval)
	}
	// GRIT-VLP has 10, 10 and 11 more. Pairing takes away the 40 that both have: about 10 hits of 200, 5.2 ± 100 x 1.96 sqrt(.05 x .95 /
	// 200) where unpaired it were ± 8.
	f := papertest.Finding(r, "GRIT-VLP above ALBEF in Image Retrieval R@1")
	if f.Interval == nil || f.Interval[0] < 2 || f.Interval[1] > 9 || f.Interval[0] > 5.1 || f.Interval[1] < 5.2 {
		t.Errorf("got %v of the difference, want about 5.2 ± 3", f.Interval)
	}
	if f := papertest.Finding(r, "GRIT-VLP above ALBEF in Text Retrieval R@1"); f.Interval != nil || f.Difference == nil {
		t.Errorf("got %v of a claim whose column has no items, want none", f.Interval)
	}
	table := must.Get(r.Table())(t)
	if want := "Image Retrieval R@1 ±"; !strings.Contains(table.Note, want) || strings.Contains(table.Note, "older") {
		t.Errorf("got the note %q, want %q in it and nothing of older results", table.Note, want)
	}
	var file bytes.Buffer
	must.Do(t, table.CSV(&file))
	lines := must.Get(csv.NewReader(&file).ReadAll())(t)
	column := func(name string) int { return slices.Index(lines[0], name) }
	with := 0
	for _, line := range lines[1:] {
		if line[column("low")] != "" {
			with++
			if line[column("source")] != paper.FromYou || line[column("high")] <= line[column("low")] {
				t.Errorf("got %v", line)
			}
		}
	}
	if with != 2*2 {
		t.Errorf("got %d lines with an interval, want those of IR@1 and IR@5 of two rows", with)
	}
	if text := textOf(t, r.ClaimsTable()); !strings.Contains(text, " to +") {
		t.Errorf("no interval in the claims:\n%s", text)
	}
}

// A result without items takes the interval from its row and from the claims of it, which the note tells.
func TestIntervalsOfOlderResults(t *testing.T) {
	r := itemisedReport(t, true)
	if s := papertest.Row(r, "ALBEF").Metrics["IR@1"]; s.Interval != nil || s.N != 3 {
		t.Errorf("got %v of %d seeds, of which one has no items; want none of 3", s.Interval, s.N)
	}
	if s := papertest.Row(r, "GRIT-VLP").Metrics["IR@1"]; s.Interval == nil {
		t.Error("the other row has lost its interval")
	}
	if f := papertest.Finding(r, "GRIT-VLP above ALBEF in Image Retrieval R@1"); f.Interval != nil || f.Difference == nil {
		t.Errorf("got %v, want a difference without an interval", f.Interval)
	}
	table, err := r.Table()
	if err != nil || !strings.Contains(table.Note, "no such interval: 1.") {
		t.Errorf("got the note %q (%v), want one result without items told", table.Note, err)
	}
}

// One seed is told to be one.
func TestNoteOfASingleSeed(t *testing.T) {
	r := papertest.Report(t, papertest.Plan(t, catalogue.List(), "falcon/table1", plan.Request{Seeds: []uint64{7}}),
		run.OpenStore(t.TempDir()))
	if text := textOf(t, r.ClaimsTable()); !strings.Contains(text, "Nothing is tested yet") || strings.Contains(text, "Holm") ||
		strings.Count(text, "not yet") != len(r.Claims) {
		t.Errorf("got the claims\n%swant each not yet tested, and nothing more", text)
	}
	if want := "seed 7 alone, so that neither a spread over seeds is known nor a claim is tested."; !strings.Contains(r.Note(), want) {
		t.Errorf("got the note %q, want %q in it", r.Note(), want)
	}
}

// textOf is a table as a terminal of 120 characters shows it; no line may be longer.
func textOf(t *testing.T, table tables.Table) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, table.Text(&b, tables.Terminal{Width: 120}))
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 120 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	return b.String()
}
