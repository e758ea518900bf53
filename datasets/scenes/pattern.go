package scenes

import "strings"

// A pattern is the text of a question or statement with slots in angle brackets, which [saying] fills. Tests read it by the same
// pattern:
//
//	<caption>    the graph: a red disc left of a ring on sand
//	<subject>    without an article: red disc; so <object>
//	<subjects>   more than one: red discs; so <objects>
//	<count>      number and subject: two red discs, one red disc
//	<direction>  left of
//	<facet>      colour
type pattern string

// saying is what fills a pattern; slots that a pattern lacks are zero.
type saying struct {
	Graph
	facet  facet
	number int // from 1
}

// facet is one of the attributes that every object has.
type facet uint8

const (
	anyFacet facet = iota
	byShape
	byColour
	bySize
	byTexture
)

var (
	facets      = []facet{byShape, byColour, bySize, byTexture}
	facetWords  = [...]string{"", "shape", "colour", "size", "texture"}
	numberWords = [...]string{"", "one", "two", "three", "four", "five", "six"} // all objects of two scenes
)

// String is the word for the facet.
func (f facet) String() string { return facetWords[f] }

// of keeps one facet of a mention.
func (f facet) of(a Attributes) (kept Attributes) {
	switch f {
	case byShape:
		kept.Shape = a.Shape
	case byColour:
		kept.Colour = a.Colour
	case bySize:
		kept.Size = a.Size
	case byTexture:
		kept.Texture = a.Texture
	}
	return kept
}

// without is the mention without the facet.
func (f facet) without(a Attributes) Attributes {
	switch f {
	case byShape:
		a.Shape = AnyShape
	case byColour:
		a.Colour = AnyColour
	case bySize:
		a.Size = AnySize
	case byTexture:
		a.Texture = AnyTexture
	}
	return a
}

// word is the word of an object's facet.
func (f facet) word(a Attributes) string {
	return [...]string{byShape: a.Shape.String(), byColour: a.Colour.String(), bySize: a.Size.String(), byTexture: a.Texture.String()}[f]
}

// values are the words that the facet can have.
func (v *vocabulary) values(f facet) []string {
	return [...][]string{byShape: namesOf(v.shapes), byColour: namesOf(v.colours), bySize: namesOf(sizes), byTexture: namesOf(textures)}[f]
}

// plural is the word for more than one.
func (s Shape) plural() string {
	if s == Cross {
		return "crosses"
	}
	return s.String() + "s"
}

// plural are the words of a mention of more than one object.
func (a Attributes) plural() string {
	words := a.bare(nil)
	words[len(words)-1] = a.Shape.plural()
	return strings.Join(words, " ")
}

func (a Attributes) singular() string { return strings.Join(a.bare(nil), " ") }

// render fills the pattern.
func (p pattern) render(s saying) string {
	words := strings.Fields(string(p))
	for k, word := range words {
		switch word {
		case "<caption>":
			words[k] = s.Graph.String()
		case "<subject>":
			words[k] = s.Subject.singular()
		case "<object>":
			words[k] = s.Object.singular()
		case "<subjects>":
			words[k] = s.Subject.plural()
		case "<objects>":
			words[k] = s.Object.plural()
		case "<count>":
			words[k] = numberWords[s.number] + " " + s.Subject.plural()
			if s.number == 1 {
				words[k] = numberWords[s.number] + " " + s.Subject.singular()
			}
		case "<direction>":
			words[k] = s.Direction.String()
		case "<facet>":
			words[k] = s.facet.String()
		}
	}
	return strings.Join(words, " ")
}
