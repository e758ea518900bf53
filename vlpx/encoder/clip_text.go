package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// CLIPText is CLIP's text transformer (Radford et al., 2021): a token sees those before it, and the state of the end token stands for
// the text.
type CLIPText struct {
	Vocab, Positions          int
	Width, Layers, Heads, MLP int
	// Activation of the feed-forward: the exact GELU, or Quick.
	Activation Activation `json:",omitempty"`
	// End is the token whose state stands for the text: the one with the largest id, or LastToken.
	End End `json:",omitempty"`
	// Recompute keeps the states between the parts of a layer alone for the gradient, and computes what lies within them again.
	Recompute bool `json:",omitempty"`
}

// End names the token whose state stands for a text. The empty one is the first token that has the row's largest id, which is the end
// token of CLIP's vocabulary.
type End string

// LastToken is the last token that is no padding, whose id is 0: the end of a text in a vocabulary whose end token has no larger id than
// its words, such as BERT's [SEP].
const LastToken End = "last"

const clipEpsilon = 1e-5

// Encode turns ids [batch, tokens] (int32), tokens at most Positions and 0 where there is no text, into normalised states [batch, Width].
func (c CLIPText) Encode(s *model.Scope, ids *Node, half bool) *Node {
	end := c.End.of(ids)
	read := func(x *Node) *Node {
		return ReduceAndKeep(Mul(x, InsertAxes(ConvertDType(end, x.DType()), -1)), ReduceSum, 1)
	}
	return Squeeze(c.states(s, ids, read, half), 1)
}

// states are normalised, of the tokens that are read.
func (c CLIPText) states(s *model.Scope, ids *Node, read Asking, half bool) *Node {
	block := Block{Width: c.Width, Heads: c.Heads, MLP: c.MLP, PreNorm: true, Epsilon: clipEpsilon, Half: half, Activation: c.Activation,
		Recompute: c.Recompute}
	return block.causal(s, ids, c.Vocab, c.Positions, c.Layers, read)
}

// of is the place of each row's end by ids [batch, tokens] (int32), one-hot, [batch, tokens] (bool).
func (e End) of(ids *Node) *Node {
	tokens := ids.Shape().Dim(1)
	places := Iota(ids.Graph(), ids.Shape(), 1)
	var end *Node // its place, [batch]
	switch e {
	case LastToken:
		end = ReduceMax(Where(NotEqual(ids, ZerosLike(ids)), places, ZerosLike(places)), 1)
	case "":
		largest := Equal(ids, BroadcastToShape(ReduceAndKeep(ids, ReduceMax, 1), ids.Shape()))
		end = ReduceMin(Where(largest, places, AddScalar(ZerosLike(places), float64(tokens-1))), 1)
	default:
		exceptions.Panicf("encoder: no end of a text is called %q; take %q, or none for the largest id", e, LastToken)
	}
	return Equal(places, BroadcastToShape(InsertAxes(end, -1), ids.Shape()))
}

// Project maps x [..., in] to [..., out] by a matrix without a bias, as CLIP brings its towers' features to the shared embedding.
func Project(s *model.Scope, x *Node, out int, half bool) *Node {
	return MatMulRows(x, Variable(s, x.Graph(), Weights, x.Shape().Dim(-1), out), half)
}
