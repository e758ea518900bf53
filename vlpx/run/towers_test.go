package run

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	variables "github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// towers is a framework of one's own: an image is a linear function of the means of its patches, a caption the mean of its words.
type towers struct{ Image, Patch, Vocab, Embed int }

func (towers) Name() string            { return "Towers" }
func (towers) Losses() []negative.Loss { return []negative.Loss{negative.ITC} }
func (t towers) Dim() int              { return t.Embed }
func (t towers) shape() (side, all int) {
	return t.Image / t.Patch, t.Image / t.Patch * (t.Image / t.Patch) * 3
}

func (t towers) Check(u framework.Use) error {
	if t.Patch < 1 || t.Image%t.Patch != 0 || u.Image != t.Image || t.Vocab < 1 || t.Embed < 1 {
		return fmt.Errorf("towers: %+v for images of %d pixels; take whole patches, and sizes above 0", t, u.Image)
	}
	return nil
}

func (t towers) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions, field.Progress), u.Images(field.Image, t.Image, t.Image, 3))
}

func (t towers) EmbedImage(s *variables.Scope, images *Node) framework.Embedded {
	side, all := t.shape()
	patches := ReduceMean(Reshape(images, -1, side, t.Patch, side, t.Patch, 3), 2, 4)
	return framework.Embedded{Feature: framework.Normalise(encoder.Linear(s.In("image"), Reshape(patches, -1, all), t.Embed, false))}
}

func (t towers) EmbedText(s *variables.Scope, ids *Node) framework.Embedded {
	words := Gather(encoder.Variable(s.In("text"), ids.Graph(), encoder.Embedding, t.Vocab, t.Embed), InsertAxes(ids, -1))
	there := InsertAxes(ConvertDType(NotEqual(ids, ZerosLike(ids)), words.DType()), -1)
	return framework.Embedded{Feature: framework.Normalise(ReduceSum(Mul(words, there), 1))}
}

func (t towers) Step(s *variables.Scope, u framework.Use, in field.Nodes) framework.Forward {
	temperature := func(_ *variables.Scope, g *Graph) *Node { return Const(g, float32(0.1)) }
	return framework.Contrast(s, u, in, framework.Contrasting{Temperature: temperature, Embed: t.embed})
}

func (t towers) embed(s *variables.Scope, in field.Nodes) []*Node {
	return []*Node{t.EmbedImage(s, in.Of(field.Image)).Feature, t.EmbedText(s, in.Of(field.Captions)).Feature}
}
