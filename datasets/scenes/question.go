package scenes

import (
	"math/rand/v2"
	"strconv"
)

// Kinds of questions (datasets.Question.Kind).
const (
	Exist     = "exist"     // is there a red disc ?
	Count     = "count"     // how many striped objects are there ?
	Attribute = "attribute" // what colour is the small disc ? what is the ground ?
	// are there more discs than rings ? is the disc bigger than the ring ? do the disc and the ring have the same colour ?
	Compare  = "compare"
	Relation = "relation" // is the disc left of the ring ? what is left of the ring ?
)

// template is a form of questions.
type template struct {
	kind       string
	answerKind string // in the words of VQA v2's evaluation
	share      int    // of the questions, in hundredths
	pattern    pattern
	// answers are all there can be, of which each is as frequent.
	answers func(v *vocabulary, s saying) []string
	// answer is that of a scene, and whether there is one: "the disc" must be one object, and no more.
	answer func(of Scene, s saying) (answer string, ok bool)
	// draw draws what to ask about a scene, which may have no answer.
	draw func(v *vocabulary, of Scene, r *rand.Rand) saying
}

const yesNo, number, other = "yes/no", "number", "other"

// templates are the forms of questions; each kind has a fifth of the questions.
var templates = []template{
	{
		kind: Exist, answerKind: yesNo, share: 20, pattern: "is there <caption> ?", answers: yesOrNo,
		answer: func(of Scene, s saying) (string, bool) { return yes(s.TrueOf(of)), true },
		draw: func(v *vocabulary, of Scene, r *rand.Rand) saying {
			return saying{Graph: Graph{Subject: mention(v.drawAttributes(r), 1+r.IntN(2), r)}}
		},
	},
	{
		kind: Count, answerKind: number, share: 20, pattern: "how many <subjects> are there ?",
		answers: func(*vocabulary, saying) (all []string) {
			for n := range MaxObjects + 1 {
				all = append(all, strconv.Itoa(n))
			}
			return all
		},
		answer: func(of Scene, s saying) (string, bool) { return strconv.Itoa(of.count(s.Subject)), true },
		draw: func(v *vocabulary, _ Scene, r *rand.Rand) saying {
			// Three objects of one colour or shape are rare, which makes such questions rare, too.
			a := mention(v.drawAttributes(r), 1+r.IntN(2), r)
			if r.IntN(4) > 0 {
				a.Shape, a.Colour = AnyShape, AnyColour
			}
			return saying{Graph: Graph{Subject: a}}
		},
	},
	{
		kind: Attribute, answerKind: other, share: 16, pattern: "what <facet> is the <subject> ?",
		answers: func(v *vocabulary, s saying) []string { return v.values(s.facet) },
		answer: func(of Scene, s saying) (string, bool) {
			o, ok := of.the(s.Subject)
			return s.facet.word(o.Attributes), ok
		},
		draw: func(_ *vocabulary, of Scene, r *rand.Rand) saying {
			s := saying{facet: facets[r.IntN(len(facets))]}
			s.Subject = of.drawMention(s.facet, r)
			return s
		},
	},
	{
		kind: Attribute, answerKind: other, share: 4, pattern: "what is the ground ?",
		answers: func(v *vocabulary, _ saying) []string { return namesOf(v.grounds) },
		answer:  func(of Scene, _ saying) (string, bool) { return of.Ground.String(), true },
		draw:    func(*vocabulary, Scene, *rand.Rand) saying { return saying{} },
	},
	{
		kind: Compare, answerKind: yesNo, share: 6, pattern: "are there more <subjects> than <objects> ?", answers: yesOrNo,
		answer: func(of Scene, s saying) (string, bool) { return yes(of.count(s.Subject) > of.count(s.Object)), true },
		draw: func(v *vocabulary, _ Scene, r *rand.Rand) saying {
			by := facets[r.IntN(len(facets))]
			return saying{Graph: Graph{Subject: by.of(v.drawAttributes(r)), Object: by.of(v.drawAttributes(r))}}
		},
	},
	{
		kind: Compare, answerKind: yesNo, share: 7, pattern: "is the <subject> bigger than the <object> ?", answers: yesOrNo,
		answer: func(of Scene, s saying) (string, bool) {
			subject, object, ok := of.both(s)
			return yes(subject.Size > object.Size), ok
		},
		draw: func(_ *vocabulary, of Scene, r *rand.Rand) saying { return of.drawMentions(bySize, r) },
	},
	{
		kind: Compare, answerKind: yesNo, share: 7, pattern: "do the <subject> and the <object> have the same <facet> ?", answers: yesOrNo,
		answer: func(of Scene, s saying) (string, bool) {
			subject, object, ok := of.both(s)
			return yes(s.facet.of(subject.Attributes) == s.facet.of(object.Attributes)), ok
		},
		draw: func(_ *vocabulary, of Scene, r *rand.Rand) saying {
			return of.drawMentions(facets[r.IntN(len(facets))], r)
		},
	},
	{
		kind: Relation, answerKind: yesNo, share: 10, pattern: "is the <subject> <direction> the <object> ?", answers: yesOrNo,
		answer: func(of Scene, s saying) (string, bool) {
			subject, object, ok := of.both(s)
			return yes(s.Direction.holds(subject, object)), ok
		},
		draw: func(_ *vocabulary, of Scene, r *rand.Rand) saying {
			s := of.drawMentions(anyFacet, r)
			s.Direction = pick(r, directions)
			return s
		},
	},
	{
		kind: Relation, answerKind: other, share: 10, pattern: "what is <direction> the <object> ?",
		answers: func(v *vocabulary, _ saying) []string { return v.values(byShape) },
		answer: func(of Scene, s saying) (string, bool) {
			object, ok := of.the(s.Object)
			if !ok {
				return "", false
			}
			var found []Object
			for _, o := range of.Objects {
				if s.Direction.holds(o, object) {
					found = append(found, o)
				}
			}
			if len(found) != 1 {
				return "", false
			}
			return found[0].Shape.String(), true
		},
		draw: func(_ *vocabulary, of Scene, r *rand.Rand) saying {
			return saying{Graph: Graph{Direction: pick(r, directions), Object: of.drawMention(anyFacet, r)}}
		},
	},
}

