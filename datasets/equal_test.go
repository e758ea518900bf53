package datasets

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
)

// The relation is that of all pairs of captions, compared one by one.
func TestEqualCaptionsAgainstAllPairs(t *testing.T) {
	words := []string{"a dog.", "A  dog", "two dogs", "a cat", "!?", "", "3 K", "3 \u212a", "Été", "été!", "<person> 1-2", "person 1 2"}
	for trial := range 200 {
		draw := rand.New(rand.NewPCG(uint64(trial), 1))
		captions := make([][]string, 1+draw.IntN(6))
		for i := range captions {
			for range draw.IntN(4) {
				captions[i] = append(captions[i], words[draw.IntN(len(words))])
			}
		}
		s := bare{captions}
		pairs, any := Pairs(s), false
		want := map[[2]int]bool{}
		for i, of := range captions {
			for p, pair := range pairs {
				clean := text.Clean(pair.Text(s), 0)
				for _, other := range of {
					if i != pair.Image && clean != "" && text.Clean(other, 0) == clean {
						want[[2]int{i, p}], any = true, true
					}
				}
			}
		}
		related, ok := WithEqualCaptions(s).(Related)
		if ok != any {
			t.Fatalf("%q: got a relation: %v, want %v", captions, ok, any)
		}
		if !ok {
			continue
		}
		r := related.Relation()
		for i := range captions {
			for p, pair := range pairs {
				is := want[[2]int{i, p}] || i == pair.Image
				if holds, known := r.Holds(i, p); holds != is || known != is {
					t.Errorf("%q: image %d, pair %d: got %v, %v, want %v", captions, i, p, holds, known, is)
				}
				if holds, known := Counted(r).Holds(i, p); holds != is || !known {
					t.Errorf("%q: image %d, pair %d: counted as %v, %v, want %v and known", captions, i, p, holds, known, is)
				}
			}
		}
		if !ByEqualCaptions(r) || ByEqualCaptions(Counted(r)) {
			t.Error("the relation by equal captions, and only that, must be told")
		}
	}
}

// What a set knows itself stays, and views of it carry what equal captions tell. A caption that noise brings is true where it comes from.
func TestEqualCaptionsAndViews(t *testing.T) {
	captions := [][]string{{"a dog", "b"}, {"A dog!"}, {"c"}, {"d"}}
	if known := WithEqualCaptions(fake(captions)); ByEqualCaptions(known.(Related).Relation()) {
		t.Error("a relation that was known has given way")
	}
	s := WithEqualCaptions(struct {
		bare
		parity
		corner
	}{bare: bare{captions}})
	noisy := must.Get(Noisy(s, 1, 1))(t)
	for what, view := range map[string]Set{"itself": s, "first": First(s, 3, 0), "noisy": noisy} {
		_, labelled := view.(Labelled)
		_, boxed := view.(Boxed)
		related, ok := view.(Related)
		if !labelled || !boxed || !ok || !ByEqualCaptions(related.Relation()) {
			t.Errorf("%s: has classes %v, boxes %v, a relation %v", what, labelled, boxed, ok)
		}
	}
	first := map[string]int{"a dog": 0, "A dog!": 1, "b": 0, "c": 2, "d": 3} // image of a caption
	for p, pair := range Pairs(noisy) {
		caption := pair.Text(noisy)
		for i := range captions {
			want := i == first[caption] || i < 2 && (caption == "a dog" || caption == "A dog!")
			if holds, _ := noisy.(Related).Relation().Holds(i, p); holds != want {
				t.Errorf("%q of image %d: got %v, want %v", caption, i, holds, want)
			}
		}
	}
}

func BenchmarkWithEqualCaptions(b *testing.B) {
	captions := make([][]string, 20_000)
	for i := range captions {
		for k := range 5 {
			captions[i] = append(captions[i], fmt.Sprintf("A man number %d, %d rides a brown horse across the field.", i, k))
		}
	}
	for b.Loop() {
		WithEqualCaptions(bare{captions})
	}
}
