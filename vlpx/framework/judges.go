package framework

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Judges is a Framework that reports whether a statement about two images is true (NLVR2).
type Judges interface {
	Framework
	// Judge returns logits of "false" and "true", [rows, 2], of statements by their ids, as field.Captions, about the left and the right
	// images of the same rows, as field.Image. The scope is that of the model's variables.
	Judge(s *model.Scope, ids, left, right *Node) *Node
}

// Assigns is a Framework that reports which of two images a text is of.
type Assigns interface {
	Framework
	// Assign returns logits of "the left image", "the right image" and "neither", [rows, 3]; its arguments are those of Judges.Judge.
	Assign(s *model.Scope, ids, left, right *Node) *Node
}

// Judge returns the logits of "false" and "true" of statements, [rows, 2], by their ids [rows, tokens], about the left and the right images
// of the same rows, as field.Image; see [Judges].
func (n *Inference) Judge(ids []int32, left, right []float32) ([]float32, error) {
	if n.judged == nil {
		return nil, fmt.Errorf("framework: %s judges no statements about two images; take one that does, such as ALBEF NLVR2",
			n.framework.Name())
	}
	return n.two(n.judged, "judging statements", ids, left, right)
}

// Assign returns the logits of "the left image", "the right image" and "neither" of texts, [rows, 3]; its arguments are those of Judge, see
// [Assigns].
func (n *Inference) Assign(ids []int32, left, right []float32) ([]float32, error) {
	if n.assigned == nil {
		return nil, fmt.Errorf("framework: %s assigns no texts to images; take one that does, such as ALBEF text assignment",
			n.framework.Name())
	}
	return n.two(n.assigned, "assigning texts", ids, left, right)
}

// two runs a graph on texts with two images each.
func (n *Inference) two(exec *model.Exec, doing string, ids []int32, left, right []float32) ([]float32, error) {
	text := tensors.FromFlatDataAndDimensions(ids, len(ids)/n.tokens, n.tokens)
	out, err := Call(exec, text, Rows(left, n.image...), Rows(right, n.image...))
	if err != nil {
		return nil, fmt.Errorf("framework: %s: %w", doing, err)
	}
	defer Release(out)
	return tensors.CopyFlatData[float32](out[0])
}
