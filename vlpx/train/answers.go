package train

import (
	"fmt"

	"github.com/gomlx/compute/shapes"

	"vlpx.internal/datasets"
)

// answers are those to the questions of a training set, by pair.
type answers struct {
	questions    []datasets.Question
	ids          map[string][]int32 // of each distinct answer, [tokens]
	most, tokens int                // of a question, and of an answer
}

// answerable encodes the answers to the questions of the set, whose pairs these are; shape is that of field.Answers.
func (i *input) answerable(shape shapes.Shape) error {
	c, set := i.job.Config, i.job.Set
	asked, ok := set.(datasets.Questioned)
	if !ok || i.job.Tokenizer == nil {
		return fmt.Errorf("train: %s reads answers to questions, and %s shows none; take data with questions, in the place of captions",
			c.Framework.Name(), set.Name())
	}
	a := answers{asked.Questions(), map[string][]int32{}, shape.Dim(1), shape.Dim(2)}
	if len(a.questions) != len(i.pairs) {
		return fmt.Errorf("train: %s reads answers to questions, and %s has its captions shown; show its questions in their place",
			c.Framework.Name(), set.Name())
	}
	for k, q := range a.questions {
		if p := i.pairs[k]; p.Image != q.Image || p.Text(set) != q.Text {
			return fmt.Errorf("train: pair %d of %s is not its question %d; show the questions in the place of captions", k, set.Name(), k)
		}
		if len(q.Answers) == 0 {
			return fmt.Errorf("train: question %d of %s, %q, has no answer; leave it out, or take a split whose answers are known",
				k, set.Name(),
				q.Text)
		}
		for _, answer := range q.Answers {
			if a.ids[answer] == nil {
				a.ids[answer] = i.job.Tokenizer.Encode(answer, a.tokens)
			}
		}
	}
	i.answers = a
	return nil
}

// encode gives the ids of the distinct answers to questions, of each question as many as there is room for, [questions, most, tokens].
func (a answers) encode(questions []int) []int32 {
	ids := make([]int32, len(questions)*a.most*a.tokens)
	for k, q := range questions {
		for j, given := range a.of(q) {
			copy(ids[(k*a.most+j)*a.tokens:], a.ids[given.Answer])
		}
	}
	return ids
}

// weigh gives the share of the people who gave each of these answers, 0 where there is none, [questions, most].
func (a answers) weigh(questions []int) []float32 {
	weights := make([]float32, len(questions)*a.most)
	for k, q := range questions {
		for j, given := range a.of(q) {
			weights[k*a.most+j] = float32(given.Share)
		}
	}
	return weights
}

// of are the distinct answers to a question that there is room for, the most frequent ones.
func (a answers) of(question int) []datasets.Given {
	all := a.questions[question].Given()
	return all[:min(a.most, len(all))]
}
