package blip2

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

func init() { framework.Register(Generative{}) }

// Generative is BLIP-2's second stage (Li et al., 2023, section 3.3): what the Q-Former's queries see of an image, brought to the width of
// a frozen language model, stands in front of its words, which it then writes: captions, or answers to questions. The Q-Former reads no
// text, and ids are the language model's.
type Generative struct {
	BLIP2    Model       // of the first stage, whose encoder, queries and Q-Former it has
	Language encoder.OPT // frozen
	// Prompt are ids between a caption's first token and its words, as those of "a photo of", which are not predicted.
	Prompt []int32 `json:",omitempty"`
	// SpareFirst leaves a caption's first token unpredicted without a prompt, too, as runs of earlier versions have it. The published code
	// predicts it then, from the last query. It stands in every run's JSON, so that earlier runs are others.
	SpareFirst bool
	// Answers makes it answer questions, which stand in the place of captions: the distinct answers of a question that a mini-batch has
	// room for. Tokens are those of an answer, with [CLS] and [SEP].
	Answers int `json:",omitempty"`
	Tokens  int `json:",omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Settings that say nothing of SpareFirst are of an earlier version.
func (m *Generative) UnmarshalJSON(text []byte) error {
	type plain Generative
	read := plain{SpareFirst: true}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&read); err != nil {
		return err
	}
	*m = Generative(read)
	return nil
}

// Name implements framework.Framework.
func (m Generative) Name() string {
	if m.Answers > 0 {
		return "BLIP-2 VQA"
	}
	return "BLIP-2 captions"
}

// Losses implements framework.Framework.
func (m Generative) Losses() []negative.Loss {
	if m.Answers > 0 {
		return []negative.Loss{negative.Answers}
	}
	return []negative.Loss{negative.LM}
}

// Check implements framework.Framework.
func (m Generative) Check(u framework.Use) error {
	if err := m.BLIP2.Validate(); err != nil {
		return err
	}
	if err := encoder.GPT(m.Language).Validate(); err != nil {
		return fmt.Errorf("framework: %s: %w", m.Name(), err)
	}
	method := u.Method.WithDefaults()
	longest := m.BLIP2.Text.Queries + len(m.Prompt) + u.Tokens + max(0, m.Tokens-2)
	switch {
	case m.Answers < 0 || m.Answers > 0 && m.Tokens < 3 || m.Answers == 0 && m.Tokens != 0:
		return fmt.Errorf("blip2: %d answers of %d tokens; take some of 3 tokens at least, or none of either", m.Answers, m.Tokens)
	case m.Answers > 0 && len(m.Prompt) > 0:
		return fmt.Errorf("blip2: a prompt beside questions, which are one; leave it out")
	case u.Tokens < 2 || longest > m.Language.Positions:
		return fmt.Errorf("blip2: %d queries and texts of %d tokens, prompts and answers included; the language model has positions for %d",
			m.BLIP2.Text.Queries, longest-m.BLIP2.Text.Queries, m.Language.Positions)
	case u.Image != m.BLIP2.Vision.Image:
		return fmt.Errorf("blip2: images of %d pixels for an encoder of %d", u.Image, m.BLIP2.Vision.Image)
	case !method.Plain("Batches", "Matching"):
		return &framework.Lacking{Method: method.Name, Framework: m.Name(), Needs: "negatives",
			Advice: "train it with InfoNCE, of which it takes the mini-batches alone"}
	}
	for k, id := range m.Prompt {
		if id < 0 || int(id) >= m.Language.Vocab {
			return fmt.Errorf("blip2: prompt, token %d: the id %d of %d tokens", k, id, m.Language.Vocab)
		}
	}
	return nil
}

// Inputs implements framework.Framework.
func (m Generative) Inputs(u framework.Use) []field.Field {
	fields := u.Fields(field.Captions)
	if m.Answers > 0 {
		fields = append(fields, u.Answers(m.Answers, m.Tokens)...)
	}
	return append(fields, u.Images(field.Image, m.BLIP2.Vision.Input()...))
}

// Step implements framework.Framework.
func (m Generative) Step(s *model.Scope, _ framework.Use, in field.Nodes) framework.Forward {
	s = s.Store().Scope(framework.Model)
	queries, texts := m.BLIP2.See(s, in.Of(field.Image)), in.Of(field.Captions)
	forward := framework.Forward{Losses: map[negative.Loss]*Node{}, Outputs: field.Nodes{}}
	if m.Answers > 0 {
		answers, weights := in.Of(field.Answers), in.Of(field.AnswerWeights)
		nats := m.speech().answer(s, queries, texts, answers)
		forward.Losses[negative.Answers] = objective.Answers(nats, Reshape(weights, -1), answers.Shape().Dim(0))
	} else {
		forward.Losses[negative.LM] = m.Describe(s, queries, m.prompted(texts), m.given())
	}
	return forward
}

// given is how many of a text's first tokens are not predicted: the first one and the prompt. Without a prompt all are predicted, as
// published.
func (m Generative) given() int {
	if len(m.Prompt) == 0 && !m.SpareFirst {
		return 0
	}
	return 1 + len(m.Prompt)
}

// Describe is the loss of texts behind queries of which the first tokens are a prompt (METHODS.md 13; LAVIS blip2_opt.py). Without one the
// last query predicts the first token.
//
//   - queries: what they see of the images of the same rows, [rows, queries, width].
//   - ids: texts, padded with zeros behind them, [rows, tokens].
func (m Generative) Describe(s *model.Scope, queries, ids *Node, prompt int) *Node {
	return objective.LMBehind(ids, m.speech().describe(s, queries, ids, prompt), prompt)
}

// See gives the states of the first stage's queries, which have seen images, [batch, queries, width].
func (m Model) See(s *model.Scope, images *Node) *Node {
	states, _ := m.Text.Look(s.At("qformer"), m.Tokens(s, images), m.Half)
	return states
}

// prompted are texts with the prompt behind their first token.
func (m Generative) prompted(ids *Node) *Node {
	if len(m.Prompt) == 0 {
		return ids
	}
	prompt := BroadcastToDims(InsertAxes(Const(ids.Graph(), m.Prompt), 0), ids.Shape().Dim(0), len(m.Prompt))
	return Concatenate([]*Node{Slice(ids, AxisRange(), AxisRange(0, 1)), prompt, Slice(ids, AxisRange(), AxisRange(1))}, 1)
}

func (m Generative) speech() speech { return speech{m.Language, m.BLIP2.Half} }

// Vocabulary implements framework.Generates.
func (m Generative) Vocabulary() int { return m.Language.Vocab }

// Begin implements framework.Generates. The prompt stands behind the first token of each of the prompts, which for captions is all of it
// and for answers a question.
func (m Generative) Begin(s *model.Scope, images, prompts *Node, room int) (logits *Node, memory []*Node) {
	return m.speech().begin(s, m.BLIP2.See(s, images), m.prompted(prompts), room)
}

// Continue implements framework.Generates.
func (m Generative) Continue(s *model.Scope, tokens, step *Node, memory []*Node) (logits *Node, after []*Node) {
	return m.speech().goOn(s, tokens, step, memory)
}

// InHalf implements framework.InHalf.
func (m Generative) InHalf() bool { return m.BLIP2.Half }

// Lock implements framework.Lockable.
func (m Generative) Lock(width int) framework.Framework {
	m.BLIP2.Vision.Locked = width
	return m
}

// Words implements framework.Worded.
func (Generative) Words() string { return "/" + languagePlace + "/word/" + encoder.Embedding }

// Before implements framework.Following: what the first stage gives.
func (m Generative) Before() framework.Framework { return m.BLIP2 }

// Follow implements framework.Following: queries and Q-Former go on as they are, the projection is drawn.
func (Generative) Follow(weights.Values) (weights.Values, error) { return nil, nil }

// Speaker implements framework.Speaking.
func (m Generative) Speaker() framework.Framework {
	return opt.Model{Text: m.Language, Half: m.BLIP2.Half}
}

// Speak implements framework.Speaking.
func (Generative) Speak(learned weights.Values) (weights.Values, error) {
	first := weights.Values{}
	for path, value := range learned {
		of, is := strings.CutPrefix(path, framework.Model+"/text/")
		if !is {
			return nil, fmt.Errorf("blip2: variable %s is of no language model; take a run of OPT", path)
		}
		first[framework.Model+"/"+languagePlace+"/"+of] = value
	}
	return first, nil
}
