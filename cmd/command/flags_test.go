package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Whatever follows -seeds, it is refused by an error that shows it, or it is as many seeds as there are between commas, which written
// again are the same.
func FuzzSeeds(f *testing.F) {
	for _, text := range []string{"1,2,3", " 7 , 8", "", ",", "1,", "-1", "+1", "0x10", "1e3", "18446744073709551615",
		"18446744073709551616",
		"1 2", "1_000", "\u0661"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seeds, err := parseSeeds(text)
		if err != nil {
			if seeds != nil || !strings.Contains(err.Error(), "-seeds "+text) {
				t.Fatalf("%q: got %v and %q, want no seeds and an error that shows it", text, seeds, err)
			}
			return
		}
		if len(seeds) != 1+strings.Count(text, ",") {
			t.Fatalf("%q: got %v", text, seeds)
		}
		for k, word := range strings.Split(text, ",") {
			if written := strings.TrimLeft(strings.TrimSpace(word), "0"); written != strings.TrimLeft(fmt.Sprint(seeds[k]), "0") {
				t.Fatalf("%q: got %d for %q", text, seeds[k], word)
			}
		}
		again, err := parseSeeds(strings.ReplaceAll(strings.Trim(fmt.Sprint(seeds), "[]"), " ", ","))
		if err != nil || !slices.Equal(again, seeds) {
			t.Fatalf("%q: got %v and again %v (%v)", text, seeds, again, err)
		}
	})
}

// What there is to know of the settings is told beside the table, not in it.
func TestRemark(t *testing.T) {
	out, errs := succeed(t, t.TempDir(), shortest("show", "falcon/table1", "-methods", "GRIT-VLP", "-set", "schedule.epochs=1")...)
	if !strings.Contains(errs, "is at its least after 1 of 2 epochs") || strings.Contains(out, "at its least") {
		t.Errorf("got %q and the errors %q", out, errs)
	}
}
