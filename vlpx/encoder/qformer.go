package encoder

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

// QFormer is BLIP-2's querying transformer (Li et al., 2023; METHODS.md 13): a BERT that also reads learned queries, which attend to an
// image in some of the layers. Queries and text share self-attention; each has a feed-forward of its own.
type QFormer struct {
	Vocab     int // words of the tokenizer; [DEC], which begins a text to generate, comes behind them
	Positions int
	Queries   int // learned queries, 32 published
	Width     int
	Heads     int
	MLP       int
	Layers    int
	Every     int // the queries of every so many layers, from the first on, attend to the image; 2 published
	Dropout   float64
	// Recompute keeps the states between the parts of a layer alone for the gradient, and computes what lies within them again.
	Recompute bool `json:",omitempty"`
}

// Begin is the id of [DEC], the token in whose place a text to generate has no [CLS].
func (q QFormer) Begin() int { return q.Vocab }

// Words is the number of rows of the word embedding.
func (q QFormer) Words() int { return q.Vocab + 1 }

func (q QFormer) block(half bool) Block {
	return Block{Width: q.Width, Heads: q.Heads, MLP: q.MLP, Epsilon: bertEpsilon, Dropout: q.Dropout, Half: half, Recompute: q.Recompute}
}

// Embed turns ids [batch, tokens] (int32) into the sums of their word and position embeddings, normalised, [batch, tokens, Width].
func (q QFormer) Embed(s *model.Scope, ids *Node) *Node {
	g, e := ids.Graph(), s.In("embeddings")
	x := Gather(Variable(e.In("word"), g, Embedding, q.Words(), q.Width), InsertAxes(ids, -1))
	position := Slice(Variable(e.In("position"), g, Embedding, q.Positions, q.Width), AxisRange(0, ids.Shape().Dim(1)))
	return q.embedded(s, Add(x, InsertAxes(position, 0)))
}

// queries are the learned queries for so many images, which have no positions but are normalised as a text is, [images, Queries, Width].
func (q QFormer) queries(s *model.Scope, g *Graph, images int) *Node {
	learned := InsertAxes(Variable(s.In("queries"), g, Embedding, q.Queries, q.Width), 0)
	return BroadcastToDims(q.embedded(s, learned), images, q.Queries, q.Width)
}

func (q QFormer) embedded(s *model.Scope, x *Node) *Node {
	e := s.At("embeddings")
	return dropout(e, LayerNorm(e.At("norm"), x, bertEpsilon), q.Dropout)
}

// Look turns image tokens [images, tokens, any width] into the states of the queries that see them, [images, Queries, Width], and what the
// queries offer to each layer's self-attention, for Generate.
func (q QFormer) Look(s *model.Scope, image *Node, half bool) (states *Node, offered []Memory) {
	x := part{queries: q.queries(s, image.Graph(), image.Shape().Dim(0))}
	for layer := range q.Layers {
		var own Memory
		x, own = q.layer(s, layer, x, look{image: image}, half)
		offered = append(offered, own)
	}
	return x.queries, offered
}

// Read turns ids [batch, tokens] (int32) into states [batch, tokens, Width] without an image.
//
//   - bias: of the attention logits, from PaddingBias.
func (q QFormer) Read(s *model.Scope, ids, bias *Node, half bool) *Node {
	x := part{text: q.Embed(s, ids)}
	for layer := range q.Layers {
		x, _ = q.layer(s, layer, x, look{bias: bias}, half)
	}
	return x.text
}

// Match lets queries and text attend to each other, and returns the states of the queries, [rows, Queries, Width], and of the text, [rows,
// tokens, Width].
//
//   - ids: [rows, tokens] (int32).
//   - bias: of the attention logits over Queries and tokens, from QueryBias.
//   - image: tokens, [images, tokens, any width]; row r sees the one that choice [rows, images] (one-hot) names.
func (q QFormer) Match(s *model.Scope, ids, bias, image, choice *Node, half bool) (queries, text *Node) {
	x := part{queries: q.queries(s, ids.Graph(), ids.Shape().Dim(0)), text: q.Embed(s, ids)}
	for layer := range q.Layers {
		x, _ = q.layer(s, layer, x, look{bias: bias, image: image, choice: choice}, half)
	}
	return x.queries, x.text
}

