package framework

import (
	"fmt"
	"math"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Inference runs a trained model forward: embeddings of images and of captions, and ITM scores of pairs. It compiles once a
// batch size, so callers keep theirs. Not for concurrent use.
type Inference struct {
	model               ALBEF
	images, texts, pair *model.Exec
	tokens              int
}

// NewInference prepares the model whose variables the store holds; captions have tokens ids each.
func (a ALBEF) NewInference(backend compute.Backend, store *model.Store, tokens int) (*Inference, error) {
	n := &Inference{model: a, tokens: tokens}
	build := func(fn func(s *model.Scope, in []*Node) []*Node) (*model.Exec, error) {
		return model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
			s.Store().SetTraining(in[0].Graph(), false)
			return fn(s.Store().Scope(Model), in)
		})
	}
	var err error
	if n.images, err = build(func(s *model.Scope, in []*Node) []*Node {
		image := a.EncodeImage(s, in[0])
		return []*Node{image.Feature, image.Tokens}
	}); err != nil {
		return nil, fmt.Errorf("framework: building the image encoder: %w", err)
	}
	if n.texts, err = build(func(s *model.Scope, in []*Node) []*Node {
		text := a.EncodeText(s, in[0])
		return []*Node{text.Feature, text.States}
	}); err != nil {
		return nil, fmt.Errorf("framework: building the text encoder: %w", err)
	}
	if n.pair, err = build(func(s *model.Scope, in []*Node) []*Node {
		fused := a.Fuse(s, in[0], paddingBias(in[1], in[0].DType()), in[2], each(in[2]))
		return []*Node{a.MatchLogits(s, fused)}
	}); err != nil {
		return nil, fmt.Errorf("framework: building the matching head: %w", err)
	}
	return n, nil
}

// Encoded is a batch after its encoder.
type Encoded struct {
	Features []float32 // normalised embeddings, [batch, Embed]
	States   []float32 // of every token, [batch, tokens, width]
}

// Append adds the first count rows of a batch of rows.
func (e *Encoded) Append(batch Encoded, count, rows int) {
	e.Features = append(e.Features, batch.Features[:len(batch.Features)/rows*count]...)
	e.States = append(e.States, batch.States[:len(batch.States)/rows*count]...)
}

// Images encodes images [batch, encoder.ViT.Input...].
func (n *Inference) Images(images []float32) (Encoded, error) {
	return encoded(n.images, Rows(images, n.model.Vision.Input()...))
}

// Texts encodes ids [batch, tokens].
func (n *Inference) Texts(ids []int32) (Encoded, error) {
	return encoded(n.texts, tensors.FromFlatDataAndDimensions(ids, len(ids)/n.tokens, n.tokens))
}

// Match returns the raw ITM logit for "matched" of each pair (METHODS.md 15.2): row r pairs the caption whose states and ids
// are row r with the image whose token states are row r.
func (n *Inference) Match(states []float32, ids []int32, images []float32) ([]float32, error) {
	return n.matching(states, ids, images, func(_, matched float32) float32 { return matched })
}

// Probabilities returns ITM's probability of "matched" of each pair, the softmax of its two logits; pairs are as for Match.
func (n *Inference) Probabilities(states []float32, ids []int32, images []float32) ([]float32, error) {
	return n.matching(states, ids, images, func(not, matched float32) float32 {
		return float32(1 / (1 + math.Exp(float64(not)-float64(matched))))
	})
}

// matching runs pairs through the fusion layers and gives each the score of its two logits, "not matched" and "matched".
func (n *Inference) matching(states []float32, ids []int32, images []float32, score func(not, matched float32) float32) ([]float32, error) {
	rows := len(ids) / n.tokens
	vision := n.model.Vision
	out, err := Call(n.pair,
		tensors.FromFlatDataAndDimensions(states, rows, n.tokens, n.model.Text.Width),
		tensors.FromFlatDataAndDimensions(ids, rows, n.tokens),
		tensors.FromFlatDataAndDimensions(images, rows, vision.Tokens(), vision.Width))
	if err != nil {
		return nil, fmt.Errorf("framework: matching: %w", err)
	}
	defer Release(out)
	logits, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return nil, err
	}
	scores := make([]float32, rows)
	for r := range scores {
		scores[r] = score(logits[2*r], logits[2*r+1])
	}
	return scores, nil
}

// Close frees the compiled graphs.
func (n *Inference) Close() {
	for _, e := range []*model.Exec{n.images, n.texts, n.pair} {
		e.Finalize()
	}
}

func encoded(exec *model.Exec, in *tensors.Tensor) (Encoded, error) {
	out, err := Call(exec, in)
	if err != nil {
		return Encoded{}, fmt.Errorf("framework: encoding: %w", err)
	}
	defer Release(out)
	features, err := tensors.CopyFlatData[float32](out[0])
	if err != nil {
		return Encoded{}, err
	}
	states, err := tensors.CopyFlatData[float32](out[1])
	return Encoded{features, states}, err
}
