package blip2

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/objective"
)

// speech is the frozen language model that reads queries in front of words.
type speech struct {
	encoder.OPT
	half bool
}

// Places below a root of the language model and of what brings queries to its width.
const (
	languagePlace = "language"
	projected     = "language_projection"
)

// front are queries [rows, queries, any width] as the language model reads them, [rows, queries, Width].
func (l speech) front(s *model.Scope, queries *Node) *Node {
	return encoder.Linear(s.In(projected), queries, l.Width, l.half)
}

// language is the scope of the language model.
func (l speech) language(s *model.Scope) *model.Scope { return s.In(languagePlace) }

// frozen says of the language model's variables, once they are there, that they are not trained.
func (l speech) frozen(s *model.Scope) {
	for v := range s.At(languagePlace).IterVariables() {
		v.SetTrainable(false)
	}
}

// describe returns the log-likelihoods of the tokens of texts that follow queries, [rows, tokens], as objective.NextTokens gives them.
//
//   - queries: [rows, queries, any width].
//   - ids: texts, padded with zeros behind them, [rows, tokens].
//   - prompt: how many of their first tokens are not predicted. With 0 of them the last query predicts the first token.
func (l speech) describe(s *model.Scope, queries, ids *Node, prompt int) *Node {
	language := l.language(s)
	fed := l.Words(language, Slice(ids, AxisRange(), AxisRange(0, ids.Shape().Dim(1)-1)))
	states := l.States(language, Concatenate([]*Node{l.front(s, queries), fed}, 1), nil, l.half)
	l.frozen(s)
	first := queries.Shape().Dim(1)
	if prompt == 0 {
		first--
	}
	behind := Slice(states, AxisRange(), AxisRange(first))
	return objective.NextTokens(ids, l.Next(language, behind, l.half))
}

// answer returns how little the tokens of answers are expected behind queries and questions, in nats, summed over their tokens,
// [rows*answers].
//
//   - queries: [rows, queries, any width].
//   - questions: ids, padded with zeros behind them, [rows, tokens].
//   - answers: ids, padded with zeros behind them, [rows, answers, tokens of an answer]. Their first token, [CLS], is not read: an answer
//     stands behind the question's last one.
func (l speech) answer(s *model.Scope, queries, questions, answers *Node) *Node {
	language := l.language(s)
	count, tokens := answers.Shape().Dim(1), answers.Shape().Dim(2)
	ids := Reshape(answers, -1, tokens)
	front := Concatenate([]*Node{l.front(s, queries), l.Words(language, questions)}, 1)
	there := l.there(front, questions)
	asked := front.Shape().Dim(1)
	fed := l.Words(language, Slice(ids, AxisRange(), AxisRange(1, tokens-1)))
	x := Concatenate([]*Node{each(front, count), fed}, 1)
	there = Concatenate([]*Node{each(there, count), OnesLike(Squeeze(Slice(fed, AxisRange(), AxisRange(), AxisRange(0, 1)), -1))}, 1)
	states := l.States(language, x, there, l.half)
	l.frozen(s)
	first := encoder.Last(Slice(states, AxisRange(), AxisRange(0, asked)), Slice(there, AxisRange(), AxisRange(0, asked)))
	behind := Concatenate([]*Node{InsertAxes(first, 1), Slice(states, AxisRange(), AxisRange(asked))}, 1)
	return objective.AnswerNats(ids, l.Next(language, behind, l.half))
}

// there marks the queries and the tokens of texts behind them, [rows, queries+tokens], in the type of x, which are all of them.
func (l speech) there(x, texts *Node) *Node {
	rows, queries := x.Shape().Dim(0), x.Shape().Dim(1)-texts.Shape().Dim(1)
	words := framework.There(texts, x)
	return Concatenate([]*Node{BroadcastToDims(ScalarOne(x.Graph(), x.DType()), rows, queries), words}, 1)
}

// begin and continue write behind queries and prompts, as framework.Generates has it.
func (l speech) begin(s *model.Scope, queries, prompts *Node, room int) (logits *Node, memory []*Node) {
	language := l.language(s)
	x := Concatenate([]*Node{l.front(s, queries), l.Words(language, prompts)}, 1)
	last, memory := l.Begin(language, x, l.there(x, prompts), room, l.half)
	return l.Next(language, last, l.half), memory
}

func (l speech) goOn(s *model.Scope, tokens, step *Node, memory []*Node) (logits *Node, after []*Node) {
	language := l.language(s)
	state, after := l.Continue(language, tokens, step, memory, l.half)
	return l.Next(language, state, l.half), after
}

// each repeats every row of x so many times, one behind the other.
func each(x *Node, times int) *Node {
	dims := x.Shape().Dimensions
	wide := append([]int{dims[0], times}, dims[1:]...)
	return Reshape(BroadcastToDims(InsertAxes(x, 1), wide...), append([]int{dims[0] * times}, dims[1:]...)...)
}
