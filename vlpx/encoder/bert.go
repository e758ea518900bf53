package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// BERT is ALBEF's text and multimodal encoder: one BERT whose first Layers layers read text alone and whose last Fusion
// layers also attend to an image (METHODS.md 1.1).
type BERT struct {
	Vocab, Positions  int
	Width, Heads, MLP int
	Layers, Fusion    int
	Dropout           float64
	// Types is the number of token types, 0 for BERT's two. ALBEF's captions are all of type 0.
	Types int `json:",omitempty"`
	// Recompute keeps the states between the parts of a layer alone for the gradient, and computes what lies within them again.
	Recompute bool `json:",omitempty"`
}

const bertEpsilon = 1e-12

func (b BERT) block(half bool) Block {
	return Block{Width: b.Width, Heads: b.Heads, MLP: b.MLP, Epsilon: bertEpsilon, Dropout: b.Dropout, Half: half, Recompute: b.Recompute}
}

// Encode turns ids [batch, tokens] (int32) into states [batch, tokens, Width] with the text layers.
//
//   - bias: of the attention logits, from PaddingBias.
func (b BERT) Encode(s *model.Scope, ids, bias *Node, half bool) *Node {
	return b.Read(s, b.Embed(s, ids, nil), bias, nil, half)
}

// Embed turns ids [batch, tokens] (int32) into the sums of their word, position and type embeddings, normalised,
// [batch, tokens, Width].
//
//   - types: of the tokens, such as 0 in a first sentence and 1 in a second, [batch, tokens] (int32); nil for all 0.
func (b BERT) Embed(s *model.Scope, ids, types *Node) *Node {
	g, tokens := ids.Graph(), ids.Shape().Dim(1)
	e := s.In("embeddings")
	x := Gather(b.words(e, g), InsertAxes(ids, -1))
	position := Slice(Variable(e.In("position"), g, Embedding, b.Positions, b.Width), AxisRange(0, tokens))
	segments := b.segments(e, g)
	if types == nil {
		x = Add(x, InsertAxes(Add(position, Slice(segments, AxisRange(0, 1))), 0))
	} else {
		x = Add(Add(x, InsertAxes(position, 0)), Gather(segments, InsertAxes(types, -1)))
	}
	return dropout(e, LayerNorm(e.In("norm"), x, bertEpsilon), b.Dropout)
}

// Read turns embedded texts [batch, tokens, Width] into states with the text layers, of the tokens that something reads.
//
//   - bias: of the attention logits, from PaddingBias.
func (b BERT) Read(s *model.Scope, x, bias *Node, read Asking, half bool) *Node {
	for layer := range b.Layers {
		x = b.block(half).Self(s.In("layer_%d", layer), x, bias, read.last(layer, b.Layers))
	}
	return x
}

// Fuse turns text states [rows, tokens, Width] and image tokens [images, patches, any width] into multimodal states
// [rows, tokens, Width]; row r reads the image that choice [rows, images] (one-hot) names.
func (b BERT) Fuse(s *model.Scope, text, bias, image, choice *Node, half bool) *Node {
	_, states := b.FuseFor(s, text, bias, image, choice, 0, half)
	return states
}

// FuseFor is Fuse where of the first rows, so many as classes says, nothing reads more than the class token: its states [classes, Width],
// and those of the other rows, [rows - classes, tokens, Width]; nil where there are no such rows.
func (b BERT) FuseFor(s *model.Scope, text, bias, image, choice *Node, classes int, half bool) (class, states *Node) {
	x, block := text, b.block(half)
	rows := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(from, to)) }
	for layer := range b.Fusion - 1 {
		x = block.Cross(s.In("layer_%d", b.Layers+layer), x, bias, nil, func(s *model.Scope) Memory {
			return block.chosen(choice, block.memory(s, image))
		})
	}
	last, all := s.In("layer_%d", b.Layers+b.Fusion-1), x.Shape().Dim(0)
	var offered Memory
	read := func(from, to int, ask Asking) *Node {
		return block.Cross(last.ResetVisited(), rows(x, from, to), rows(bias, from, to), ask, func(s *model.Scope) Memory {
			if offered.Keys == nil {
				offered = block.memory(s, image)
			}
			return block.chosen(rows(choice, from, to), offered)
		})
	}
	if classes > 0 {
		class = Squeeze(read(0, classes, Class), 1)
	}
	if classes < all {
		states = read(classes, all, nil)
	}
	return class, states
}

// FuseTwo is FuseFor with a left and a right image a row, [rows, patches, any width] each, two layers in the place of each fusion layer,
// of which the first reads the left image and the second the right, and class tokens alone, [rows, Width]. The two layers share the
// projections of images to keys and values, which are variables of the first one's (METHODS.md 15.6).
func (b BERT) FuseTwo(s *model.Scope, text, bias, left, right *Node, half bool) *Node {
	x, block, rows := text, b.block(half), text.Shape().Dim(0)
	left.AssertDims(rows, -1, -1)
	right.AssertDims(rows, -1, -1)
	images := Concatenate([]*Node{left, right}, 0)
	for layer := range b.Fusion {
		var both Memory
		for side := range 2 {
			ask := Asking(Class).last(2*layer+side, 2*b.Fusion)
			x = block.Cross(s.In("layer_%d", b.Layers+2*layer+side), x, bias, ask, func(s *model.Scope) Memory {
				if side == 0 {
					both = block.memory(s, images)
				}
				own := AxisRange(side*rows, (side+1)*rows)
				return Memory{Slice(both.Keys, own), Slice(both.Values, own)}
			})
		}
	}
	return Squeeze(x, 1)
}

// Words returns the logits over the vocabulary of multimodal states [..., Width]: dense, GELU, layer normalisation, and a
// decoder tied to the word embedding, with a bias. The scope must be the one given to Encode.
func (b BERT) Words(s *model.Scope, states *Node, half bool) *Node {
	return b.WordsBy(s, "mlm", states, half)
}

// WordsBy is Words by a head of another name, with the same decoder.
func (b BERT) WordsBy(s *model.Scope, name string, states *Node, half bool) *Node {
	g, head := states.Graph(), s.In("%s", name)
	x := LayerNorm(head.In("norm"), gelu(Linear(head.In("dense"), states, b.Width, half)), bertEpsilon)
	logits := MatMulRows(x, Transpose(b.words(s.At("embeddings"), g), 0, 1), half)
	return Add(logits, ExpandLeftToRank(Variable(head.In("decoder"), g, Bias, b.Vocab), logits.Rank()))
}

func (b BERT) words(embeddings *model.Scope, g *Graph) *Node {
	return Variable(embeddings.At("word"), g, Embedding, b.Vocab, b.Width)
}

// Segment is the embedding of a token type, [Width]. The scope must be the one given to Embed.
func (b BERT) Segment(s *model.Scope, g *Graph, kind int) *Node {
	return Squeeze(Slice(b.segments(s.At("embeddings"), g), AxisRange(kind, kind+1)), 0)
}

func (b BERT) segments(embeddings *model.Scope, g *Graph) *Node {
	return Variable(embeddings.At("segment"), g, Embedding, max(b.Types, 2), b.Width)
}
