package clip

import (
	"fmt"
	"math"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

func init() { framework.Register(Model{}) }

var _ framework.Published = Model{}

// Model is CLIP: an image tower, a text tower, and a projection of each to the shared embedding.
type Model struct {
	Vision encoder.ViT `json:",omitzero"` // the image tower, unless ResNet is
	// ResNet is the image tower if it has layers; its attention pool ends in the shared embedding.
	ResNet encoder.CLIPResNet `json:",omitzero"`
	Text   encoder.CLIPText
	Embed  int  // width of the shared embedding
	Half   bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
	// MeanPool makes the image's embedding read the mean of the vision transformer's tokens instead of the class token.
	MeanPool bool `json:",omitempty"`
	// Temperature is tau's first value; 0 takes the published 0.07. What is learned is log(1/tau), from there, within [0, log 100].
	Temperature float64 `json:",omitempty"`
}

// Name implements framework.Framework.
func (Model) Name() string { return "CLIP" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss { return []negative.Loss{negative.ITC} }

// resNet reports whether the image tower is a ResNet.
func (m Model) resNet() bool { return len(m.ResNet.Layers) > 0 }

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error {
	if err := m.validate(); err != nil {
		return err
	}
	image := m.Vision.Image
	if m.resNet() {
		image = m.ResNet.Image
	}
	switch {
	case u.Tokens < 3 || u.Tokens > m.Text.Positions:
		return fmt.Errorf("clip: captions of %d tokens; the text tower takes 3 to %d (settings maxlen, positions)", u.Tokens, m.Text.Positions)
	case u.Image != image:
		return fmt.Errorf("clip: images of %d pixels for a tower of %d", u.Image, image)
	}
	return nil
}

// validate reports which sizes do not fit together.
func (m Model) validate() error {
	v, r := m.Vision, m.ResNet
	switch {
	case m.resNet() && (v != encoder.ViT{} || m.MeanPool):
		return fmt.Errorf("clip: a ResNet beside a vision transformer, its mean, or a locked encoder; an image is seen by one tower, " +
			"and a ResNet reads pixels")
	case m.resNet() && (slices.Min(r.Layers) < 1 || r.Width < 2 || r.Width%2 != 0 || r.Image < 1 || r.Image%r.Reduction() != 0):
		return fmt.Errorf("clip: a ResNet of %v bottlenecks, width %d and %d pixels; take at least one bottleneck a stage, an even "+
			"width, and a multiple of %d pixels",
			r.Layers, r.Width, r.Image, r.Reduction())
	case m.resNet() && (r.Heads < 1 || r.Channels()%r.Heads != 0 || r.Output != m.Embed):
		return fmt.Errorf("clip: an attention pool of %d heads with features of %d; take heads that divide its width, and features as "+
			"wide as the embedding, %d",
			r.Heads, r.Output, m.Embed)
	case m.Embed < 1:
		return fmt.Errorf("clip: a shared embedding of %d; it must be positive (setting embed)", m.Embed)
	case m.Temperature != 0 && !(m.Temperature >= 0.01 && m.Temperature <= 1):
		return fmt.Errorf("clip: a temperature of %g; it lies in [0.01, 1]", m.Temperature)
	}
	if !m.resNet() {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("clip: %w", err)
		}
	}
	if err := m.Text.Validate(); err != nil {
		return fmt.Errorf("clip: %w", err)
	}
	return nil
}

// Inputs implements framework.Framework.
func (m Model) Inputs(u framework.Use) []field.Field {
	image := m.Vision.Input()
	if m.resNet() {
		image = m.ResNet.Input()
	}
	return append(u.Fields(field.Captions, field.Progress), u.Images(field.Image, image...))
}

// Step implements framework.Framework.
func (m Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	return framework.Composed(s, u, in, m)
}

// Encode implements framework.Halves: embeddings of images and captions, normalised, [pairs, Embed] each.
func (m Model) Encode(s *model.Scope, _ framework.Use, in field.Nodes) []*Node {
	return []*Node{m.EmbedImage(s, in.Of(field.Image)).Feature, m.EmbedText(s, in.Of(field.Captions)).Feature}
}

// Assess implements framework.Halves.
func (m Model) Assess(s *model.Scope, u framework.Use, in field.Nodes, seen framework.Seen) (framework.Forward, framework.Reassess) {
	forward, again := framework.Contrasting{Temperature: m.temperature}.Assess(s, u, in, seen)
	_, distils := u.Method.Contrast.(negative.Distiller)
	forward.Repeats = !distils && !m.resNet() // batch normalisation sees the mini-batch in training alone
	return forward, again
}

// Divides implements framework.Divisible.
func (m Model) Divides(framework.Use) error {
	if m.resNet() {
		return fmt.Errorf("clip: batch normalisation of a ResNet sees the whole mini-batch; take a vision transformer (bottlenecks=[])")
	}
	return nil
}

// largestScale is the bound of log(1/tau), log 100; the other is 0.
var largestScale = math.Log(100)

// temperature is tau by log(1/tau), which is clamped in place to its bounds before each use, with no gradient through the clamp.
func (m Model) temperature(s *model.Scope, g *Graph) *Node {
	encoder.Variable(s, g, encoder.Scale)
	v := s.GetVariable(encoder.Scale)
	v.SetNodeValue(ClipScalar(v.NodeValue(g), 0, largestScale))
	return Exp(Neg(v.NodeValue(g)))
}

// Dim implements framework.Embeds.
func (m Model) Dim() int { return m.Embed }

// EmbedImage implements framework.Embeds.
func (m Model) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	embedded := m.Represent(s, images)
	if !m.resNet() {
		embedded = encoder.Project(s.In("vision_projection"), embedded, m.Embed, m.Half)
	}
	return framework.Embedded{Feature: framework.Normalise(embedded)}
}

