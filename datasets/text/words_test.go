package text

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	for caption, want := range map[string][]string{
		"":                      nil,
		" \t\n":                 nil,
		"A man's T-shirt.":      {"a", "man", "'", "s", "t", "-", "shirt", "."},
		"two  dogs, one\ncafé":  {"two", "dogs", ",", "one", "cafe"},
		"a\x00b \x7fc":          {"ab", "c"},
		"wait... what":          {"wait", ".", ".", ".", "what"},
		"100% of <person>":      {"100", "%", "of", "<", "person", ">"},
		"“quoted” — and a dash": {"“", "quoted", "”", "—", "and", "a", "dash"},
	} {
		if got := Words(caption); !slices.Equal(got, want) {
			t.Errorf("Words(%q): got %q, want %q", caption, got, want)
		}
	}
}

// The short way of ASCII splits as the tokenizer's own rules do.
func TestWordsAreTheTokenizers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		caption := rapid.StringOfN(rapid.RuneFrom([]rune("aBc Z9-',.\t\n\r\f\x00\x7fé ß中“_~")), 0, 30, -1).Draw(t, "caption")
		want := slices.Collect(basicTokens(rules().pieces.Normalize(caption)))
		if got := Words(caption); !slices.Equal(got, want) {
			t.Fatalf("Words(%q): got %q, want %q", caption, got, want)
		}
	})
}
