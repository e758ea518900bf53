package scenes

import (
	"fmt"
	"slices"
	"strings"
)

// Direction is where the subject of a caption is, seen from its object. The zero value is a caption of one object.
type Direction uint8

// The directions: a strict order of columns or of rows.
const (
	Alone Direction = iota
	LeftOf
	RightOf
	Above
	Below
)

var directionWords = [...]string{"", "left of", "right of", "above", "below"}

// String is the words for the direction; empty for a caption of one object.
func (d Direction) String() string { return directionWords[d] }

// Graph is the scene graph of a caption: "a [size] [texture] [colour] shape|object [direction a ...] [on ground]".
type Graph struct {
	Subject   Attributes
	Direction Direction  // Alone when one object is mentioned
	Object    Attributes // zero when Direction is Alone
	Ground    Ground     // AnyGround when the ground is not mentioned
}

// String renders the caption, such as "a small red square left of a striped object on sand". Parse reads it back.
func (g Graph) String() string {
	words := g.Subject.append(make([]string, 0, 14))
	if g.Direction != Alone {
		words = g.Object.append(append(words, g.Direction.String()))
	}
	if g.Ground != AnyGround {
		words = append(words, "on", g.Ground.String())
	}
	return strings.Join(words, " ")
}

// append adds the words of a mention; "an object" if it says nothing.
func (a Attributes) append(words []string) []string {
	if a == (Attributes{}) {
		return append(words, "an", "object")
	}
	return a.bare(append(words, "a"))
}

// bare adds the words of a mention without an article.
func (a Attributes) bare(words []string) []string {
	for _, w := range [...]string{a.Size.String(), a.Texture.String(), a.Colour.String(), a.Shape.String()} {
		if w != "" {
			words = append(words, w)
		}
	}
	return words
}

// Parse reads a caption of the first world; white space may be any. The error names the caption, the word and what may stand
// in its place.
func Parse(text string) (Graph, error) { return firstWords.parse(text) }

// parse is Parse in the words of any vocabulary.
func (v *vocabulary) parse(text string) (Graph, error) {
	p := v.parser("caption", text)
	g, err := p.graph()
	if err == nil {
		err = p.end("the end, a direction or a ground")
	}
	if err != nil {
		return Graph{}, err
	}
	return g, nil
}

// parser is a place in the words of a sentence.
type parser struct {
	*vocabulary
	what  string // kind of sentence
	text  string
	words []string
	at    int
}

func (v *vocabulary) parser(what, text string) *parser {
	return &parser{vocabulary: v, what: what, text: text, words: strings.Fields(text)}
}

// graph reads a caption, or one within a sentence.
func (p *parser) graph() (g Graph, err error) {
	if g.Subject, err = p.mention(); err != nil {
		return g, err
	}
	if g.Direction = oneOf(p, directions); g.Direction != Alone {
		if g.Object, err = p.mention(); err != nil {
			return g, err
		}
	}
	if p.take("on") {
		if g.Ground = oneOf(p, p.grounds); g.Ground == AnyGround {
			return g, p.unexpected("a ground (" + strings.Join(namesOf(p.grounds), ", ") + ")")
		}
	}
	return g, nil
}

// mention reads one with its article.
func (p *parser) mention() (a Attributes, err error) {
	if p.take("an object") {
		return a, nil
	}
	if !p.take("a") {
		return a, p.unexpected(`"a" or "an object"`)
	}
	from := p.at
	if a, err = p.bare(""); err == nil && a == (Attributes{}) {
		p.at = from
		return a, p.unexpected(attributeOrder)
	}
	return a, err
}

const attributeOrder = "size, texture, colour and shape in this order"

// bare reads a mention without an article, whose noun has an ending.
func (p *parser) bare(ending string) (a Attributes, err error) {
	a.Size = oneOf(p, sizes)
	a.Texture = oneOf(p, textures)
	a.Colour = oneOf(p, p.colours)
	for _, shape := range append([]Shape{AnyShape}, p.shapes...) {
		if p.take(shape.String() + ending) {
			a.Shape = shape
			return a, nil
		}
	}
	return Attributes{}, p.unexpected(attributeOrder)
}

// oneOf takes the words of one of the values; the zero value, which stands for none of them, when none comes next.
func oneOf[T fmt.Stringer](p *parser, values []T) (none T) {
	for _, v := range values {
		if p.take(v.String()) {
			return v
		}
	}
	return none
}

// take steps over the words of a phrase if they come next.
func (p *parser) take(phrase string) bool {
	words := strings.Fields(phrase)
	end := p.at + len(words)
	if end > len(p.words) || !slices.Equal(p.words[p.at:end], words) {
		return false
	}
	p.at = end
	return true
}

// end is an error unless all words are read; want is what may stand in the place of the next.
func (p *parser) end(want string) error {
	if p.at < len(p.words) {
		return p.unexpected(want)
	}
	return nil
}

func (p *parser) unexpected(want string) error {
	got := "the end"
	if p.at < len(p.words) {
		got = fmt.Sprintf("%q", p.words[p.at])
	}
	return fmt.Errorf("scenes: %s %.200q: word %d is %s; want %s", p.what, p.text, p.at+1, got, want)
}
