package scenes

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// anyOf generates one of some values, or with the first of them none.
func anyOf[T any](values []T, low int) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) (none T) {
		if k := rapid.IntRange(low, len(values)).Draw(t, "place"); k > 0 {
			return values[k-1]
		}
		return none
	})
}

// anyAttributes generates mentions, with low 0, or the attributes of an object, with low 1.
func (v *vocabulary) anyAttributes(low int) *rapid.Generator[Attributes] {
	return rapid.Custom(func(t *rapid.T) Attributes {
		return Attributes{
			Shape:   anyOf(v.shapes, low).Draw(t, "shape"),
			Colour:  anyOf(v.colours, low).Draw(t, "colour"),
			Size:    anyOf(sizes, low).Draw(t, "size"),
			Texture: anyOf(textures, low).Draw(t, "texture"),
		}
	})
}

// anyGraph generates captions.
func (v *vocabulary) anyGraph() *rapid.Generator[Graph] {
	return rapid.Custom(func(t *rapid.T) Graph {
		g := Graph{
			Subject:   v.anyAttributes(0).Draw(t, "subject"),
			Direction: anyOf(directions, 0).Draw(t, "direction"),
			Ground:    anyOf(v.grounds, 0).Draw(t, "ground"),
		}
		if g.Direction != Alone {
			g.Object = v.anyAttributes(0).Draw(t, "object")
		}
		return g
	})
}

// anyScene generates what an image of any world may show.
func anyScene() *rapid.Generator[Scene] {
	return rapid.Custom(func(t *rapid.T) Scene {
		w := rapid.SampledFrom(worlds).Draw(t, "world")
		return w.drawScene(stream(rapid.Uint64().Draw(t, "seed"), 0, forObjects, 0), false)
	})
}

func TestDrawSceneIsUniform(t *testing.T) {
	for _, w := range worlds {
		t.Run(w.collection, func(t *testing.T) { w.isUniform(t) })
	}
}

func (w *world) isUniform(t *testing.T) {
	const n = 20000
	counts, objects := map[int]int{}, 0
	seen := map[string]int{}
	for i := range n {
		s := w.drawScene(stream(7, 0, forObjects, i), false)
		counts[len(s.Objects)]++
		seen[s.Ground.String()]++
		cells := map[[2]int]bool{}
		for _, o := range s.Objects {
			objects++
			cells[[2]int{o.Column, o.Row}] = true
			for _, w := range []string{o.Shape.String(), o.Colour.String(), o.Size.String(), o.Texture.String()} {
				seen[w]++
			}
			if o.Column < 0 || o.Column >= Cells || o.Row < 0 || o.Row >= Cells {
				t.Fatalf("scene %d: object in column %d, row %d", i, o.Column, o.Row)
			}
		}
		if len(cells) != len(s.Objects) {
			t.Fatalf("scene %d: %d objects share cells: %+v", i, len(s.Objects), s.Objects)
		}
	}
	for count, want := range map[int]float64{1: .2, 2: .4, 3: .4} {
		if got := float64(counts[count]) / n; math.Abs(got-want) > .015 {
			t.Errorf("share of scenes with %d objects: got %.3f, want %.3f", count, got, want)
		}
	}
	values := 0
	share := func(words []string, of int) {
		values += len(words)
		for _, word := range words {
			got, want := float64(seen[word])/float64(of), 1/float64(len(words))
			if math.Abs(got-want) > .015 {
				t.Errorf("share of %s: got %.3f, want %.3f", word, got, want)
			}
		}
	}
	share(namesOf(w.shown.shapes), objects)
	share(namesOf(w.shown.colours), objects)
	share(namesOf(sizes), objects)
	share(namesOf(textures), objects)
	share(namesOf(w.shown.grounds), n)
	if len(seen) != values {
		t.Errorf("got %d words, want %d: %v", len(seen), values, seen)
	}
}

func TestStreamsDiffer(t *testing.T) {
	type key struct {
		seed  uint64
		split int
		what  purpose
		i     int
	}
	first := map[uint64]key{}
	for seed := range uint64(4) {
		for split := range splitNames {
			for what := forObjects; what <= forPixels; what++ {
				for i := range 200 {
					k := key{seed, split, what, i}
					u := stream(seed, split, what, i).Uint64()
					if other, ok := first[u]; ok {
						t.Fatalf("streams %+v and %+v begin with the same number %d", other, k, u)
					}
					first[u] = k
				}
			}
		}
	}
}
