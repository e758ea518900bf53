package objective

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

var bert = Special{Pad: 0, CLS: 101, Mask: 103}

// within tells whether a count of n trials is within five standard deviations of its expectation.
func within(t *testing.T, name string, count, n int, p float64) {
	t.Helper()
	want, deviation := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	if math.Abs(float64(count)-want) > 5*deviation {
		t.Errorf("%s: got %d of %d, want %.0f within %.0f", name, count, n, want, 5*deviation)
	}
}

func TestMaskShares(t *testing.T) {
	const n, id, sep = 200_000, 2003, 102
	for _, probability := range []float64{0.15, 0.5} {
		t.Run(fmt.Sprint(probability), func(t *testing.T) {
			ids := make([]int32, n)
			for i := range ids {
				ids[i] = []int32{id, sep}[i%2]
			}
			masked, labels := MaskTokens(ids, DrawMask(rand.New(rand.NewPCG(13, 14)), n, probability, 30522), bert)
			var predicted, separators, replaced, stayed, random, low int
			for i := range ids {
				if labels[i] == Ignored {
					if masked[i] != ids[i] {
						t.Fatalf("token %d: got %d where nothing is masked, want %d", i, masked[i], ids[i])
					}
					continue
				}
				if labels[i] != ids[i] {
					t.Fatalf("token %d: got the label %d, want %d", i, labels[i], ids[i])
				}
				predicted++
				if ids[i] == sep {
					separators++
				}
				switch masked[i] {
				case bert.Mask:
					replaced++
				case ids[i]:
					stayed++
				default:
					random++
					if masked[i] < int32(30522/4) {
						low++
					}
				}
			}
			within(t, "masked", predicted, n, probability)
			within(t, "[SEP] of the masked", separators, predicted, 0.5)
			within(t, "[MASK] of the masked", replaced, predicted, 0.8)
			within(t, "kept of the masked", stayed, predicted, 0.1)
			within(t, "random of the masked", random, predicted, 0.1)
			within(t, "lowest quarter of the vocabulary of the random", low, random, 0.25)
		})
	}
}

// Whatever the draws, [PAD] and [CLS] stay and are not predicted.
func TestPadAndClassAreNeverMasked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.SampledFrom([]int32{bert.Pad, bert.CLS, 102, 2003})).Draw(t, "ids")
		seed := rapid.Uint64().Draw(t, "seed")
		masked, labels := MaskTokens(ids, DrawMask(rand.New(rand.NewPCG(seed, 0)), len(ids), 1, 30522), bert)
		for i, id := range ids {
			special := id == bert.Pad || id == bert.CLS
			if special && (masked[i] != id || labels[i] != Ignored) {
				t.Errorf("token %d: got %d with label %d, want %d, ignored", i, masked[i], labels[i], id)
			}
			if !special && labels[i] != id {
				t.Errorf("token %d: got label %d at probability 1, want %d", i, labels[i], id)
			}
		}
	})
}

// Four words between [CLS] and [SEP]: one becomes [MASK], one a random word, one stays but is predicted.
func ExampleMaskTokens() {
	ids := []int32{101, 1037, 2417, 2675, 2187, 102, 0}
	draws := MaskDraws{
		Masked:  []bool{true, false, true, true, true, false, true},
		Replace: []bool{true, true, true, false, false, true, true},
		Random:  []bool{true, true, false, true, false, true, true},
		Words:   []int32{7, 7, 7, 3899, 7, 7, 7},
	}
	masked, labels := MaskTokens(ids, draws, Special{Pad: 0, CLS: 101, Mask: 103})
	fmt.Println(masked)
	fmt.Println(labels)
	// Output:
	// [101 1037 103 3899 2187 102 0]
	// [-100 -100 2417 2675 2187 -100 -100]
}
