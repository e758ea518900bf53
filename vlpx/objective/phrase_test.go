package objective

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// streamed are draws from a random stream; the words are those of a vocabulary of 30522.
func streamed(r *rand.Rand) PhraseDraws {
	return PhraseDraws{Uniform: r.Float64, Word: func() int32 { return r.Int32N(30522) }, Shuffle: r.Shuffle}
}

// Whatever the phrases and the draws, a masking predicts exactly the words of the phrases that it drew, at least one, each once.
func TestMaskedPhrases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.Int32Range(1000, 1005), 0, 8).Draw(t, "ids")
		var phrases [][]int
		if len(ids) > 0 {
			place := rapid.SliceOfNDistinct(rapid.IntRange(0, len(ids)-1), 1, len(ids), rapid.ID)
			phrases = rapid.SliceOfN(place, 0, 5).Draw(t, "phrases")
		}
		times, rate := rapid.IntRange(1, 4).Draw(t, "times"), rapid.Float64Range(0.01, 1).Draw(t, "rate")
		seed := rapid.Uint64().Draw(t, "seed")
		masked := MaskPhrases(ids, phrases, times, rate, bert.Mask, streamed(rand.New(rand.NewPCG(seed, 0))))
		if len(masked) != times {
			t.Fatalf("got %d maskings, want %d", len(masked), times)
		}
		for _, m := range masked {
			predicted := map[int]bool{}
			for k, p := range m.Drawn {
				if slices.Contains(m.Drawn[:k], p) {
					t.Errorf("phrase %d is drawn twice", p)
				}
				at := []int{p} // a token is a phrase where there are none
				if len(phrases) > 0 {
					at = phrases[p]
				}
				for _, at := range at {
					predicted[at] = true
				}
			}
			if len(ids) > 0 && len(predicted) == 0 {
				t.Error("nothing is masked")
			}
			for at, id := range ids {
				switch {
				case predicted[at] && m.Labels[at] != id:
					t.Errorf("position %d of a drawn phrase: got the label %d, want %d", at, m.Labels[at], id)
				case !predicted[at] && (m.Labels[at] != Ignored || m.IDs[at] != id):
					t.Errorf("position %d of no drawn phrase: got %d with label %d, want %d, ignored", at, m.IDs[at], m.Labels[at], id)
				}
			}
		}
	})
}

// A phrase is drawn as often as its probability says, or as the first one where none is: of [0], [1 2] and [2 3] at a rate of 0.6 with
// 0.6, (0.6+0.3)/2 and (0.3+0.6)/2. A word that two drawn phrases have is masked once, in the shares of BERT.
func TestPhraseShares(t *testing.T) {
	const n = 30_000
	phrases := [][]int{{0}, {1, 2}, {2, 3}}
	p := []float64{0.6, 0.45, 0.45}
	none := 0.4 * 0.55 * 0.55
	var drawn [3]int
	var predicted, masks, kept int
	for _, m := range MaskPhrases([]int32{2000, 2001, 2002, 2003}, phrases, n, 0.6, bert.Mask, streamed(rand.New(rand.NewPCG(5, 6)))) {
		for _, p := range m.Drawn {
			drawn[p]++
		}
		for at, label := range m.Labels {
			if label == Ignored {
				continue
			}
			predicted++
			switch m.IDs[at] {
			case bert.Mask:
				masks++
			case label:
				kept++
			}
		}
	}
	for k := range phrases {
		within(t, fmt.Sprintf("phrase %d", k), drawn[k], n, p[k]+none/3)
	}
	within(t, "[MASK] of the masked", masks, predicted, 0.8)
	within(t, "kept of the masked", kept, predicted, 0.1)
}

// Without phrases every word is one: of twenty a word is masked at the rate, or as the first one.
func TestWordsAsPhrases(t *testing.T) {
	const n = 5_000
	predicted := 0
	for _, m := range MaskPhrases(make([]int32, 20), nil, n, 0.15, bert.Mask, streamed(rand.New(rand.NewPCG(7, 8)))) {
		predicted += len(m.Drawn)
	}
	within(t, "masked", predicted, 20*n, 0.15+math.Pow(0.85, 20)/20)
}

// Three maskings by given draws: a uniform number a phrase, then one a word of it, and a word where that says so. The shuffle turns the
// order round each time. At a rate of 0.2 the phrases [0] and [1 2] are drawn below 0.2.
func TestOrderOfDraws(t *testing.T) {
	uniforms := []float64{
		0.3, 0.1, 0.85, // [1 2] not; [0] drawn, its word is another
		0.3, 0.4, 0.95, // [0] not; [1 2] not; so the first one, [0], whose word stays
		0.19, 0.8, 0.79, 0.2, // [1 2] drawn: another word, [MASK]; [0] not
	}
	words := []int32{77, 88}
	got := MaskPhrases([]int32{10, 11, 12}, [][]int{{0}, {1, 2}}, 3, 0.2, 4, PhraseDraws{
		Uniform: func() (u float64) { u, uniforms = uniforms[0], uniforms[1:]; return u },
		Word:    func() (w int32) { w, words = words[0], words[1:]; return w },
		Shuffle: func(n int, swap func(i, j int)) {
			if n != 2 {
				t.Errorf("a shuffle of %d phrases, want 2", n)
			}
			swap(0, 1)
		},
	})
	want := []MaskedPhrases{
		{[]int32{77, 11, 12}, []int32{10, Ignored, Ignored}, []int{0}},
		{[]int32{10, 11, 12}, []int32{10, Ignored, Ignored}, []int{0}},
		{[]int32{10, 88, 4}, []int32{Ignored, 11, 12}, []int{1}},
	}
	for k := range want {
		if g, w := fmt.Sprint(got[k]), fmt.Sprint(want[k]); g != w {
			t.Errorf("masking %d: got %s, want %s", k, g, w)
		}
	}
	if len(uniforms)+len(words) > 0 {
		t.Errorf("the draws %v and %v are left", uniforms, words)
	}
}
