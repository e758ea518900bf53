package run

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// keptWith is a run of one's own, finished at an hour (0 for not finished), that goes on from another one.
func keptWith(t *testing.T, id, code, init string, seed, hour int) Kept {
	t.Helper()
	k := Kept{Description: Description{ID: id, JSON: []byte(fmt.Sprintf(
		"{\n  \"Train\": {\"Seed\": %d, \"Init\": %q, \"Method\": {\"Contrast\": {\"main.Filter\": {\"Source\": \"file\"}%s}}}\n}", seed,
		init, code))}}
	if hour > 0 {
		k.Done, k.Result.Finished = true, time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC)
	}
	return k
}

// Runs that differ by code alone are orphans but for the latest, with those that go on from them.
func TestOrphans(t *testing.T) {
	code := func(key, digit string) string { return fmt.Sprintf(", %q: %q", key, strings.Repeat(digit, 64)) }
	id := func(k int) string { return fmt.Sprintf("%016x", k) }
	all := []Kept{
		keptWith(t, id(1), code("Source", "a"), "", 1, 1),
		keptWith(t, id(2), code("Source", "b"), "", 1, 3), // the latest
		keptWith(t, id(3), code("Source", "c"), "", 1, 2),
		keptWith(t, id(4), code("Source", "a"), "", 2, 1), // of another seed
		keptWith(t, id(5), "", "", 1, 9),                  // of this module
		keptWith(t, id(6), code("Source", "a"), id(1), 1, 1),
		keptWith(t, id(7), code("Source", "b"), id(2), 1, 0), // at work: it takes nobody's place before it is finished
		keptWith(t, id(8), code("Executable", "d"), id(9), 1, 1),
	}
	got := Orphans(all)
	for k, want := range map[int]string{1: id(2) + " is of the same settings and later code", 3: id(2)} {
		if !strings.Contains(got[id(k)], want) {
			t.Errorf("run %d: got %q, want %q", k, got[id(k)], want)
		}
	}
	if len(got) != 2 {
		t.Errorf("got %q, want two orphans", got)
	}
	other := keptWith(t, id(11), code("Source", "a"), "", 2, 2)
	other.JSON = []byte(strings.Replace(string(other.JSON), `"file"`, `"folder"`, 1))
	if got := Orphans(append(all, other)); got[id(4)] != "" {
		t.Errorf("a setting called Source counts as code: %q", got)
	}
}
