package objective

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// Special are the ids of the tokens that masking treats apart.
type Special struct{ Pad, CLS, Mask int32 }

// MaskDraws are the random draws that mask one sequence of tokens, each [tokens].
type MaskDraws struct {
	Masked  []bool  // with the masking probability
	Replace []bool  // 0.8: a masked token becomes [MASK]
	Random  []bool  // 0.5: of the rest, a random word
	Words   []int32 // uniform over the vocabulary
}

// DrawMask draws the masking of n tokens with the given probability (0.15 in ALBEF, 0.5 in GRIT-VLP and after it).
func DrawMask(r *rand.Rand, n int, probability float64, vocab int) MaskDraws {
	d := MaskDraws{make([]bool, n), make([]bool, n), make([]bool, n), make([]int32, n)}
	for i := range n {
		d.Masked[i] = r.Float64() < probability
		d.Replace[i] = r.Float64() < 0.8
		d.Random[i] = r.Float64() < 0.5
		d.Words[i] = r.Int32N(int32(vocab))
	}
	return d
}

// Codes of MaskDraws.Codes; any other is the id that takes the token's place.
const (
	leave   = -1 // the token is not masked
	predict = -2 // it is predicted, but stays
)

// Codes are the draws for MaskByCodes, [tokens].
func (d MaskDraws) Codes(s Special) []int32 {
	codes := make([]int32, len(d.Masked))
	for i := range codes {
		switch {
		case !d.Masked[i]:
			codes[i] = leave
		case d.Replace[i]:
			codes[i] = s.Mask
		case d.Random[i]:
			codes[i] = d.Words[i]
		default:
			codes[i] = predict
		}
	}
	return codes
}

// MaskByCodes is MaskTokens in a graph, for ids that only the graph knows: padded with zeros and beginning with [CLS], int32,
// [rows, tokens], with codes of the same shape.
func MaskByCodes(ids, codes *Node) (masked, labels *Node) {
	first := Equal(Iota(ids.Graph(), ids.Shape(), 1), ZerosLike(ids))
	fixed := Or(first, Equal(ids, ZerosLike(ids)))
	chosen := And(Not(fixed), NotEqual(codes, ConstAs(codes, leave)))
	replaced := And(chosen, GreaterOrEqual(codes, ZerosLike(codes)))
	return Where(replaced, codes, ids), Where(chosen, ids, ConstAs(ids, Ignored))
}

// MaskTokens masks ids as BERT does and returns the masked ids and the labels, Ignored where nothing is to be predicted:
// of the masked tokens 80 % become [MASK], 10 % a random word, 10 % stay. [PAD] and [CLS] are never masked, [SEP] can be
// (METHODS.md 1.6).
func MaskTokens(ids []int32, d MaskDraws, s Special) (masked, labels []int32) {
	masked, labels = make([]int32, len(ids)), make([]int32, len(ids))
	for i, id := range ids {
		masked[i], labels[i] = id, Ignored
		if !d.Masked[i] || id == s.Pad || id == s.CLS {
			continue
		}
		labels[i] = id
		switch {
		case d.Replace[i]:
			masked[i] = s.Mask
		case d.Random[i]:
			masked[i] = d.Words[i]
		}
	}
	return masked, labels
}
