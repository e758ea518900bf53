package scenes

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/datasets/text"
)

func smallSplit(t *testing.T) *Split {
	t.Helper()
	return newSplit(Config{Density: "half"}.WithDefaults(), &firstWorld, 2, 60, 5)
}

// What fills a sentence is what is true of the scene with any words of the language in the gaps, tried one by one.
func TestFillAgainstTrial(t *testing.T) {
	split := smallSplit(t)
	vocabulary := map[string]bool{}
	for i := range split.Len() {
		for _, caption := range split.Captions(i) {
			for _, word := range strings.Fields(caption) {
				vocabulary[word] = true
			}
		}
	}
	all, several := slices.Sorted(maps.Keys(vocabulary)), false
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, split.Len()-1).Draw(t, "image")
		caption := strings.Fields(rapid.SampledFrom(split.Captions(i)).Draw(t, "caption"))
		gaps := rapid.SliceOfNDistinct(rapid.IntRange(0, len(caption)-1), 0, 2, rapid.ID).Draw(t, "gaps")
		words := slices.Clone(caption)
		for _, k := range gaps {
			words[k] = ""
		}
		var want []string
		tried := slices.Clone(caption)
		var try func(gaps []int)
		try = func(gaps []int) {
			if len(gaps) == 0 {
				sentence := strings.Join(tried, " ")
				if holds, _ := split.Judge(i, sentence); holds {
					want = append(want, sentence)
				}
				return
			}
			for _, tried[gaps[0]] = range all {
				try(gaps[1:])
			}
		}
		try(gaps)
		slices.Sort(want)
		if got := split.Fill(i, words); !slices.Equal(got, want) {
			t.Fatalf("%q of image %d: got %q, want %q", words, i, got, want)
		}
		several = several || len(want) > 1
	})
	if !several {
		t.Error("no gap was filled in two ways")
	}
}

// Every name of an exact graph stands where it says, and the graph says what the caption's own one does.
func TestUnderstandHasTheWords(t *testing.T) {
	split := smallSplit(t)
	rapid.Check(t, func(t *rapid.T) {
		g := firstWords.anyGraph().Draw(t, "graph")
		caption := g.String()
		said, ok := split.Understand(caption)
		if !ok {
			t.Fatalf("%q is not understood", caption)
		}
		if want := text.Words(caption); !slices.Equal(said.Words, want) {
			t.Fatalf("got the words %q, want %q", said.Words, want)
		}
		words := func(at []int) string {
			var all []string
			for _, i := range at {
				all = append(all, said.Words[i])
			}
			return strings.Join(all, " ")
		}
		covered := 0
		check := func(name string, at []int) {
			covered += len(at)
			if got := words(at); got != name {
				t.Fatalf("%q: %q has the words %q", caption, name, got)
			}
		}
		for _, o := range said.Objects {
			check(o.Name, o.At)
		}
		for _, a := range said.Attributes {
			check(a.Name, a.At)
		}
		for _, r := range said.Relations {
			check(r.Name, r.At)
		}
		mentions := []Attributes{g.Subject}
		if g.Direction != Alone {
			mentions = append(mentions, g.Object)
		}
		if articles := len(mentions); covered != len(said.Words)-articles {
			t.Fatalf("%q: names have %d of %d words, want all but %d articles", caption, covered, len(said.Words), articles)
		}
		for o, m := range mentions {
			var got []string
			for _, a := range said.Attributes {
				if a.Object == o {
					got = append(got, a.Name)
				}
			}
			want := strings.Fields(m.Size.String() + " " + m.Texture.String() + " " + m.Colour.String())
			if said.Objects[o].Name != m.Shape.String() || !slices.Equal(got, want) {
				t.Fatalf("%q: object %d is %q %q, want %q %q", caption, o, got, said.Objects[o].Name, want, m.Shape)
			}
		}
		var relations []string
		for _, r := range said.Relations {
			relations = append(relations, said.Objects[r.Subject].Name+" "+r.Name+" "+said.Objects[r.Object].Name)
		}
		var want []string
		if g.Direction != Alone {
			want = append(want, g.Subject.Shape.String()+" "+g.Direction.String()+" "+g.Object.Shape.String())
		}
		if g.Ground != AnyGround {
			want = append(want, g.Subject.Shape.String()+" on "+g.Ground.String())
		}
		if !slices.Equal(relations, want) {
			t.Fatalf("%q: got the relations %q, want %q", caption, relations, want)
		}
	})
}

// Captions are judged as the relation has them, of every image.
func TestJudgeIsTheRelation(t *testing.T) {
	split := smallSplit(t)
	relation := split.Relation()
	held := 0
	for p, pair := range datasets.Pairs(split) {
		caption := pair.Text(split)
		for i := range split.Len() {
			want, _ := relation.Holds(i, p)
			if holds, known := split.Judge(i, caption); holds != want || !known {
				t.Fatalf("image %d, %q: got %v, known %v, want %v", i, caption, holds, known, want)
			}
			if want {
				held++
			}
		}
		if holds, _ := split.Judge(pair.Image, caption); !holds {
			t.Errorf("%q is not true of its own image %d", caption, pair.Image)
		}
	}
	if held <= len(datasets.Pairs(split)) {
		t.Errorf("%d pairs hold, which is none but the own ones", held)
	}
	for _, sentence := range []string{"", "a dog", "a square red object", "an red object", "a disc on sand .", "A disc"} {
		if holds, known := split.Judge(0, sentence); holds || known {
			t.Errorf("%q is no sentence of the grammar: got %v, known %v", sentence, holds, known)
		}
		if _, ok := split.Understand(sentence); ok {
			t.Errorf("%q is understood", sentence)
		}
	}
}

// The rules for English read the scenes' language well, too. They call "below" what FACTUAL calls it, "under", and have the object of a
// direction on the ground, not the subject.
func TestParseOnScenes(t *testing.T) {
	split := smallSplit(t)
	var scores []scenegraph.Score
	for _, pair := range datasets.Pairs(split) {
		caption := pair.Text(split)
		exact, _ := split.Understand(caption)
		if got := datasets.GraphOf(datasets.First(split, 10, 1), caption).String(); got != exact.String() {
			t.Errorf("%q: a view has the graph %s, want %s", caption, got, exact)
		}
		scores = append(scores, scenegraph.Compare(scenegraph.Parse(caption).String(), exact.String(), nil))
	}
	sums := scenegraph.Summarise(scores)
	t.Logf("F1 %.3f; objects %.3f, attributes %.3f, relations %.3f", sums.All.F1, sums.Of[0].F1, sums.Of[1].F1, sums.Of[2].F1)
	if sums.All.F1 < .9 {
		t.Errorf("F1 %v, want .9 at least", sums.All.F1)
	}
	if got, want := datasets.GraphOf(split, "a dog in a hat").String(), "( dog , wear , hat )"; got != want {
		t.Errorf("a sentence that is none of the grammar: got %s, want %s", got, want)
	}
}
