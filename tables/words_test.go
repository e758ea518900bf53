package tables_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/tables"
)

// marked is a sentence with what changed in asterisks.
func marked(sentence, with string) string {
	return tables.Words(tables.Compared(sentence, with)...).Text
}

func TestCompared(t *testing.T) {
	const caption = "a red disc left of a blue ring"
	for sentence, want := range map[string]string{
		caption:                               caption,
		"a blue disc left of a red ring":      "a *blue* disc left of a *red* ring",
		"red disc left of a blue ring a":      "*red* *disc* *left* *of* *a* *blue* *ring* *a*", // as many words, all in another place
		"a disc left of a blue ring":          "a *∅* disc left of a blue ring",
		"a red disc left of":                  "a red disc left of *∅*",
		"a red disc right a blue ring":        "a red disc *right* a blue ring",
		"a red sun rise left of a blue ring":  "a red *sun* *rise* left of a blue ring",
		"":                                    "*∅*",
		"a big red disc left of a green ring": "a *big* red disc left of a *green* ring",
	} {
		if got := marked(sentence, caption); got != want {
			t.Errorf("%q: got %q, want %q", sentence, got, want)
		}
	}
}

// Of sentences of different lengths the words that are not marked stand in the other one, in their order, and no more could.
func TestComparedIsTheLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 6)
		one, other := words.Draw(t, "one"), words.Draw(t, "other")
		if len(one) == len(other) {
			return
		}
		var kept, all []string
		for _, w := range tables.Compared(strings.Join(one, " "), strings.Join(other, " ")) {
			if !w.Changed {
				kept = append(kept, w.Text)
			}
			if w.Text != "∅" {
				all = append(all, w.Text)
			}
		}
		if !slices.Equal(all, one) {
			t.Fatalf("got %v of %v", all, one)
		}
		if !within(kept, other) {
			t.Fatalf("%v of %v does not stand in %v", kept, one, other)
		}
		for set := range 1 << len(one) {
			var some []string
			for k, word := range one {
				if set>>k&1 == 1 {
					some = append(some, word)
				}
			}
			if len(some) > len(kept) && within(some, other) {
				t.Fatalf("%v of %v, though %v stands in %v", kept, one, some, other)
			}
		}
	})
}

// within tells whether words stand in others in their order.
func within(words, others []string) bool {
	for _, other := range others {
		if len(words) > 0 && words[0] == other {
			words = words[1:]
		}
	}
	return len(words) == 0
}

func TestShaded(t *testing.T) {
	words := tables.Compared("a ring", "a disc")
	want := []tables.Word{{Text: "a", Shade: 0.25}, {Text: "ring", Changed: true, Shade: 1}}
	if got := tables.Shaded(words, []float64{0.25, 1}); !reflect.DeepEqual(got, want) || words[1].Shade != 0 {
		t.Errorf("got %v of %v, want %v", got, words, want)
	}
	if got := tables.Shaded(words, []float64{1}); !reflect.DeepEqual(got, words) {
		t.Errorf("one colour for two words: got %v", got)
	}
}
