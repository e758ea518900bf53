package framework

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Generates is a Framework that writes texts, token by token: captions of images, answers to questions about them, or, where its Inputs
// have no field.Image, what follows on a text. Package generate searches for them.
type Generates interface {
	Framework
	// Vocabulary is the number of tokens that it writes with.
	Vocabulary() int
	// Begin reads images, as field.Image, nil where the framework sees none, and a prompt for each, ids padded with zeros behind them,
	// [rows, tokens] (int32). It returns the logits of the token behind each prompt, [rows, vocabulary], and what Continue reads: nodes
	// with a row each, with room for so many more tokens. The scope is that of the model's variables.
	Begin(s *model.Scope, images, prompts *Node, room int) (logits *Node, memory []*Node)
	// Continue reads one more token of each row, [rows] (int32), the step-th from 0 (a scalar, int32), and returns the logits of the next
	// one and the memory with it, in the same shapes. The scope is that of the model's variables.
	Continue(s *model.Scope, tokens, step *Node, memory []*Node) (logits *Node, after []*Node)
}

// There marks the tokens of texts that are padded with zeros behind their last one: 1 or 0 in the type of like, [batch, tokens]. Zeros
// before the last token are none, and a row of zeros alone has its first token.
func There(ids, like *Node) *Node {
	places := Iota(ids.Graph(), ids.Shape(), 1)
	last := ReduceAndKeep(Where(NotEqual(ids, ZerosLike(ids)), places, ZerosLike(places)), ReduceMax, 1)
	return ConvertDType(LessOrEqual(places, BroadcastToShape(last, ids.Shape())), like.DType())
}

// Generates reports whether the model writes texts.
func (n *Inference) Generates() bool {
	_, can := n.framework.(Generates)
	return can
}

// SeesImages reports whether what the model reads has images.
func (n *Inference) SeesImages() bool { return n.image != nil }

// Generation is texts while a model writes them.
type Generation struct {
	of     *Inference
	memory []*tensors.Tensor
	step   int32
	room   int
}

// Generate begins to write behind prompts [rows, tokens], padded with zeros behind them, with images as field.Image, none where the model
// sees none. The logits of the token behind each prompt are [rows, vocabulary]. Up to room tokens can follow; each number is a graph of its
// own.
func (n *Inference) Generate(images []float32, prompts []int32, tokens, room int) (*Generation, []float32, error) {
	writer, can := n.framework.(Generates)
	if !can {
		return nil, nil, fmt.Errorf("framework: %s writes no texts; take one that does, such as BLIP-2 with a language model",
			n.framework.Name())
	}
	if tokens < 1 || len(prompts) == 0 || len(prompts)%tokens != 0 {
		return nil, nil, fmt.Errorf("framework: %d ids are no prompts of %d tokens each", len(prompts), tokens)
	}
	rows, vocabulary := len(prompts)/tokens, int32(writer.Vocabulary())
	for at, id := range prompts {
		if id < 0 || id >= vocabulary {
			return nil, nil, fmt.Errorf("framework: prompt %d, token %d: the id %d, and %s has %d tokens; is the tokenizer another run's?",
				at/tokens, at%tokens, id, n.framework.Name(), vocabulary)
		}
	}
	in := []*tensors.Tensor{tensors.FromFlatDataAndDimensions(prompts, rows, tokens)}
	if n.SeesImages() {
		if len(images) != rows*n.ImageSize() {
			return nil, nil, fmt.Errorf("framework: %d numbers of images for %d prompts; %s reads %d an image", len(images), rows,
				n.framework.Name(), n.ImageSize())
		}
		in = append(in, Rows(images, n.image...))
	}
	exec := n.begun[room]
	if exec == nil {
		var err error
		if exec, err = n.build("beginning of texts", graphsOf(n.framework).begun(room)); err != nil {
			return nil, nil, err
		}
		n.begun[room] = exec
	}
	g := &Generation{of: n, room: room}
	logits, err := g.call(exec, in)
	if err != nil {
		return nil, nil, fmt.Errorf("framework: beginning texts: %w", err)
	}
	return g, logits, nil
}

// Next reads one more token of each row, which continues a row of the step before, and returns the logits of the next one, [rows,
// vocabulary]. The number of rows may be another than before; each is a graph of its own.
func (g *Generation) Next(from, tokens []int32) ([]float32, error) {
	n := g.of
	if int(g.step) >= g.room {
		return nil, fmt.Errorf("framework: there is room for %d tokens, and one more is asked for", g.room)
	}
	if n.continued == nil {
		var err error
		if n.continued, err = n.build("continuation of texts", graphsOf(n.framework).continued); err != nil {
			return nil, err
		}
	}
	in := append([]*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(from, len(from)), tensors.FromFlatDataAndDimensions(tokens, len(tokens)),
		tensors.FromScalar(g.step),
	}, g.memory...)
	g.memory = nil
	logits, err := g.call(n.continued, in)
	if err != nil {
		return nil, fmt.Errorf("framework: going on with texts: %w", err)
	}
	g.step++
	return logits, nil
}

// call runs a graph of logits and memory, and keeps the memory.
func (g *Generation) call(exec *model.Exec, in []*tensors.Tensor) ([]float32, error) {
	out, err := Call(exec, in...)
	if err != nil {
		return nil, err
	}
	g.memory = out[1:]
	defer out[0].FinalizeAll()
	return tensors.CopyFlatData[float32](out[0])
}

// Close frees what is kept of the texts.
func (g *Generation) Close() {
	Release(g.memory)
	g.memory = nil
}
