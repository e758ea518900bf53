package datasets

import (
	"iter"

	"vlpx.internal/datasets/scenegraph"
)

// Spoken is a Set whose captions are of a language that is known exactly, as those of generated scenes are.
type Spoken interface {
	Set
	// Understand is the scene graph of a sentence of that language, whether an image has it or not, and whether it is one.
	Understand(sentence string) (graph scenegraph.Graph, ok bool)
	// Judge reports whether a sentence is true of image i, and whether that is known: it is of every sentence of the language.
	Judge(i int, sentence string) (holds, known bool)
	// Fill are the sentences of that language that are true of image i and have these words in their places, where "" is any word: each
	// once, sorted.
	Fill(i int, words []string) []string
}

// Language is what is known of the language of a set, or of the set that it is a view of; nil where nothing is.
func Language(s Set) Spoken {
	for of := range behind(s) {
		if spoken, ok := of.(Spoken); ok {
			return spoken
		}
	}
	return nil
}

// behind are a set and those that it is a view of.
func behind(s Set) iter.Seq[Set] {
	return func(yield func(Set) bool) {
		for s != nil && yield(s) {
			switch of := s.(type) {
			case view:
				s = of.whole()
			case graphed:
				s = of.Set
			default:
				return
			}
		}
	}
}

// GraphOf is the scene graph of a sentence about an image of a set: that of a file, if the set has one (see [WithGraphs]); exact where the
// set's language is known and it is of that; else as it is parsed.
func GraphOf(s Set, sentence string) scenegraph.Graph {
	for of := range behind(s) {
		if g, ok := of.(graphed); ok {
			if graph, has := g.graph(sentence); has {
				return graph
			}
		}
		if spoken, ok := of.(Spoken); ok {
			if graph, is := spoken.Understand(sentence); is {
				return graph
			}
		}
	}
	return scenegraph.Parse(sentence)
}

// TokenPhrases are the phrases of the scene graph of a sentence by places among its first ids, as many as asked for, without [CLS]; nil
// where it has none.
//
//   - places: where words lie among the ids, such as text.Tokenizer.Places.
func TokenPhrases(s Set, sentence string, places func(words []string) [][2]int, ids int) []scenegraph.Phrase {
	graph := GraphOf(s, sentence)
	of := places(graph.Words)
	var phrases []scenegraph.Phrase
	for _, p := range graph.Phrases() {
		var at []int
		for _, word := range p.At {
			for place := of[word][0]; place < min(of[word][1], ids); place++ {
				at = append(at, place)
			}
		}
		if at != nil {
			phrases = append(phrases, scenegraph.Phrase{Kind: p.Kind, At: at})
		}
	}
	return phrases
}