func yesOrNo(*vocabulary, saying) []string { return []string{"yes", "no"} }

func yes(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}

// count is how many objects a mention is true of.
func (s Scene) count(a Attributes) (n int) {
	for _, o := range s.Objects {
		if a.Matches(o.Attributes) {
			n++
		}
	}
	return n
}

// the is the one object that a mention is true of.
func (s Scene) the(a Attributes) (found Object, one bool) {
	n := 0
	for _, o := range s.Objects {
		if a.Matches(o.Attributes) {
			found, n = o, n+1
		}
	}
	return found, n == 1
}

// both are the two objects that a question is about.
func (s Scene) both(about saying) (subject, object Object, ok bool) {
	subject, first := s.the(about.Subject)
	object, second := s.the(about.Object)
	return subject, object, first && second && subject != object
}

// drawAttributes draws those of an object that a scene might have.
func (v *vocabulary) drawAttributes(r *rand.Rand) Attributes {
	return Attributes{pick(r, v.shapes), pick(r, v.colours), pick(r, sizes), pick(r, textures)}
}

// drawMention draws one or two attributes of one of the objects, other than what is asked for.
func (s Scene) drawMention(asked facet, r *rand.Rand) Attributes {
	return asked.without(mention(pick(r, s.Objects).Attributes, 1+r.IntN(2), r))
}

// drawMentions draws mentions of two of the objects.
func (s Scene) drawMentions(asked facet, r *rand.Rand) saying {
	return saying{Graph: Graph{Subject: s.drawMention(asked, r), Object: s.drawMention(asked, r)}, facet: asked}
}
