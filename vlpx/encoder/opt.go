package encoder

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// OPT is the transformer of OPT (Zhang et al., 2022): a causal language model that normalises before its layers, with ReLU. Vectors may
// stand in front of its words, as BLIP-2's queries do. The released model of 350 million parameters normalises behind its layers and is
// none of these.
type OPT struct {
	Vocab, Positions          int // Positions: tokens at most
	Width, Layers, Heads, MLP int
	Dropout                   float64
	// Recompute keeps the states between the parts of a layer alone for the gradient, and computes what lies within them again.
	Recompute bool `json:",omitempty"`
}

const (
	optEpsilon = 1e-5
	// optOffset is the row of the table of positions that the first token has; padding has the one before it.
	optOffset = 2
)

func (t OPT) block(half bool) Block {
	return Block{Width: t.Width, Heads: t.Heads, MLP: t.MLP, PreNorm: true, Epsilon: optEpsilon, Dropout: t.Dropout, Half: half,
		Activation: ReLU,
		Recompute:  t.Recompute}
}

// PositionRows is the number of rows of the table of positions.
func (t OPT) PositionRows() int { return t.Positions + optOffset }

// Words are the embeddings of ids (int32), one axis more, of Width.
func (t OPT) Words(s *model.Scope, ids *Node) *Node {
	return Gather(t.words(s, ids.Graph()), InsertAxes(ids, -1))
}

// States turns tokens [batch, tokens, Width], those of Words or others, at most Positions, into normalised states of the same shape.
//
//   - there: 1 a token, 0 padding, [batch, tokens]; nil where all are tokens, or where padding stands behind them and nothing is read
//     there.
func (t OPT) States(s *model.Scope, x, there *Node, half bool) *Node {
	return t.read(s, x, there, half, func(_ int, own Memory) Memory { return own })
}

// read is States with what each layer's tokens attend to.
func (t OPT) read(s *model.Scope, x, there *Node, half bool, memory func(layer int, own Memory) Memory) *Node {
	x.AssertDims(-1, -1, t.Width)
	g, tokens := x.Graph(), x.Shape().Dim(1)
	bias := CausalBias(g, tokens, x.DType())
	if there == nil {
		x = Add(x, InsertAxes(Slice(t.positions(s, g), AxisRange(optOffset, optOffset+tokens)), 0))
	} else {
		rows := AddScalar(Mul(CumSum(there, 1), there), optOffset-1)
		x = Add(x, t.at(s, rows))
		bias = Add(bias, PaddingBias(there))
	}
	return t.layers(s, x, bias, half, memory)
}

// layers applies the layers and the last normalisation to tokens with their positions.
func (t OPT) layers(s *model.Scope, x, bias *Node, half bool, memory func(layer int, own Memory) Memory) *Node {
	x = dropout(s, x, t.Dropout)
	for layer := range t.Layers {
		x = t.block(half).selfWith(s.In("layer_%d", layer), x, bias, func(own Memory) Memory { return memory(layer, own) })
	}
	return LayerNorm(s.In("norm"), x, optEpsilon)
}

// Next returns the logits over the vocabulary of the token behind each state [..., Width], by a decoder that is the word embedding, without
// a bias.
func (t OPT) Next(s *model.Scope, states *Node, half bool) *Node {
	return MatMulRows(states, Transpose(t.words(s, states.Graph()), 0, 1), half)
}

func (t OPT) words(s *model.Scope, g *Graph) *Node {
	return Variable(s.At("word"), g, Embedding, t.Vocab, t.Width)
}

func (t OPT) positions(s *model.Scope, g *Graph) *Node {
	return Variable(s.At("position"), g, Embedding, t.PositionRows(), t.Width)
}

// at are the embeddings of positions by their rows in the table, [batch, tokens] whole numbers of any type.
func (t OPT) at(s *model.Scope, rows *Node) *Node {
	return Gather(t.positions(s, rows.Graph()), InsertAxes(ConvertDType(rows, dtypes.Int32), -1))
}
