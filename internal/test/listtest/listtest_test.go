package listtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDifference(t *testing.T) {
	for _, c := range []struct{ got, want, missing, extra, moved string }{
		{"", "", "", "", ""},
		{"a b c", "a b c", "", "", ""},
		{"a c", "a b c", "b", "", ""},
		{"a b x c", "a b c", "", "x", ""},
		{"a b b", "a b", "", "b", ""},
		{"a", "a b b", "b b", "", ""},
		{"d a b c", "a b c d", "", "", "d (is 1, want 4)"},
		{"b a x", "a b c", "c", "x", "a (is 2, want 1)"},
		{"", "a b", "a b", "", ""},
	} {
		missing, extra, moved := Difference(strings.Fields(c.got), strings.Fields(c.want))
		if strings.Join(missing, " ") != c.missing || strings.Join(extra, " ") != c.extra || strings.Join(moved, " ") != c.moved {
			t.Errorf("%q for %q: got missing %q, extra %q, moved %q", c.got, c.want, missing, extra, moved)
		}
	}
}

// failed is a test that keeps what it is told.
type failed struct {
	testing.TB
	told string
}

func (f *failed) Helper() {}

func (f *failed) Errorf(format string, args ...any) { f.told = fmt.Sprintf(format, args...) }

// Lists are told of if and only if they differ; no difference is empty then.
func TestEqual(t *testing.T) {
	var lists [][]string
	for _, word := range strings.Split(",a,b,ab,ba,aab,aba,baa,abc,cab,bca", ",") {
		lists = append(lists, strings.Split(word, ""))
	}
	for _, got := range lists {
		for _, want := range lists {
			f := &failed{}
			Equal(f, "letters", got, want)
			if same := slices.Equal(got, want); same != (f.told == "") || f.told == "letters: missing [], extra [], moved []" {
				t.Errorf("%q for %q: told %q", got, want, f.told)
			}
		}
	}
}
