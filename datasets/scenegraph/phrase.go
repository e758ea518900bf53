package scenegraph

import "strings"

// named is a name with its place.
type named struct {
	name string
	at   []int
}

// phrase reads a noun phrase with all that is coordinated with it, or adjectives without a noun, and connects it to what went before.
func (p *parser) phrase() {
	if p.comes("each", "other") {
		p.i += 2
		for _, s := range p.open.subjects {
			p.relate([]int{s}, p.open.name, []int{s}, p.open.at)
		}
		p.open = open{}
		return
	}
	if p.comes("side", "by", "side") {
		at := p.take(3)
		for _, s := range p.subjects {
			p.relate([]int{s}, "side by side with", []int{s}, at)
		}
		return
	}
	whose := p.class(0) == owner
	heads, attributes := p.group()
	if len(heads) > 0 {
		p.connect(heads, whose)
		return
	}
	of := p.nearest
	switch {
	case p.copula:
		of, p.nearest, p.copula = p.subjects, p.subjects, false
	case p.open.verb:
		of = p.open.subjects
		if seems[p.open.name] {
			p.open = open{}
		}
	case p.open.name != "":
		of, p.open = nil, open{}
	}
	for _, a := range attributes {
		p.describe(of, a.name, a.at)
	}
}

// seems are verbs that give their subject an attribute.
var seems = set("get look seem appear become turn")

// group reads coordinated noun phrases, and what "of" adds to them. Without a noun it returns the adjectives that it read.
func (p *parser) group() (heads []int, adjectives []named) {
	head, adjectives, ok := p.simple()
	if !ok {
		return nil, adjectives
	}
	heads = []int{head}
	for p.class(0) == conjunction || p.class(0) == comma {
		before := *p
		listed := p.class(0) == comma
		for p.class(0) == conjunction || p.class(0) == comma {
			p.i++
		}
		another, _, ok := p.simple()
		next := p.class(0)
		isSubject := next == finite || next == copula || next == gerund || next == participle || listed && next == preposition
		if !ok || isSubject && (p.open.name != "" || listed) {
			*p = before
			break
		}
		heads = append(heads, another)
	}
	if p.word(0) == "of" && p.class(0) == preposition {
		heads = p.of(heads)
	}
	return heads, nil
}

// of reads "of Y" behind the noun phrases X, and returns what the caption goes on about: X, or Y where X is a quantity of it.
func (p *parser) of(xs []int) []int {
	before, last := *p, xs[len(xs)-1]
	at := p.tokens[p.i].at
	p.i++
	ys, _ := p.group()
	if len(ys) == 0 {
		*p = before
		p.i++
		return xs
	}
	x := p.Objects[last]
	switch head := x.Name[strings.LastIndexByte(x.Name, ' ')+1:]; {
	case isContainer[head]:
		p.relate(ys, "in", xs, at)
	case isSupport[head]:
		p.relate(ys, "on", xs, at)
	case isWhole[head]:
		p.relate(xs, "have", ys, at)
	default:
		p.relate(ys, "have", xs, at)
		if p.isAnimate(ys) && !p.isAnimate(xs) && (p.class(0) == gerund || p.class(0) == participle) { // the leg of a man sitting
			return ys
		}
	}
	return xs
}

// quantity reads a quantity with its "of" if one comes next, and returns what it says of the things: nothing, or its name.
func (p *parser) quantity() (describes []named, ok bool) {
	word := p.word(0)
	if p.word(1) != "of" || p.class(0) != noun && p.class(0) != determiner && p.class(0) != numeral || !isQuantity[word] &&
		!isDescribing[word] {
		return nil, false
	}
	at := p.take(2)
	switch {
	case word == "group" || word == "groups":
		describes = []named{{"group of", at}}
	case isDescribing[word]:
		describes = []named{{Lemma(word), at[:len(at)-1]}}
	}
	return describes, true
}

// nounPhrase is what has been read of one.
type nounPhrase struct {
	adjectives []named
	nouns      []token
	whose      int   // the object that it belongs to, -1 for nobody's
	one        []int // where it says "one" for a noun
}

// simple reads one noun phrase and adds its object. Without a noun it returns the adjectives that it read, and false.
func (p *parser) simple() (object int, adjectives []named, ok bool) {
	n := nounPhrase{whose: -1}
	for p.i < len(p.tokens) && p.readInto(&n) {
	}
	switch {
	case len(n.nouns) > 0:
		return p.object(n), nil, true
	case n.one != nil:
		return p.add(p.Objects[0].Name, n.one, n.adjectives), nil, true
	case n.whose >= 0:
		return n.whose, nil, true
	}
	return 0, n.adjectives, false
}

