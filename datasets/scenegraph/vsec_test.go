package scenegraph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// twoCats is "two cats sit on a mat" with what it says.
func twoCats() Graph {
	return Graph{
		Words:   strings.Fields("two cats sit on a mat"),
		Objects: []Object{{"cat", []int{1}}, {"mat", []int{5}}}, Attributes: []Attribute{{0, "2", []int{0}}},
		Relations: []Relation{{0, 1, "sit on", []int{2, 3}}},
	}
}

// Every edit changes one thing, by a word of the lexicon that the image's sentences do not say.
func TestEdit(t *testing.T) {
	var l Lexicon
	l.Learn(twoCats())
	l.Learn(Graph{Words: strings.Fields("a dog under a blue tree"), Objects: []Object{{"dog", []int{1}}, {"tree", []int{5}}},
		Relations: []Relation{{0, 1, "under", []int{2}}}})
	if want := []string{"cats", "mat", "dog", "tree"}; !slices.Equal(l.Objects, want) {
		t.Fatalf("objects: got %q, want %q", l.Objects, want)
	}
	possible := []string{
		"two dog sit on a mat", "two tree sit on a mat", "two cats sit on a dog", "two cats sit on a tree", // nouns
		"two cats under a mat", "two mat sit on a cats", // relations
	}
	for _, n := range numerals {
		if n != "two" {
			possible = append(possible, n+" cats sit on a mat")
		}
	}
	met := map[string]bool{}
	for seed := range uint64(2000) {
		got := Edit(twoCats(), []Graph{twoCats()}, l, rand.New(rand.NewPCG(seed, 1)))
		if !slices.Contains(possible, got) {
			t.Fatalf("seed %d: got %q, want one of %q", seed, got, possible)
		}
		met[got] = true
	}
	if len(met) != len(possible) {
		t.Errorf("%d of %d edits came up: %v", len(met), len(possible), met)
	}
}

// What says nothing that could be exchanged is left alone, and so is everything where the lexicon knows nothing else.
func TestEditOfNothing(t *testing.T) {
	for _, g := range []Graph{{}, {Words: []string{"hello"}}, {Words: []string{"a", "cat"}, Objects: []Object{{"cat", []int{1}}}}} {
		var l Lexicon
		l.Learn(g)
		if got := Edit(g, []Graph{g}, l, rand.New(rand.NewPCG(1, 1))); got != "" {
			t.Errorf("%q: got %q", g.Words, got)
		}
	}
}
