package scenegraph

import "slices"

// preposition reads a preposition, which may be of several words, and opens a relation by it.
func (p *parser) preposition() {
	if p.comes("in", "the", "distance") {
		of := p.subjects
		if p.open.verb {
			of = p.open.subjects
		}
		p.describe(of, "in the distance", p.take(3))
		return
	}
	// a horse with a man on top
	if p.comes("on", "top") && p.word(2) != "of" && len(p.topic) > 0 && len(p.nearest) > 0 && p.nearest[0] != p.topic[0] {
		p.relate(p.nearest, "on top of", p.topic, p.take(2))
		return
	}
	name, at, particle := p.prepositionName()
	if particle && p.class(0) == stop && len(p.asked) == 0 { // behind two noun phrases that look like one: "the table bowls are on"
		p.split()
	}
	waits := p.class(0) == stop && len(p.asked) > 0 && !slices.Equal(p.asked, p.subjects)
	switch {
	case particle && (name == "outside" || name == "inside") && !waits:
		p.describe(p.subjects, name, at)
	case particle && !waits:
	case name == "in" && isColouring[p.word(0)]: // red in color
		p.i++
	default:
		p.open = p.opened(name, at)
		p.copula, p.done = false, open{}
	}
}

// opened is the relation that a preposition opens: with the verb before it, or of a noun phrase.
func (p *parser) opened(name string, at []int) open {
	with := func(subjects []int, name string) open { return open{subjects: subjects, name: name, at: at} }
	behind := func(o open) open { // the verb of a relation, with this preposition
		return open{subjects: o.subjects, name: o.said.base + " " + name, at: append(slices.Clip(o.said.at), at...)}
	}
	switch o, done := p.open, p.done; {
	case p.copula:
		return with(p.subjects, name)
	case o.verb:
		verb := behind(o)
		verb.verb, verb.said, verb.prepositions = true, o.said, 1
		passive := o.said.class == participle && o.prepositions == 0
		if passive && (covers[o.said.base] && (name == "with" || name == "in" || name == "by") || name == "by" && !stays[o.said.base]) {
			verb.name, verb.flipped = o.said.base, true
		}
		return verb
	case done.verb && name == "with" && handles[done.name], done.verb && name == "to" && transfers[done.name], done.name == "play" &&
		isPlace[name]:
		return behind(done)
	case done.verb && carries[done.name] && isPlace[name]:
		return with(done.subjects, name)
	case done.name == "with" && !done.verb && name != "with" && p.class(0) != pronoun: // a vase with flowers on a table
		return with(done.subjects, name)
	case p.worn && name != "with": // a man in a coat on a bench
		return with(p.subjects, name)
	}
	return with(p.nearest, name)
}

// Verbs that go with prepositions in their own way.
var (
	covers    = set("cover surround line")                                               // what these are with, in or by does so
	stays     = set("park seat stand locate place sit mount position")                   // by something, which does nothing
	carries   = set("ride fly pull")                                                     // a thing, and go where it goes
	handles   = set("play hit eat cut feed kick brush pet touch spray wash throw catch") // a thing with another
	transfers = set("throw give hit kick feed serve toss pass hand")                     // a thing to somebody
	isPlace   = set("on in at along down up across through near by over")
)

// prepositionName reads a preposition of one word or several, or a particle, which nothing follows that it could relate to.
func (p *parser) prepositionName() (name string, at []int, particle bool) {
	word := p.word(0)
	if name, ok := doublePrepositions[word+" "+p.word(1)]; ok {
		if p.word(2) == "of" && name == "alongside" {
			return name, p.take(3), false
		}
		return name, p.take(2), false
	}
	if name, words := p.region(); words > 0 {
		return name, p.take(words), false
	}
	switch p.class(1) {
	case preposition, stop, conjunction, comma, gerund:
		particle = isParticle[word]
	}
	if canonical, ok := prepositions[word]; ok {
		word = canonical
	}
	return word, p.take(1), particle
}

// doublePrepositions are the names of prepositions of two words.
var doublePrepositions = map[string]string{"next to": "next to", "close to": "close to", "adjacent to": "adjacent to", "full of": "have",
	"in between": "between", "inside of": "inside", "outside of": "outside", "off of": "off", "along with": "with", "out of": "out of",
	"up to": "up to", "up against": "up against",
	"across from": "across from", "on to": "onto", "along side": "alongside", "left of": "left of", "right of": "right of"}

// isParticle are prepositions that may have no object.
var isParticle = set("up down out off over around along away back through in on about under inside outside behind")

// region is the name of a preposition that takes in a part of the thing, such as "on the side of", and the number of its words.
func (p *parser) region() (name string, words int) {
	if !takesRegions[p.word(0)] {
		return "", 0
	}
	words = 1
	for p.class(words) == determiner || p.class(words) == owner {
		words++
	}
	part := p.word(words)
	if p.word(words+1) != "of" && isWhich[part] { // on the left hand side of, in the top corner of
		words++
		if p.word(words) == "hand" {
			words++
		}
		if left := part == "left" || part == "right"; !left || p.word(words) != "side" {
			part = p.word(words)
		}
	}
	name = regions[part]
	if name == "" || p.word(words+1) != "of" {
		return "", 0
	}
	if p.word(0) == "in" && part == "back" {
		name = "in back of"
	}
	return name, words + 2
}

var (
	takesRegions = set("in on at to from along by near towards")
	isWhich      = set("left right far top bottom very")
)

// regions are the names of prepositions by the part that they take in.
var regions = map[string]string{"top": "on top of", "side": "on side of", "sides": "on both sides of", "front": "in front of",
	"back": "on back of",
	"rear": "at rear of", "middle": "on middle of", "center": "in center of", "centre": "in center of", "edge": "on edge of",
	"end":    "in end of",
	"bottom": "on bottom of", "corner": "in corner of", "left": "at the left of", "right": "on the right side of", "base": "at base of",
	"shape": "in shape of"}
