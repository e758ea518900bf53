package scenes

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// anyAttributes generates mentions, with low 0, or the attributes of an object, with low 1.
func anyAttributes(low int) *rapid.Generator[Attributes] {
	return rapid.Custom(func(t *rapid.T) Attributes {
		return Attributes{
			Shape:   Shape(rapid.IntRange(low, int(Ring)).Draw(t, "shape")),
			Colour:  Colour(rapid.IntRange(low, int(Cyan)).Draw(t, "colour")),
			Size:    Size(rapid.IntRange(low, int(Big)).Draw(t, "size")),
			Texture: Texture(rapid.IntRange(low, int(Striped)).Draw(t, "texture")),
		}
	})
}

func anyGraph() *rapid.Generator[Graph] {
	return rapid.Custom(func(t *rapid.T) Graph {
		g := Graph{
			Subject:   anyAttributes(0).Draw(t, "subject"),
			Direction: Direction(rapid.IntRange(0, int(Below)).Draw(t, "direction")),
			Ground:    Ground(rapid.IntRange(0, int(Heather)).Draw(t, "ground")),
		}
		if g.Direction != Alone {
			g.Object = anyAttributes(0).Draw(t, "object")
		}
		return g
	})
}

func TestDrawSceneIsUniform(t *testing.T) {
	const n = 20000
	counts, objects := map[int]int{}, 0
	seen := map[string]int{}
	for i := range n {
		s := drawScene(stream(7, 0, forObjects, i), false)
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
	share := func(words []string, of int) {
		for _, w := range words[1:] {
			got, want := float64(seen[w])/float64(of), 1/float64(len(words)-1)
			if math.Abs(got-want) > .015 {
				t.Errorf("share of %s: got %.3f, want %.3f", w, got, want)
			}
		}
	}
	share(shapeWords, objects)
	share(colourWords, objects)
	share(sizeWords, objects)
	share(textureWords, objects)
	share(groundWords, n)
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
