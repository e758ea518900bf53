package scenegraph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// corpus are the graphs of captions of our own.
func corpus(captions ...string) []Graph {
	var graphs []Graph
	for _, c := range captions {
		graphs = append(graphs, Parse(c))
	}
	return graphs
}

func learned(graphs []Graph) (v Vocabulary) {
	for _, g := range graphs {
		v.Learn(g)
	}
	return v
}

// all lists what a caption can become.
func all(v Vocabulary, g Graph, own []Graph) map[EditKind][]string {
	of := map[EditKind][]string{}
	for seed := range uint64(400) {
		for _, e := range v.Edits(g, own, 3, rand.New(rand.NewPCG(seed, 0))) {
			if !slices.Contains(of[e.Kind], e.Sentence) {
				of[e.Kind] = append(of[e.Kind], e.Sentence)
			}
		}
	}
	for _, sentences := range of {
		slices.Sort(sentences)
	}
	return of
}

func TestEdits(t *testing.T) {
	v := learned(corpus("a ball under an umbrella", "an egg in a basket", "two lamps on a table", "a thing behind a puppy",
		"dogs sleeping in a box", "cats running from the rain"))
	for _, c := range []struct {
		caption string
		own     []string // the image's other captions
		want    map[EditKind][]string
	}{
		{"a dog on a mat", []string{"a hound near a table"}, map[EditKind][]string{
			// A puppy may be a dog, an own caption has a table, and a thing is anything.
			EditNoun: {"a ball on a mat", "a basket on a mat", "a box on a mat", "a dog on a ball", "a dog on a basket", "a dog on a box",
				"a dog on a puppy",
				"a dog on a rain", "a dog on an egg", "a dog on an umbrella", "a rain on a mat", "an egg on a mat", "an umbrella on a mat"},
			// The dog may be in the mat that it is on, and behind the table that it is near.
			EditRelation: {"a dog under a mat", "a mat on a dog"},
		}},
		{"a dog sleeping on a mat", []string{"three dogs"}, map[EditKind][]string{
			EditRelation: {"a dog running from a mat", "a dog sleeping in a mat", "a mat sleeping on a dog"},
		}},
		{"two lamps", []string{"four lamps"}, map[EditKind][]string{
			EditNumeral: {"eight lamps", "five lamps", "nine lamps", "seven lamps", "six lamps", "ten lamps", "three lamps"},
			EditNoun:    {"two cats", "two dogs"},
		}},
		{"the small red ball next to the large blue ball", nil, map[EditKind][]string{EditRelation: {
			"the small red ball behind the large blue ball", "the small red ball in the large blue ball",
			"the small red ball on the large blue ball",
			"the small red ball under the large blue ball"}}},
		{"the small red ball above the large blue ball", nil, map[EditKind][]string{EditRelation: {
			"the large blue ball above the small red ball", "the small red ball behind the large blue ball",
			"the small red ball in the large blue ball",
			"the small red ball under the large blue ball"}}},
		{"", nil, nil},
		{"ball", nil, nil},
		{"running fast", nil, nil},
	} {
		got := all(v, Parse(c.caption), corpus(c.own...))
		for kind, want := range c.want {
			if !slices.Equal(got[kind], want) {
				t.Errorf("%q: edits of a %v:\ngot  %q\nwant %q", c.caption, kind, got[kind], want)
			}
		}
		if c.want == nil && len(got) > 0 {
			t.Errorf("%q: got %q, want no edits", c.caption, got)
		}
	}
}

// Edits are as many as asked for at most, distinct, none of the image's captions, the same of the same draws, and a noun's changes one word
// besides an article.
func TestEditsProperties(t *testing.T) {
	var captions []string
	for _, c := range spoken {
		captions = append(captions, c.caption)
	}
	v := learned(corpus(captions...))
	rapid.Check(t, func(t *rapid.T) {
		g := Parse(rapid.SampledFrom(captions).Draw(t, "caption"))
		own := corpus(rapid.SampledFrom(captions).Draw(t, "own"))
		n, seed := rapid.IntRange(0, 6).Draw(t, "n"), rapid.Uint64().Draw(t, "seed")
		edits := v.Edits(g, own, n, rand.New(rand.NewPCG(seed, 1)))
		if again := v.Edits(g, own, n, rand.New(rand.NewPCG(seed, 1))); !slices.Equal(edits, again) {
			t.Fatalf("%q once, %q again", edits, again)
		}
		if len(edits) > n {
			t.Fatalf("%d edits, want at most %d", len(edits), n)
		}
		seen := map[string]bool{strings.Join(g.Words, " "): true, strings.Join(own[0].Words, " "): true}
		for _, e := range edits {
			if seen[e.Sentence] {
				t.Fatalf("%q: %q is a caption or comes twice", g.Words, e.Sentence)
			}
			seen[e.Sentence] = true
			words := strings.Fields(e.Sentence)
			if e.Kind == EditRelation {
				continue
			}
			changed := 0
			for i, word := range words {
				if word != g.Words[i] && word != "a" && word != "an" {
					changed++
				}
			}
			if len(words) != len(g.Words) || changed != 1 {
				t.Fatalf("%q: %v %q changes %d words, want one", g.Words, e.Kind, e.Sentence, changed)
			}
		}
	})
}
