package opt

import (
	"fmt"

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
	Half bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
}

// Name implements framework.Framework.
func (Model) Name() string { return "OPT" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss { return []negative.Loss{negative.LM} }

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error {
	return framework.CheckLanguage(m, encoder.GPT(m.Text), u)
}

// Inputs implements framework.Framework.
func (Model) Inputs(u framework.Use) []field.Field { return u.Fields(field.Captions) }

// Step implements framework.Framework.
func (m Model) Step(s *model.Scope, _ framework.Use, in field.Nodes) framework.Told {
	ids := in.Of(field.Captions)
	loss := objective.LM(ids, m.LogLikelihood(s.Store().Scope(framework.Model), ids))
	return framework.Told{Losses: map[negative.Loss]*Node{negative.LM: loss}, Outputs: field.Nodes{}}
}

// LogLikelihood implements framework.Predicts.
func (m Model) LogLikelihood(s *model.Scope, ids *Node) *Node {
	ids.AssertRank(2)
	text := s.In("text")
	words := m.Text.Words(text, Slice(ids, AxisRange(), AxisRange(0, ids.Shape().Dim(1)-1)))
	states := m.Text.States(text, words, nil, m.Half)
	return objective.NextTokens(ids, m.Text.Next(text, states, m.Half))
}

// Vocabulary implements framework.Generates.
func (m Model) Vocabulary() int { return m.Text.Vocab }

// Begin implements framework.Generates.
func (m Model) Begin(s *model.Scope, _, prompts *Node, room int) (logits *Node, memory []*Node) {
	text := s.In("text")
	words := m.Text.Words(text, prompts)
	last, memory := m.Text.Begin(text, words, framework.There(prompts, words), room, m.Half)
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
