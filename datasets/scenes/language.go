package scenes

import (
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
)

var _ datasets.Spoken = (*Split)(nil)

// Judge implements datasets.Spoken.
func (s *Split) Judge(i int, sentence string) (holds, known bool) {
	g, err := s.world.said.parse(sentence)
	return err == nil && g.TrueOf(s.Scene(i)), err == nil
}

// Understand implements datasets.Spoken: objects with their attributes, a direction between two of them, and the ground as an object that
// the subject is on.
func (s *Split) Understand(sentence string) (scenegraph.Graph, bool) {
	g, err := s.world.said.parse(sentence)
	if err != nil {
		return scenegraph.Graph{}, false
	}
	return g.scenegraph(strings.Fields(sentence)), true
}

// scenegraph is the graph by the words of its own text.
func (g Graph) scenegraph(words []string) scenegraph.Graph {
	said, at := scenegraph.Graph{Words: words}, 0
	mention := func(a Attributes) int {
		object := len(said.Objects)
		at++ // the article
		for _, word := range []string{a.Size.String(), a.Texture.String(), a.Colour.String()} {
			if word != "" {
				said.Attributes = append(said.Attributes, scenegraph.Attribute{Object: object, Name: word, At: []int{at}})
				at++
			}
		}
		said.Objects = append(said.Objects, scenegraph.Object{Name: a.Shape.String(), At: []int{at}})
		at++
		return object
	}
	relate := func(name string) (relation int) {
		var places []int
		for range strings.Fields(name) {
			places, at = append(places, at), at+1
		}
		said.Relations = append(said.Relations, scenegraph.Relation{Name: name, At: places})
		return len(said.Relations) - 1
	}
	mention(g.Subject)
	if g.Direction != Alone {
		r := relate(g.Direction.String())
		said.Relations[r].Object = mention(g.Object)
	}
	if g.Ground != AnyGround {
		r := relate("on")
		said.Relations[r].Object = len(said.Objects)
		said.Objects = append(said.Objects, scenegraph.Object{Name: g.Ground.String(), At: []int{at}})
	}
	return said
}
