package encoder

import (
	"math"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// selfAttention lets the tokens of x [batch, tokens, width] that ask attend to all of them.
//
//   - bias: added to the attention logits, [batch, 1, 1, tokens] (see PaddingBias) or [1, 1, tokens, tokens] (see CausalBias), or nil.
func (b Block) selfAttention(s *model.Scope, x, bias *Node, ask Asking) *Node {
	if ask == nil {
		q, own := b.projected(s, x)
		return b.attend(s, q, own.Keys, own.Values, bias)
	}
	weights, offset := b.projection(s, x.Graph())
	part := func(x *Node, from, to int) *Node {
		columns := AxisRange(from*b.Width, to*b.Width)
		return b.heads(Add(MatMulRows(x, Slice(weights, AxisRange(), columns), b.Half), ExpandLeftToRank(Slice(offset, columns), 3)))
	}
	own := part(x, 1, 3)
	return b.attend(s, nth(part(ask(x), 0, 1), 0), nth(own, 0), nth(own, 1), bias)
}

// projection are the weights and the bias of queries, keys and values side by side, [width, 3 width] and [3 width].
func (b Block) projection(s *model.Scope, g *Graph) (weights, bias *Node) {
	at := s.In("qkv")
	bias = Variable(at, g, Bias, 3*b.Width)
	if b.KeysUnbiased {
		of := func(part int) *Node { return Slice(bias, AxisRange(part*b.Width, (part+1)*b.Width)) }
		bias = Concatenate([]*Node{of(0), ZerosLike(of(1)), of(2)}, 0)
	}
	return Variable(at, g, Weights, b.Width, 3*b.Width), bias
}

// projected are what tokens x [batch, tokens, width] ask of each other, [batch, heads, tokens, dim], and what they offer.
func (b Block) projected(s *model.Scope, x *Node) (query *Node, own Memory) {
	weights, bias := b.projection(s, x.Graph())
	qkv := b.heads(Add(MatMulRows(x, weights, b.Half), ExpandLeftToRank(bias, 3)))
	return nth(qkv, 0), Memory{nth(qkv, 1), nth(qkv, 2)}
}

// heads turns projections side by side, [batch, tokens, parts width], into [parts, batch, heads, tokens, dim].
func (b Block) heads(x *Node) *Node {
	batch, tokens, parts := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)/b.Width
	return TransposeAllAxes(Reshape(x, batch, tokens, parts, b.Heads, b.Width/b.Heads), 2, 0, 3, 1, 4)
}

// nth is a part of heads, [batch, heads, tokens, dim].
func nth(parts *Node, i int) *Node { return Squeeze(Slice(parts, AxisRange(i, i+1)), 0) }

// Memory holds the keys and values that tokens offer to one layer's attention, such as an image's to cross-attention, each
// [images, heads, tokens, dim].
type Memory struct{ Keys, Values *Node }

// memory projects image tokens [images, tokens, any width] to this layer's keys and values.
func (b Block) memory(s *model.Scope, image *Node) Memory {
	parts := b.heads(Linear(s.In("kv"), image, 2*b.Width, b.Half))
	return Memory{nth(parts, 0), nth(parts, 1)}
}

// crossAttention lets text tokens x [batch, tokens, width] attend to the image of their row: memory's rows are already
// chosen, [batch, ...].
func (b Block) crossAttention(s *model.Scope, x *Node, m Memory) *Node {
	return b.attend(s, b.query(s, x), m.Keys, m.Values, nil)
}

// query projects tokens x [batch, tokens, width] to what they ask of others' keys, [batch, heads, tokens, dim].
func (b Block) query(s *model.Scope, x *Node) *Node {
	return nth(b.heads(Linear(s.In("query"), x, b.Width, b.Half)), 0)
}

// attend is mix followed by the output projection.
func (b Block) attend(s *model.Scope, q, k, v, bias *Node) *Node {
	out := b.mix(s, q, k, v, bias)
	return dropout(s, Linear(s.In("output"), out, b.Width, b.Half), b.Dropout)
}

// mix is scaled dot-product attention over [batch, heads, tokens, dim]; the heads stand side by side in the result, [batch, tokens, width].
func (b Block) mix(s *model.Scope, q, k, v, bias *Node) *Node {
	batch, tokens := q.Shape().Dim(0), q.Shape().Dim(2)
	out := b.fused(q, k, v, bias, func() *Node { return b.weighed(s, q, k, v, bias) })
	return Reshape(TransposeAllAxes(out, 0, 2, 1, 3), batch, tokens, b.Width)
}

// weighed are values by the softmax of scaled products of queries and keys, [batch, heads, tokens, dim].
func (b Block) weighed(s *model.Scope, q, k, v, bias *Node) *Node {
	scores := inHalf(b.Half, func(product *DotBuilder) *Node {
		return product.EinsumAxes([][2]int{{3, 3}}, [][2]int{{0, 0}, {1, 1}})
	}, MulScalar(q, 1/math.Sqrt(float64(b.Width/b.Heads))), k)
	if bias != nil {
		scores = Add(scores, bias)
	}
	weights := dropout(s, Softmax(scores, -1), b.Dropout)
	return inHalf(b.Half, func(product *DotBuilder) *Node {
		return product.EinsumAxes([][2]int{{3, 2}}, [][2]int{{0, 0}, {1, 1}})
	}, weights, v)
}

// PaddingBias turns a mask of tokens (1 a token, 0 padding; [batch, tokens]) into a bias of attention logits,
// [batch, 1, 1, tokens].
func PaddingBias(mask *Node) *Node {
	return InsertAxes(MulScalar(OneMinus(mask), -1e9), 1, 1)
}

// SelectRows picks rows of x by a one-hot matrix: choice [rows, batch] times x [batch, ...] gives [rows, ...]. As a product
// it has a cheap gradient on every engine, which a scatter has not; the choice has none.
func SelectRows(choice, x *Node) *Node { return selectRows(choice, x, false) }

func selectRows(choice, x *Node, half bool) *Node {
	dims := append([]int{}, x.Shape().Dimensions...)
	flat := Reshape(x, dims[0], x.Shape().Size()/dims[0])
	dims[0] = choice.Shape().Dim(0)
	return Reshape(inHalf(half, (*DotBuilder).MatMul, StopGradient(choice), flat), dims...)
}

// chosen is the memory of the image that each row of a choice [rows, images] (one-hot) names. With Half it is in bfloat16's numbers, as the
// products that read it take it.
func (b Block) chosen(choice *Node, m Memory) Memory {
	return Memory{selectRows(choice, m.Keys, b.Half), selectRows(choice, m.Values, b.Half)}
}
