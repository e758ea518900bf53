package place

import (
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestExpand(t *testing.T) {
	for pattern, want := range map[string]string{
		"a.tar":          "a.tar",
		"{08..11}":       "08 09 10 11",
		"{8..11}":        "8 9 10 11",
		"x{a,b}y{0..1}z": "xay0z xay1z xby0z xby1z",
		"{,s}":           " s",
	} {
		if got := strings.Join(must.Get(Expand(pattern))(t), " "); got != want {
			t.Errorf("%s: got %q, want %q", pattern, got, want)
		}
	}
}

// Any pattern is refused or stands for a bounded number of names, each of which is its own pattern.
func FuzzExpand(f *testing.F) {
	for _, pattern := range []string{"a{00..12}.tar", "{a,b}{0..1}", "{", "}", "{{}}", "{0..4294967295}"} {
		f.Add(pattern)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		names, err := Expand(pattern)
		if err != nil {
			return
		}
		if len(names) == 0 || len(names) > mostNames {
			t.Fatalf("%d names", len(names))
		}
		if again, err := Expand(names[0]); err != nil || len(again) != 1 || again[0] != names[0] {
			t.Errorf("%q: got %q, %v", names[0], again, err)
		}
	})
}
