package framework

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// Batch is a mini-batch on its way into the step.
type Batch struct {
	Pixels   *Node // [batch, side, side, 3], normalised
	IDs      *Node // of the captions, padded with zeros, [batch, tokens] int32
	Masked   *Node // the ids with MLM's masks, [batch, tokens] int32
	Labels   *Node // the original ids where masked, objective.Ignored elsewhere, [batch, tokens] int32
	Noise    *Node // standard Gumbel draws for sampled matching, [2, batch, batch]
	Progress *Node // epochs done, a fraction; scalar
}

// Losses is what one step computes before its update.
type Losses struct {
	ITC, ITM, MLM *Node // scalars in nats; the model's loss is their sum
	Image, Text   *Node // u and w, [batch, Embed]
	Temperature   *Node // tau
	// HardestImages[k] is the batch's most similar other image for text k, HardestTexts[k] the most similar other text for
	// image k: int32, [batch]. False negatives are counted by them.
	HardestImages, HardestTexts *Node
}

// Total is the sum of the three losses, ALBEF's objective.
func (l Losses) Total() *Node { return Add(Add(l.ITC, l.ITM), l.MLM) }

// Losses builds ALBEF's three losses for a mini-batch under a method. The scope is the store's root.
//
// Text and masked text run as one batch, and so do the fusion rows of ITM and MLM: more work a kernel, fewer kernels.
func (a ALBEF) Losses(s *model.Scope, m negative.Method, b Batch) Losses {
	g, batch := b.Pixels.Graph(), b.Pixels.Shape().Dim(0)
	online := s.Store().Scope(Model)
	tau := temperature(online, g)
	image := a.EncodeImage(online, b.Pixels)
	both := a.EncodeText(online, Concatenate([]*Node{b.IDs, b.Masked}, 0))
	rows := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(from, to)) }
	features := negative.Features{
		Image: image.Feature, Text: rows(both.Feature, 0, batch),
		Temperature: tau, Progress: b.Progress, State: s.Store().Scope(State),
	}

	// Momentum encoders follow the weights before this step's update.
	distiller, distils := m.Contrast.(negative.Distiller)
	var taught teacher
	if distils {
		taught = a.teach(s, distiller.Momentum(), b)
		features.MomentumImage, features.MomentumText = taught.image, taught.text
	}

	contrasted := m.Contrast.ITC(features)
	pairs := m.Matching.Pairs(contrasted, b.Noise)
	matched := pairs.Labels.Shape().Dim(0)

	// Fusion: ITM's pairs, then the masked captions with their own images.
	texts := oneHot(pairs.Texts, batch)
	states := Concatenate([]*Node{encoder.SelectRows(texts, rows(both.States, 0, batch)), rows(both.States, batch, 2*batch)}, 0)
	bias := Concatenate([]*Node{encoder.SelectRows(texts, rows(both.Bias, 0, batch)), rows(both.Bias, batch, 2*batch)}, 0)
	choice := Concatenate([]*Node{oneHot(pairs.Images, batch), ConvertDType(Diagonal(g, batch), dtypes.Float32)}, 0)
	fused := a.Fuse(online, states, bias, image.Tokens, choice)
	itm := objective.ITM(a.MatchLogits(online, rows(fused, 0, matched)), pairs.Labels)

	words := a.maskedWords(online, rows(fused, matched, matched+batch))
	var mlm *Node
	if distils {
		mlm = objective.DistilledMLM(words, b.Labels, taught.words, distiller.Mix(b.Progress))
	} else {
		mlm = objective.MLM(words, b.Labels)
	}

	images, hardTexts := negative.HardestNegatives(contrasted)
	return Losses{
		ITC: contrasted.Loss, ITM: itm, MLM: mlm,
		Image: features.Image, Text: features.Text, Temperature: tau,
		HardestImages: images, HardestTexts: hardTexts,
	}
}
