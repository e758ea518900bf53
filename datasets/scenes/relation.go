package scenes

import (
	"math/bits"

	"vlpx.internal/datasets"
)

// holds reports whether the subject is in this direction of the object: a strict order of columns or of rows.
func (d Direction) holds(subject, object Object) bool {
	switch d {
	case LeftOf:
		return subject.Column < object.Column
	case RightOf:
		return subject.Column > object.Column
	case Above:
		return subject.Row < object.Row
	case Below:
		return subject.Row > object.Row
	}
	return false
}

// TrueOf reports whether the caption is true of the scene: its graph is contained in the scene's (the relation R of
// FALCON, Proposition 1). Mentioned objects match distinct objects of the scene that have all mentioned attributes and
// stand in the mentioned direction, and the ground is the scene's if it is mentioned.
func (g Graph) TrueOf(s Scene) bool {
	if g.Ground != AnyGround && g.Ground != s.Ground {
		return false
	}
	for _, subject := range s.Objects {
		if !g.Subject.Matches(subject.Attributes) {
			continue
		}
		if g.Direction == Alone {
			return true
		}
		for _, object := range s.Objects {
			if g.Object.Matches(object.Attributes) && g.Direction.holds(subject, object) {
				return true
			}
		}
	}
	return false
}

// bitset is a set of images.
type bitset []uint64

func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 == 1 }

func (b bitset) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// sets is TrueOf for all pairs: for each distinct caption the set of images that it is true of.
type sets struct {
	distinct []int32  // the distinct caption of each pair
	images   []bitset // [distinct captions]
}

// Holds implements datasets.Relation. All pairs are known.
func (r *sets) Holds(i, p int) (holds, known bool) { return r.images[r.distinct[p]].has(i), true }

// each is TrueOf for all pairs, looked at when it is asked for.
type each struct {
	scenes []Scene
	graphs []Graph // [pairs]
}

// Holds implements datasets.Relation. All pairs are known.
func (r *each) Holds(i, p int) (holds, known bool) { return r.graphs[p].TrueOf(r.scenes[i]), true }

// mostBits bounds the sets of images of a split, which grow with its square: those of a million images would take some ten GiB.
const mostBits = 1 << 31

// newRelation is the relation of all scenes with all graphs: as sets, which answer at once, unless they take more bits than that.
func newRelation(scenes []Scene, graphs []Graph, most int) datasets.Relation {
	seen := make(map[Graph]int32)
	distinct := make([]int32, len(graphs))
	for p, g := range graphs {
		d, ok := seen[g]
		if !ok {
			d = int32(len(seen))
			seen[g] = d
		}
		distinct[p] = d
	}
	if len(seen) > most/max(len(scenes), 1) {
		return &each{scenes, graphs}
	}
	t, images := newTables(scenes), make([]bitset, len(seen))
	for g, d := range seen {
		images[d] = t.trueOf(g)
	}
	return &sets{distinct, images}
}

// tables hold the sets of images from which the set of any caption follows.
type tables struct {
	scenes []Scene
	// ground[g] are the images on ground g; all of them for AnyGround.
	ground [len(groundWords)]bitset
	// direction[d][j][k] are the images whose object j is in direction d of object k.
	direction [Below + 1][MaxObjects][MaxObjects]bitset
	// mention[m][k] are the images whose object k matches the mention m.
	mention map[Attributes][MaxObjects]bitset
}

func newTables(scenes []Scene) *tables {
	t := &tables{scenes: scenes, mention: make(map[Attributes][MaxObjects]bitset)}
	for g := range t.ground {
		t.ground[g] = t.empty()
	}
	for d := range t.direction {
		for j := range MaxObjects {
			for k := range MaxObjects {
				t.direction[d][j][k] = t.empty()
			}
		}
	}
	for i, s := range scenes {
		t.ground[AnyGround].add(i)
		t.ground[s.Ground].add(i)
		for j, subject := range s.Objects {
			for k, object := range s.Objects {
				for d := LeftOf; d <= Below; d++ {
					if d.holds(subject, object) {
						t.direction[d][j][k].add(i)
					}
				}
			}
		}
	}
	return t
}

func (t *tables) empty() bitset { return make(bitset, (len(t.scenes)+63)/64) }

// matching returns the images whose object k matches a mention, for each k.
func (t *tables) matching(m Attributes) [MaxObjects]bitset {
	if sets, ok := t.mention[m]; ok {
		return sets
	}
	var sets [MaxObjects]bitset
	for k := range sets {
		sets[k] = t.empty()
	}
	for i, s := range t.scenes {
		for k, o := range s.Objects {
			if m.Matches(o.Attributes) {
				sets[k].add(i)
			}
		}
	}
	t.mention[m] = sets
	return sets
}

// trueOf returns the images that a caption is true of.
func (t *tables) trueOf(g Graph) bitset {
	set := t.empty()
	subject, ground := t.matching(g.Subject), t.ground[g.Ground]
	if g.Direction == Alone {
		for w := range set {
			set[w] = (subject[0][w] | subject[1][w] | subject[2][w]) & ground[w]
		}
		return set
	}
	object := t.matching(g.Object)
	for j := range MaxObjects {
		for k := range MaxObjects {
			for w, placed := range t.direction[g.Direction][j][k] {
				set[w] |= subject[j][w] & object[k][w] & placed & ground[w]
			}
		}
	}
	return set
}
