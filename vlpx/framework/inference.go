package framework

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// Inference runs a trained model forward, as far as its framework is able to: embeddings of images and of captions, scores of pairs, and
// likelihoods of texts. It compiles once a batch size, so callers keep theirs. Not for concurrent use.
type Inference struct {
	framework             Framework
	images, texts, pair   *model.Exec         // nil where the framework is not able to
	scored                *model.Exec         // pairs without states; nil where the framework is not able to
	filled, corrected     *model.Exec         // words of captions with their images; nil where the framework is not able to
	below                 *model.Exec         // representations of images; nil where these are the embeddings
	judged, assigned      *model.Exec         // texts with two images; nil where the framework is not able to
	next                  *model.Exec         // log-likelihoods of tokens; nil where the framework is not able to
	questions, answers    *model.Exec         // questions with their images, and answers to them; nil where the framework is not able to
	begun                 map[int]*model.Exec // beginnings of texts by the room behind them, as they are asked for
	continued             *model.Exec         // continuations of texts, once one is asked for
	image                 []int               // the shape of an image, as the framework reads it
	tokens                int
	build                 func(what string, fn func(s *model.Scope, in []*Node) []*Node) (*model.Exec, error)
	imageState, textState []int // the shapes of what Matches reads of an image and of a caption, known once one is encoded
}

// NewInference prepares the model whose variables the store holds; of the use it needs the image's size and the tokens of a caption.
func NewInference(f Framework, u Use, backend compute.Backend, store *model.Store) (*Inference, error) {
	n := &Inference{framework: f, tokens: u.Tokens, begun: map[int]*model.Exec{}}
	for _, x := range f.Inputs(u) {
		if x.Name == field.Image {
			n.image = x.Shape.Dimensions[1:]
		}
	}
	n.build = func(what string, fn func(s *model.Scope, in []*Node) []*Node) (*model.Exec, error) {
		exec, err := model.NewExec(backend, store, func(s *model.Scope, in []*Node) []*Node {
			defer Orderly()
			s.Store().SetTraining(in[0].Graph(), false)
			return fn(s.Store().Scope(Model), in)
		})
		if err != nil {
			err = fmt.Errorf("framework: building the %s of %s: %w", what, f.Name(), err)
		}
		return exec, err
	}
	var failed error
	build := func(fn func(s *model.Scope, in []*Node) []*Node, what string) *model.Exec {
		if fn == nil {
			return nil
		}
		exec, err := n.build(what, fn)
		failed = cmp.Or(failed, err)
		return exec
	}
	g := graphsOf(f)
	n.images, n.below, n.texts = build(g.images, "image encoder"), build(g.below, "image encoder"), build(g.texts, "text encoder")
	n.pair, n.scored = build(g.pair, "matching head"), build(g.scored, "scores of pairs")
	n.filled, n.corrected = build(g.filled, "masked words"), build(g.corrected, "words of sentences")
	n.judged, n.assigned = build(g.judged, "judgement"), build(g.assigned, "text assignment")
	n.next, n.questions, n.answers = build(g.next, "language model"), build(g.questions, "questions"), build(g.answers, "answers")
	if failed != nil {
		n.Close()
		return nil, failed
	}
	return n, nil
}

// Framework is that of the model.
func (n *Inference) Framework() Framework { return n.framework }

// Matches reports whether encoded pairs can be scored.
func (n *Inference) Matches() bool { return n.pair != nil }

// Adds reports whether re-ranking adds a pair's similarity to its score (see [Adding]).
func (n *Inference) Adds() bool {
	_, adds := n.framework.(Adding)
	return adds
}

// Vectors is how many vectors the embedding of an image has.
func (n *Inference) Vectors() int { return Vectors(n.framework) }

// Scores reports whether retrieval goes by scores of pairs, since nothing is embedded.
func (n *Inference) Scores() bool {
	_, scores := n.framework.(Scores)
	return scores
}

// Encoded is a batch after its encoder.
type Encoded struct {
	Features []float32 // normalised embeddings, [batch, Dim], or of images [batch, Vectors, Dim] where the framework is Multiple
	States   []float32 // what Match reads, [batch, ...]; none where the framework scores no pairs
}

// Append adds the first count rows of a batch of rows.
func (e *Encoded) Append(batch Encoded, count, rows int) {
	e.Features = append(e.Features, batch.Features[:len(batch.Features)/rows*count]...)
	e.States = append(e.States, batch.States[:len(batch.States)/rows*count]...)
}

// Images encodes images, as field.Image.
func (n *Inference) Images(images []float32) (Encoded, error) {
	if n.images == nil {
		return Encoded{}, fmt.Errorf("framework: %s makes no embeddings of images", n.framework.Name())
	}
	return encoded(n.images, Rows(images, n.image...), &n.imageState)
}

// Representations are what probes read of images, as field.Image: the representation below their embedding, [batch, width], or the
// embedding where the framework has no such.
func (n *Inference) Representations(images []float32) ([]float32, error) {
	if n.below == nil {
		e, err := n.Images(images)
		return e.Features, err
	}
	e, err := encoded(n.below, Rows(images, n.image...), nil)
	return e.Features, err
}

// Texts encodes ids [batch, tokens].
func (n *Inference) Texts(ids []int32) (Encoded, error) {
	if n.texts == nil {
		return Encoded{}, fmt.Errorf("framework: %s makes no embeddings of captions", n.framework.Name())
	}
	return encoded(n.texts, tensors.FromFlatDataAndDimensions(ids, len(ids)/n.tokens, n.tokens), &n.textState)
}

