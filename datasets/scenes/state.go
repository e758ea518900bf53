package scenes

import (
	"math/rand/v2"
	"slices"

	"vlpx.internal/datasets"
)

var _ datasets.Stated = (*Split)(nil)

// Statements implements datasets.Stated: two with each image as the left one, as many of each form, as far as others of the split allow.
//
// Four statements have one text and two left and two right images: each left image makes it true with one of the right ones and false with
// the other, and so does each right image. Neither the text nor one of the images with it tells anything of the truth, as NLVR2 (Suhr et
// al., 2019) has it for the text. An image for which no three others are found is the left one of none, as one is in a split of an odd
// number.
func (s *Split) Statements() []datasets.Statement { return s.statements() }

// stater draws the statements of a split.
type stater struct {
	*world
	scenes []Scene
	r      *rand.Rand
	open   openImages // those that are not the left one of any yet
	counts []int      // statements of each claim
	all    []datasets.Statement
}

func (s *Split) state() []datasets.Statement {
	a := stater{
		world: s.world, scenes: s.content().scenes, r: s.stream(forStatements, 0), open: newOpenImages(s.count),
		counts: make([]int, len(claims)),
	}
	for len(a.open.images) > 0 {
		image := pick(a.r, a.open.images)
		a.stateOf(image)
		a.open.close(image)
	}
	slices.SortStableFunc(a.all, func(b, c datasets.Statement) int { return b.Left - c.Left })
	return a.all
}

// stateOf makes a statement with an image as a left one, in the form that lags behind most and has one.
func (a *stater) stateOf(image int) {
	order := make([]int, len(claims))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(j, k int) int { return a.counts[j] - a.counts[k] })
	for _, k := range order {
		for range tries {
			s := claims[k].draw(&a.shown, a.scenes[image], a.r)
			left, right, ok := a.four(claims[k], s, image)
			if !ok {
				continue
			}
			text := claims[k].pattern.render(s)
			for j, l := range left {
				for m, r := range right {
					a.all = append(a.all, datasets.Statement{Left: l, Right: r, Text: text, True: j == m})
				}
			}
			a.open.close(left[1])
			a.counts[k]++
			return
		}
	}
}

// four finds two left images, of which the first is given, and two right ones, so that a statement is true of the first ones, true of the
// second ones, and false of the others.
func (a *stater) four(c claim, s saying, image int) (left, right [2]int, ok bool) {
	is := func(truth bool, l, r int) bool {
		holds, known := c.holds(a.scenes[l], a.scenes[r], s)
		return l != r && known && holds == truth
	}
	left[0] = image
	for k, truth := range []bool{true, false} {
		if !search(a.r, len(a.scenes), func(r int) bool {
			right[k] = r
			return is(truth, image, r)
		}) {
			return left, right, false
		}
	}
	return left, right, search(a.r, len(a.open.images), func(k int) bool {
		left[1] = a.open.images[k]
		return left[1] != image && is(false, left[1], right[0]) && is(true, left[1], right[1])
	})
}
