package scenegraph

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// EditKind is what of a caption an edit changes: the three kinds of VSE-C (Shi et al., 2018, section 3.1).
type EditKind uint8

// The kinds of edits.
const (
	EditNoun     EditKind = iota // an object is another one
	EditNumeral                  // there are more or fewer of them
	EditRelation                 // a relation is another one, or the other way round
)

// String is "noun", "numeral" or "relation".
func (k EditKind) String() string { return [...]string{"noun", "numeral", "relation"}[k] }

// Edit is a caption with one thing changed, so that it is likely to be false of its image.
type Edit struct {
	Kind     EditKind
	Sentence string // the caption's words, and those that replace some of them, with single spaces between
}

// Edits draws up to n distinct edits of a caption, in the order drawn. A kind is drawn first, of those that the caption allows, then what
// of this kind changes, then what it becomes; so the same draws give the same edits. A caption of which nothing can be changed has none.
//
//   - own: the graphs of all captions of the image. What they say is not put in.
//
// A noun becomes one of the same number, a numeral another from two to ten. A relation becomes another of the same form ("sitting on",
// "flying over"), or its two noun phrases change places, unless that says the same ("next to"). For VSE-C WordNet tells that two nouns are
// no synonyms and neither is a kind of the other. Here no noun of the image's own captions is put in, none of a short list of families
// that hold words for the same thing (a woman is a person; a bike may be a motorcycle), and words for anything ("object", "thing") are
// neither replaced nor put in; of prepositions lists of those that go together say so. Some edits are still true of the image.
func (v Vocabulary) Edits(g Graph, own []Graph, n int, r *rand.Rand) []Edit {
	e := editor{Vocabulary: v, graph: g, own: append(slices.Clip(own), g), r: r}
	kinds := e.kinds()
	if len(kinds) == 0 {
		return nil
	}
	seen := map[string]bool{}
	for _, o := range e.own {
		seen[strings.Join(o.Words, " ")] = true
	}
	var edits []Edit
	for range attempts * n {
		if len(edits) == n {
			break
		}
		k := kinds[r.IntN(len(kinds))]
		sentence := k.edit()
		if sentence != "" && !seen[sentence] {
			seen[sentence] = true
			edits = append(edits, Edit{k.kind, sentence})
		}
	}
	return edits
}

// attempts are how often an edit is drawn for each that is asked for, since some fail or repeat one.
const attempts = 8

// editor draws edits of one caption.
type editor struct {
	Vocabulary
	graph Graph
	own   []Graph
	r     *rand.Rand
}

// possible is a kind of edits that a caption allows, with a draw of one: "" where it failed.
type possible struct {
	kind EditKind
	edit func() string
}

func (e *editor) kinds() []possible {
	g := e.graph
	var nouns, numerals, relations []int
	for i, o := range g.Objects {
		if head, ok := g.head(o); ok && !isGeneral[Lemma(head)] && len(e.nouns[plural(head)]) > 0 && len(g.Words) > 1 {
			nouns = append(nouns, i)
		}
	}
	for i, a := range g.Attributes {
		if len(a.At) == 1 && numbers[g.Words[a.At[0]]] != "" {
			numerals = append(numerals, i)
		}
	}
	for i, r := range g.Relations {
		if _, _, ok := g.form(r); ok {
			relations = append(relations, i)
		}
	}
	var all []possible
	add := func(kind EditKind, places []int, edit func(place int) string) {
		if len(places) > 0 {
			all = append(all, possible{kind, func() string { return edit(places[e.r.IntN(len(places))]) }})
		}
	}
	add(EditNoun, nouns, e.noun)
	add(EditNumeral, numerals, e.numeral)
	add(EditRelation, relations, e.relation)
	return all
}

// noun replaces the head of object i.
func (e *editor) noun(i int) string {
	head, _ := e.graph.head(e.graph.Objects[i])
	others := e.nouns[plural(head)]
	other := others[e.r.IntN(len(others))]
	if Lemma(other) == Lemma(head) || related(families, Lemma(other), Lemma(head)) {
		return ""
	}
	for _, g := range e.own {
		for _, word := range g.Words {
			if Lemma(word) == Lemma(other) {
				return ""
			}
		}
	}
	at := e.graph.Objects[i].At
	return e.graph.replaced(at[len(at)-1], at[len(at)-1]+1, other)
}

// numeral replaces the number of attribute i.
func (e *editor) numeral(i int) string {
	a := e.graph.Attributes[i]
	names := strings.Fields(numerals)
	other := names[e.r.IntN(len(names))]
	for _, g := range e.own {
		for _, b := range g.Attributes {
			if b.Name == numbers[other] && g.Objects[b.Object].Name == e.graph.Objects[a.Object].Name {
				return ""
			}
		}
	}
	return e.graph.replaced(a.At[0], a.At[0]+1, other)
}

// relation replaces relation i, or exchanges its noun phrases; each half of the time.
func (e *editor) relation(i int) string {
	r := e.graph.Relations[i]
	if e.r.IntN(2) == 0 {
		return e.graph.exchanged(r)
	}
	_, of, _ := e.graph.form(r)
	others := e.relations[of]
	if len(others) == 0 {
		return ""
	}
	other := others[e.r.IntN(len(others))]
	for _, g := range e.own {
		for _, s := range g.Relations {
			if s.Name == other.name || related(together, s.Name, other.name) {
				return ""
			}
		}
	}
	return e.graph.replaced(r.At[0], r.At[len(r.At)-1]+1, other.words)
}

// numerals are those that captions count with.
const numerals = "two three four five six seven eight nine ten"

// replaced is the caption with other words in the place of those from start to end. "A" and "an" follow.
func (g Graph) replaced(start, end int, other string) string {
	words := slices.Concat(g.Words[:start], strings.Fields(other), g.Words[end:])
	if start > 0 && (words[start-1] == "a" || words[start-1] == "an") {
		words[start-1] = "a"
		if strings.ContainsRune("aeiou", rune(other[0])) {
			words[start-1] = "an"
		}
	}
	return strings.Join(words, " ")
}

// exchanged is the caption with the noun phrases of a relation in each other's place; "" where it cannot be, or says the same.
func (g Graph) exchanged(r Relation) string {
	first, second := g.span(r.Subject), g.span(r.Object)
	if first[0] > second[0] {
		first, second = second, first
	}
	apart := first[1] > first[0] && second[1] > second[0] && first[1] <= second[0]
	if !apart || isMutual[r.Name] {
		return ""
	}
	return strings.Join(slices.Concat(g.Words[:first[0]], g.Words[second[0]:second[1]], g.Words[first[1]:second[0]],
		g.Words[first[0]:first[1]],
		g.Words[second[1]:]), " ")
}

// span is from where to where the noun phrase of object o goes, with its article and the attributes in front of it; empty where the
// caption does not say it.
func (g Graph) span(o int) [2]int {
	at := g.Objects[o].At
	if len(at) == 0 {
		return [2]int{}
	}
	start, end := at[0], at[len(at)-1]+1
	for _, a := range g.Attributes {
		if a.Object == o && len(a.At) > 0 && a.At[0] < start && !slices.ContainsFunc(g.Words[a.At[0]:start], ends) {
			start = a.At[0]
		}
	}
	if start > 0 {
		if c, ok := closed[g.Words[start-1]]; ok && (c == determiner || c == owner) {
			start--
		}
	}
	return [2]int{start, end}
}

// ends reports whether a word cannot stand within a noun phrase.
func ends(word string) bool {
	c, ok := closed[word]
	return ok && (c == copula || c == preposition || c == relative)
}
