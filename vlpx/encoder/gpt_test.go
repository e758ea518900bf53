package encoder

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// The tanh's GELU of 1 is (1 + tanh(sqrt(2/pi) 1.044715)) / 2, which the exact one misses in the fourth digit.
func TestNewGELUByHand(t *testing.T) {
	x := []float32{0, 1, -1, 2, 8, -8}
	n := newNetwork(t, func(_ *model.Scope, in []*Node) []*Node { return []*Node{NewGELU.apply(in[0])} }, x)
	near(t, "GELU", n.run(x)[0], []float64{0, 0.8411920, -0.1588080, 1.9545977, 8, 0}, 1e-6)
}

// One layer, its normalisations and the tied decoder, against loops in float64: a token attends to itself and to those before it.
func TestGPTAgainstLoop(t *testing.T) {
	g := GPT{Vocab: 7, Positions: 5, Width: 6, Layers: 1, Heads: 2, MLP: 9}
	ids := [][]int32{{3, 0, 6, 6}, {1, 2, 3, 4}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		states := g.States(s.In("text"), in[0], false)
		states.AssertDims(2, 4, g.Width)
		logits := g.Next(s.At("text"), states, false)
		logits.AssertDims(2, 4, g.Vocab)
		return []*Node{logits}
	}, ids)
	words, places := rows(n.get("/text/word/"+Embedding), g.Width), rows(n.get("/text/position/"+Embedding), g.Width)
	var want []float64
	for _, text := range ids {
		var keys, values [][]float64
		for place, id := range text {
			x := sum(words[id], places[place])
			qkv := n.linear("/text/layer_0/attention/qkv", n.norm("/text/layer_0/attention/norm", x, gptEpsilon))
			keys, values = append(keys, qkv[g.Width:2*g.Width]), append(values, qkv[2*g.Width:])
			x = sum(x, n.linear("/text/layer_0/attention/output", slowAttention(qkv[:g.Width], keys, values, g.Heads, place+1)))
			inside := n.linear("/text/layer_0/mlp/in", n.norm("/text/layer_0/mlp/norm", x, gptEpsilon))
			for i, v := range inside {
				inside[i] = v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
			}
			x = n.norm("/text/norm", sum(x, n.linear("/text/layer_0/mlp/out", inside)), gptEpsilon)
			for _, word := range words {
				var dot float64
				for d := range x {
					dot += x[d] * word[d]
				}
				want = append(want, dot)
			}
		}
	}
	near(t, "logits", n.run(ids)[0], want, 1e-4)
}
