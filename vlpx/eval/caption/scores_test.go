package caption

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"vlpx.internal/datasets/scenegraph"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6 || math.IsNaN(got) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
}

func TestBLEU(t *testing.T) {
	s := BLEU([]Tokens{{"a cat sat", []string{"a cat sat down", "the cat"}}, {"the the the the", []string{"the cat the"}}})
	// Both references are one word off; the shorter has two, so there is no penalty. Three of three words, two of two pairs and one of one
	// triple.
	near(t, "BLEU-1", s[0].Items[0], 1)
	near(t, "BLEU-2", s[1].Items[0], 1)
	near(t, "BLEU-3", s[2].Items[0], 1)
	// "the" counts twice at most, as the reference has it.
	near(t, "clipped", s[0].Items[1], 0.5)
	// Together five of seven words; lengths 3+4 against 2+3.
	near(t, "corpus", s[0].Corpus, 5.0/7)
	short := BLEU([]Tokens{{"a cat", []string{"a cat sat down"}}})
	near(t, "brevity", short[0].Corpus, math.Exp(1-2))
}

func TestROUGEL(t *testing.T) {
	s := ROUGEL([]Tokens{{"a b c d", []string{"a x c", "d"}}, {"", []string{"", "a"}}, {"a", []string{"b"}}})
	// "a c" of the first reference is half of the hypothesis, "d" is all of the second.
	near(t, "maxima of different references", s.Items[0], 2.44*0.5*1/(1+1.44*0.5))
	near(t, "empty", s.Items[1], 1)
	near(t, "nothing shared", s.Items[2], 0)
	near(t, "corpus", s.Corpus, (s.Items[0]+1)/3)
}

// In two items every n-gram of one of them weighs log 2, what both have nothing.
func TestCIDEr(t *testing.T) {
	items := []Tokens{{"red cat red cat", []string{"red cat"}}, {"a dog ran off", []string{"a dog ran off"}}}
	d := CIDErD(items)
	near(t, "a copy has one for each n", d.Items[1], 10)
	// Words: (2,2) and (1,1) are parallel. Pairs: (2 "red cat", 1 "cat red") against (1, 0) is 2/√5. The reference has no longer ones.
	// Clipped to (1,1), of which the norm is not; three pairs against one.
	near(t, "CIDEr-D", d.Items[0], 10*(0.5+1/math.Sqrt(5))/4*math.Exp(-4.0/72))
	near(t, "corpus", d.Corpus, (d.Items[0]+10)/2)
	alone := CIDErD(items[1:])
	near(t, "one item alone has no idf", alone.Corpus, 0)
}

// A metric's score does not depend on the order of the references, and a copy of a reference has the best there is.
func TestScoresOfAnyItems(t *testing.T) {
	sentence := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(strings.Fields("a red dog cat on the mat sits")), 0, 7).Draw(t, "words"), " ")
	})
	rapid.Check(t, func(t *rapid.T) {
		items, turned, copies := make([]Tokens, 3), make([]Tokens, 3), make([]Tokens, 3)
		for i := range items {
			refs := rapid.SliceOfN(sentence, 1, 4).Draw(t, "references")
			items[i] = Tokens{sentence.Draw(t, "hypothesis"), refs}
			turned[i] = Tokens{items[i].Hypothesis, append(refs[1:len(refs):len(refs)], refs[0])}
			copies[i] = Tokens{refs[0], refs}
		}
		for name, of := range map[string]func([]Tokens) Scores{
			"BLEU-4": func(x []Tokens) Scores { return BLEU(x)[3] }, "ROUGE-L": ROUGEL, "CIDEr-D": CIDErD,
		} {
			got, other, best := of(items), of(turned), of(copies)
			for i, score := range got.Items {
				if math.IsNaN(score) || score < 0 || math.Abs(score-other.Items[i]) > 1e-9 {
					t.Fatalf("%s: %+v: got %v, and %v with other references first", name, items[i], score, other.Items[i])
				}
			}
			if name == "ROUGE-L" && math.Abs(best.Corpus-1) > 1e-9 {
				t.Fatalf("%s: copies of references have %v, want 1", name, best.Corpus)
			}
		}
	})
}

func TestSPICE(t *testing.T) {
	items := []Item{
		// Parsed: dog, ball, dog brown, dog chase ball. References together: dog, ball, dog brown, dog small, dog chase ball, grass, dog on
		// grass.
		{"A brown dog chases a ball.", []string{"A small brown dog chasing a ball", "a dog on the grass"}},
		{"", []string{"a cat"}},
	}
	s, err := SPICE(items, scenegraph.Parse)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "F1", s.Items[0], 2*1*(4.0/7)/(1+4.0/7))
	near(t, "nothing said", s.Items[1], 0)
	near(t, "corpus", s.Corpus, s.Items[0]/2)

	// Several things in one graph and one thing in another are the same by lemma.
	given := map[string]scenegraph.Graph{"one": {Objects: []scenegraph.Object{{Name: "dog"}}},
		"many": {Objects: []scenegraph.Object{{Name: "dogs"}}}}
	s, err = SPICE([]Item{{"one", []string{"many", "none"}}}, func(sentence string) scenegraph.Graph { return given[sentence] })
	if err != nil || s.Corpus != 1 {
		t.Errorf("got %v (%v), want 1", s.Corpus, err)
	}
}

func TestNoReferences(t *testing.T) {
	items := []Item{{"a", []string{"b"}}, {"c", nil}}
	_, err := Tokenise(items)
	_, other := SPICE(items, scenegraph.Parse)
	for _, err := range []error{err, other} {
		if err == nil || !strings.Contains(err.Error(), `item 1 ("c"): no references`) {
			t.Errorf("got %v, want an error that names item 1", err)
		}
	}
}
