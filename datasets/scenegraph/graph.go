package scenegraph

import "strings"

// Graph is the scene graph of one caption.
type Graph struct {
	Words      []string // of the caption, as text.Words splits it; what At counts
	Objects    []Object
	Attributes []Attribute
	Relations  []Relation
}

// Object is a thing that the caption mentions; two mentions of the same word are two objects.
type Object struct {
	Name string // head noun in the singular, with the nouns before it that make a compound: "tennis racket"
	At   []int  // ascending positions in Graph.Words; none where the words do not say it
}

// Attribute is what the caption says of one object: "red", "2" for "two", "smiling".
type Attribute struct {
	Object int // index into Graph.Objects
	Name   string
	At     []int // as Object.At
}

// Relation is what the caption says of two objects, a verb in its base form, a preposition or both: "sit on".
type Relation struct {
	Subject, Object int // indices into Graph.Objects
	Name            string
	At              []int // as Object.At
}

// Kind is what of a graph a phrase or a tuple is.
type Kind uint8

// The kinds.
const (
	KindObject Kind = iota
	KindAttribute
	KindRelation
)

// String is "object", "attribute" or "relation".
func (k Kind) String() string { return [...]string{"object", "attribute", "relation"}[k] }

// Phrase is the words of one thing that a caption says.
type Phrase struct {
	Kind Kind
	At   []int // positions in Graph.Words, ascending
}

// Phrases lists relations, then attributes, then objects, the order of the lists that TAGS reads (METHODS.md 12.1), without those that have
// no words. A phrase has the words of its own name, none of the objects that it is about.
func (g Graph) Phrases() []Phrase {
	var all []Phrase
	add := func(kind Kind, at []int) {
		if len(at) > 0 {
			all = append(all, Phrase{kind, at})
		}
	}
	for _, r := range g.Relations {
		add(KindRelation, r.At)
	}
	for _, a := range g.Attributes {
		add(KindAttribute, a.At)
	}
	for _, o := range g.Objects {
		add(KindObject, o.At)
	}
	return all
}

// String is the graph as FACTUAL writes it: a segment "( subject , relation , object )" for each relation, then "( object , is , attribute
// )", and "( object )" for what has neither. A graph without objects is "".
func (g Graph) String() string {
	var segments []string
	add := func(names ...string) { segments = append(segments, "( "+strings.Join(names, " , ")+" )") }
	said := make([]bool, len(g.Objects))
	for _, r := range g.Relations {
		add(g.Objects[r.Subject].Name, r.Name, g.Objects[r.Object].Name)
		said[r.Subject], said[r.Object] = true, true
	}
	for _, a := range g.Attributes {
		add(g.Objects[a.Object].Name, attribution, a.Name)
		said[a.Object] = true
	}
	for o, is := range said {
		if !is {
			add(g.Objects[o].Name)
		}
	}
	return strings.Join(segments, " , ")
}

// attribution is what stands between an object and its attribute.
const attribution = "is"
