package scenes

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// kind is how much a caption says: o<f> mentions one object with f attributes, r<f> two with f each and a direction
// between them.
type kind struct {
	pair  bool
	facts int
}

// levels are the settings of Config.Density: the kinds of the five captions that an image gets. The vaguer the captions,
// the more images each is true of.
var levels = map[string][]kind{
	"spec":  {{facts: 4}, {facts: 4}, {pair: true, facts: 2}, {pair: true, facts: 2}, {pair: true, facts: 2}},
	"quart": {{facts: 3}, {facts: 4}, {pair: true, facts: 2}, {pair: true, facts: 2}, {pair: true, facts: 1}},
	"half":  {{facts: 2}, {facts: 3}, {facts: 3}, {pair: true, facts: 1}, {pair: true, facts: 2}},
	"base":  {{facts: 1}, {facts: 2}, {facts: 3}, {pair: true, facts: 1}, {pair: true, facts: 2}},
	"mid":   {{facts: 1}, {facts: 1}, {facts: 2}, {pair: true, facts: 1}, {pair: true, facts: 2}},
	"dbl":   {{facts: 1}, {facts: 1}, {facts: 1}, {facts: 2}, {pair: true, facts: 1}},
}

func levelNames() []string { return slices.Sorted(maps.Keys(levels)) }

// groundNamed is the probability that a caption names the ground.
const groundNamed = .9

// drawCaptions draws the graphs of an image's captions. Each has the next kind of the level, from a random one on, so
// that any number of captions an image has the level's density.
func drawCaptions(s Scene, kinds []kind, count int, r *rand.Rand) []Graph {
	graphs := make([]Graph, count)
	first := r.IntN(len(kinds))
	for c := range graphs {
		graphs[c] = kinds[(first+c)%len(kinds)].draw(s, r)
	}
	return graphs
}

// draw draws a caption that is true of the scene. In a scene of one object r<f> turns into o<f+1>.
func (k kind) draw(s Scene, r *rand.Rand) Graph {
	var g Graph
	if k.pair && len(s.Objects) == 1 {
		k = kind{facts: k.facts + 1}
	}
	order := r.Perm(len(s.Objects))
	subject := s.Objects[order[0]]
	g.Subject = mention(subject.Attributes, k.facts, r)
	if k.pair {
		object := s.Objects[order[1]]
		g.Object = mention(object.Attributes, k.facts, r)
		g.Direction = drawDirection(subject, object, r)
	}
	if r.Float64() < groundNamed {
		g.Ground = s.Ground
	}
	return g
}

// drawDirection draws one of the directions, one or two, that are true of objects in distinct cells.
func drawDirection(subject, object Object, r *rand.Rand) Direction {
	var all []Direction
	for d := LeftOf; d <= Below; d++ {
		if d.holds(subject, object) {
			all = append(all, d)
		}
	}
	return all[r.IntN(len(all))]
}

// mention keeps some attributes of an object, drawn without replacement: shape and colour with weight .32, size and
// texture with .18.
func mention(a Attributes, facts int, r *rand.Rand) (m Attributes) {
	weights := [...]float64{.32, .32, .18, .18}
	for range facts {
		total := 0.
		for _, w := range weights {
			total += w
		}
		u, k := r.Float64()*total, 0
		for k < len(weights)-1 && (weights[k] == 0 || u >= weights[k]) {
			u -= weights[k]
			k++
		}
		weights[k] = 0
		switch k {
		case 0:
			m.Shape = a.Shape
		case 1:
			m.Colour = a.Colour
		case 2:
			m.Size = a.Size
		case 3:
			m.Texture = a.Texture
		}
	}
	return m
}
