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

var directionWords = []string{"", "left of", "right of", "above", "below"}

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
	words = append(words, "a")
	for _, w := range []string{a.Size.String(), a.Texture.String(), a.Colour.String(), a.Shape.String()} {
		if w != "" {
			words = append(words, w)
		}
	}
	return words
}

// Parse reads a caption of the grammar; white space may be any. The error names the caption, the word and what may stand
// in its place.
func Parse(text string) (Graph, error) {
	p := parser{text: text, words: strings.Fields(text)}
	g, err := p.graph()
	if err != nil {
		return Graph{}, err
	}
	return g, nil
}

// parser is a place in the words of a caption.
type parser struct {
	text  string
	words []string
	at    int
}

func (p *parser) graph() (g Graph, err error) {
	if g.Subject, err = p.mention(); err != nil {
		return g, err
	}
	if g.Direction = Direction(p.oneOf(directionWords)); g.Direction != Alone {
		if g.Object, err = p.mention(); err != nil {
			return g, err
		}
	}
	if p.take("on") {
		if g.Ground = Ground(p.oneOf(groundWords)); g.Ground == AnyGround {
			return g, p.unexpected("a ground (" + strings.Join(groundWords[1:], ", ") + ")")
		}
	}
	if p.at < len(p.words) {
		return g, p.unexpected("the end, a direction or a ground")
	}
	return g, nil
}

func (p *parser) mention() (a Attributes, err error) {
	if p.take("an object") {
		return a, nil
	}
	if !p.take("a") {
		return a, p.unexpected(`"a" or "an object"`)
	}
	a.Size = Size(p.oneOf(sizeWords))
	a.Texture = Texture(p.oneOf(textureWords))
	a.Colour = Colour(p.oneOf(colourWords))
	a.Shape = Shape(p.oneOf(shapeWords))
	if a.Shape == AnyShape && (a == Attributes{} || !p.take(shapeWords[AnyShape])) {
		return a, p.unexpected("size, texture, colour and shape in this order")
	}
	return a, nil
}

// oneOf takes one of the values after the first, which stands for none of them and is the result when there is none.
func (p *parser) oneOf(values []string) int {
	for k, v := range values[1:] {
		if p.take(v) {
			return k + 1
		}
	}
	return 0
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

func (p *parser) unexpected(want string) error {
	got := "the end"
	if p.at < len(p.words) {
		got = fmt.Sprintf("%q", p.words[p.at])
	}
	return fmt.Errorf("scenes: caption %.200q: word %d is %s; want %s", p.text, p.at+1, got, want)
}
