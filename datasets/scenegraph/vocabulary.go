package scenegraph

import "strings"

// Vocabulary is what edits put in the place of words: nouns and relations that captions have, each as often as these have it. The
// zero value has none.
type Vocabulary struct {
	nouns     [2][]string        // singular and plural
	relations map[shape][]saying // by the form that they have in a sentence
}

// saying is a relation with the words that say it.
type saying struct{ name, words string }

// shape is the form of a relation's words: that of its verb, or none.
type shape struct {
	verb  bool
	class class
}

// Learn adds what the graph of one caption, parsed or exact, says.
func (v *Vocabulary) Learn(g Graph) {
	for _, o := range g.Objects {
		if head, ok := g.head(o); ok && !isGeneral[Lemma(head)] {
			v.nouns[plural(head)] = append(v.nouns[plural(head)], head)
		}
	}
	for _, r := range g.Relations {
		if words, of, ok := g.form(r); ok {
			if v.relations == nil {
				v.relations = map[shape][]saying{}
			}
			v.relations[of] = append(v.relations[of], saying{r.Name, words})
		}
	}
}

// head is the word of an object's noun, if the caption says it.
func (g Graph) head(o Object) (word string, ok bool) {
	if len(o.At) == 0 {
		return "", false
	}
	return g.Words[o.At[len(o.At)-1]], true
}

// plural is 1 for a word in the plural, 0 for one in the singular.
func plural(word string) int {
	if Lemma(word) != word || word == "people" {
		return 1
	}
	return 0
}

// form is the words of a relation, if they stand together and one after the other, and their form.
func (g Graph) form(r Relation) (words string, of shape, ok bool) {
	if len(r.At) == 0 || r.At[len(r.At)-1]-r.At[0] != len(r.At)-1 {
		return "", shape{}, false
	}
	said := g.Words[r.At[0] : r.At[len(r.At)-1]+1]
	if f, verb := verbForms[said[0]]; verb && closed[said[0]] != preposition && strings.HasPrefix(r.Name, f.base) {
		of = shape{true, f.form}
	} else if said[0] == "'" || said[0] == "of" {
		return "", shape{}, false
	}
	return strings.Join(said, " "), of, true
}
