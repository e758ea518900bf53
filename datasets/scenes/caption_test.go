package scenes

import (
	"math"
	"strings"
	"testing"
)

// facts counts the attributes that a mention sets.
func facts(a Attributes) int {
	n := 0
	for _, set := range []bool{a.Shape != 0, a.Colour != 0, a.Size != 0, a.Texture != 0} {
		if set {
			n++
		}
	}
	return n
}

func TestCaptionsHaveTheirKinds(t *testing.T) {
	kinds := levels["half"]
	for i := range 500 {
		s := firstWorld.drawScene(stream(3, 0, forObjects, i), false)
		got := map[kind]int{}
		for _, g := range drawCaptions(s, kinds, len(kinds), stream(3, 0, forCaptions, i)) {
			if !g.TrueOf(s) {
				t.Fatalf("scene %d: %q is not true of %+v", i, g, s)
			}
			got[kind{g.Direction != Alone, facts(g.Subject)}]++
			if g.Direction != Alone && facts(g.Object) != facts(g.Subject) {
				t.Fatalf("scene %d: %q says more of one object than of the other", i, g)
			}
		}
		want := map[kind]int{{false, 2}: 1, {false, 3}: 2, {true, 1}: 1, {true, 2}: 1}
		if len(s.Objects) == 1 { // r1 and r2 turn into o2 and o3
			want = map[kind]int{{false, 2}: 2, {false, 3}: 3}
		}
		for k, n := range want {
			if got[k] != n {
				t.Fatalf("scene %d of %d objects: got %v, want %v", i, len(s.Objects), got, want)
			}
		}
	}
}

func TestMentionedAttributes(t *testing.T) {
	const n = 20000
	a := Attributes{Square, Red, Small, Striped}
	got := map[Attributes]float64{}
	pairs := map[Attributes]float64{}
	for i := range n {
		r := stream(5, 0, forCaptions, i)
		got[mention(a, 1, r)] += 1. / n
		pairs[mention(a, 2, r)] += 1. / n
		if full := mention(a, 4, r); full != a {
			t.Fatalf("mention of all four attributes: got %+v, want %+v", full, a)
		}
	}
	check := func(m Attributes, got, want float64) {
		if math.Abs(got-want) > .015 {
			t.Errorf("share of mentions %+v: got %.3f, want %.3f", m, got, want)
		}
	}
	for m, want := range map[Attributes]float64{
		{Shape: Square}: .32, {Colour: Red}: .32, {Size: Small}: .18, {Texture: Striped}: .18,
	} {
		check(m, got[m], want)
	}
	// Either first, then the other of what is left: .32 .32/.68 twice, and .18 .18/.82 twice.
	check(Attributes{Shape: Square, Colour: Red}, pairs[Attributes{Shape: Square, Colour: Red}], 2*.32*.32/.68)
	check(Attributes{Size: Small, Texture: Striped}, pairs[Attributes{Size: Small, Texture: Striped}], 2*.18*.18/.82)
}

func TestVocabulary(t *testing.T) {
	words, longest, grounds, n := map[string]bool{}, 0, 0, 0
	for level := range levels {
		split := newSplit(Config{Density: level}.WithDefaults(), &firstWorld, 0, 2000, 5)
		for i := range split.Len() {
			for _, text := range split.Captions(i) {
				tokens := strings.Fields(text)
				for _, w := range tokens {
					words[w] = true
				}
				longest = max(longest, len(tokens))
				n++
				if strings.Contains(text, " on ") {
					grounds++
				}
			}
		}
	}
	// a of on left right above below object, 6 shapes, 6 colours, 2 sizes, 2 textures, 8 grounds
	if got, want := len(words), 8+6+6+2+2+8; got != want {
		t.Errorf("words: got %d, want %d: %v", got, want, words)
	}
	// "a small striped object left of a small striped object on sand"
	if want := 12; longest != want {
		t.Errorf("longest caption: got %d words, want %d", longest, want)
	}
	if got := float64(grounds) / float64(n); math.Abs(got-.9) > .01 {
		t.Errorf("share of captions that name the ground: got %.3f, want .9", got)
	}
}
