package scenegraph

import (
	"slices"
	"strings"
)

// named is a name with its place.
type named struct {
	name string
	at   []int
}

// phrase reads a noun phrase with all that is coordinated with it, or adjectives without a noun, and connects it to what went before.
func (p *parser) phrase() {
	if p.word(0) == "each" && p.word(1) == "other" {
		p.i += 2
		for _, s := range p.open.subjects {
			p.relate([]int{s}, p.open.name, []int{s}, p.open.at)
		}
		p.open = open{}
		return
	}
	heads, attributes := p.group()
	if len(heads) > 0 {
		p.connect(heads)
		return
	}
	of := p.nearest
	switch {
	case p.copula:
		of, p.nearest, p.copula = p.subjects, p.subjects, false
	case p.open.verb:
		of, p.open = p.open.subjects, open{}
	case p.open.name != "":
		of, p.open = nil, open{}
	}
	for _, a := range attributes {
		p.describe(of, a.name, a.at)
	}
}

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
	}
	return xs
}

// quantity reads a quantity with its "of" if one comes next, and returns what it says of the things: nothing, or its name.
func (p *parser) quantity() (describes *named, ok bool) {
	if p.word(1) != "of" || p.class(0) != noun && p.class(0) != determiner && p.class(0) != numeral {
		return nil, false
	}
	word, at := p.word(0), p.tokens[p.i].at
	switch {
	case isDescribing[word]:
		name := Lemma(word)
		if name == "group" {
			name, at = "group of", append(slices.Clip(at), p.tokens[p.i+1].at...)
		}
		describes = &named{name, at}
	case !isQuantity[word]:
		return nil, false
	}
	p.i += 2
	return describes, true
}

// simple reads one noun phrase and adds its object. Without a noun it returns the adjectives that it read, and false.
func (p *parser) simple() (object int, adjectives []named, ok bool) {
	var nouns []token
	whose := -1 // the object that the noun phrase belongs to
	for p.i < len(p.tokens) {
		t := p.tokens[p.i]
		if len(nouns) == 0 {
			if describes, is := p.quantity(); is {
				adjectives = adjectives[:0]
				if describes != nil {
					adjectives = append(adjectives, *describes)
				}
				continue
			}
		}
		switch {
		case (t.word == "one" || t.word == "ones") && len(nouns) == 0 && p.i > 0 && len(p.Objects) > 0 && p.class(1) != noun && p.class(1) != adjective:
			p.i++
			p.Objects = append(p.Objects, Object{p.Objects[0].Name, t.at})
			object = len(p.Objects) - 1
			p.describeAll(object, adjectives)
			return object, nil, true
		case t.class == determiner || t.class == owner:
			if len(nouns) > 0 {
				return p.object(nouns, adjectives, whose), nil, true
			}
			p.i++
		case t.class == numeral:
			if len(nouns) > 0 {
				p.i++
				return p.object(nouns, adjectives, whose), nil, true
			}
			if value, ok := numbers[t.word]; ok {
				adjectives = append(adjectives, named{value, t.at})
			} else if t.word != "1" {
				adjectives = append(adjectives, named{t.word, t.at})
			}
			p.i++
		case t.class == adverb && len(nouns) == 0 && (p.class(1) == adjective || p.class(1) == adverb):
			p.i++
			if !isDegree[t.word] && p.class(0) == adjective {
				adjectives = append(adjectives, named{t.word + " " + p.word(0), append(slices.Clip(t.at), p.tokens[p.i].at...)})
				p.i++
			}
		case t.class == adjective:
			if len(nouns) > 0 {
				return p.object(nouns, adjectives, whose), nil, true
			}
			adjectives = append(adjectives, p.adjective())
		case (t.class == conjunction || t.class == comma) && len(nouns) == 0 && len(adjectives) > 0 && p.goesOn():
			p.i++
		case t.class == noun:
			nouns = append(nouns, t)
			p.i++
		case t.class == possessive && len(nouns) > 0:
			mine := p.object(nouns, adjectives, whose)
			whose, nouns, adjectives = mine, nil, nil
			p.i++
		default:
			if len(nouns) > 0 {
				return p.object(nouns, adjectives, whose), nil, true
			}
			if whose >= 0 {
				return whose, nil, true
			}
			return 0, adjectives, false
		}
	}
	if len(nouns) > 0 {
		return p.object(nouns, adjectives, whose), nil, true
	}
	if whose >= 0 {
		return whose, nil, true
	}
	return 0, adjectives, false
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
	t := p.tokens[p.i]
	p.i++
	a := named{t.word, t.at}
	next := p.word(0)
	switch {
	case isShade[t.word] && isColour[next] && p.class(0) != copula:
		a = named{t.word + " " + next, append(slices.Clip(t.at), p.tokens[p.i].at...)}
		p.i++
		if isColouring[p.word(0)] {
			p.i++
		}
	case isColouring[next] && isColour[t.word]:
		p.i++
	case isColouring[next]:
		a = named{t.word + " colored", append(slices.Clip(t.at), p.tokens[p.i].at...)}
		p.i++
	}
	return a
}

var isColouring = set("colored coloured color colour colors")

// object adds the object that nouns name, with its adjectives and whose it is (-1: nobody's), and returns its index.
func (p *parser) object(nouns []token, adjectives []named, whose int) int {
	head := nouns[len(nouns)-1]
	var name []string
	var at []int
	for k, n := range nouns[:len(nouns)-1] {
		isLast := k == len(nouns)-2
		switch {
		case isAttributive[n.word]:
			adjectives = append(adjectives, named{n.word, n.at})
		case isColouring[n.word]:
		case isLast && len(name) == 0 && (isAnimate[n.word] && (isPart[head.word] || Lemma(n.word) != n.word) || isMachine[n.word] && isFitting[head.word]):
			p.Objects = append(p.Objects, Object{Lemma(n.word), n.at})
			whose = len(p.Objects) - 1
		default:
			name, at = append(name, n.word), append(at, n.at...)
		}
	}
	p.Objects = append(p.Objects, Object{strings.Join(append(name, Lemma(head.word)), " "), append(at, head.at...)})
	object := len(p.Objects) - 1
	if whose >= 0 {
		p.relate([]int{whose}, "have", []int{object}, nil)
	}
	p.describeAll(object, adjectives)
	return object
}

func (p *parser) describeAll(object int, adjectives []named) {
	for _, a := range adjectives {
		p.describe([]int{object}, a.name, a.at)
	}
}
