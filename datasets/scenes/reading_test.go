package scenes

import (
	"fmt"
	"strings"
)

// Questions and statements are read back by their patterns, so that what the language says of a scene is held to the scene.

// Answer is the exact answer to a question about a scene, in the words of either world. An error tells where the question is none of the
// language, or that it has no answer, as "what colour is the disc ?" of a scene with two.
func Answer(of Scene, question string) (string, error) {
	t, s, err := read("question", question, templates, func(t template) pattern { return t.pattern })
	if err != nil {
		return "", err
	}
	answer, ok := t.answer(of, s)
	if !ok {
		return "", fmt.Errorf("scenes: question %.200q has no answer: what it calls the one is not one object of the scene", question)
	}
	return answer, nil
}

// Judge tells exactly whether a statement about two scenes is true, in the words of either world. An error tells where the statement is
// none of the language, or that it is neither true nor false, as of "the disc of the left image" where there are two.
func Judge(left, right Scene, statement string) (holds bool, err error) {
	c, s, err := read("statement", statement, claims, func(c claim) pattern { return c.pattern })
	if err != nil {
		return false, err
	}
	holds, known := c.holds(left, right, s)
	if !known {
		return false, fmt.Errorf("scenes: statement %.200q is neither true nor false: what it calls the one is not one object of its scene",
			statement)
	}
	return holds, nil
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
