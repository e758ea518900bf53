package gpt

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

// Model is a causal language model. A text is [CLS], its words and [SEP], which is predicted as they are; in GPT-2's own vocabulary both
// are <|endoftext|>.
type Model struct {
	Text encoder.GPT
	Half bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
}

// Name implements framework.Framework.
func (Model) Name() string { return "GPT-2" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss { return []negative.Loss{negative.LM} }

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error { return framework.CheckLanguage(m, m.Text, u) }

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
	states := m.Text.States(s.In("text"), Slice(ids, AxisRange(), AxisRange(0, ids.Shape().Dim(1)-1)), m.Half)
	return objective.NextTokens(ids, m.Text.Next(s.At("text"), states, m.Half))
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
		return nil, weights.Report{}, fmt.Errorf("gpt: the %s encoder of %s; a language model reads text alone", p, s.Name)
	}
	return s.LanguageModel(m.Text, framework.Model+"/text")
}
