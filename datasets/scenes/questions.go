package scenes

import (
	"math/rand/v2"
	"slices"

	"vlpx.internal/datasets"
)

var _ datasets.Questioned = (*Split)(nil)

// questionsEach is how many questions an image has, or a few more.
const questionsEach = 4

// Questions implements datasets.Questioned: four an image or a few more, with exact answers, a fifth of each kind.
//
// Each question is asked of as many images as it can have answers, one with each: its text alone tells nothing of the answer, as in VQA v2
// (Goyal et al., 2017), where each question has two images. An image to which no question fits that others answer otherwise has fewer; one
// that is alone in its split has none. They are drawn at the first call and kept: those of 10,000 images take a second.
func (s *Split) Questions() []datasets.Question { return s.questions() }

// asked is a question without its image.
type asked struct {
	template int // place among templates
	saying
}

// asker draws the questions of a split.
type asker struct {
	*world
	scenes []Scene
	r      *rand.Rand
	asked  [][]asked // of each image
	open   openImages
	counts []int // questions of each template
}

func (s *Split) ask() []datasets.Question {
	a := asker{
		world: s.world, scenes: s.content().scenes, r: s.stream(forQuestions, 0),
		asked: make([][]asked, s.count), open: newOpenImages(s.count), counts: make([]int, len(templates)),
	}
	for len(a.open.images) > 0 {
		image := pick(a.r, a.open.images)
		if !a.askAbout(image) {
			a.open.close(image)
		}
	}
	var all []datasets.Question
	for image, questions := range a.asked {
		for _, q := range questions {
			t := templates[q.template]
			answer, _ := t.answer(a.scenes[image], q.saying)
			all = append(all, datasets.Question{
				Image: image, Text: t.pattern.render(q.saying), Answers: []string{answer}, Kind: t.kind, AnswerKind: t.answerKind,
			})
		}
	}
	return all
}

// tries is how often something to say of an image is drawn in each form before the next form is taken.
const tries = 4

// askAbout asks a question of an image, and of others that answer it otherwise, in the form that lags behind most and has one.
func (a *asker) askAbout(image int) bool {
	order := make([]int, len(templates))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(j, k int) int {
		return a.counts[j]*templates[k].share - a.counts[k]*templates[j].share
	})
	for _, k := range order {
		t := templates[k]
		for range tries {
			q := asked{k, t.draw(&a.shown, a.scenes[image], a.r)}
			if images := a.group(q, image); images != nil {
				for _, of := range images {
					a.asked[of] = append(a.asked[of], q)
					if len(a.asked[of]) == questionsEach {
						a.open.close(of)
					}
				}
				a.counts[k] += len(images)
				return true
			}
		}
	}
	return false
}

// group finds images which answer a question in all ways, one each, of which one is given: first among those that lack questions; nil where
// some answer is not found.
func (a *asker) group(q asked, image int) []int {
	t := templates[q.template]
	answers := t.answers(&a.shown, q.saying)
	group, missing := make([]int, len(answers)), len(answers)
	for k := range group {
		group[k] = -1
	}
	join := func(of int) (all bool) {
		if len(a.asked[of]) >= 2*questionsEach {
			return false
		}
		answer, ok := t.answer(a.scenes[of], q.saying)
		if k := slices.Index(answers, answer); ok && k >= 0 && group[k] < 0 && !slices.Contains(a.asked[of], q) {
			group[k] = of
			missing--
		}
		return missing == 0
	}
	join(image)
	if missing == len(answers) {
		return nil
	}
	if !search(a.r, len(a.open.images), func(k int) bool { return join(a.open.images[k]) }) && !search(a.r, len(a.scenes), join) {
		return nil
	}
	return group
}

// searched is how many images are looked at for one.
const searched = 2000

// search looks at things from a random one on until one is found.
func search(r *rand.Rand, count int, found func(k int) bool) bool {
	if count == 0 {
		return false
	}
	from := r.IntN(count)
	for k := range min(count, searched) {
		if found((from + k) % count) {
			return true
		}
	}
	return false
}

// openImages are those about which more is to be said.
type openImages struct {
	images []int
	place  []int // of each image among them; -1 for none
}

func newOpenImages(count int) openImages {
	o := openImages{make([]int, count), make([]int, count)}
	for i := range count {
		o.images[i], o.place[i] = i, i
	}
	return o
}

// close takes an image out.
func (o *openImages) close(image int) {
	at, last := o.place[image], len(o.images)-1
	if at < 0 {
		return
	}
	moved := o.images[last]
	o.images[at], o.place[moved] = moved, at
	o.images, o.place[image] = o.images[:last], -1
}
