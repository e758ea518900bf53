package scenes

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"sync"

	"vlpx.internal/datasets"
)

// Split is one split of the collection. It implements datasets.Related, whose relation is known for every pair, datasets.Labelled,
// datasets.Boxed, datasets.Spoken, datasets.Questioned, datasets.Stated and datasets.Domained.
type Split struct {
	config   Config
	world    *world
	name     string
	number   int // place among splitNames
	count    int // of images
	captions int // of each image

	content  func() content
	relation func() datasets.Relation
	classes  func() []string

	questions  func() []datasets.Question
	statements func() []datasets.Statement
}

// content is what is drawn once for a whole split: everything but pixels.
type content struct {
	scenes   []Scene
	graphs   []Graph    // [pairs]
	captions [][]string // [images][captions]
}

var (
	_ datasets.Related  = (*Split)(nil)
	_ datasets.Labelled = (*Split)(nil)
	_ datasets.Boxed    = (*Split)(nil)
)

func newSplit(c Config, w *world, number, count, captions int) *Split {
	s := &Split{config: c, world: w, name: splitNames[number], number: number, count: count, captions: captions}
	s.content = sync.OnceValue(s.draw)
	s.relation = sync.OnceValue(func() datasets.Relation {
		all := s.content()
		return newRelation(all.scenes, all.graphs, mostBits)
	})
	s.questions, s.statements = sync.OnceValue(s.ask), sync.OnceValue(s.state)
	s.classes = sync.OnceValue(func() []string {
		if c.OneShape {
			return namesOf(w.shown.shapes)
		}
		return namesOf(w.shown.grounds)
	})
	return s
}

// draw draws scenes and captions.
func (s *Split) draw() content {
	c := s.config
	all := content{scenes: make([]Scene, s.count), captions: make([][]string, s.count)}
	for i := range all.scenes {
		all.scenes[i] = s.world.drawScene(s.stream(forObjects, i), c.OneShape)
		all.graphs = append(all.graphs,
			drawCaptions(all.scenes[i], levels[c.Density], s.captions, s.stream(forCaptions, i))...)
	}
	if splitNames[s.number] == "train" {
		all.graphs = s.replace(all.graphs)
	}
	for i := range all.captions {
		texts := make([]string, s.captions)
		for k := range texts {
			texts[k] = all.graphs[i*s.captions+k].String()
		}
		all.captions[i] = texts
	}
	return all
}

// replace exchanges a share Config.CaptionNoise of the captions for a caption of another scene.
func (s *Split) replace(clean []Graph) []Graph {
	c := s.config
	noisy := make([]Graph, len(clean))
	for i := range s.count {
		r := s.stream(forReplacing, i)
		for k := range s.captions {
			from := i*s.captions + k
			if r.Float64() < c.CaptionNoise {
				other := (i + 1 + r.IntN(s.count-1)) % s.count
				from = other*s.captions + r.IntN(s.captions)
			}
			noisy[i*s.captions+k] = clean[from]
		}
	}
	return noisy
}

// stream is that of scene i for one purpose.
func (s *Split) stream(what purpose, i int) *rand.Rand {
	return stream(s.config.Seed^s.world.key, s.number, what, i)
}

// Name implements datasets.Set.
func (s *Split) Name() string { return s.world.collection + "/" + s.name }

// Len implements datasets.Set.
func (s *Split) Len() int { return s.count }

// Key implements datasets.Set: the scene's number.
func (s *Split) Key(i int) string { return fmt.Sprintf("%s-%06d", s.name, i) }

// Captions implements datasets.Set. Every image of a split has as many, so pair p is caption p mod that number of image p over it.
func (s *Split) Captions(i int) []string { return s.content().captions[i] }

// Image implements datasets.Set: an *image.NRGBA, opaque, the same at every call.
func (s *Split) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if i < 0 || i >= s.count {
		return nil, fmt.Errorf("%s: no image %d; indices run from 0 to %d", s.Name(), i, s.count-1)
	}
	return s.config.look(s.world).draw(s.Scene(i), s.stream(forPixels, i)), nil
}

// Scene is what image i shows. The caller must not change it.
func (s *Split) Scene(i int) Scene { return s.content().scenes[i] }

// Graph is the scene graph of the caption of pair p (an index into datasets.Pairs of this split), as its text has it: for
// a replaced caption that of the other scene.
func (s *Split) Graph(p int) Graph { return s.content().graphs[p] }

// Relation implements datasets.Related. It is computed at the first call and kept, one bit for each image and distinct
// caption; of a split that is too large for that each pair is looked at when it is asked for. It panics on indices out of range.
func (s *Split) Relation() datasets.Relation { return s.relation() }

// Density is the share of true pairs among all pairs of a caption and an image other than its own: what a negative drawn
// at random meets. It is 0 for a split of one image.
func (s *Split) Density() float64 {
	if s.count < 2 {
		return 0
	}
	all, total, trueImages := s.content(), 0, map[Graph]int{}
	t := newTables(all.scenes)
	for p, g := range all.graphs {
		n, known := trueImages[g]
		if !known {
			n = t.trueOf(g).count()
			trueImages[g] = n
		}
		total += n
		if g.TrueOf(all.scenes[p/s.captions]) { // its own
			total--
		}
	}
	return float64(total) / float64(len(all.graphs)*(s.count-1))
}

// Class implements datasets.Labelled: the ground of image i, or with Config.OneShape the shape of its objects.
//
// Flips, crops and blur leave a ground true, changes of colour do not: grounds differ in nothing else. They all leave a shape true, as
// long as part of an object is in view.
func (s *Split) Class(i int) int {
	scene := s.Scene(i)
	if s.config.OneShape {
		return slices.Index(s.world.shown.shapes, scene.Objects[0].Shape)
	}
	return slices.Index(s.world.shown.grounds, scene.Ground)
}

// Classes implements datasets.Labelled, in the words of the captions: "sand", or with Config.OneShape "square".
func (s *Split) Classes() []string { return s.classes() }

// namesOf are the words of values.
func namesOf[T fmt.Stringer](values []T) []string {
	var names []string
	for _, v := range values {
		names = append(names, v.String())
	}
	return names
}

// Boxes implements datasets.Boxed: the smallest that hold the shapes, in the order of the scene's objects.
func (s *Split) Boxes(i int) []datasets.Box {
	var boxes []datasets.Box
	for _, o := range s.Scene(i).Objects {
		boxes = append(boxes, o.box())
	}
	return boxes
}
