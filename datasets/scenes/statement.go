package scenes

import (
	"math/rand/v2"
)

// claim is a form of statements about two scenes.
//
// Its truth must be such that of two left and two right scenes each left one makes it true with one of the right ones and false with the
// other, and each right one so with the left ones, or neither scene alone could be kept from telling it. Where more of one scene makes a
// claim true whatever the other is, as in "both images have a disc" or "the left image has more discs than the right one", there are no
// such scenes: an image without a disc is then enough to call it false.
type claim struct {
	pattern pattern
	// holds tells the truth, and whether there is one: "the disc" must be one object, and no more.
	holds func(left, right Scene, s saying) (holds, known bool)
	// draw draws what to say of a scene and others.
	draw func(v *vocabulary, left Scene, r *rand.Rand) saying
}

// claims are the forms of statements.
var claims = []claim{
	{
		pattern: "the left image has <count> more than the right one",
		holds: func(left, right Scene, s saying) (bool, bool) {
			return left.count(s.Subject)-right.count(s.Subject) == s.number, true
		},
		draw: drawCount(MaxObjects - 1),
	},
	{
		pattern: "the two images have <count> in total",
		holds: func(left, right Scene, s saying) (bool, bool) {
			return left.count(s.Subject)+right.count(s.Subject) == s.number, true
		},
		draw: drawCount(2 * MaxObjects),
	},
	{
		pattern: "one image has <count> and the other none",
		holds: func(left, right Scene, s saying) (bool, bool) {
			a, b := left.count(s.Subject), right.count(s.Subject)
			return min(a, b) == 0 && max(a, b) == s.number, true
		},
		draw: drawCount(MaxObjects),
	},
	{
		pattern: "both images have the same number of <subjects>",
		holds: func(left, right Scene, s saying) (bool, bool) {
			return left.count(s.Subject) == right.count(s.Subject), true
		},
		draw: drawCount(1),
	},
	{
		pattern: "there is <caption> in exactly one image",
		holds: func(left, right Scene, s saying) (bool, bool) {
			return s.TrueOf(left) != s.TrueOf(right), true
		},
		draw: drawCaption,
	},
	{
		pattern: "both images have <caption> or neither has",
		holds: func(left, right Scene, s saying) (bool, bool) {
			return s.TrueOf(left) == s.TrueOf(right), true
		},
		draw: drawCaption,
	},
	{
		pattern: "the images have the same ground",
		holds:   func(left, right Scene, _ saying) (bool, bool) { return left.Ground == right.Ground, true },
		draw:    func(*vocabulary, Scene, *rand.Rand) saying { return saying{} },
	},
	{
		pattern: "the <subject> of the left image and the <object> of the right one have the same <facet>",
		holds: func(left, right Scene, s saying) (bool, bool) {
			a, first := left.the(s.Subject)
			b, second := right.the(s.Object)
			return s.facet.of(a.Attributes) == s.facet.of(b.Attributes), first && second
		},
		draw: func(v *vocabulary, left Scene, r *rand.Rand) saying {
			f := pick(r, facets)
			return saying{facet: f, Graph: Graph{Subject: left.drawMention(f, r), Object: f.without(mention(v.drawAttributes(r), 1, r))}}
		},
	},
}

// drawCount draws a number of objects, up to one, that have an attribute of one of the scene's.
func drawCount(most int) func(*vocabulary, Scene, *rand.Rand) saying {
	return func(_ *vocabulary, left Scene, r *rand.Rand) saying {
		return saying{number: 1 + r.IntN(most), Graph: Graph{Subject: mention(pick(r, left.Objects).Attributes, 1, r)}}
	}
}

// drawCaption draws a caption of the scene that says little, without its ground.
func drawCaption(_ *vocabulary, left Scene, r *rand.Rand) saying {
	g := kind{pair: r.IntN(2) == 0, facts: 1}.draw(left, r)
	g.Ground = AnyGround
	return saying{Graph: g}
}
