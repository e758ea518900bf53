package negative

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/objective"
)

// Matching is which pairs ITM sees, with which labels.
type Matching interface {
	// Pairs picks the pairs of a mini-batch by its similarities; nothing in them carries gradient.
	//
	//   - c: the contrast's similarities.
	//   - noise: standard Gumbel draws for the image and the text anchors, [2, batch, batch].
	Pairs(c Contrasted, noise *Node) Pairs
}

func matchingRole() Role {
	return slot(Role{
		Name: "Matching", Label: "matching", scope: "matching", plain: Hardest{}, Parts: []Part{
			{Name: "hardest", What: "the hardest negative of the mini-batch", Of: "InfoNCE"},
			{Name: "sampled", What: "a negative drawn by similarity (ALBEF)", Of: "ALBEF"},
		},
	}, func(m *Method) *Matching { return &m.Matching })
}

// ITMPairs are the pairs of ITM that the method's Matching picks.
func (m Method) ITMPairs(f Features, c Contrasted, noise *Node) Pairs {
	return m.Matching.Pairs(m.Seen(f, c), noise)
}

// Seen is a contrast's outcome as the method's Matching sees it, which reports numbers and may have variables of its own.
func (m Method) Seen(f Features, c Contrasted) Contrasted {
	c.Reporter, c.state = f.For(field.Part("matching", m.Matching)), f.State
	return c
}

// Pairs are rows of ITM: the positions in the batch of an image and a text, and whether they match.
type Pairs struct {
	Images, Texts *Node // int32, [pairs]
	Labels        *Node // int32, 1 matched, 0 not, [pairs]
	Weights       *Node // of the pairs in the mean, [pairs]; nil where all weigh the same
}

// Hardest takes for every text the most similar other image and for every image the most similar other text, as GRIT-VLP
// does (METHODS.md 3.2). Ties go to the lower index.
type Hardest struct{}

// Pairs implements Matching.
func (h Hardest) Pairs(c Contrasted, noise *Node) Pairs { return withNegatives(h.Negatives(c, noise)) }

// Negatives implements Picking.
func (Hardest) Negatives(c Contrasted, _ *Node) (images, texts *Node) { return HardestNegatives(c) }

// Sampled draws the negatives in proportion to the in-batch softmax of the similarities, as ALBEF does (METHODS.md 1.5):
// adding Gumbel noise to the logits and taking the largest is a draw from their softmax.
type Sampled struct{}

// Pairs implements Matching.
func (s Sampled) Pairs(c Contrasted, noise *Node) Pairs { return withNegatives(s.Negatives(c, noise)) }

// Negatives implements Picking.
func (Sampled) Negatives(c Contrasted, noise *Node) (images, texts *Node) {
	of := func(i int) *Node { return Squeeze(Slice(noise, AxisRange(i, i+1)), 0) }
	texts = ArgMax(objective.MaskDiagonal(Add(StopGradient(c.I2T), of(0))), -1)
	images = ArgMax(objective.MaskDiagonal(Add(StopGradient(c.T2I), of(1))), -1)
	return images, texts
}

// Noise is what multiplies the Gumbel noise that a Matching adds to similarities over temperature before it picks the greatest, and whether
// that is known: with 0 it picks the hardest negative, with 1 by a softmax.
func Noise(m Matching) (by float64, known bool) {
	switch m.(type) {
	case Hardest:
		return 0, true
	case Sampled:
		return 1, true
	}
	return 0, false
}

// HardestNegatives returns for every text the most similar other image and for every image the most similar other text,
// int32, [batch] each.
func HardestNegatives(c Contrasted) (images, texts *Node) {
	texts = ArgMax(objective.MaskDiagonal(StopGradient(c.I2T)), -1)
	images = ArgMax(objective.MaskDiagonal(StopGradient(c.T2I)), -1)
	return images, texts
}

// withNegatives puts the pairs in ALBEF's order: the own pairs, each text with its negative image, each image with its
// negative text.
func withNegatives(images, texts *Node) Pairs {
	g, batch := images.Graph(), images.Shape().Dim(0)
	own := Iota(g, shapes.Make(dtypes.Int32, batch), 0)
	return Pairs{
		Images: Concatenate([]*Node{own, images, own}, 0),
		Texts:  Concatenate([]*Node{own, own, texts}, 0),
		Labels: Concatenate([]*Node{OnesLike(own), ZerosLike(own), ZerosLike(own)}, 0),
	}
}
