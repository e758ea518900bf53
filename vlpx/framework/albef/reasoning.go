package albef

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

func init() { framework.Register(Reasoning{}) }

// Reasoning is ALBEF fine-tuned for NLVR2: it reports whether a statement about two images is true (METHODS.md 15.6). Each fusion layer of
// the pre-trained model becomes two, of which the first reads the left image and the second the right.
//
// Of its method it takes the mini-batches, and momentum distillation where the contrast is one that distils, such as
// negative.Distilled{Alpha: .4, Decay: .995}.
type Reasoning struct {
	ALBEF Model // that it starts from
}

// Name implements framework.Framework.
func (Reasoning) Name() string { return "ALBEF NLVR2" }

// Losses implements framework.Framework.
func (Reasoning) Losses() []negative.Loss { return []negative.Loss{negative.NLVR} }

// Check implements framework.Framework.
func (r Reasoning) Check(u framework.Use) error {
	if err := r.ALBEF.checkTwo(u); err != nil {
		return err
	}
	if !withoutContrast(u.Method.WithDefaults()) {
		return &framework.Lacking{Method: u.Method.Name, Framework: r.Name(), Needs: "a contrastive loss",
			Advice: "train it with InfoNCE, of which it takes the mini-batches alone, or with ALBEF's contrast without a queue, for " +
				"momentum distillation"}
	}
	return nil
}

// checkTwo reports what does not fit in the use of a model that reads two images.
func (a Model) checkTwo(u framework.Use) error {
	if err := a.Validate(); err != nil {
		return err
	}
	switch method := u.Method.WithDefaults(); {
	case u.Tokens < 3 || u.Tokens > a.Text.Positions:
		return fmt.Errorf("albef: texts of %d tokens; the text encoder takes 3 to %d (settings maxlen, positions)", u.Tokens, a.Text.Positions)
	case u.Image != a.Vision.Image:
		return fmt.Errorf("albef: images of %d pixels for an encoder of %d", u.Image, a.Vision.Image)
	case !method.Plain("Batches", "Matching", "Contrast"):
		return &framework.Lacking{Method: method.Name, Framework: "reasoning over two images", Needs: "negatives",
			Advice: "take a method of mini-batches alone"}
	}
	return nil
}

// Inputs implements framework.Framework.
func (r Reasoning) Inputs(u framework.Use) []field.Field {
	names := []field.Name{field.Captions, field.Verdict}
	if _, distils := u.Method.Contrast.(negative.Distiller); distils {
		names = append(names, field.Progress)
	}
	image := r.ALBEF.Vision.Input()
	return append(u.Fields(names...), u.Images(field.Image, image...), u.Images(field.Other, image...))
}

// Step implements framework.Framework: the cross entropy of the verdicts, with a share of the momentum model's where the method distils.
func (r Reasoning) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	store, captions := s.Store(), in.Of(field.Captions)
	judge := func(root string) *Node {
		return r.Judge(store.Scope(root), captions, in.Of(field.Image), in.Of(field.Other))
	}
	logits := judge(framework.Model)
	targets := OneHot(in.Of(field.Verdict), 2, logits.DType())
	if distiller, distils := u.Method.Contrast.(negative.Distiller); distils {
		framework.Follow(store, captions.Graph(), distiller.Momentum())
		targets = objective.Softened(targets, Softmax(StopGradient(judge(framework.Momentum)), -1), distiller.Mix(in.Of(field.Progress)))
	}
	return framework.Forward{
		Losses:  map[negative.Loss]*Node{negative.NLVR: objective.CrossEntropy(logits, targets)},
		Outputs: field.Nodes{},
	}
}

// Judge implements framework.Judges.
func (r Reasoning) Judge(s *model.Scope, ids, left, right *Node) *Node {
	a, rows := r.ALBEF, ids.Shape().Dim(0)
	tokens := a.Vision.Encode(s.In("vision"), Concatenate([]*Node{left, right}, 0), a.Half)
	state := a.readTwo(s, ids, Slice(tokens, AxisRange(0, rows)), Slice(tokens, AxisRange(rows, 2*rows)))
	hidden := encoder.Linear(s.In("verdict").In("in"), state, a.Text.Width, a.Half)
	return encoder.Linear(s.At("verdict").In("out"), Max(hidden, ZerosLike(hidden)), 2, a.Half)
}

// readTwo gives the state of the class token of texts by their ids [rows, tokens] that read a left and a right image by their tokens,
// [rows, patches, width] each: [rows, width].
func (a Model) readTwo(s *model.Scope, ids, left, right *Node) *Node {
	bias := paddingBias(ids, left.DType())
	states := a.Text.Encode(s.In("text"), ids, bias, a.Half)
	return a.Text.FuseTwo(s.At("text"), states, bias, left, right, a.Half)
}
