package framework

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
)

// Answers is a Framework that answers questions about images, in words that it predicts one by one. A question is encoded as a caption is.
type Answers interface {
	Framework
	// AnswerTokens is the number of tokens of an answer, with [CLS] and [SEP].
	AnswerTokens() int
	// Question reads questions by their ids, as field.Captions, with the images of the same rows, as field.Image: the states that answers
	// attend to, [rows, tokens, width], and the logits over the vocabulary of an answer's first word, [rows, vocabulary]. The scope is that
	// of the model's variables.
	Question(s *model.Scope, ids, images *Node) (states, first *Node)
	// Answer returns the log-likelihood of answers to the question of the same row by its states and ids, in nats, summed over their
	// tokens, [rows, answers].
	//
	//   - answers: ids, padded with zeros, [rows, answers, AnswerTokens] int32.
	Answer(s *model.Scope, states, questions, answers *Node) *Node
}

// Answers are the fields of the answers to a mini-batch's questions: at most so many of a question, of so many tokens.
func (u Use) Answers(most, tokens int) []field.Field {
	return []field.Field{field.Int32(field.Answers, u.Batch, most, tokens), field.Float32(field.AnswerWeights, u.Batch, most)}
}

// RankedAnswer is a candidate answer with its probability among those that were ranked.
type RankedAnswer struct {
	Candidate   int // place in the list
	Probability float64
}

// Likeliest are the k candidates whose first words are the most probable, most probable first, with the logarithms of these probabilities:
// what ALBEF's rank_answer looks at more closely (METHODS.md 15.5). Of equal ones the lower place comes first.
//
//   - first: logits of an answer's first word over the vocabulary.
//   - words: the first word of each candidate.
func Likeliest[T float32 | float64](first []T, words []int32, k int) (candidates []int, logs []float64) {
	highest := float64(slices.Max(first))
	var sum float64
	for _, x := range first {
		sum += math.Exp(float64(x) - highest)
	}
	for c := range words {
		candidates = append(candidates, c)
	}
	slices.SortStableFunc(candidates, func(a, b int) int { return cmp.Compare(first[words[b]], first[words[a]]) })
	candidates = candidates[:min(k, len(candidates))]
	for _, c := range candidates {
		logs = append(logs, float64(first[words[c]])-highest-math.Log(sum))
	}
	return candidates, logs
}

// Reranked orders candidates by the logarithm of their first word's probability and the log-likelihood of the whole answer, which has the
// first word, too: it counts twice, as published (METHODS.md 15.5). The probabilities are the softmax of these sums.
func Reranked(candidates []int, logs, likelihoods []float64) []RankedAnswer {
	ranked := make([]RankedAnswer, len(candidates))
	highest, sum := math.Inf(-1), 0.0
	for k := range candidates {
		highest = max(highest, logs[k]+likelihoods[k])
	}
	for k, c := range candidates {
		ranked[k] = RankedAnswer{c, math.Exp(logs[k] + likelihoods[k] - highest)}
		sum += ranked[k].Probability
	}
	for k := range ranked {
		ranked[k].Probability /= sum
	}
	slices.SortStableFunc(ranked, func(a, b RankedAnswer) int { return cmp.Compare(b.Probability, a.Probability) })
	return ranked
}

// answersAtOnce are the answers of a question in one forward pass: their logits over a vocabulary of 30,000 are large.
const answersAtOnce = 16

// Rank ranks candidate answers to questions with the images of the same rows, as ALBEF's rank_answer does: the k with the most probable
// first words, by their likelihoods (see [Answers]). It compiles once a number of rows.
//
//   - questions: ids, [rows, tokens].
//   - images: as field.Image, [rows, ...].
//   - candidates: ids of at least one answer, padded with zeros, [answers, Answers.AnswerTokens].
//
// The result is [rows][k].
func (n *Inference) Rank(questions []int32, images []float32, candidates []int32, k int) ([][]RankedAnswer, error) {
	if n.questions == nil {
		return nil, fmt.Errorf("framework: %s answers no questions", n.framework.Name())
	}
	tokens, rows := n.framework.(Answers).AnswerTokens(), len(questions)/n.tokens
	if len(candidates) == 0 || len(candidates)%tokens != 0 || k < 1 {
		return nil, fmt.Errorf("framework: the best %d of answers in %d ids; take some answers of %d tokens each", k,
			len(candidates), tokens)
	}
	ids := func() *tensors.Tensor { return tensors.FromFlatDataAndDimensions(questions, rows, n.tokens) }
	out, err := Call(n.questions, ids(), Rows(images, n.image...))
	if err != nil {
		return nil, fmt.Errorf("framework: reading questions: %w", err)
	}
	defer Release(out)
	first, err := tensors.CopyFlatData[float32](out[1])
	if err != nil {
		return nil, err
	}
	var words []int32
	for at := 1; at < len(candidates); at += tokens {
		words = append(words, candidates[at])
	}
	best, logs := make([][]int, rows), make([][]float64, rows)
	for r := range rows {
		vocabulary := len(first) / rows
		best[r], logs[r] = Likeliest(first[r*vocabulary:(r+1)*vocabulary], words, k)
	}
	likelihoods := make([][]float64, rows)
	for from := 0; from < len(best[0]); from += answersAtOnce {
		some := make([]int32, rows*answersAtOnce*tokens)
		for r := range rows {
			for j := range answersAtOnce {
				c := best[r][min(from+j, len(best[r])-1)] // the last pass repeats its last answer: one compiled shape serves all
				copy(some[(r*answersAtOnce+j)*tokens:], candidates[c*tokens:(c+1)*tokens])
			}
		}
		states, err := out[0].LocalClone()
		if err != nil {
			return nil, err
		}
		of, err := Call(n.answers, states, ids(), tensors.FromFlatDataAndDimensions(some, rows, answersAtOnce, tokens))
		if err != nil {
			return nil, fmt.Errorf("framework: scoring answers: %w", err)
		}
		numbers, err := tensors.CopyFlatData[float32](of[0])
		Release(of)
		if err != nil {
			return nil, err
		}
		for at, x := range numbers {
			if r := at / answersAtOnce; len(likelihoods[r]) < len(best[r]) {
				likelihoods[r] = append(likelihoods[r], float64(x))
			}
		}
	}
	ranked := make([][]RankedAnswer, rows)
	for r := range rows {
		ranked[r] = Reranked(best[r], logs[r], likelihoods[r])
	}
	return ranked, nil
}
