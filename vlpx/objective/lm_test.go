package objective

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Zeros behind the last token are padding, a zero within a text and a text's first token are none.
func TestPredictedByHand(t *testing.T) {
	got := compiled(t, func(in []*Node) []*Node {
		return []*Node{Predicted(in[0], ScalarZero(in[0].Graph(), dtypes.Float64))}
	})([][]int32{{2, 5, 3, 0, 0}, {2, 0, 0, 3, 0}, {2, 5, 5, 5, 3}, {0, 0, 0, 0, 0}, {2, 0, 0, 0, 0}})[0]
	want := []float64{0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("row %d, token %d: got %g, want %g", i/5, i%5, got[i], want[i])
		}
	}
}

// In a vocabulary of four, logits of ln 3 for a token and 0 for the others give it 1/2 and each other 1/6.
func TestLMByHand(t *testing.T) {
	ln3 := math.Log(3)
	ids := [][]int32{{2, 1, 3, 0}, {2, 3, 0, 0}}
	logits := matrix{[]float64{0, ln3, 0, 0 /**/, 0, ln3, 0, 0 /**/, 9, 9, 9, 9 /**/, 0, 0, 0, 0 /**/, 9, 0, 0, 0 /**/, 7, 0, 0, 0},
		[]int{2, 3, 4}}
	got := compiled(t, func(in []*Node) []*Node {
		nats := NextTokens(in[1], in[0])
		nats.AssertDims(2, 4)
		return []*Node{nats, LM(in[1], nats)}
	})(logits, ids)
	for i, want := range []float64{0, -math.Log(2), -math.Log(6), 0, 0, -math.Log(4), 0, 0} {
		near(t, "likelihood", got[0][i], want)
	}
	near(t, "LM", got[1][0], math.Log(48)/3)
}

func TestLMAgainstLoop(t *testing.T) {
	const batch, tokens, vocab = 3, 5, 6
	logits := drawn(rand.New(rand.NewPCG(5, 5)), batch, tokens-1, vocab)
	ids := [][]int32{{2, 4, 5, 0, 3}, {2, 3, 0, 0, 0}, {2, 1, 1, 3, 0}}
	var want float64
	for b, text := range ids {
		for place := 1; place <= []int{4, 1, 3}[b]; place++ {
			want -= logSoftmax(logits.row(b*(tokens-1)+place-1), int(text[place])) / 8
		}
	}
	lm := func(in []*Node) *Node { return LM(in[1], NextTokens(in[1], in[0])) }
	near(t, "LM", value(t, lm, logits, ids), want)
	checkGradient(t, lm, logits, ids)
	near(t, "LM of nothing", value(t, lm, logits, [][]int32{{0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {2, 0, 0, 0, 0}}), 0)
}

// With a state in front of them all tokens of a text are predicted, the first one, too.
func TestLMOfWholeTextsAgainstLoop(t *testing.T) {
	const batch, tokens, vocab = 3, 5, 6
	logits := drawn(rand.New(rand.NewPCG(7, 5)), batch, tokens, vocab)
	ids := [][]int32{{2, 4, 5, 0, 3}, {2, 3, 0, 0, 0}, {2, 0, 0, 0, 0}}
	var sum, count float64
	for b, text := range ids {
		for place := 0; place <= []int{4, 1, 0}[b]; place++ {
			sum -= logSoftmax(logits.row(b*tokens+place), int(text[place]))
			count++
		}
	}
	lm := func(in []*Node) *Node { return LMBehind(in[1], NextTokens(in[1], in[0]), 0) }
	near(t, "LM", value(t, lm, logits, ids), sum/count)
	checkGradient(t, lm, logits, ids)
}

// The first tokens of a text are no part of the loss, but for the mean of what is behind them: one of a text shorter than its prompt has
// none.
func TestLMBehindAgainstLoop(t *testing.T) {
	const batch, tokens, vocab = 3, 5, 6
	logits := drawn(rand.New(rand.NewPCG(6, 5)), batch, tokens-1, vocab)
	ids := [][]int32{{2, 4, 5, 0, 3}, {2, 3, 0, 0, 0}, {2, 1, 1, 3, 0}}
	for prompt := 1; prompt <= 5; prompt++ {
		var sum, count float64
		for b, text := range ids {
			for place := prompt; place <= []int{4, 1, 3}[b]; place++ {
				sum -= logSoftmax(logits.row(b*(tokens-1)+place-1), int(text[place]))
				count++
			}
		}
		lm := func(in []*Node) *Node { return LMBehind(in[1], NextTokens(in[1], in[0]), prompt) }
		near(t, "LM", value(t, lm, logits, ids), sum/math.Max(1, count))
		checkGradient(t, lm, logits, ids)
	}
}
