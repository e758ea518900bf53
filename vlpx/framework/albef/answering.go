package albef

import (
	"fmt"
	"strconv"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

func init() { framework.Register(Answering{}) }

// Answering is ALBEF's model of visual question answering (Li et al., 2021, section 5; METHODS.md 15.5): the encoders of a pre-trained
// model read a question with its image, and a decoder, which starts as their fusion layers, writes the answer. A method whose contrast is
// negative.Distilled distils a momentum model's answers; otherwise a method's mini-batches are all that is taken of it.
type Answering struct {
	ALBEF   Model // whose encoders, with the fusion layers, it has; its heads and embedding are those of pre-training alone
	Layers  int   // of the decoder; 6 in the paper, as many as fusion layers
	Answers int   // distinct ones of a question that a mini-batch has room for
	Tokens  int   // of an answer, with [CLS] and [SEP]
}

// decoding is the place of the decoder below the model's root.
const decoding = "decoder"

// Name implements framework.Framework.
func (Answering) Name() string { return "ALBEF VQA" }

// Losses implements framework.Framework.
func (Answering) Losses() []negative.Loss { return []negative.Loss{negative.Answers} }

// Check implements framework.Framework.
func (m Answering) Check(u framework.Use) error {
	if err := m.ALBEF.Validate(); err != nil {
		return err
	}
	method := u.Method.WithDefaults()
	switch v, t := m.ALBEF.Vision, m.ALBEF.Text; {
	case m.Layers < 1 || m.Answers < 1:
		return fmt.Errorf("albef: a decoder of %d layers and %d answers a question; take at least 1", m.Layers, m.Answers)
	case m.Tokens < 3 || m.Tokens > t.Positions:
		return fmt.Errorf("albef: answers of %d tokens; the decoder takes 3 to %d", m.Tokens, t.Positions)
	case u.Tokens < 3 || u.Tokens > t.Positions:
		return fmt.Errorf("albef: questions of %d tokens; the text encoder takes 3 to %d (settings maxlen, positions)", u.Tokens, t.Positions)
	case u.Image != v.Image:
		return fmt.Errorf("albef: images of %d pixels for an encoder of %d", u.Image, v.Image)
	case !withoutContrast(method):
		return &framework.Lacking{Method: method.Name, Framework: m.Name(), Needs: "negatives",
			Advice: "train it with InfoNCE, of which it takes the mini-batches alone, or with a momentum model and no queue"}
	}
	return nil
}

// withoutContrast reports whether a method leaves nothing out where there is no contrastive loss: it is plain, or its contrast asks for a
// momentum model alone, which the answers are distilled from.
func withoutContrast(m negative.Method) bool {
	return m.Plain("Batches", "Matching") || m.Plain("Batches", "Matching", "Contrast") && negative.DistilsAlone(m.Contrast)
}

// Inputs implements framework.Framework.
func (m Answering) Inputs(u framework.Use) []field.Field {
	fields := append(u.Fields(field.Captions), u.Answers(m.Answers, m.Tokens)...)
	if _, distils := u.Method.Contrast.(negative.Distiller); distils {
		fields = append(fields, u.Field(field.Progress))
	}
	return append(fields, u.Images(field.Image, m.ALBEF.Vision.Input()...))
}

// Step implements framework.Framework.
func (m Answering) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	answers, weights := in.Of(field.Answers), in.Of(field.AnswerWeights)
	ids := Reshape(answers, -1, m.Tokens)
	logits := func(root string) *Node {
		scope := s.Store().Scope(root)
		states := m.read(scope, in.Of(field.Captions), in.Of(field.Image))
		return m.write(scope, states, in.Of(field.Captions), answers)
	}
	var taught func(*Node) *Node
	if distiller, distils := u.Method.Contrast.(negative.Distiller); distils {
		framework.Follow(s.Store(), answers.Graph(), distiller.Momentum()) // before this step's update
		teacher := StopGradient(logits(framework.Momentum))
		taught = func(online *Node) *Node {
			return objective.DistilledAnswerNats(ids, online, teacher, distiller.Mix(in.Of(field.Progress)))
		}
	} else {
		taught = func(online *Node) *Node { return objective.AnswerNats(ids, online) }
	}
	nats := taught(logits(framework.Model))
	loss := objective.Answers(nats, Reshape(weights, -1), answers.Shape().Dim(0))
	return framework.Forward{Losses: map[negative.Loss]*Node{negative.Answers: loss}, Outputs: field.Nodes{}}
}

