package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// unpadded is a number without zeros before it.
func unpadded(number string) string { return cmp.Or(strings.TrimLeft(number, "0"), "0") }

// Whatever follows -seeds, it is refused by an error that shows it, or between commas it has each seed, or each of a range, which written
// again are the same.
func FuzzSeeds(f *testing.F) {
	for _, text := range []string{"1,2,3", " 7 , 8", "", ",", "1,", "-1", "+1", "0x10", "1e3", "18446744073709551615",
		"18446744073709551616",
		"1 2", "1_000", "\u0661", "1-8", "3, 5-6", "8-1", "1-", "1-2-3", "1 - 2", "0-18446744073709551615", "18446744073709551614-18446744073709551615"} {
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
		left := seeds
		for word := range strings.SplitSeq(text, ",") {
			first, last, ranged := strings.Cut(strings.TrimSpace(word), "-")
			if !ranged {
				last = first
			}
			n := 1 + slices.IndexFunc(left, func(seed uint64) bool { return fmt.Sprint(seed) == unpadded(last) })
			if n == 0 || fmt.Sprint(left[0]) != unpadded(first) || left[n-1]-left[0] != uint64(n-1) {
				t.Fatalf("%q: got %v, of which %v for %q", text, seeds, left, word)
			}
			left = left[n:]
		}
		if len(left) > 0 {
			t.Fatalf("%q: got %v, and nothing asks for %v", text, seeds, left)
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
