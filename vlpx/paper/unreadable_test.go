package paper_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/papers/catalogue"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// A report of runs on images that could not be read says how many and which, in the note of its table, whichever the artifact, and
// in its JSON; of good images it says nothing.
func TestReportOfUnreadableImages(t *testing.T) {
	for _, id := range []string{"falcon/table1", "falcon/figure2", "vlpx/quantile"} {
		store := run.OpenStore(t.TempDir())
		p := papertest.Plan(t, catalogue.List(), id, plan.Request{})
		noted := func() (note, text string) {
			r := papertest.Report(t, p, store)
			table := must.Get(r.Table())(t)
			written := must.Get(json.Marshal(r))(t)
			return table.Note, string(written)
		}
		if note, text := noted(); strings.Contains(note, "could not be read") || strings.Contains(text, "unreadable") {
			t.Errorf("%s: nothing is broken, and it says %q, %s", id, note, text)
		}
		seeds := p.Runs()
		for k, names := range [][]string{{"b.jpg", "a.jpg"}, {"a.jpg", "c.jpg"}} {
			papertest.Put(t, store, seeds[k], run.Result{
				ID: seeds[k].ID(), Seed: seeds[k].Train.Seed, Metrics: map[string]float64{},
				Skipped:    []string{"image 3 (\"x.jpg\"): damaged"},
				Unreadable: map[string][]string{"test": names, "val": {"v.jpg"}},
			})
		}
		note, text := noted()
		for _, want := range []string{
			"of the test split that could not be read and count as the mean colour: 3 (b.jpg, a.jpg, c.jpg).",
			"of the validation split that could not be read and count as the mean colour: 1 (v.jpg).",
			"Training images that could not be read, for which others stood in the mini-batches: 1; one: image 3 (\"x.jpg\"): damaged.",
		} {
			if !strings.Contains(note, want) {
				t.Errorf("%s: no %q in %q", id, want, note)
			}
		}
		if want := `"evaluation":{"test":["b.jpg","a.jpg","c.jpg"],"val":["v.jpg"]}`; !strings.Contains(text, want) {
			t.Errorf("%s: no %s in %s", id, want, text)
		}
	}
}
