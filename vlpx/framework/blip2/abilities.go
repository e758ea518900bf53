package blip2

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/weights"
)

// InHalf implements framework.InHalf.
func (m Model) InHalf() bool { return m.Half }

// Lock implements framework.Lockable.
func (m Model) Lock(width int) framework.Framework {
	m.Vision.Locked = width
	return m
}

// Dim implements framework.EmbedsImages.
func (m Model) Dim() int { return m.Embed }

// Vectors implements framework.Multiple.
func (m Model) Vectors() int { return m.Text.Queries }

// EmbedImage implements framework.EmbedsImages.
func (m Model) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	seen := m.Look(s, images)
	return framework.Embedded{Feature: seen.Feature, States: seen.Tokens}
}

// EmbedText implements framework.Embeds. Matching reads a caption's ids alone, so that its vector is all that there is to keep.
func (m Model) EmbedText(s *model.Scope, ids *Node) framework.Embedded {
	_, feature := m.Read(s, ids)
	return framework.Embedded{Feature: feature, States: feature}
}

// Represent implements framework.Represents: the mean of the queries' states.
func (m Model) Represent(s *model.Scope, images *Node) *Node {
	return ReduceMean(m.Look(s, images).States, 1)
}

// Match implements framework.Matches: the mean over the queries.
func (m Model) Match(s *model.Scope, _, ids, image *Node) *Node {
	return objective.QueryMean(m.MatchLogits(s, ids, image, nil))
}

// AddsSimilarity implements framework.Adding.
func (Model) AddsSimilarity() {}

// oneHot is the choice of rows of a batch x by their positions, [rows, batch].
func oneHot(rows, x *Node) *Node { return OneHot(rows, x.Shape().Dim(0), x.DType()) }

// temperature is tau.
func temperature(s *model.Scope, g *Graph) *Node { return encoder.Variable(s, g, encoder.Temperature) }

// Adapt implements framework.Pretrained.
func (m Model) Adapt(p framework.Part, s weights.Source) (_ framework.Framework, err error) {
	if p == framework.Vision {
		m.Vision, err = s.Adapt(m.Vision)
	}
	return m, err
}

// First implements framework.Pretrained: an image encoder, or a BERT for the Q-Former.
func (m Model) First(p framework.Part, s weights.Source) (weights.Values, weights.Report, error) {
	if p == framework.Vision {
		return s.ImageEncoder(m.Vision, framework.Model+"/vision")
	}
	return s.QueryingTransformer(m.Text, framework.Model+"/qformer")
}