// readInto reads what goes on with a noun phrase; it is false where this ends.
func (p *parser) readInto(n *nounPhrase) bool {
	t, begun := p.tokens[p.i], len(n.nouns) > 0
	if !begun {
		if describes, is := p.quantity(); is {
			n.adjectives = describes
			return true
		}
	}
	switch {
	case begun && (t.class == determiner || t.class == owner || t.class == adjective || p.comes("side", "by", "side")):
		return false
	case (t.word == "one" || t.word == "ones") && !begun && len(p.Objects) > 0 && p.class(1) != noun && p.class(1) != adjective:
		n.one = p.take(1)
		return false
	case t.class == determiner || t.class == owner:
		p.i++
	case t.class == numeral && begun: // bus number 8
		p.i++
		return false
	case t.class == numeral:
		p.i++
		value, ok := numbers[t.word]
		if !ok {
			value = t.word
		}
		if value != "1" {
			n.adjectives = append(n.adjectives, named{value, t.at})
		}
	case t.class == adverb && !begun && isDegree[t.word] && (p.class(1) == adjective || p.class(1) == adverb):
		p.i++
	case t.class == adverb && !begun && p.class(1) == adjective:
		n.adjectives = append(n.adjectives, named{t.word + " " + p.word(1), p.take(2)})
	case t.class == adjective:
		n.adjectives = append(n.adjectives, p.adjective())
	case (t.class == conjunction || t.class == comma) && !begun && len(n.adjectives) > 0 && p.goesOn():
		p.i++
	case t.class == noun:
		n.nouns = append(n.nouns, t)
		p.i++
	case t.class == possessive && begun:
		*n = nounPhrase{whose: p.object(*n)}
		p.i++
	default:
		return false
	}
	return true
}

// goesOn reports whether adjectives go on behind a conjunction or a comma.
func (p *parser) goesOn() bool {
	ahead := 1
	for p.class(ahead) == conjunction || p.class(ahead) == comma {
		ahead++
	}
	return p.class(ahead) == adjective
}

// adjective reads one adjective with what belongs to it: "light blue", "red colored".
func (p *parser) adjective() named {
	word, next := p.word(0), p.word(1)
	a := named{word, p.take(1)}
	switch {
	case isShade[word] && isColour[next]:
		a = named{word + " " + next, append(a.at, p.take(1)...)}
		if isColouring[p.word(0)] {
			p.i++
		}
	case isColouring[next] && isColour[word] && (p.class(1) == noun || p.class(1) == adjective || strings.HasSuffix(next, "ed")):
		p.i++
	case isColouring[next] && strings.HasSuffix(next, "ed"):
		a = named{word + " colored", append(a.at, p.take(1)...)}
	}
	return a
}

var isColouring = set("colored coloured color colour colors")

// object adds the object that a noun phrase names, with what describes it and whose it is, and returns its index.
func (p *parser) object(n nounPhrase) int {
	last := len(n.nouns) - 1
	head, whose := n.nouns[last], n.whose
	var name []string
	var at []int
	for k, t := range n.nouns[:last] {
		owns := isAnimate[t.word] && (isPart[head.word] || Lemma(t.word) != t.word) || isMachine[t.word] && isFitting[head.word]
		switch {
		case isAttributive[t.word]:
			n.adjectives = append(n.adjectives, named{t.word, t.at})
		case isColouring[t.word]:
		case owns && k == last-1 && len(name) == 0: // elephant trunk, oven door
			whose = p.add(Lemma(t.word), t.at, nil)
		default:
			name, at = append(name, t.word), append(at, t.at...)
		}
	}
	object := p.add(spelled(strings.Join(append(name, Lemma(head.word)), " ")), append(at, head.at...), n.adjectives)
	if whose >= 0 {
		p.relate([]int{whose}, "have", []int{object}, nil)
	}
	return object
}

// add adds an object with what describes it, and returns its index.
func (p *parser) add(name string, at []int, adjectives []named) int {
	p.Objects = append(p.Objects, Object{name, at})
	object := len(p.Objects) - 1
	for _, a := range adjectives {
		p.describe([]int{object}, spelled(a.name), a.at)
	}
	return object
}

// spelled is a name in the spelling that FACTUAL has for it.
func spelled(name string) string {
	if one, ok := spellings[name]; ok {
		return one
	}
	return name
}
