package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// Decode turns texts ids [rows*each, tokens] (int32), padded with zeros, into states [rows*each, tokens, Width] in which a token sees
// itself and those before it, and in each of the Fusion layers what its row remembers: BERT as a decoder, as ALBEF's of answers. It has no
// other layers.
//
//   - memory: what the texts of a row attend to, such as the states of a question, [rows, length, any width].
//   - bias: of these attention logits, [rows, 1, 1, length], from PaddingBias.
//
// Texts of the same row are one sequence to the cross-attention, in which no token sees another: the memory is projected and read once a
// row.
func (b BERT) Decode(s *model.Scope, ids, memory, bias *Node, half bool) *Node {
	ids.AssertRank(2)
	x := b.Embed(s, ids, nil)
	own := Add(CausalBias(ids.Graph(), ids.Shape().Dim(1), x.DType()), PaddingBias(ConvertDType(NotEqual(ids, ZerosLike(ids)), x.DType())))
	for layer := range b.Fusion {
		x = b.block(half).decode(s.In("layer_%d", b.Layers+layer), x, own, memory, bias)
	}
	return x
}

// decode applies the layer with cross-attention to texts x [rows*each, tokens, width], each side by side a row of memory.
func (b Block) decode(s *model.Scope, x, own, memory, bias *Node) *Node {
	x = b.attention(s, x, own, nil)
	x = b.residual(s.In("cross"), x, func(s *model.Scope, x *Node) *Node {
		dims, rows := x.Shape().Dimensions, memory.Shape().Dim(0)
		m := b.memory(s, memory)
		side := Reshape(x, rows, dims[0]/rows*dims[1], b.Width)
		return Reshape(b.attend(s, b.query(s, side), m.Keys, m.Values, bias), dims...)
	})
	return b.residual(s.In("mlp"), x, b.feedForward)
}
