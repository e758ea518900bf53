package objective

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"pgregory.net/rapid"
)

// reals are numbers of a node, so that a graph tells all its results as such.
func reals(nodes ...*Node) []*Node {
	for k := range nodes {
		nodes[k] = ConvertDType(nodes[k], dtypes.Float64)
	}
	return nodes
}

// A drawn word is the first one up to which the probabilities sum to more than the number, whatever both are; the last one for want of
// another.
func TestDrawnWords(t *testing.T) {
	const rows, draws, tokens, vocab = 2, 3, 4, 5
	run := compiled(t, func(in []*Node) []*Node { return reals(DrawWords(in[0], in[1])) })
	rapid.Check(t, func(rt *rapid.T) {
		quarters := rapid.SliceOfN(rapid.IntRange(0, 2), rows*tokens*vocab, rows*tokens*vocab).Draw(rt, "quarters")
		eighths := rapid.SliceOfN(rapid.IntRange(0, 7), rows*draws*tokens, rows*draws*tokens).Draw(rt, "eighths")
		p, u := matrix{dims: []int{rows, tokens, vocab}}, matrix{dims: []int{rows, draws, tokens}}
		for _, x := range quarters { // sums of quarters are exact, and often a number that is drawn; some of all five are below it
			p.data = append(p.data, float64(x)/4)
		}
		for _, x := range eighths {
			u.data = append(u.data, float64(x)/8)
		}
		got := run(p, u)[0]
		for k, number := range u.data {
			row, token := k/(draws*tokens), k%tokens
			sum, want := 0.0, vocab-1
			for word, x := range p.row(row*tokens + token) {
				if sum += x; sum > number {
					want = word
					break
				}
			}
			if got[k] != float64(want) {
				rt.Errorf("draw %d: got the word %g, want %d", k, got[k], want)
			}
		}
	})
}

// Words are drawn as often as the softmax of the logits over the temperature says.
func TestRefillsFollowTheTemperature(t *testing.T) {
	const draws, tokens, vocab = 4, 5_000, 4 // the same logits at all tokens
	r := rand.New(rand.NewPCG(3, 4))
	logits := matrix{data: []float64{0, 2, -1, 1}, dims: []int{1, 1, vocab}}
	uniforms := matrix{dims: []int{1, draws, tokens}}
	for range draws * tokens {
		uniforms.data = append(uniforms.data, r.Float64())
	}
	for _, temperature := range []float64{0.5, 1.5} {
		got := compiled(t, func(in []*Node) []*Node {
			p := RefillProbabilities(in[0], temperature)
			return reals(p, DrawWords(BroadcastToDims(p, 1, tokens, vocab), in[1]))
		})(logits, uniforms)
		var total float64
		for _, x := range logits.data {
			total += math.Exp(x / temperature)
		}
		var counts [vocab]int
		for _, word := range got[1] {
			counts[int(word)]++
		}
		for word, count := range counts {
			want := math.Exp(logits.data[word]/temperature) / total
			near(t, fmt.Sprintf("temperature %g, probability of word %d", temperature, word), got[0][word], want)
			within(t, fmt.Sprintf("temperature %g, word %d", temperature, word), count, draws*tokens, want)
		}
	}
}

// Masked positions take the drawn words, those with a label of 0 among them, and all others what the masked caption has.
func TestRefilledByHand(t *testing.T) {
	masked := [][]int32{{2, 4, 6, 0}, {2, 7, 4, 4}}
	labels := [][]int32{{Ignored, 5, Ignored, Ignored}, {Ignored, Ignored, 0, 9}}
	words := [][][]int32{{{1, 3, 1, 1}, {8, 9, 8, 8}}, {{1, 1, 3, 4}, {8, 8, 0, 2}}}
	got := compiled(t, func(in []*Node) []*Node { return reals(Refilled(in[0], in[1], in[2])) })(masked, labels, words)[0]
	want := []float64{2, 3, 6, 0, 2, 9, 6, 0, 2, 7, 3, 4, 2, 7, 0, 2}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
