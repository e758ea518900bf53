package scenegraph

import "slices"

// connect makes noun phrases the object of what is open, or goes on with them.
func (p *parser) connect(heads []int) {
	switch o := p.open; {
	case o.name != "":
		p.worn = p.wears(heads)
		if p.worn {
			o.name = "wear"
		}
		if o.flipped {
			p.relate(heads, o.name, o.subjects, o.at)
		} else {
			p.relate(o.subjects, o.name, heads, o.at)
		}
		p.done, p.open = o, open{}
	case p.copula && len(p.subjects) > 0:
		p.copula = false
	default:
		p.asked, p.subjects, p.worn = p.nearest, heads, false
	}
	if p.topic == nil {
		p.topic = heads
	}
	p.nearest, p.copula = heads, false
}

// wears reports whether objects are clothes that the subjects of what is open are in, or wear.
func (p *parser) wears(objects []int) bool {
	o := p.open
	if o.name == "wear" {
		return true
	}
	return o.name == "in" && p.isAnimate(o.subjects) && isClothing[p.headOf(objects)]
}

// headOf is the last word of the name of the first object.
func (p *parser) headOf(objects []int) string {
	at := p.Objects[objects[0]].At
	if len(at) == 0 {
		return ""
	}
	return p.Words[at[len(at)-1]]
}

func (p *parser) isAnimate(objects []int) bool {
	return len(objects) > 0 && isAnimate[p.headOf(objects)]
}

// verb reads a verb. Its subject is the noun phrase before it, or that of its clause if that is more likely to do anything.
func (p *parser) verb(t token) {
	if t.base == "have" && (p.class(1) == copula || p.class(1) == participle) { // has been
		p.i++
		return
	}
	before := stop
	if p.i > 0 {
		before = p.tokens[p.i-1].class
	}
	p.i++
	subjects := p.nearest
	switch {
	case before == infinitive && p.open.verb:
		subjects, p.open = p.open.subjects, open{}
	case p.copula, before == conjunction, before == comma:
		p.close()
		subjects = p.subjects
	case p.relative:
		subjects = p.asked
	case p.isAnimate(p.subjects) && !p.isAnimate(p.nearest), p.worn, t.class == finite && len(p.subjects) > 0:
		p.close()
		subjects = p.subjects
	default:
		p.close()
	}
	p.copula, p.relative, p.worn = false, false, false
	p.subjects = subjects
	base := t.base
	if base == "" {
		base = unknownBase(t)
	}
	p.open = open{subjects: subjects, name: base, at: t.at, verb: true, passive: t.class == participle, said: t}
}

// unknownBase is the base form of a verb that no list has.
func unknownBase(t token) string {
	stem := t.word
	switch t.class {
	case gerund:
		stem = stem[:len(stem)-len("ing")]
	case participle, finite:
		stem = stem[:len(stem)-len("ed")]
	}
	if n := len(stem); n > 2 && stem[n-1] == stem[n-2] && stem[n-1] != 's' && stem[n-1] != 'l' {
		stem = stem[:n-1]
	}
	return stem
}

// preposition reads a preposition, which may be of several words, and opens a relation by it.
func (p *parser) preposition() {
	name, at, ok := p.prepositionName()
	if !ok {
		return
	}
	if isColouring[p.word(0)] && name == "in" {
		p.i++
		return
	}
	o := p.open
	switch {
	case p.copula:
		p.open = open{subjects: p.subjects, name: name, at: at}
		p.copula = false
	case o.verb && o.prepositions == 0:
		p.open.prepositions++
		switch {
		case o.passive && covers[o.name] && (name == "with" || name == "in" || name == "by"), o.passive && name == "by" && !stays[o.name]:
			p.open.flipped = true
		default:
			p.open.name += " " + name
		}
		p.open.at = append(slices.Clip(o.at), at...)
	case o.verb:
		p.open.name, p.open.at = p.open.said.base+" "+name, append(slices.Clip(o.said.at), at...)
	case transfers[p.done.name] && name == "to" && len(p.nearest) > 0:
		p.open = open{subjects: p.done.subjects, name: p.done.name + " to", at: append(slices.Clip(p.done.at), at...)}
	case p.worn && name != "with":
		p.open = open{subjects: p.subjects, name: name, at: at}
	default:
		p.open = open{subjects: p.nearest, name: name, at: at}
	}
	p.done = open{}
}

var (
	covers    = set("cover surround line")                             // what these are with, in or by does so
	stays     = set("park seat stand locate place sit mount position") // by something, which does nothing
	transfers = set("throw give hit kick feed serve toss pass hand")
)

