package scenegraph

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Lexicon are the words that edits put into sentences: those of a corpus, in the order of their first mention.
type Lexicon struct {
	Objects   []string // as sentences say them: "tennis racket"
	Relations []string // "in front of"
}

// Learn adds what a graph's sentence says.
func (l *Lexicon) Learn(g Graph) {
	learn := func(list *[]string, at []int) {
		if said := g.said(at); said != "" && !slices.Contains(*list, said) {
			*list = append(*list, said)
		}
	}
	for _, o := range g.Objects {
		learn(&l.Objects, o.At)
	}
	for _, r := range g.Relations {
		learn(&l.Relations, r.At)
	}
}

// said are the words at positions that follow each other; "" where they do not.
func (g Graph) said(at []int) string {
	for k := 1; k < len(at); k++ {
		if at[k] != at[k-1]+1 {
			return ""
		}
	}
	if len(at) == 0 {
		return ""
	}
	return strings.Join(g.Words[at[0]:at[0]+len(at)], " ")
}

// numerals are exchanged for each other.
var numerals = []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}

// Edit makes a sentence false by a rule, as VSE-C does (Shi et al., 2018): a noun becomes another one of the lexicon, a numeral another numeral, or a
// relation another relation of the lexicon, or its two sides change places. Which of the three, of those that the sentence allows, and by
// what word is drawn. VSE-C asks WordNet for nouns that are neither synonyms nor hypernyms; here a noun is taken that none of the image's
// other sentences says, which may still be true.
//
//   - of: the graphs of all sentences that are known to be true of the image, the edited one among them.
//
// A sentence without anything to edit gives "".
func Edit(g Graph, of []Graph, l Lexicon, r *rand.Rand) string {
	var known Lexicon
	for _, other := range of {
		known.Learn(other)
	}
	edits := slices.DeleteFunc([]string{g.otherNoun(l, known, r), g.otherNumeral(r), g.otherRelation(l, known, r)},
		func(edit string) bool { return edit == "" })
	if len(edits) == 0 {
		return ""
	}
	return edits[r.IntN(len(edits))]
}

// otherNoun names another object in the place of one.
func (g Graph) otherNoun(l, known Lexicon, r *rand.Rand) string {
	var places [][]int
	for _, o := range g.Objects {
		if g.said(o.At) != "" {
			places = append(places, o.At)
		}
	}
	return g.exchange(places, without(l.Objects, known.Objects), r)
}

// otherNumeral tells another number in the place of one.
func (g Graph) otherNumeral(r *rand.Rand) string {
	var places [][]int
	for k, word := range g.Words {
		if slices.Contains(numerals, word) {
			places = append(places, []int{k})
		}
	}
	if places == nil {
		return ""
	}
	at := places[r.IntN(len(places))]
	return g.exchange([][]int{at}, without(numerals, []string{g.Words[at[0]]}), r)
}

// otherRelation tells another relation in the place of one, or exchanges its sides.
func (g Graph) otherRelation(l, known Lexicon, r *rand.Rand) string {
	var places [][]int
	for _, relation := range g.Relations {
		if g.said(relation.At) != "" {
			places = append(places, relation.At)
		}
	}
	if len(places) == 0 || r.IntN(2) == 0 {
		return g.exchange(places, without(l.Relations, known.Relations), r)
	}
	relation := g.Relations[r.IntN(len(g.Relations))]
	one, other := g.Objects[relation.Subject].At, g.Objects[relation.Object].At
	if g.said(one) == "" || g.said(other) == "" || g.said(one) == g.said(other) || one[0] > other[0] {
		return ""
	}
	return strings.Join(slices.Concat(g.Words[:one[0]], g.Words[other[0]:other[0]+len(other)], g.Words[one[0]+len(one):other[0]],
		g.Words[one[0]:one[0]+len(one)], g.Words[other[0]+len(other):]), " ")
}

// exchange puts one of some phrases into one of some places.
func (g Graph) exchange(places [][]int, phrases []string, r *rand.Rand) string {
	if len(places) == 0 || len(phrases) == 0 {
		return ""
	}
	at, phrase := places[r.IntN(len(places))], phrases[r.IntN(len(phrases))]
	return strings.Join(slices.Concat(g.Words[:at[0]], []string{phrase}, g.Words[at[0]+len(at):]), " ")
}

// without are the phrases that are not among others.
func without(phrases, others []string) []string {
	return slices.DeleteFunc(slices.Clone(phrases), func(p string) bool { return slices.Contains(others, p) })
}
