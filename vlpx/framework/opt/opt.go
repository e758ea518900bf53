package opt

import (
	"fmt"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

func init() { framework.Register(Model{}) }

// Model is a causal language model. A text is [CLS], its words and [SEP], which is predicted as they are.
type Model struct {
	Text encoder.OPT
	// Lead is the number of blank places that texts are read behind, so that another model's vectors can stand there later and the words
	// keep their places. A published model has read texts at all places, and needs none.
	Lead int  `json:",omitempty"`
	Half bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
}

// Name implements framework.Framework.
func (Model) Name() string { return "OPT" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss { return []negative.Loss{negative.LM} }

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error {
	if m.Lead < 0 || m.Lead > 0 && m.Lead+u.Tokens > m.Text.Positions {
		return fmt.Errorf("opt: texts of %d tokens behind %d blank places; there are %d positions", u.Tokens, m.Lead, m.Text.Positions)
	}
	return framework.CheckLanguage(m, encoder.GPT(m.Text), u)
}

// Inputs implements framework.Framework.
func (Model) Inputs(u framework.Use) []field.Field { return u.Fields(field.Captions) }

// Step implements framework.Framework.
func (m Model) Step(s *model.Scope, _ framework.Use, in field.Nodes) framework.Forward {
	ids := in.Of(field.Captions)
	loss := objective.LM(ids, m.LogLikelihood(s.Store().Scope(framework.Model), ids))
	return framework.Forward{Losses: map[negative.Loss]*Node{negative.LM: loss}, Outputs: field.Nodes{}}
}

// LogLikelihood implements framework.Predicts.
func (m Model) LogLikelihood(s *model.Scope, ids *Node) *Node {
	ids.AssertRank(2)
	text := s.In("text")
	words := m.Text.Words(text, Slice(ids, AxisRange(), AxisRange(0, ids.Shape().Dim(1)-1)))
	states := Slice(m.Text.States(text, m.behind(words), nil, m.Half), AxisRange(), AxisRangeToEnd(m.Lead))
	return objective.NextTokens(ids, m.Text.Next(text, states, m.Half))
}

// behind puts blanks in front of words [rows, tokens, Width].
func (m Model) behind(words *Node) *Node {
	if m.Lead == 0 {
		return words
	}
	return Concatenate([]*Node{Zeros(words.Graph(), shapes.Make(words.DType(), words.Shape().Dim(0), m.Lead, m.Text.Width)), words}, 1)
}

// Vocabulary implements framework.Generates.
func (m Model) Vocabulary() int { return m.Text.Vocab }

// Begin implements framework.Generates.
func (m Model) Begin(s *model.Scope, _, prompts *Node, room int) (logits *Node, memory []*Node) {
	text := s.In("text")
	words := m.Text.Words(text, prompts)
	there := framework.There(prompts, words)
	if m.Lead > 0 {
		there = Concatenate([]*Node{Ones(words.Graph(), shapes.Make(words.DType(), words.Shape().Dim(0), m.Lead)), there}, 1)
	}
	last, memory := m.Text.Begin(text, m.behind(words), there, room, m.Half)
	return m.Text.Next(text, last, m.Half), memory
}

// Continue implements framework.Generates.
func (m Model) Continue(s *model.Scope, tokens, step *Node, memory []*Node) (logits *Node, after []*Node) {
	text := s.In("text")
	state, after := m.Text.Continue(text, tokens, step, memory, m.Half)
	return m.Text.Next(text, state, m.Half), after
}

// InHalf implements framework.InHalf.
func (m Model) InHalf() bool { return m.Half }

// Words implements framework.Worded.
func (Model) Words() string { return "/text/word/" + encoder.Embedding }

// Adapt implements framework.Pretrained.
func (m Model) Adapt(framework.Part, weights.Source) (framework.Framework, error) { return m, nil }

// First implements framework.Pretrained: all of the model, which is its text encoder.
func (m Model) First(p framework.Part, s weights.Source) (weights.Values, weights.Report, error) {
	if p != framework.Text {
		return nil, weights.Report{}, fmt.Errorf("opt: the %s encoder of %s; a language model reads text alone", p, s.Name)
	}
	return s.OPT(m.Text, framework.Model+"/text")
}