// Generate turns ids [batch, tokens] (int32), whose first one is Begin, into states [batch, tokens, Width], in which a token sees those
// before it and what the queries of its row offer each layer, as Look tells.
//
//   - bias: of the attention logits over Queries and tokens, from GenerationBias.
func (q QFormer) Generate(s *model.Scope, ids, bias *Node, offered []Memory, half bool) *Node {
	x := part{text: q.Embed(s, ids)}
	for layer := range q.Layers {
		x, _ = q.layer(s, layer, x, look{bias: bias, before: &offered[layer]}, half)
	}
	return x.text
}

// Next returns the logits over Words of the token behind each state [..., Width] of Generate, by BERT's head for masked words.
func (q QFormer) Next(s *model.Scope, states *Node, half bool) *Node {
	return BERT{Vocab: q.Words(), Width: q.Width}.Words(s, states, half)
}

// part are the states of a layer's queries and of its text; nil for none.
type part struct{ queries, text *Node }

// look is what a layer's tokens may see besides themselves.
type look struct {
	bias          *Node   // of the self-attention's logits; nil where every token sees all
	before        *Memory // what tokens in front of these offer to self-attention; nil for none
	image, choice *Node   // what the queries see; without a choice row r sees image r
}

func (q QFormer) layer(s *model.Scope, number int, x part, see look, half bool) (_ part, own Memory) {
	s = s.In("layer_%d", number)
	b := q.block(half)
	all := x.text
	switch {
	case x.queries != nil && x.text != nil:
		all = Concatenate([]*Node{x.queries, x.text}, 1)
	case x.queries != nil:
		all = x.queries
	}
	all = b.residual(s.In("attention"), all, func(s *model.Scope, all *Node) *Node {
		var query *Node
		query, own = b.projected(s, all)
		keys, values := own.Keys, own.Values
		if see.before != nil {
			keys, values = Concatenate([]*Node{see.before.Keys, keys}, 2), Concatenate([]*Node{see.before.Values, values}, 2)
		}
		return b.attend(s, query, keys, values, see.bias)
	})
	if x.queries != nil {
		seen := Slice(all, AxisRange(), AxisRange(0, q.Queries))
		if number%q.Every == 0 {
			seen = b.residual(s.In("cross"), seen, func(s *model.Scope, x *Node) *Node {
				m := b.memory(s, see.image)
				if see.choice != nil {
					m = b.chosen(see.choice, m)
				}
				return b.crossAttention(s, x, m)
			})
		}
		seen = b.residual(s.In("query_mlp"), seen, b.feedForward)
		if x.text != nil {
			all = Slice(all, AxisRange(), AxisRange(q.Queries))
		}
		x.queries = seen
	}
	if x.text != nil {
		x.text = b.residual(s.In("mlp"), all, b.feedForward)
	}
	return x, own
}

// QueryBias is a bias of attention logits that hides the padding of a text behind queries, [batch, 1, 1, queries+tokens].
//
//   - mask: 1 a token, 0 padding, [batch, tokens].
func QueryBias(mask *Node, queries int) *Node { return GrowLeft(PaddingBias(mask), 3, queries, 0) }

// GenerationBias is QueryBias that hides from each token those behind it, too, [batch, 1, tokens, queries+tokens].
func GenerationBias(mask *Node, queries int) *Node {
	tokens := mask.Shape().Dim(1)
	dims := []int{mask.Shape().Dim(0), 1, tokens, tokens}
	padding := BroadcastToDims(PaddingBias(mask), dims...)
	behind := BroadcastToDims(CausalBias(mask.Graph(), tokens, mask.DType()), dims...)
	return GrowLeft(Min(padding, behind), 3, queries, 0)
}
