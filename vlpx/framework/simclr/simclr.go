package simclr

import (
	"fmt"
	"reflect"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/weights"
)

func init() { framework.Register(Model{}) }

// Model is SimCLR: an image encoder and a projection head, which is left out of what probes read (METHODS.md 7.1).
type Model struct {
	ResNet encoder.ResNet `json:",omitzero"` // the image encoder, unless Vision is
	// Vision is the image encoder if it has a width; the mean of its tokens is the representation.
	Vision encoder.ViT `json:",omitzero"`
	Hidden int         // width of the projection head's middle; published: 2048
	Embed  int         // width of the embedding; published: 128
	// Temperature is tau, which is not learned; published: 0.1.
	Temperature float64
	Half        bool `json:",omitempty"` // products in bfloat16, for GPUs; weights and everything else stay float32
}

// Name implements framework.Framework.
func (Model) Name() string { return "SimCLR" }

// Losses implements framework.Framework.
func (Model) Losses() []negative.Loss { return []negative.Loss{negative.ITC} }

// viT reports whether the image encoder is a vision transformer.
func (m Model) viT() bool { return m.Vision.Width > 0 }

// Check implements framework.Framework.
func (m Model) Check(u framework.Use) error {
	r, v := m.ResNet, m.Vision
	image := r.Image
	if m.viT() {
		image = v.Image
	}
	switch {
	case m.viT() && !reflect.ValueOf(r).IsZero():
		return fmt.Errorf("simclr: a ResNet beside a vision transformer; an image is seen by one encoder")
	case m.viT() && (v.Layers < 1 || v.Locked != 0):
		return fmt.Errorf("simclr: a vision transformer of %d layers, a locked encoder's width of %d; take at least one layer and no locked "+
			"encoder", v.Layers, v.Locked)
	case !m.viT() && (len(r.Layers) == 0 || slices.Min(r.Layers) < 1 || r.Width < 1 || r.Image < 1 || r.Stem < 0):
		return fmt.Errorf("simclr: a ResNet of %v blocks, width %d, %d pixels and a stem with stride %d; take at least one stage, a "+
			"block or more in each, "+
			"and sizes above 0", r.Layers, r.Width, r.Image, r.Stem)
	case m.Hidden < 1 || m.Embed < 1:
		return fmt.Errorf("simclr: a projection head of %d to an embedding of %d; both must be positive (settings hidden, embed)", m.Hidden,
			m.Embed)
	case !(m.Temperature > 0):
		return fmt.Errorf("simclr: a temperature of %g; it is above 0", m.Temperature)
	case u.Image != image:
		return fmt.Errorf("simclr: images of %d pixels for an encoder of %d", u.Image, image)
	case u.Batch == 1:
		return fmt.Errorf("simclr: a mini-batch of one image, which has no negatives and no batch statistics; set batchsize to at least 2")
	}
	if m.viT() {
		if err := v.Validate(); err != nil {
			return fmt.Errorf("simclr: %w", err)
		}
	}
	return nil
}

// Inputs implements framework.Framework.
func (m Model) Inputs(u framework.Use) []field.Field {
	image := m.ResNet.Input()
	if m.viT() {
		image = m.Vision.Input()
	}
	return append(u.Fields(field.Progress), u.Images(field.Image, image...), u.Images(field.View, image...))
}

// Step implements framework.Framework. The views go through the network one after the other: batch statistics are of one view, and the
// running ones move twice a step.
func (m Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	return framework.Composed(s, u, in, m)
}

// Encode implements framework.Halves: what lies below the projection head, of both views, [images, width] each.
func (m Model) Encode(s *model.Scope, _ framework.Use, in field.Nodes) []*Node {
	return []*Node{m.Represent(s, in.Of(field.Image)), m.Represent(anew(s), in.Of(field.View))}
}

// Assess implements framework.Halves. The projection head is a part of it, as its batch normalisation sees the whole mini-batch.
func (m Model) Assess(s *model.Scope, u framework.Use, in field.Nodes, seen framework.Seen) (framework.Forward, framework.Reassess) {
	return framework.Contrasting{
		Head: func(s *model.Scope, views []*Node) []*Node {
			return []*Node{m.head(s, views[0]), m.head(anew(s), views[1])}
		},
		Temperature: func(s *model.Scope, g *Graph) *Node { return Scalar(g, encoder.DType(s), m.Temperature) },
		Views:       true,
	}.Assess(s, u, in, seen)
}

// anew is the same scope, in which no names are taken.
func anew(s *model.Scope) *model.Scope { return s.Store().Scope(s.Scope()) }

// Divides implements framework.Divisible.
func (m Model) Divides(framework.Use) error {
	if !m.viT() {
		return fmt.Errorf("simclr: batch normalisation of a ResNet sees the whole mini-batch; take a vision transformer (bottlenecks=[])")
	}
	return nil
}

// Dim implements framework.EmbedsImages.
func (m Model) Dim() int { return m.Embed }

// EmbedImage implements framework.EmbedsImages.
func (m Model) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	return framework.Embedded{Feature: m.head(s, m.Represent(s, images))}
}

// head is the normalised embedding of representations, [images, Embed].
func (m Model) head(s *model.Scope, x *Node) *Node {
	return framework.Normalise(m.project(s.In("projection"), x))
}

// Represent implements framework.Represents.
func (m Model) Represent(s *model.Scope, images *Node) *Node {
	if m.viT() {
		return ReduceMean(m.Vision.Encode(s.In("vision"), images, m.Half), 1)
	}
	return m.ResNet.Encode(s.In("vision"), images, m.Half)
}

// project is the head: representations [batch, width] to [batch, Embed], by a hidden layer, with batch normalisation behind both layers and
// without biases.
func (m Model) project(s *model.Scope, x *Node) *Node {
	x = encoder.BatchNorm(s.In("norm1"), encoder.Project(s.In("hidden"), x, m.Hidden, m.Half))
	return encoder.Standardise(s.In("norm2"), encoder.Project(s.In("out"), Max(ZerosLike(x), x), m.Embed, m.Half))
}

// InHalf implements framework.InHalf.
func (m Model) InHalf() bool { return m.Half }

// Adapt implements framework.Pretrained.
func (m Model) Adapt(p framework.Part, s weights.Source) (_ framework.Framework, err error) {
	if p == framework.Vision && m.viT() {
		m.Vision, err = s.Adapt(m.Vision)
	}
	return m, err
}

// First implements framework.Pretrained: the image encoder's, without the projection head.
func (m Model) First(p framework.Part, s weights.Source) (weights.Values, weights.Report, error) {
	const scope = framework.Model + "/vision"
	switch {
	case p != framework.Vision:
		return nil, weights.Report{}, fmt.Errorf("simclr: the %s encoder of %s; it has an image encoder alone", p, s.Name)
	case m.viT():
		return s.ImageEncoder(m.Vision, scope)
	}
	return s.ResNet(m.ResNet, scope)
}
