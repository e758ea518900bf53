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
	Pairs                       negative.Pairs // that ITM saw
}

// Total is the sum of the three losses, ALBEF's objective.
func (l Losses) Total() *Node { return l.Of(negative.AllObjectives()) }

// Of is the sum of the named losses, a scalar.
func (l Losses) Of(o negative.Objectives) *Node {
	var sum *Node
	for _, x := range []struct {
		in   bool
		loss *Node
	}{{o.ITC, l.ITC}, {o.ITM, l.ITM}, {o.MLM, l.MLM}} {
		switch {
		case x.in && sum == nil:
			sum = x.loss
		case x.in:
			sum = Add(sum, x.loss)
		}
	}
	return sum
}

// Losses builds ALBEF's three losses for a mini-batch under a method. The scope is the store's root.
func (a ALBEF) Losses(s *model.Scope, m negative.Method, b Batch) Losses {
	if distiller, distils := m.Contrast.(negative.Distiller); distils {
		// Momentum encoders follow the weights before this step's update.
		taught := a.teach(s, distiller.Momentum(), b)
		taught.mix = distiller.Mix(b.Progress)
		return a.pass(s, m, b, negative.AllObjectives(), nil, &taught)
	}
	return a.pass(s, m, b, negative.AllObjectives(), nil, nil)
}

// Reassess builds the sum of the losses that which names for a mini-batch that Losses has seen, on the same ITM pairs, with
// the weights as they are in the graph by now: after the update, if that is built. MLM is against the masked words alone,
// without distillation.
func (a ALBEF) Reassess(s *model.Scope, m negative.Method, b Batch, pairs negative.Pairs, which negative.Objectives) *Node {
	return a.pass(s, m, b, which, &pairs, nil).Of(which)
}

// pass builds one forward pass for the losses that which names. ITM sees the given pairs, or those that the method picks.
//
// Text and masked text run as one batch, and so do the fusion rows of ITM and MLM: more work a kernel, fewer kernels.
func (a ALBEF) pass(s *model.Scope, m negative.Method, b Batch, which negative.Objectives, pairs *negative.Pairs, taught *teacher) Losses {
	g, batch := b.Pixels.Graph(), b.Pixels.Shape().Dim(0)
	online := s.Store().Scope(Model)
	rows := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(from, to)) }
	image := a.EncodeImage(online, b.Pixels)
	var ids []*Node
	if which.ITC || which.ITM {
		ids = append(ids, b.IDs)
	}
	if which.MLM {
		ids = append(ids, b.Masked)
	}
	texts := a.EncodeText(online, Concatenate(ids, 0))

	var l Losses
	if which.ITC {
		l.Temperature = temperature(online, g)
		l.Image, l.Text = image.Feature, rows(texts.Feature, 0, batch)
		features := negative.Features{
			Image: l.Image, Text: l.Text, Temperature: l.Temperature, Progress: b.Progress, State: s.Store().Scope(State),
		}
		if taught != nil {
			features.MomentumImage, features.MomentumText = taught.image, taught.text
		}
		if _, informed := m.Contrast.(negative.Informed); informed {
			features.ReferenceImage, features.ReferenceText = a.reference(s, b)
		}
		contrasted := m.Contrast.ITC(features)
		l.ITC = contrasted.Loss
		l.HardestImages, l.HardestTexts = negative.HardestNegatives(contrasted)
		if pairs == nil {
			picked := m.Matching.Pairs(contrasted, b.Noise)
			pairs = &picked
		}
		l.Pairs = *pairs
	}

	// Fusion: ITM's pairs, then the masked captions with their own images.
	var states, bias, choice []*Node
	matched := 0
	if which.ITM {
		matched = pairs.Labels.Shape().Dim(0)
		chosen := oneHot(pairs.Texts, batch)
		states = append(states, encoder.SelectRows(chosen, rows(texts.States, 0, batch)))
		bias = append(bias, encoder.SelectRows(chosen, rows(texts.Bias, 0, batch)))
		choice = append(choice, oneHot(pairs.Images, batch))
	}
	if which.MLM {
		last := batch * len(ids)
		states = append(states, rows(texts.States, last-batch, last))
		bias = append(bias, rows(texts.Bias, last-batch, last))
		choice = append(choice, ConvertDType(Diagonal(g, batch), dtypes.Float32))
	}
	if len(states) == 0 {
		return l
	}
	fused := a.Fuse(online, Concatenate(states, 0), Concatenate(bias, 0), image.Tokens, Concatenate(choice, 0))
	if which.ITM {
		l.ITM = objective.ITM(a.MatchLogits(online, rows(fused, 0, matched)), pairs.Labels)
	}
	if which.MLM {
		words := a.maskedWords(online, rows(fused, matched, matched+batch))
		if taught != nil {
			l.MLM = objective.DistilledMLM(words, b.Labels, taught.words, taught.mix)
		} else {
			l.MLM = objective.MLM(words, b.Labels)
		}
	}
	return l
}

// reference embeds a mini-batch by the frozen model, without gradient and without dropout: [batch, Embed] each.
func (a ALBEF) reference(s *model.Scope, b Batch) (image, text *Node) {
	g, frozen := b.Pixels.Graph(), s.Store().Scope(Frozen)
	training := s.Store().IsTraining(g)
	s.Store().SetTraining(g, false)
	defer s.Store().SetTraining(g, training)
	return StopGradient(a.EncodeImage(frozen, b.Pixels).Feature), StopGradient(a.EncodeText(frozen, b.IDs).Feature)
}
