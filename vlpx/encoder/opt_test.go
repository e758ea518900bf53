package encoder

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// optCase are vectors in front of words, in rows with padding between and behind the tokens.
var optCase = struct {
	OPT
	front []float32 // [2, 2, Width]
	ids   [][]int32
	there [][]float32
}{
	OPT:   OPT{Vocab: 7, Positions: 6, Width: 6, Layers: 2, Heads: 2, MLP: 9},
	front: []float32{1, -2, 0.5, 0.25, -1, 3, 0.1, 0.2, -0.3, 2, 1, -1, 0, 1, 0, -1, 2, 2, -3, 1, 0.5, 0.5, -0.5, 1},
	ids:   [][]int32{{3, 0, 6, 6}, {1, 2, 5, 4}},
	there: [][]float32{{1, 1, 1, 1, 1, 1}, {1, 1, 1, 0, 1, 0}},
}

// slow are the states of a row's tokens that are there, by loops in float64, in the row's places; nil for padding.
func (t OPT) slow(n network, tokens [][]float64, there []float32) [][]float64 {
	places := rows(n.get("/text/position/"+Embedding), t.Width)
	states, keys, values := make([][]float64, len(tokens)), make([][][]float64, t.Layers), make([][][]float64, t.Layers)
	count := 0
	for place, x := range tokens {
		if there[place] == 0 {
			continue
		}
		x = sum(x, places[2+count])
		count++
		for layer := range t.Layers {
			path := "/text/layer_" + string(rune('0'+layer))
			qkv := n.linear(path+"/attention/qkv", n.norm(path+"/attention/norm", x, 1e-5))
			keys[layer], values[layer] = append(keys[layer], qkv[t.Width:2*t.Width]), append(values[layer], qkv[2*t.Width:])
			x = sum(x, n.linear(path+"/attention/output", slowAttention(qkv[:t.Width], keys[layer], values[layer], t.Heads, count)))
			inside := n.linear(path+"/mlp/in", n.norm(path+"/mlp/norm", x, 1e-5))
			for i, v := range inside {
				inside[i] = math.Max(0, v)
			}
			x = sum(x, n.linear(path+"/mlp/out", inside))
		}
		states[place] = n.norm("/text/norm", x, 1e-5)
	}
	return states
}

// A token attends to itself and to those before it that are no padding, and its position is their number.
func TestOPTAgainstLoop(t *testing.T) {
	c := optCase
	front := tensors.FromFlatDataAndDimensions(c.front, 2, 2, c.Width)
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		x := Concatenate([]*Node{in[1], c.Words(s.At("text"), in[0])}, 1)
		masked, plain := c.States(s.At("text"), x, in[2], false), c.States(s.At("text"), x, nil, false)
		return []*Node{masked, plain, c.Next(s.At("text"), masked, false)}
	}, c.ids, front, c.there)
	out := n.run(c.ids, front, c.there)
	words := rows(n.get("/text/word/"+Embedding), c.Width)
	for row, ids := range c.ids {
		tokens := rows(c.front[row*2*c.Width:(row+1)*2*c.Width], c.Width)
		for _, id := range ids {
			tokens = append(tokens, words[id])
		}
		for k, there := range [][]float32{c.there[row], {1, 1, 1, 1, 1, 1}} {
			for place, want := range c.slow(n, tokens, there) {
				if want == nil {
					continue
				}
				at := row*len(tokens) + place
				near(t, "state", out[k][at*c.Width:(at+1)*c.Width], want, 1e-4)
				var logits []float64
				for _, word := range words {
					var dot float64
					for d := range want {
						dot += want[d] * word[d]
					}
					logits = append(logits, dot)
				}
				if k == 0 {
					near(t, "logits", out[2][at*c.Vocab:(at+1)*c.Vocab], logits, 1e-4)
				}
			}
		}
	}
	if got, want := len(n.get("/text/position/"+Embedding)), 8*c.Width; got != want {
		t.Errorf("got %d numbers in the table of positions, want %d: two rows more than tokens", got, want)
	}
}

// Words read one by one behind a beginning have the states of the whole, whatever padding is before them, and unused room changes nothing.
func TestOPTGoesOn(t *testing.T) {
	const room = 3
	c := optCase
	c.Positions = 9
	front := tensors.FromFlatDataAndDimensions(c.front, 2, 2, c.Width)
	after := [][]int32{{5, 0}, {6, 2}}
	n := newNetwork(t, func(s *model.Scope, in []*Node) []*Node {
		at := func() *model.Scope { return s.At("text") }
		x := Concatenate([]*Node{in[1], c.Words(at(), in[0])}, 1)
		whole := Concatenate([]*Node{x, c.Words(at(), in[3])}, 1)
		out := []*Node{c.States(at(), whole, Concatenate([]*Node{in[2], OnesLike(Slice(in[2], AxisRange(), AxisRange(0, 2)))}, 1), false)}
		state, memory := c.Begin(at(), x, in[2], room, false)
		out = append(out, state)
		for k := range 2 {
			word := Squeeze(Slice(in[3], AxisRange(), AxisRange(k, k+1)), 1)
			state, memory = c.Continue(at(), word, Const(x.Graph(), int32(k)), memory, false)
			out = append(out, state)
		}
		return out
	}, c.ids, front, c.there, after)
	out := n.run(c.ids, front, c.there, after)
	for row, last := range []int{5, 4} { // the rows' last tokens
		for k, place := range []int{last, 6, 7} {
			at := row*8 + place
			near(t, "state", out[1+k][row*c.Width:(row+1)*c.Width], wide(out[0][at*c.Width:(at+1)*c.Width]), 1e-5)
		}
	}
}
