package explore

import (
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/negative"
)

// pushScale is small enough that its square vanishes beside a cosine in float32, and a power of two, so that no digit is lost.
const pushScale = 1.0 / (1 << 12)

// nudged widens features by batch columns, so that the products of anchor i's embedding with what belongs to pair j of the other
// side, be it the online, the momentum or the reference model's, become cos_ij + pushScale nudge_ij. All other products stay as
// they are: the further columns are zero on one side, or both hold pushScale.
//
// nudge is zero, [batch, batch], with gradient: the derivative of any loss by it is pushScale times that by the cosines of the
// anchors, as far as gradient reaches the anchors' embeddings. Where keys are detached, as in GRIT-VLP, that is the anchors' own
// direction; else both directions.
func nudged(f negative.Features, side Side) (widened negative.Features, nudge *Node) {
	g, batch, dtype := f.Image.Graph(), f.Image.Shape().Dim(0), f.Image.DType()
	nudge = Zeros(g, shapes.Make(dtype, batch, batch))
	still := Zeros(g, shapes.Make(dtype, batch, batch))
	marks := MulScalar(ConvertDType(Diagonal(g, batch), dtype), pushScale)
	beside := func(x, columns *Node) *Node {
		if x == nil {
			return nil
		}
		return Concatenate([]*Node{x, columns}, 1)
	}
	ofImages, ofTexts, others := nudge, marks, [2]*Node{still, marks}
	if side == OfText {
		ofImages, ofTexts, others = marks, nudge, [2]*Node{marks, still}
	}
	f.Image, f.Text = beside(f.Image, ofImages), beside(f.Text, ofTexts)
	f.MomentumImage, f.MomentumText = beside(f.MomentumImage, others[0]), beside(f.MomentumText, others[1])
	f.ReferenceImage, f.ReferenceText = beside(f.ReferenceImage, others[0]), beside(f.ReferenceText, others[1])
	return f, nudge
}

// pushes is the derivative of a loss by the anchors' cosines, [batch, batch]: positive where the update drives a pair apart.
func pushes(loss, nudge *Node) *Node {
	return MulScalar(Gradient(loss, nudge)[0], 1/pushScale)
}
