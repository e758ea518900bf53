package encoder

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// causal turns ids [batch, tokens] (int32), tokens at most positions, into normalised states [batch, tokens, Width] by so many layers, in
// which a token sees itself and those before it: the transformer of GPT-2, and of CLIP's texts. Only states that are read are given.
func (b Block) causal(s *model.Scope, ids *Node, vocab, positions, layers int, read Asking) *Node {
	ids.AssertRank(2)
	g, batch, tokens := ids.Graph(), ids.Shape().Dim(0), ids.Shape().Dim(1)
	x := Gather(Variable(s.In("word"), g, Embedding, vocab, b.Width), InsertAxes(ids, -1))
	position := Slice(Variable(s.In("position"), g, Embedding, positions, b.Width), AxisRange(0, tokens))
	x = dropout(s, Add(x, InsertAxes(position, 0)), b.Dropout)
	bias := CausalBias(g, tokens, x.DType())
	for layer := range layers {
		ask := read.last(layer, layers)
		if ask != nil { // each row's own
			bias = InsertAxes(ask(BroadcastToDims(Squeeze(bias, 1), batch, tokens, tokens)), 1)
		}
		x = b.Self(s.In("layer_%d", layer), x, bias, ask)
	}
	return LayerNorm(s.In("norm"), x, b.Epsilon)
}

// CausalBias is a bias of attention logits that hides from each token those behind it, [1, 1, tokens, tokens].
func CausalBias(g *Graph, tokens int, dtype dtypes.DType) *Node {
	square := shapes.Make(dtypes.Int32, tokens, tokens)
	behind := GreaterThan(Iota(g, square, 1), Iota(g, square, 0))
	return InsertAxes(MulScalar(ConvertDType(behind, dtype), -1e9), 0, 0)
}
