package scenegraph

import (
	"slices"

	"vlpx.internal/datasets/text"
)

// Parse makes a graph of an English caption: a sentence, or as most captions are a noun phrase. It tags the words by a lexicon, their
// endings and their neighbours, groups them to noun phrases, and reads these from left to right. It takes what it cannot understand for
// nouns.
//
//   - The last noun of a phrase is an object; what describes it are attributes; nouns before it make a compound ("tennis racket") or, of
//     materials and the like, an attribute ("metal pole"). "It" and its like are no objects of their own.
//   - A verb relates its subject to its object, a preposition the noun phrase before it to the one behind, and both together are one
//     relation ("sit on"). Who is in clothes wears them; "surrounded by" and "covered in" relate the other way round.
//   - "The X of Y" and "Y's X" are "( Y , have , X )" unless X is a quantity ("a bunch of"), a container ("a cup of") or a side of Y
//     behind a preposition ("on the side of").
//   - What a copula says of a thing is an attribute of it, and so is what it does without an object.
func Parse(caption string) Graph {
	p := parser{Graph: Graph{Words: text.Words(caption)}}
	p.tokens = tokens(p.Words)
	p.read()
	return p.Graph
}

// parser is a place in a caption, and what of it has been read.
type parser struct {
	Graph
	tokens []token
	i      int // the token that is next

	subjects []int // objects that the clause is about
	nearest  []int // those of the noun phrases read last
	asked    []int // objects that a relative clause, or a noun phrase without connection to the next, may be missing
	worn     bool  // nearest are clothes of the subjects

	topic   []int // what the caption began with
	fronted open  // a preposition that it began with, and front its objects
	front   []int

	open     open
	done     open // the relation that the noun phrase read last has closed
	copula   bool // one has just been read, of the subjects
	pending  open // the preposition before a relative pronoun: "the sand on which"
	relative bool // a relative pronoun has just been read
}

// open is a relation whose object is still to come.
type open struct {
	subjects []int
	name     string
	at       []int
	flipped  bool // the object to come is the subject

	verb         bool
	said         token // the verb
	prepositions int   // that have been read behind the verb
}

func (p *parser) word(ahead int) string {
	if p.i+ahead < len(p.tokens) {
		return p.tokens[p.i+ahead].word
	}
	return ""
}

// comes reports whether these words come next.
func (p *parser) comes(words ...string) bool {
	for ahead, word := range words {
		if p.word(ahead) != word {
			return false
		}
	}
	return true
}

// take steps over tokens, and returns where their words are.
func (p *parser) take(tokens int) (at []int) {
	for range tokens {
		at = append(at, p.tokens[p.i].at...)
		p.i++
	}
	return at
}

func (p *parser) class(ahead int) class {
	if p.i+ahead < len(p.tokens) {
		return p.tokens[p.i+ahead].class
	}
	return stop
}

// read reads the whole caption.
func (p *parser) read() {
	for p.i < len(p.tokens) {
		start := p.i
		switch t := p.tokens[p.i]; t.class {
		case noun, adjective, numeral, determiner, owner:
			p.phrase()
		case pronoun:
			p.pronoun()
		case copula:
			p.i++
			p.close()
			p.copula = true
			if p.relative {
				p.subjects, p.relative = p.asked, false
			}
		case finite, gerund, participle:
			p.verb(t)
		case infinitive:
			p.i++
		case preposition:
			p.preposition()
		case relative:
			stranded := p.open
			p.close()
			p.i++
			p.relative, p.asked, p.pending = true, p.nearest, stranded
		case there:
			p.i++
			if p.class(0) == copula {
				p.i++
			}
		case conjunction, comma:
			p.i++
			p.conjunction()
		case adverb:
			if !isDegree[t.word] && p.class(1) == adjective {
				p.phrase()
				break
			}
			if (t.word == "indoors" || t.word == "outdoors") && len(p.subjects) > 0 {
				p.describe(p.subjects, t.word, t.at)
			}
			p.i++
		default:
			p.i++
			if t.class == stop && t.word[0] != '\'' && t.word != `"` && t.word != "`" {
				p.close()
				p.copula = false
			}
		}
		if p.i == start {
			p.i++
		}
	}
	p.close()
}

// relate adds a relation between each two of the subjects and the objects.
func (p *parser) relate(subjects []int, name string, objects []int, at []int) {
	for _, s := range subjects {
		for _, o := range objects {
			p.Relations = append(p.Relations, Relation{s, o, name, at})
		}
	}
}

func (p *parser) describe(objects []int, name string, at []int) {
	for _, o := range objects {
		if !slices.ContainsFunc(p.Attributes, func(a Attribute) bool { return a.Object == o && a.Name == name }) {
			p.Attributes = append(p.Attributes, Attribute{o, name, at})
		}
	}
}
