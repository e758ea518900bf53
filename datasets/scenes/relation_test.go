package scenes

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
)

func TestTrueOf(t *testing.T) {
	scene := Scene{Ground: Sand, Objects: []Object{
		{Attributes{Square, Red, Small, Plain}, 0, 1},
		{Attributes{Disc, Blue, Big, Striped}, 2, 1},
		{Attributes{Square, Blue, Big, Plain}, 2, 3},
	}}
	for caption, want := range map[string]bool{
		"an object":                                true,
		"a square":                                 true,
		"a square on sand":                         true,
		"a square on grass":                        false,
		"a ring":                                   false,
		"a red square":                             true,
		"a striped square":                         false, // striped is the disc
		"a small red square left of a disc":        true,
		"a disc left of a small square":            false,
		"a disc right of a small square on sand":   true,
		"a disc right of a big square":             false, // the same column
		"a disc above a square":                    true,
		"a disc below a red object":                false, // the same row
		"a blue object below a blue object":        true,
		"a red object left of a red object":        false, // there is one red object only
		"a plain object above a plain square":      true,
		"an object left of an object on water":     false,
		"a big blue square below a square on sand": true,
	} {
		g := must.Get(Parse(caption))(t)
		if got := g.TrueOf(scene); got != want {
			t.Errorf("%q of the scene: got %v, want %v", caption, got, want)
		}
	}
}

// slowlyTrue is the definition spelled out: some injective match of the mentioned objects to the scene's objects has equal
// attributes and the strict order of columns or rows.
func slowlyTrue(g Graph, s Scene) bool {
	says := func(m, o Attributes) bool {
		return (m.Shape == 0 || m.Shape == o.Shape) && (m.Colour == 0 || m.Colour == o.Colour) &&
			(m.Size == 0 || m.Size == o.Size) && (m.Texture == 0 || m.Texture == o.Texture)
	}
	found := false
	for j, subject := range s.Objects {
		for k, object := range s.Objects {
			right, down := object.Column-subject.Column, object.Row-subject.Row
			placed := map[Direction]bool{
				Alone: true, LeftOf: right > 0, RightOf: right < 0, Above: down > 0, Below: down < 0,
			}[g.Direction]
			matched := says(g.Subject, subject.Attributes) &&
				(g.Direction == Alone || j != k && says(g.Object, object.Attributes))
			found = found || placed && matched
		}
	}
	return found && (g.Ground == 0 || g.Ground == s.Ground)
}

func TestRelationIsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		level := rapid.SampledFrom(levelNames()).Draw(t, "level")
		scenes := make([]Scene, rapid.IntRange(1, 150).Draw(t, "scenes"))
		graphs := rapid.SliceOfN(firstWords.anyGraph(), 1, 5).Draw(t, "graphs")
		for i := range scenes {
			scenes[i] = firstWorld.drawScene(stream(seed, 0, forObjects, i), false)
			if i < 20 {
				graphs = append(graphs, drawCaptions(scenes[i], levels[level], 5, stream(seed, 0, forCaptions, i))...)
			}
		}
		kept, looked := newRelation(scenes, graphs, mostBits), newRelation(scenes, graphs, 0)
		for p, g := range graphs {
			for i, s := range scenes {
				want := slowlyTrue(g, s)
				for _, r := range []datasets.Relation{kept, looked} {
					if got, known := r.Holds(i, p); got != want || !known {
						t.Fatalf("%T: Holds of %q and %+v: got %v, known %v, want %v, known true", r, g, s, got, known, want)
					}
				}
				if got := g.TrueOf(s); got != want {
					t.Fatalf("TrueOf of %q and %+v: got %v, want %v", g, s, got, want)
				}
			}
		}
	})
}

// TestSayingLessIsTrueOfMore holds that a caption stays true when it says less.
func TestSayingLessIsTrueOfMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scene := firstWorld.drawScene(stream(rapid.Uint64().Draw(t, "seed"), 0, forObjects, 0), false)
		g := firstWords.anyGraph().Draw(t, "graph")
		less := g
		less.Ground = AnyGround
		less.Subject.Shape = AnyShape
		less.Object.Texture = AnyTexture
		if g.TrueOf(scene) && !less.TrueOf(scene) {
			t.Fatalf("%q is true of %+v but %q is not", g, scene, less)
		}
	})
}

// The relation of a million images takes no more memory than they do.
func TestRelationOfManyImages(t *testing.T) {
	scenes, graphs := make([]Scene, 1_000_000), make([]Graph, 0, 100_000)
	scenes[7] = firstWorld.drawScene(stream(1, 0, forObjects, 7), false)
	for i := range cap(graphs) {
		graphs = append(graphs, Graph{Subject: Attributes{Shape: Shape(i)}, Object: Attributes{Colour: Colour(i >> 8), Size: Size(i >> 16)}})
	}
	graphs[5] = Graph{Ground: scenes[7].Ground, Subject: scenes[7].Objects[0].Attributes}
	r := newRelation(scenes, graphs, mostBits)
	if holds, known := r.Holds(7, 5); !holds || !known {
		t.Errorf("a scene's own caption: got %v, known %v", holds, known)
	}
	if holds, _ := r.Holds(8, 5); holds {
		t.Error("it is true of a scene of nothing")
	}
}

func BenchmarkRelation(b *testing.B) {
	for _, images := range []int{2000, 4000} {
		b.Run(fmt.Sprintf("%dx%d", images, 5*images), func(b *testing.B) {
			all := newSplit(Config{Train: images}.WithDefaults(), &firstWorld, 0, images, 5).content()
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				newRelation(all.scenes, all.graphs, mostBits)
			}
		})
	}
}
