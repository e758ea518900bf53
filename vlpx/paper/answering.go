package paper

import (
	"fmt"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// DistilledAnswering is ALBEF's fine-tuning for visual question answering: a momentum model's answers are soft targets (METHODS.md 15.5).
func DistilledAnswering(Scale) negative.Method {
	return negative.Method{Contrast: negative.Distilled{Alpha: 0.4, Decay: 0.995}}
}

// PlainAnswering is that of GRIT-VLP and MAFA, which do without.
func PlainAnswering(Scale) negative.Method { return negative.Method{} }

// mostAnswers is the number of distinct answers of a question that there is room for at most: as many as people answer.
const mostAnswers = 10

// answering is the fine-tuning for visual question answering that goes on from a pre-training run of ALBEF, on the questions of data whose
// captions have no noise. The last epoch is taken, as ALBEF does.
//
// The vocabulary grows by the words of the questions and answers, unless it is from a file. There is room for the longest question and the longest
// answer of training, and for as many distinct answers as one of its questions has.
func (s Scale) answering(from run.Run, data run.Data, m negative.Method) (run.Run, error) {
	pretrained, ok := from.Train.Framework.Framework.(albef.Model)
	if !ok {
		return run.Run{}, &framework.Lacking{Method: "visual question answering", Framework: from.Train.Framework.Name(),
			Needs: "fusion layers that a decoder of answers starts from", Advice: "pre-train ALBEF"}
	}
	r := from
	data.Texts = run.Questions
	r.Data, r.Reference, r.Init, r.Weights, r.Tasks = data, nil, &from, run.Weights{}, eval.Tasks{eval.VQA{}}
	c, t := &r.Train, s.VQA
	c.Method, c.Reference, c.Init, c.Objectives, c.Select = m.WithDefaults(), "", from.ID(), negative.All, ""
	c.Epochs = t.Epochs
	if t.BatchSize != 0 {
		c.BatchSize = t.BatchSize
	}
	c.Schedule = train.Schedule{Warmup: t.Min, Rate: t.Rate, Min: t.Min, Units: t.Warmup, Unit: 1, Epochs: t.Epochs}
	if s.Augment {
		c.Transform.Crop[0] = 0.5 // as in ALBEF's other fine-tuning (dataset/__init__.py)
	}
	answering := albef.Answering{ALBEF: pretrained, Layers: pretrained.Text.Fusion, Answers: 1, Tokens: 3}
	c.Framework.Framework = answering
	tokenizer, err := grown(&r)
	if err != nil {
		return run.Run{}, err
	}
	set, err := data.TrainingSet()
	if err != nil {
		return run.Run{}, err
	}
	answering.ALBEF.Text.Vocab = tokenizer.Size()
	for _, q := range set.(datasets.Questioned).Questions() {
		c.MaxLen = max(c.MaxLen, min(length(tokenizer, tokenizer.Prepare(q.Text)), pretrained.Text.Positions))
		answering.Answers = max(answering.Answers, min(len(q.Given()), mostAnswers))
		for _, answer := range q.Answers {
			answering.Tokens = max(answering.Tokens, min(length(tokenizer, answer), pretrained.Text.Positions))
		}
	}
	c.Framework.Framework = answering
	if err := c.Validate(); err != nil {
		return run.Run{}, fmt.Errorf("paper: fine-tuning for visual question answering: %w", err)
	}
	return r, nil
}

// grown lets the vocabulary of a run that goes on from another one grow by the words of its own training texts, unless it is from a file, and
// gives its framework room for them. It returns the vocabulary.
func grown(r *run.Run) (*text.Tokenizer, error) {
	r.Vocabulary.Grows = r.Vocabulary.Hash == ""
	collection, err := r.Data.Open()
	if err != nil {
		return nil, err
	}
	tokenizer, err := r.Tokenizer(collection)
	if err != nil {
		return nil, err
	}
	f := &r.Train.Framework
	growing, ok := f.Framework.(framework.Growing)
	if !ok {
		return nil, &framework.Lacking{Method: r.Train.Method.Name, Framework: f.Name(), Needs: "a vocabulary that grows by new words",
			Advice: "give one that has all words with -vocab"}
	}
	f.Framework = growing.WithVocabulary(tokenizer.Size())
	return tokenizer, nil
}

// length is the number of tokens of a text, with those at its ends.
func length(k *text.Tokenizer, text string) int {
	ids := k.Encode(text, longest)
	for n := len(ids); n > 2; n-- {
		if ids[n-1] != k.PAD() {
			return n
		}
	}
	return 2
}

// longest is more tokens than a question or an answer has.
const longest = 512