// prepositionName reads a preposition of one word or several. It is false for a particle, which says nothing.
func (p *parser) prepositionName() (name string, at []int, ok bool) {
	start := p.i
	word := p.word(0)
	p.i++
	taking := func() []int {
		for _, t := range p.tokens[start:p.i] {
			at = append(at, t.at...)
		}
		return at
	}
	next := p.word(0)
	switch {
	case (word == "next" || word == "close" || word == "adjacent") && next == "to":
		p.i++
		return word + " to", taking(), true
	case word == "in" && next == "between":
		p.i++
		return "between", taking(), true
	case (word == "inside" || word == "outside" || word == "off") && next == "of", word == "along" && next == "with":
		p.i++
		if word == "along" {
			word = "with"
		}
		return word, taking(), true
	case word == "out" && next == "of", word == "up" && (next == "to" || next == "against"), word == "across" && next == "from":
		p.i++
		return word + " " + next, taking(), true
	case (word == "on" || word == "in") && next == "to" && p.class(0) == preposition:
		p.i++
		return word + "to", taking(), true
	case word == "along" && next == "side":
		p.i++
		if p.word(0) == "of" {
			p.i++
		}
		return "alongside", taking(), true
	case isParticle[word] && (p.class(0) == preposition || p.class(0) == stop || p.class(0) == conjunction || p.class(0) == comma || p.class(0) == gerund):
		return "", nil, false
	}
	if name, words := p.region(word); words > 0 {
		p.i += words
		return name, taking(), true
	}
	if canonical, ok := prepositions[word]; ok {
		word = canonical
	}
	return word, taking(), true
}

var isParticle = set("up down out off over around along away back through in on about")

// region is the name of a preposition that takes in a part of the thing: "on the side of". It counts the words behind the preposition.
func (p *parser) region(word string) (name string, words int) {
	if !takesRegions[word] {
		return "", 0
	}
	for p.class(words) == determiner || p.class(words) == owner {
		words++
	}
	which := p.word(words)
	if (which == "left" || which == "right" || which == "far" || which == "top" || which == "bottom" || which == "very") && p.word(words+1) != "of" {
		words++
		if noun := p.word(words); noun == "hand" {
			words++
		}
		if side := p.word(words); side == "side" && which != "left" && which != "right" {
			which = side
		} else if side != "side" && side != "corner" && side != "edge" && side != "end" && side != "sides" {
			return "", 0
		} else if side == "corner" || side == "edge" || side == "end" {
			which = side
		}
	}
	if p.word(words+1) != "of" {
		return "", 0
	}
	if name = regions[which]; name == "" {
		return "", 0
	}
	if word == "in" && which == "back" {
		name = "in back of"
	}
	return name, words + 2
}

var takesRegions = set("in on at to from along by near towards")

// regions are the names of prepositions by the part that they take in.
var regions = map[string]string{"top": "on top of", "side": "on side of", "sides": "on both sides of", "front": "in front of", "back": "on back of",
	"rear": "at rear of", "middle": "on middle of", "center": "in center of", "centre": "in center of", "edge": "on edge of", "end": "in end of",
	"bottom": "on bottom of", "corner": "in corner of", "left": "at the left of", "right": "on the right side of", "base": "at base of"}

// pronoun reads a pronoun, which stands for what the caption began with.
func (p *parser) pronoun() {
	p.i++
	o := p.open
	p.open = open{}
	switch {
	case o.name == "":
		p.close()
		p.subjects, p.nearest = p.topic, p.topic
	case len(p.topic) == 0 || slices.Equal(o.subjects, p.topic):
	case o.name == "on": // "with a logo on it" says no more than "with a logo"
	default:
		if !o.verb {
			p.Relations = slices.DeleteFunc(p.Relations, func(r Relation) bool {
				return r.Name == "with" && slices.Contains(p.topic, r.Subject) && slices.Contains(o.subjects, r.Object)
			})
		}
		p.relate(o.subjects, o.name, p.topic, o.at)
	}
}

// conjunction goes on behind "and" or a comma that joins no noun phrases.
func (p *parser) conjunction() {
	switch p.class(0) {
	case preposition:
		if p.done.name != "" && p.open.name == "" {
			p.nearest = p.done.subjects
		}
	case noun, adjective, numeral, determiner, owner:
		if !p.copula && p.open.name == "" {
			p.nearest = nil
		}
		p.close()
	}
}

// close ends what is open without an object: the object is what a relative clause is about, if anything, or else the verb is an attribute.
func (p *parser) close() {
	o := p.open
	p.open = open{}
	switch {
	case o.name == "":
	case len(p.asked) > 0 && !slices.Equal(p.asked, o.subjects) && len(o.subjects) > 0:
		p.relate(o.subjects, o.name, p.asked, o.at)
		p.asked = nil
	case o.verb && (o.said.class == gerund || o.said.class == participle):
		p.describe(o.subjects, o.said.word, o.said.at)
	}
}
