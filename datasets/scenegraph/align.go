package scenegraph

import (
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/datasets/text"
)

// Align makes a graph of a caption and the text of one that somebody else wrote for it, in FACTUAL's form: "( man , sit on , bench ) ,
// ( bench , is , green )". Equal names are one object.
//
// A name gets the first words of the caption in its order that say it and that no other name of its kind has yet: equal ones, those with
// the same singular or the same verb, a numeral for its digits. The words of a name need not stand together. What the caption does not say
// in these words has no positions, as TAGS skips such nodes. An error names the segment that has neither one name nor three.
func Align(caption, graph string) (Graph, error) {
	a := aligner{Graph: Graph{Words: text.Words(caption)}, objects: map[string]int{}}
	for k := range a.taken {
		a.taken[k] = make([]bool, len(a.Words))
	}
	for _, segment := range Segments(graph, nil) {
		names := strings.Split(segment, " , ")
		if len(names) != 1 && len(names) != 3 || slices.Contains(names, "") || slices.Contains(names, ",") {
			return Graph{}, fmt.Errorf("the segment %q has %d names; a segment is ( object ), ( object , is , attribute ) or ( subject , "+
				"relation , object )",
				segment, len(names))
		}
		subject := a.object(names[0])
		switch {
		case len(names) == 1:
		case names[1] == attribution:
			a.Attributes = append(a.Attributes, Attribute{subject, names[2], a.find(KindAttribute, names[2])})
		default:
			object := a.object(names[2])
			a.Relations = append(a.Relations, Relation{subject, object, names[1], a.find(KindRelation, names[1])})
		}
	}
	return a.Graph, nil
}

// aligner is a graph as it grows.
type aligner struct {
	Graph
	objects map[string]int           // by name
	taken   [KindRelation + 1][]bool // words that a name of a kind has, [words]
}

func (a *aligner) object(name string) int {
	o, ok := a.objects[name]
	if !ok {
		o = len(a.Objects)
		a.objects[name] = o
		a.Objects = append(a.Objects, Object{name, a.find(KindObject, name)})
	}
	return o
}

// find returns where the caption says a name; nil where it does not.
func (a *aligner) find(kind Kind, name string) []int {
	words := text.Words(name)
	for _, free := range []bool{true, false} { // words that are nobody's first
		var at []int
		for i, said := range a.Words {
			if len(at) < len(words) && !(free && a.taken[kind][i]) && says(said, words[len(at)]) {
				at = append(at, i)
			}
		}
		if len(at) == len(words) && len(at) > 0 {
			for _, i := range at {
				a.taken[kind][i] = true
			}
			return at
		}
	}
	return nil
}

// says reports whether a caption's word says a word of a name.
func says(said, name string) bool {
	if said == name || Lemma(said) == Lemma(name) || numbers[said] == name {
		return true
	}
	if form, ok := verbForms[said]; ok && form.base == name {
		return true
	}
	canonical, ok := prepositions[said]
	return ok && canonical == name
}
