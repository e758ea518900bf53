package encoder

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// selfWith applies the layer without cross-attention to x [batch, tokens, width], whose tokens attend to the keys and values that memory
// makes of their own, such as these and those of tokens before them.
//
//   - bias: added to the attention logits, [batch or 1, 1, tokens or 1, keys].
func (b Block) selfWith(s *model.Scope, x, bias *Node, memory func(own Memory) Memory) *Node {
	x = b.residual(s.In("attention"), x, func(s *model.Scope, x *Node) *Node {
		query, own := b.projected(s, x)
		m := memory(own)
		return b.attend(s, query, m.Keys, m.Values, bias)
	})
	return b.residual(s.In("mlp"), x, b.feedForward)
}

// Begin reads tokens as States does, so that [OPT.Continue] goes on behind them by up to room words.
//
//   - there: 1 a token, 0 padding behind it, [batch, tokens]; a row has a token at least.
//
// It returns the state of each row's last token, [batch, Width], and what Continue reads: which places of room+tokens are taken, [batch,
// places], and the keys and values of each layer, [batch, heads, places, dim]. The places for what follows are the first ones.
func (t OPT) Begin(s *model.Scope, x, there *Node, room int, half bool) (last *Node, memory []*Node) {
	if tokens := x.Shape().Dim(1); tokens+room > t.Positions {
		exceptions.Panicf("encoder: OPT has positions for %d tokens, not for %d and %d behind them; write less, or take a model with more",
			t.Positions, tokens, room)
	}
	memory = []*Node{GrowLeft(there, 1, room, 0)}
	states := t.read(s, x, there, half, func(_ int, own Memory) Memory {
		memory = append(memory, GrowLeft(own.Keys, 2, room, 0), GrowLeft(own.Values, 2, room, 0))
		return own
	})
	return Last(states, there), memory
}

// Last are the states of each row's last token, [batch, width].
//
//   - states: [batch, tokens, width].
//   - there: 1 a token, 0 padding, [batch, tokens]; a row has a token at least.
func Last(states, there *Node) *Node {
	places := Iota(there.Graph(), there.Shape(), 1)
	last := ReduceAndKeep(Mul(places, there), ReduceMax, 1)
	end := Equal(places, BroadcastToShape(last, places.Shape()))
	return ReduceSum(Mul(states, InsertAxes(ConvertDType(end, states.DType()), -1)), 1)
}

// Continue reads one more word of each row, [batch] (int32), with the positions behind what memory holds.
//
//   - step: the number of words that Continue has read before, a scalar (int32).
//
// It returns the state of the word, [batch, Width], and the memory with it.
func (t OPT) Continue(s *model.Scope, words, step *Node, memory []*Node, half bool) (state *Node, after []*Node) {
	words.AssertRank(1)
	g, there := words.Graph(), memory[0]
	places := there.Shape().Dim(1)
	here := Equal(Iota(g, shapes.Make(step.DType(), places), 0), step) // the word's place, [places]
	after = []*Node{Where(ExpandAndBroadcast(here, there.Shape().Dimensions, []int{0}), OnesLike(there), there)}
	rows := AddScalar(ReduceAndKeep(there, ReduceSum, 1), optOffset)
	x := Add(t.Words(s, InsertAxes(words, 1)), t.at(s, rows))
	write := func(old, own *Node) *Node {
		dims := old.Shape().Dimensions
		written := Where(ExpandAndBroadcast(here, dims, []int{0, 1, 3}), BroadcastToDims(own, dims...), old)
		after = append(after, written)
		return written
	}
	states := t.layers(s, x, PaddingBias(after[0]), half, func(layer int, own Memory) Memory {
		return Memory{write(memory[1+2*layer], own.Keys), write(memory[2+2*layer], own.Values)}
	})
	return Squeeze(states, 1), after
}
