package scenegraph

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// check holds what every graph must have: indices within its lists, ascending positions within its words, and names.
func check(t interface{ Fatalf(string, ...any) }, of string, g Graph) {
	names := func(name string, at []int) {
		if name == "" {
			t.Fatalf("%q: %+v has an empty name", of, g)
		}
		if !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) != len(at) {
			t.Fatalf("%q: %q has the positions %v, want ascending ones", of, name, at)
		}
		for _, i := range at {
			if i < 0 || i >= len(g.Words) {
				t.Fatalf("%q: %q has the position %d of %d words", of, name, i, len(g.Words))
			}
		}
	}
	object := func(o int) {
		if o < 0 || o >= len(g.Objects) {
			t.Fatalf("%q: object %d of %d", of, o, len(g.Objects))
		}
	}
	for _, o := range g.Objects {
		names(o.Name, o.At)
	}
	for _, a := range g.Attributes {
		object(a.Object)
		names(a.Name, a.At)
	}
	for _, r := range g.Relations {
		object(r.Subject)
		object(r.Object)
		names(r.Name, r.At)
	}
}

func FuzzParse(f *testing.F) {
	for _, caption := range spoken {
		f.Add(caption.caption)
	}
	f.Add("on top of of the on . , and - ' 's it")
	f.Fuzz(func(t *testing.T, caption string) { check(t, caption, Parse(caption)) })
}

// Whatever the words of the lexicon are put together to, the graph is one.
func TestParseAnything(t *testing.T) {
	words := append([]string{"a", "the", "two", "of", "on", "is", "are", "and", ",", "-", "'", "s", "that", "who", "it", "his", "one",
		"each", "other",
		"there", "to", "with", "in", "front", "top", "side", "next", "not", ".", "man", "men", "dogs", "tennis", "racket", "light",
		"blue", "covered",
		"surrounded", "by", "wearing", "shirt", "group", "bowl", "plate", "full", "color", "colored",
		"distance"}, "standing", "holds", "stands", "has", "been")
	rapid.Check(t, func(t *rapid.T) {
		caption := ""
		for _, word := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "words") {
			caption += " " + word
		}
		check(t, caption, Parse(caption))
	})
}
