package albef

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

func init() { framework.Register(Assignment{}) }

// Assignment is the stage between ALBEF's pre-training and [Reasoning]: captions are assigned to one of two images, or to neither, which
// trains the doubled fusion layers on captioned images (METHODS.md 15.6).
type Assignment struct {
	ALBEF Model // that it starts from
}

// The published shares: with ownShare a caption has its own image beside another, on either side alike; else two others.
const ownShare, assignmentTemperature = 2. / 3, 0.07

// Name implements framework.Framework.
func (Assignment) Name() string { return "ALBEF text assignment" }

// Losses implements framework.Framework.
func (Assignment) Losses() []negative.Loss { return []negative.Loss{negative.TA} }

// Check implements framework.Framework.
func (a Assignment) Check(u framework.Use) error {
	if err := a.ALBEF.checkTwo(u); err != nil {
		return err
	}
	if !u.Method.WithDefaults().Plain("Batches", "Matching") {
		return &framework.Lacking{Method: u.Method.Name, Framework: a.Name(), Needs: "a contrastive loss",
			Advice: "train it with InfoNCE, of which it takes the mini-batches alone"}
	}
	if u.Batch == 1 || u.Batch == 2 {
		return fmt.Errorf("albef: a mini-batch of %d has no two other images for a caption; take at least 3", u.Batch)
	}
	return nil
}

// Inputs implements framework.Framework.
func (a Assignment) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions, field.Noise, field.Assignment), u.Images(field.Image, a.ALBEF.Vision.Input()...))
}

// Step implements framework.Framework.
func (a Assignment) Step(s *model.Scope, _ framework.Use, in field.Nodes) framework.Forward {
	online := s.Store().Scope(framework.Model)
	images := a.ALBEF.EncodeImage(online, in.Of(field.Image))
	for v := range online.At("vision_projection").IterVariables() {
		v.SetTrainable(false) // no loss reads the embedding: it only reports which images are alike
	}
	left, right, labels := assign(StopGradient(images.Feature), in.Of(field.Noise), in.Of(field.Assignment))
	pick := func(rows *Node) *Node { return encoder.SelectRows(oneHot(rows, images.Tokens), images.Tokens) }
	logits := a.head(online, a.ALBEF.readTwo(online, in.Of(field.Captions), pick(left), pick(right)))
	return framework.Forward{
		Losses:  map[negative.Loss]*Node{negative.TA: objective.CrossEntropy(logits, OneHot(labels, 3, logits.DType()))},
		Outputs: field.Nodes{},
	}
}

// assign draws two images for each caption of a mini-batch: its own and another, or two others. Others are drawn in proportion to the
// softmax of how alike they are to its own, without replacement: adding Gumbel noise to the logits and taking the largest is such a draw.
//
//   - features: embeddings of the images, [batch, Embed].
//   - noise: standard Gumbel draws, of which the first are read, [2, batch, batch].
//   - draws: uniform in [0, 1), of which the first report whether the own image is there, the second whether it is the left one, [2,
//     batch].
//
// It returns the left and the right image of each caption, and the label: 0 where the left is the own, 1 where the right is, 2 where none
// is; int32, [batch].
func assign(features, noise, draws *Node) (left, right, labels *Node) {
	g, batch := features.Graph(), features.Shape().Dim(0)
	of := func(x *Node, k int) *Node { return Squeeze(Slice(x, AxisRange(k, k+1)), 0) }
	alike := DivScalar(MatMul(features, Transpose(features, 0, 1)), assignmentTemperature)
	others := negative.Top(objective.MaskDiagonal(Add(alike, of(noise, 0))), 2)
	other := func(k int) *Node { return Squeeze(Slice(others, AxisRange(), AxisRange(k, k+1)), 1) }
	own := Iota(g, shapes.Make(dtypes.Int32, batch), 0)
	there := GreaterThan(of(draws, 0), ConstAs(draws, 1-ownShare))
	isLeft := GreaterThan(of(draws, 1), ConstAs(draws, 0.5))
	left = Where(And(there, isLeft), own, other(0))
	right = Where(there, Where(isLeft, other(0), own), other(1))
	side := Where(isLeft, ZerosLike(own), OnesLike(own))
	return left, right, Where(there, side, AddScalar(OnesLike(own), 1))
}

// Assign implements framework.Assigns.
func (a Assignment) Assign(s *model.Scope, ids, left, right *Node) *Node {
	rows := ids.Shape().Dim(0)
	tokens := a.ALBEF.Vision.Encode(s.In("vision"), Concatenate([]*Node{left, right}, 0), a.ALBEF.Half)
	return a.head(s, a.ALBEF.readTwo(s, ids, Slice(tokens, AxisRange(0, rows)), Slice(tokens, AxisRange(rows, 2*rows))))
}

// head gives the logits of a caption's class token [rows, width], [rows, 3].
func (a Assignment) head(s *model.Scope, state *Node) *Node {
	return encoder.Linear(s.In("assignment"), state, 3, a.ALBEF.Half)
}