// encoded runs an encoder on a batch and notes the shape of its states.
func encoded(exec *model.Exec, in *tensors.Tensor, state *[]int) (Encoded, error) {
	out, err := Call(exec, in)
	if err != nil {
		return Encoded{}, fmt.Errorf("framework: encoding: %w", err)
	}
	defer Release(out)
	var e Encoded
	if e.Features, err = tensors.CopyFlatData[float32](out[0]); err != nil || len(out) == 1 {
		return e, err
	}
	*state = out[1].Shape().Dimensions[1:]
	e.States, err = tensors.CopyFlatData[float32](out[1])
	return e, err
}

// Match returns the raw ITM logit for "matched" of each pair (METHODS.md 15.2): row r pairs the caption whose states and ids
// are row r with the image whose states are row r.
func (n *Inference) Match(states []float32, ids []int32, images []float32) ([]float32, error) {
	return n.matching(states, ids, images, func(_, matched float32) float32 { return matched })
}

// Probabilities returns ITM's probability of "matched" of each pair, the softmax of its two logits; pairs are as for Match.
func (n *Inference) Probabilities(states []float32, ids []int32, images []float32) ([]float32, error) {
	return n.matching(states, ids, images, func(not, matched float32) float32 {
		return float32(1 / (1 + math.Exp(float64(not)-float64(matched))))
	})
}

// matching scores pairs, each by its two logits, "not matched" and "matched".
func (n *Inference) matching(states []float32, ids []int32, images []float32, score func(not, matched float32) float32) ([]float32, error) {
	if n.pair == nil {
		return nil, fmt.Errorf("framework: %s scores no pairs of an image and a caption", n.framework.Name())
	}
	if n.imageState == nil || n.textState == nil {
		return nil, fmt.Errorf("framework: %s is asked for a match before it has encoded an image and a caption", n.framework.Name())
	}
	rows := len(ids) / n.tokens
	out, err := Call(n.pair, Rows(states, n.textState...), tensors.FromFlatDataAndDimensions(ids, rows, n.tokens),
		Rows(images, n.imageState...))
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

// Score returns the logit of "the caption is true of the image" of pairs (see [Scores] and [Matches]): row r pairs the caption whose ids
// are row r of [rows, tokens] with the image of row r, as field.Image.
func (n *Inference) Score(ids []int32, images []float32) ([]float32, error) {
	if n.scored == nil {
		return nil, fmt.Errorf("framework: %s scores no pairs that are not encoded", n.framework.Name())
	}
	rows := len(ids) / n.tokens
	out, err := Call(n.scored, tensors.FromFlatDataAndDimensions(ids, rows, n.tokens), Rows(images, n.image...))
	if err != nil {
		return nil, fmt.Errorf("framework: scoring pairs: %w", err)
	}
	defer Release(out)
	return tensors.CopyFlatData[float32](out[0])
}

// LogLikelihood returns that of each token of ids [batch, tokens] by those before it, in nats, [batch, tokens], 0 where none is predicted
// (see [Predicts]).
func (n *Inference) LogLikelihood(ids []int32) ([]float32, error) {
	if n.next == nil {
		return nil, fmt.Errorf("framework: %s is no language model; take one, such as GPT-2", n.framework.Name())
	}
	e, err := encoded(n.next, tensors.FromFlatDataAndDimensions(ids, len(ids)/n.tokens, n.tokens), nil)
	return e.Features, err
}

// Fill returns the logits of the words at each place of masked captions [rows, tokens], which read the images of the same rows, as
// field.Image: [rows, tokens, vocabulary]; see [Fills].
func (n *Inference) Fill(masked, captions []int32, images []float32) ([]float32, error) {
	if n.filled == nil {
		return nil, fmt.Errorf("framework: %s predicts no masked words", n.framework.Name())
	}
	rows := len(masked) / n.tokens
	ids := func(ids []int32) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(ids, rows, n.tokens) }
	out, err := Call(n.filled, ids(masked), ids(captions), Rows(images, n.image...))
	if err != nil {
		return nil, fmt.Errorf("framework: masked words: %w", err)
	}
	defer Release(out)
	return tensors.CopyFlatData[float32](out[0])
}

// Corrects reports whether words of sentences can be distinguished and corrected.
func (n *Inference) Corrects() bool { return n.corrected != nil }

// Correct reports the words of sentences [rows, tokens] with the images of the same rows how probably each was replaced and which stood
// there, both [rows, tokens]; see [Corrects].
func (n *Inference) Correct(sentences []int32, images []float32) (replaced []float32, words []int32, err error) {
	if n.corrected == nil {
		return nil, nil, fmt.Errorf("framework: %s corrects no words", n.framework.Name())
	}
	out, err := Call(n.corrected, tensors.FromFlatDataAndDimensions(sentences, len(sentences)/n.tokens, n.tokens), Rows(images, n.image...))
	if err != nil {
		return nil, nil, fmt.Errorf("framework: correcting: %w", err)
	}
	defer Release(out)
	if replaced, err = tensors.CopyFlatData[float32](out[0]); err != nil {
		return nil, nil, err
	}
	words, err = tensors.CopyFlatData[int32](out[1])
	return replaced, words, err
}

// ImageSize is how many numbers an image has, as the framework reads it.
func (n *Inference) ImageSize() int {
	size := 1
	for _, d := range n.image {
		size *= d
	}
	return size
}

// Close frees the compiled graphs.
func (n *Inference) Close() {
	for _, e := range []*model.Exec{n.images, n.below, n.texts, n.pair, n.scored, n.filled, n.corrected, n.judged, n.assigned, n.next,
		n.questions, n.answers, n.continued} {
		if e != nil {
			e.Finalize()
		}
	}
	for _, e := range n.begun {
		e.Finalize()
	}
}
