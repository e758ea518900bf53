package scenes

import (
	"iter"
	"maps"
	"slices"
	"strings"
)

// Fill implements datasets.Spoken. It goes through all that can be said of the scene.
func (s *Split) Fill(i int, words []string) []string {
	scene, found := s.Scene(i), map[string]bool{}
	add := func(g Graph) {
		for _, g.Ground = range []Ground{AnyGround, scene.Ground} {
			if text := g.String(); agrees(strings.Fields(text), words) {
				found[text] = true
			}
		}
	}
	for _, subject := range scene.Objects {
		for m := range subject.mentions() {
			if said := m.append(nil); len(said) > len(words) || !agrees(said, words[:len(said)]) {
				continue
			}
			add(Graph{Subject: m})
			for _, object := range scene.Objects {
				for d := LeftOf; d <= Below; d++ {
					if !d.holds(subject, object) {
						continue
					}
					for o := range object.mentions() {
						add(Graph{Subject: m, Direction: d, Object: o})
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// mentions are all that can be said of an object: each of its attributes or not.
func (a Attributes) mentions() iter.Seq[Attributes] {
	return func(yield func(Attributes) bool) {
		for left := range 1 << len(facets) {
			m := a
			for k, f := range facets {
				if left>>k&1 == 1 {
					m = f.without(m)
				}
			}
			if !yield(m) {
				return
			}
		}
	}
}

// agrees reports whether said are the words, where "" is any word.
func agrees(said, words []string) bool {
	return slices.EqualFunc(said, words, func(said, word string) bool { return word == "" || word == said })
}
