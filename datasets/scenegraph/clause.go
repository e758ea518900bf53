package scenegraph

import (
	"slices"
	"strings"
)

// connect makes noun phrases the object of what is open, or goes on with them.
func (p *parser) connect(heads []int, whose bool) {
	switch o := p.open; {
	case o.name != "":
		if p.worn = p.wears(heads); p.worn {
			if o.verb && o.name != "wear" { // standing in a shirt
				p.describe(o.subjects, o.said.word, o.said.at)
			}
			o.name = "wear"
		}
		if o.name == "with" {
			if !p.isAnimate(o.subjects) && p.isAnimate(p.subjects) && (isPart[p.headOf(heads)] || isClothing[p.headOf(heads)] ||
				p.isAnimate(heads)) {
				o.subjects = p.subjects
			}
			if whose {
				o.name = "have"
			}
		}
		if len(o.subjects) == 0 && !o.verb && p.topic == nil { // what the caption begins with, "on a hill are trees"
			p.fronted, p.front = o, heads
			p.open, p.nearest, p.copula = open{}, nil, false
			return
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
		if !p.relative {
			p.asked = p.nearest
		}
		p.subjects, p.worn, p.relative = heads, false, false
		if p.fronted.name != "" {
			p.relate(heads, p.fronted.name, p.front, p.fronted.at)
			p.fronted = open{}
		}
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
	return (o.name == "in" || o.verb && o.name == o.said.base+" in") && p.isAnimate(o.subjects) && isClothing[p.headOf(objects)]
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
	case p.relative && (p.isAnimate(p.asked) || !p.isAnimate(p.subjects) || p.word(-2) != "who"):
		subjects = p.asked
	case p.isAnimate(p.subjects) && !p.isAnimate(p.nearest), p.worn, t.class == finite && len(p.subjects) > 0:
		p.close()
		subjects = p.subjects
	default:
		p.close()
	}
	p.copula, p.relative, p.worn = false, false, false
	p.subjects = subjects
	if t.base == "" {
		t.base = unknownBase(t)
	}
	p.open = open{subjects: subjects, name: t.base, at: t.at, verb: true, said: t}
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

// split makes two of the subject that the clause began with, a compound: the object that a preposition at its end waits for, and the
// subject.
func (p *parser) split() {
	if len(p.subjects) != 1 || !p.open.verb && !p.copula {
		return
	}
	o := &p.Objects[p.subjects[0]]
	last := len(o.At) - 1
	space := strings.LastIndexByte(o.Name, ' ')
	if last < 1 || space < 0 {
		return
	}
	p.Objects = append(p.Objects, Object{o.Name[:space], o.At[:last:last]})
	o = &p.Objects[p.subjects[0]]
	o.Name, o.At = o.Name[space+1:], o.At[last:]
	p.asked = []int{len(p.Objects) - 1}
}

// close ends what is open without an object: the object is what a relative clause is about, if anything, or else the verb is an attribute.
func (p *parser) close() {
	o := p.open
	p.open = open{}
	switch {
	case o.name == "":
	case len(p.asked) > 0 && !slices.Equal(p.asked, o.subjects) && len(o.subjects) > 0:
		if o.verb && o.prepositions == 0 && p.pending.name != "" && !p.pending.verb {
			o.name, o.at = o.name+" "+p.pending.name, append(slices.Clip(p.pending.at), o.at...)
		}
		p.relate(o.subjects, o.name, p.asked, o.at)
		p.asked = nil
	case o.verb && (o.said.class == gerund || o.said.class == participle):
		p.describe(o.subjects, o.said.word, o.said.at)
	}
}