// Represent implements framework.Represents: what is projected to the embedding, and of a ResNet, whose attention pool ends in the
// embedding, this before it is normalised.
func (m Model) Represent(s *model.Scope, images *Node) *Node {
	if m.resNet() {
		return m.ResNet.Encode(s.In("vision"), images, m.Half)
	}
	return m.Vision.Summary(s.In("vision"), images, m.MeanPool, m.Half)
}

// EmbedText implements framework.Embeds.
func (m Model) EmbedText(s *model.Scope, ids *Node) framework.Embedded {
	state := m.Text.Encode(s.In("text"), ids, m.Half)
	return framework.Embedded{Feature: framework.Normalise(encoder.Project(s.In("text_projection"), state, m.Embed, m.Half))}
}

// Initialise implements framework.Initialising.
func (m Model) Initialise(store *model.Store, root string, seed uint64) error {
	if err := encoder.Initialise(store, root, seed); err != nil || m.Temperature == 0 {
		return err
	}
	return store.Scope(root).GetVariable(encoder.Scale).SetValue(tensors.FromScalar(float32(math.Log(1 / m.Temperature))))
}

// InHalf implements framework.InHalf.
func (m Model) InHalf() bool { return m.Half }

// Lock implements framework.Lockable.
func (m Model) Lock(width int) framework.Framework {
	m.Vision.Locked = width
	return m
}

// Adapt implements framework.Pretrained.
func (m Model) Adapt(p framework.Part, s weights.Source) (_ framework.Framework, err error) {
	if p == framework.Vision && !m.resNet() {
		m.Vision, err = s.Adapt(m.Vision)
	}
	return m, err
}

// First implements framework.Pretrained.
func (m Model) First(p framework.Part, s weights.Source) (weights.Values, weights.Report, error) {
	if p != framework.Vision || m.resNet() {
		return nil, weights.Report{}, fmt.Errorf("clip: the %s tower of a file alone; take the whole model with model=%s", p, s.Name)
	}
	return s.ImageEncoder(m.Vision, framework.Model+"/vision")
}

// Sized implements framework.Published.
func (Model) Sized(s weights.Source) (framework.Framework, framework.Use, error) {
	c, err := s.CLIP()
	if err != nil {
		return nil, framework.Use{}, err
	}
	m := Model{Vision: c.Vision, ResNet: c.ResNet, Text: c.Text, Embed: c.Embed}
	u := framework.Use{Batch: 1, Image: max(c.Vision.Image, c.ResNet.Image), Tokens: c.Text.Positions}
	if err := m.Check(u); err != nil {
		return nil, u, fmt.Errorf("%w (%s)", err, s.Path)
	}
	return m, u, nil
}

// Vocabulary implements framework.Published.
func (m Model) Vocabulary() int { return m.Text.Vocab }
