package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
)

// A grid makes its runs and then asks them; what is answered is asked no more, and a report of the store alone has it.
func TestGridAsks(t *testing.T) {
	o := smallest(t.TempDir())
	o.Methods = []string{"TAGS1 by UNITER", "TAGS2 by UNITER"}
	open := func() *Grid {
		grid := must.Get(Open("tags/table4", o))(t)
		return grid
	}
	outlook := func(g *Grid) string {
		lines := must.Get(g.Outlook())(t)
		return strings.Join(lines, "; ")
	}
	grid := open()
	if got := outlook(grid); !strings.Contains(got, "4 of 4 runs to make and 2 questions to ask of finished ones") ||
		!strings.Contains(got, "in all") {
		t.Errorf("got the outlook %q", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var told []string
	err := grid.Make(ctx, func(p Progress) {
		if p.Asking {
			told = append(told, p.String())
			cancel()
		}
	})
	var kept Stopped
	if !errors.As(err, &kept) || kept != "stopped: 4 of 4 runs are kept, and what was answered" || !errors.Is(err, context.Canceled) {
		t.Fatalf("stopped at the first question: got %v", err)
	}
	if got := outlook(open()); !strings.Contains(got, "0 of 4 runs to make and 2 questions") || strings.Contains(got, "in all") {
		t.Errorf("with all runs made: got the outlook %q", got)
	}
	report := made(t, open())
	if len(told) != 1 || told[0] != "question 1 of 2, to UNITER, seed 1" {
		t.Errorf("told %q, want the first question", told)
	}
	for _, row := range []string{"TAGS1 by UNITER", "TAGS2 by UNITER"} {
		got := papertest.Row(report.Report, row)
		if accuracy := got.Metrics[string(eval.DiscriminationAccuracy)].Mean; got.Status != "ready" || accuracy == nil || *accuracy < 0 ||
			*accuracy > 100 {
			t.Errorf("%s: got %+v, want an accuracy", row, got)
		}
	}
	again := open()
	if open, err := again.left(); err != nil || len(open) > 0 || outlook(again) != "" {
		t.Errorf("got %d questions (%v) and the outlook %q, want nothing left to ask", len(open), err, outlook(again))
	}
	files, err := filepath.Glob(filepath.Join(again.Store.Dir(again.Plan.Jobs[1][0][1].Run), "task-*.json"))
	if err != nil || len(files) != 2 {
		t.Fatalf("got answers %q (%v), want two", files, err)
	}
	must.Do(t, os.WriteFile(files[0], []byte("{"), 0o644))
	if damaged := again.Damaged(); len(damaged) != 1 || !strings.Contains(damaged[0].Error(), files[0]) {
		t.Errorf("got %v of a damaged answer, want an error that names it", damaged)
	}
	if err := again.Make(t.Context(), nil); err != nil {
		t.Errorf("a damaged answer is no end of a comparison: %v", err)
	}
	around, err := again.Report()
	if err != nil || !strings.Contains(texts(t, around.table), files[0]) {
		t.Errorf("got the error %v, or a table that does not name the damaged answer", err)
	}
}