// read gives the states of questions [rows, tokens] with the images of the same rows, [rows, tokens, width].
func (m Answering) read(s *model.Scope, questions, images *Node) *Node {
	text := s.In("text")
	bias := paddingBias(questions, encoder.DType(s))
	image := m.ALBEF.Vision.Encode(s.In("vision"), images, m.ALBEF.Half)
	states := m.ALBEF.Text.Encode(text, questions, bias, m.ALBEF.Half)
	return m.ALBEF.Text.Fuse(text, states, bias, image, each(image), m.ALBEF.Half)
}

// decoder is the model of answers.
func (m Answering) decoder() encoder.BERT {
	d := m.ALBEF.Text
	d.Layers, d.Fusion = 0, m.Layers
	return d
}

// write gives the logits of the words behind all tokens but the last of answers [rows, answers, tokens] to the questions of the same rows,
// [rows*answers, tokens-1, vocabulary].
func (m Answering) write(s *model.Scope, states, questions, answers *Node) *Node {
	tokens := answers.Shape().Dim(2)
	fed := Reshape(Slice(answers, AxisRange(), AxisRange(), AxisRange(0, tokens-1)), -1, tokens-1)
	written := m.decoder().Decode(s.At(decoding), fed, states, paddingBias(questions, states.DType()), m.ALBEF.Half)
	return m.decoder().Words(s.At(decoding), written, m.ALBEF.Half)
}

// AnswerTokens implements framework.Answers.
func (m Answering) AnswerTokens() int { return m.Tokens }

// Question implements framework.Answers. The first token of all answers, behind which their first word stands, is that of the questions.
func (m Answering) Question(s *model.Scope, ids, images *Node) (states, first *Node) {
	states = m.read(s, ids, images)
	begin := InsertAxes(Slice(ids, AxisRange(), AxisRange(0, 1)), 1)
	begin = Concatenate([]*Node{begin, ZerosLike(begin)}, 2) // what stands behind the first token is not read
	return states, Squeeze(m.write(s, states, ids, begin), 1)
}

// Answer implements framework.Answers.
func (m Answering) Answer(s *model.Scope, states, questions, answers *Node) *Node {
	nats := objective.AnswerNats(Reshape(answers, -1, m.Tokens), m.write(s, states, questions, answers))
	return Reshape(Neg(nats), answers.Shape().Dim(0), answers.Shape().Dim(1))
}

// InHalf implements framework.InHalf.
func (m Answering) InHalf() bool { return m.ALBEF.Half }

// Words implements framework.Worded.
func (Answering) Words() string { return Model{}.Words() }

// Vocabulary implements framework.Growing.
func (m Answering) Vocabulary() int { return m.ALBEF.Text.Vocab }

// WithVocabulary implements framework.Growing.
func (m Answering) WithVocabulary(size int) framework.Framework {
	m.ALBEF.Text.Vocab = size
	return m
}

// Before implements framework.Following: what pre-training gives.
func (m Answering) Before() framework.Framework { return m.ALBEF }

// Follow implements framework.Following: the decoder starts as the fusion layers, word embeddings and head for MLM of the pre-trained
// model, layer by layer; what it has none of to start from is drawn, and so are keys and values of images where these are of another width
// than texts.
func (m Answering) Follow(earlier weights.Values) (weights.Values, error) {
	const text, decoder = framework.Model + "/text/", framework.Model + "/" + decoding + "/"
	first := weights.Values{}
	for path, value := range earlier {
		if strings.HasPrefix(path, decoder) {
			return nil, nil // a model that answers already
		}
		of, is := strings.CutPrefix(path, text)
		if !is {
			continue
		}
		if below, layer := strings.CutPrefix(of, "layer_"); layer {
			number, rest, _ := strings.Cut(below, "/")
			at, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("albef: variable %s: %w", path, err)
			}
			if at -= m.ALBEF.Text.Layers; at < 0 || at >= m.Layers || !m.fits(rest, value) {
				continue
			}
			of = fmt.Sprintf("layer_%d/%s", at, rest)
		}
		first[decoder+of] = value
	}
	return first, nil
}

// fits reports whether a part of a fusion layer is of the decoder's sizes.
func (m Answering) fits(part string, value *tensors.Tensor) bool {
	return part != "cross/kv/"+encoder.Weights || value.Shape().Dim(0) == m.ALBEF.Text.Width
}
