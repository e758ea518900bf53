package scenes

import (
	"fmt"
	"strings"
)

// A pattern is the text of a question or statement with slots in angle brackets, which [saying] fills. The same pattern is rendered and
// read:
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

// fill reads a sentence of the pattern.
func (p *parser) fill(of pattern) (s saying, err error) {
	for _, word := range strings.Fields(string(of)) {
		switch word {
		case "<caption>":
			s.Graph, err = p.graph()
		case "<subject>":
			s.Subject, err = p.bare(Shape.String)
		case "<object>":
			s.Object, err = p.bare(Shape.String)
		case "<subjects>":
			s.Subject, err = p.bare(Shape.plural)
		case "<objects>":
			s.Object, err = p.bare(Shape.plural)
		case "<count>":
			for n := 1; n < len(numberWords) && s.number == 0; n++ {
				if p.take(numberWords[n]) {
					s.number = n
				}
			}
			switch s.number {
			case 0:
				err = p.unexpected("a number from one to six")
			case 1:
				s.Subject, err = p.bare(Shape.String)
			default:
				s.Subject, err = p.bare(Shape.plural)
			}
		case "<direction>":
			if s.Direction = oneOf(p, directions); s.Direction == Alone {
				err = p.unexpected("a direction")
			}
		case "<facet>":
			if s.facet = oneOf(p, facets); s.facet == anyFacet {
				err = p.unexpected("shape, colour, size or texture")
			}
		default:
			if !p.take(word) {
				err = p.unexpected(fmt.Sprintf("%q", word))
			}
		}
		if err != nil {
			return saying{}, err
		}
	}
	return s, p.end("the end")
}

// read finds the first of some patterns that a sentence has. The error is that of the one which reads most of it.
func read[T any](what, text string, forms []T, patternOf func(T) pattern) (form T, s saying, err error) {
	furthest := -1
	for _, f := range forms {
		p := allWords.parser(what, text)
		s, problem := p.fill(patternOf(f))
		if problem == nil {
			return f, s, nil
		}
		if p.at > furthest {
			furthest, err = p.at, problem
		}
	}
	return form, saying{}, err
}
