package albef

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// Batch is a mini-batch on its way into the step.
type Batch struct {
	Pixels   *Node // normalised, [batch, side, side, 3]; of a locked encoder its tokens, [batch, tokens, width]
	IDs      *Node // of the captions, padded with zeros, [batch, tokens] int32
	Masked   *Node // the ids with MLM's masks, [batch, tokens] int32
	Labels   *Node // the original ids where masked, objective.Ignored elsewhere, [batch, tokens] int32
	Noise    *Node // standard Gumbel draws for sampled matching, [2, batch, batch]
	Progress *Node // epochs done, a fraction; scalar

	// What only some methods need.
	Items *Node // the image of each pair, [batch] int32
	Truth *Node // 1 where the caption of a column is true of the image of a row, else 0, [batch, batch]
	Fresh *Node // codes of the masks of new positives' captions, see objective.MaskByCodes, [2 batch, tokens] int32
	// Fields are all of these by their names, for what a method's parts read by themselves; nil where they read nothing.
	Fields field.Nodes
	// Left are the negatives that do not count; nil where the method leaves out none.
	Left *negative.Leaving
	// Teller is how the parts tell numbers by names of their own.
	Teller field.Teller
	// Room is the number of rows that MLM has for new positives, 1 to 2 batch; where there are more, Losses.Joined tells.
	Room int
}

// Losses is what one step computes before its update.
type Losses struct {
	ITC, ITM, MLM *Node // scalars in nats, nil for one that was not asked for; the model's loss is their sum
	Image, Text   *Node // u and w, [batch, Embed]
	Temperature   *Node // tau
	// HardestImages[k] is the batch's most similar other image for text k, HardestTexts[k] the most similar other text for
	// image k: int32, [batch]. False negatives are counted by them.
	HardestImages, HardestTexts *Node
	Pairs                       negative.Pairs // that ITM saw
	// Connections are what the method's Positives decided; nil where it has none.
	Connections *negative.Connections
	// Joined is the number of new positives that join MLM, a scalar; nil where none can. With more than Batch.Room MLM is wrong.
	Joined *Node
	// Weights and Labels are what the contrast tells of its negatives and targets; see negative.Contrasted.
	Weights, Labels *Node
	// FoundOfImages and FoundOfTexts are the negatives that the method took for false; nil where it leaves out none.
	FoundOfImages, FoundOfTexts *Node
	// Written are the sentences that the method wrote; nil where it writes none. CaptionScores are ITM's logits of the own pairs, [batch], beside
	// them.
	Written       *negative.Written
	CaptionScores *Node
}

// Step implements framework.Framework.
func (a Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Told {
	b := Batch{
		Pixels: in.Of(field.Image), IDs: in.Of(field.Captions), Masked: in.Of(field.Masked), Labels: in.Of(field.Words),
		Noise: in.Of(field.Noise), Progress: in.Of(field.Progress),
		Items: in[field.Items], Truth: in[field.Truth], Fresh: in[field.Fresh], Room: u.Room,
		Fields: in, Left: u.Method.Leaving(s.Store().Scope(framework.State), in), Teller: u.Teller,
	}
	l := a.Assess(s, u.Method, b, u.Objectives)
	told := framework.Told{
		Losses: l.byName(),
		Outputs: field.Nodes{
			field.ImageEmbedding: l.Image, field.TextEmbedding: l.Text, field.Temperature: l.Temperature,
			field.HardestImages: l.HardestImages, field.HardestTexts: l.HardestTexts,
		},
		Again: func(which negative.Objectives) *Node { return a.Reassess(s, u.Method, b, l, which) },
	}
	_, distils := u.Method.Contrast.(negative.Distiller)
	told.Repeats = !distils && u.Method.Positives == nil && a.Text.Dropout == 0
	told.Outputs.Tell(field.Weights, l.Weights)
	told.Outputs.Tell(field.Labels, l.Labels)
	told.Outputs.Tell(field.Joined, l.Joined)
	told.Outputs.Tell(field.FoundOfImages, l.FoundOfImages)
	told.Outputs.Tell(field.FoundOfTexts, l.FoundOfTexts)
	if l.Written != nil {
		told.Outputs.Tell(field.CaptionScores, l.CaptionScores)
		l.Written.Tell(told.Outputs)
	}
	if c := l.Connections; c != nil {
		told.Outputs[field.PickedImages], told.Outputs[field.PickedTexts] = c.Images, c.Texts
		told.Outputs[field.ImageScores], told.Outputs[field.TextScores] = c.ImageScores, c.TextScores
	}
	return told
}

// byName are the losses that there are.
func (l Losses) byName() map[negative.Loss]*Node {
	losses := map[negative.Loss]*Node{}
	for name, loss := range map[negative.Loss]*Node{negative.ITC: l.ITC, negative.ITM: l.ITM, negative.MLM: l.MLM} {
		if loss != nil {
			losses[name] = loss
		}
	}
	return losses
}

// Of is the sum of the named losses, a scalar.
func (l Losses) Of(which negative.Objectives) *Node {
	return framework.Told{Losses: l.byName()}.Of(Model{}, which)
}

// Assess builds the losses that which names, of ALBEF's three, for a mini-batch under a method. The scope is the store's root.
func (a Model) Assess(s *model.Scope, m negative.Method, b Batch, which negative.Objectives) Losses {
	if distiller, distils := m.Contrast.(negative.Distiller); distils {
		// Momentum encoders follow the weights before this step's update.
		taught := a.teach(s, distiller.Momentum(), b, which)
		taught.mix = distiller.Mix(b.Progress)
		return a.pass(s, m, b, which, nil, &taught)
	}
	return a.pass(s, m, b, which, nil, nil)
}

// Reassess builds the sum of the losses that which names for a mini-batch that Assess has seen, on the same ITM pairs and written sentences,
// with the weights as they are in the graph by now: after the update, if that is built. MLM is against the masked words alone,
// without distillation.
func (a Model) Reassess(s *model.Scope, m negative.Method, b Batch, seen Losses, which negative.Objectives) *Node {
	return a.pass(s, m, b, which, &seen, nil).Of(which)
}

// pass builds one forward pass for the losses that which names. ITM sees the pairs and sentences of an earlier pass, or those that the method
// picks and writes.
//
// Text and masked text run as one batch, and so do the fusion rows of ITM and MLM: more work a kernel, fewer kernels. New
// positives are known only after the encoders: their masked captions are a batch of their own.
func (a Model) pass(s *model.Scope, m negative.Method, b Batch, which negative.Objectives, earlier *Losses, taught *teacher) Losses {
	g, batch := b.Pixels.Graph(), b.Pixels.Shape().Dim(0)
	online := s.Store().Scope(framework.Model)
	frozen := a.frozen(s, b)
	rows := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(from, to)) }
	image := a.EncodeImage(online, b.Pixels)
	var ids, padded []*Node
	if which.Has(negative.ITC) || which.Has(negative.ITM) {
		ids, padded = append(ids, b.IDs), append(padded, b.IDs)
	}
	if which.Has(negative.MLM) {
		ids, padded = append(ids, b.Masked), append(padded, a.padding(b.Masked, b.IDs))
	}
	texts := a.encodeText(online, Concatenate(ids, 0), Concatenate(padded, 0))

	var l Losses
	if earlier != nil {
		l.Pairs, l.Written = earlier.Pairs, earlier.Written
	}
	if which.Has(negative.ITC) {
		l.Temperature = a.temperature(online, g)
		l.Image, l.Text = image.Feature, rows(texts.Feature, 0, batch)
		features := negative.Features{
			Image: l.Image, Text: l.Text, Temperature: l.Temperature, Progress: b.Progress, State: s.Store().Scope(framework.State),
			Items: b.Items, Fields: b.Fields, Left: b.Left, Teller: b.Teller.For(field.Part("contrast", m.Contrast)),
		}
		if taught != nil {
			features.MomentumImage, features.MomentumText = taught.image, taught.text
		}
		if _, informed := m.Contrast.(negative.Informed); informed {
			features.ReferenceImage, features.ReferenceText = frozen().image.Feature, frozen().text.Feature
		}
		if m.Positives != nil {
			connections := a.connect(m, b, features, frozen)
			l.Connections, features.Connections = &connections, &connections
		}
		contrasted := m.Contrast.ITC(features)
		contrasted.Assert(m.Contrast, batch)
		contrasted = features.Unpicked(contrasted)
		l.ITC, l.Weights, l.Labels = contrasted.Loss, contrasted.Weights, contrasted.Labels
		l.FoundOfImages, l.FoundOfTexts = features.Told()
		l.HardestImages, l.HardestTexts = negative.HardestNegatives(contrasted)
		switch {
		case earlier != nil:
		case l.Connections != nil:
			l.Pairs = l.Connections.Pairs
		default:
			l.Pairs = m.ITMPairs(features, contrasted, b.Noise)
		}
	}
	if earlier == nil && m.Writes() && which.Has(negative.ITM) {
		written := m.Writing.Write(a.writer(s, m, b, image))
		l.Written = &written
	}

	// Fusion: ITM's pairs, then the masked captions with their own images, then those of new positives.
	var states, bias, choice []*Node
	matched := 0
	if which.Has(negative.ITM) {
		matched = l.Pairs.Labels.Shape().Dim(0)
		chosen := oneHot(l.Pairs.Texts, b.Pixels)
		states = append(states, encoder.SelectRows(chosen, rows(texts.States, 0, batch)))
		bias = append(bias, encoder.SelectRows(chosen, rows(texts.Bias, 0, batch)))
		choice = append(choice, oneHot(l.Pairs.Images, b.Pixels))
	}
	labels, weights := l.Pairs.Labels, l.Pairs.Weights
	if which.Has(negative.ITM) && l.Written != nil && l.Written.Sentences != nil {
		text, of := a.sentences(s, b, *l.Written)
		states, bias, choice = append(states, text.States), append(bias, text.Bias), append(choice, of)
		labels, weights = l.Written.Join(l.Pairs)
		matched = labels.Shape().Dim(0)
	}
	if which.Has(negative.MLM) {
		last := batch * len(ids)
		states = append(states, rows(texts.States, last-batch, last))
		bias = append(bias, rows(texts.Bias, last-batch, last))
		choice = append(choice, each(image.Tokens))
	}
	predicted, words := b.Labels, batch
	var joined *further
	if l.Connections != nil && which.Has(negative.MLM) && l.Connections.Use.Has(negative.MLM) && !l.Connections.Eliminate {
		joined = a.joining(b, *l.Connections)
		text := a.encodeText(s.Store().Scope(framework.Model), joined.masked, joined.padded)
		states, bias, choice = append(states, text.States), append(bias, text.Bias), append(choice, joined.choice)
		predicted, words, l.Joined = Concatenate([]*Node{predicted, joined.labels}, 0), batch+b.Room, joined.count
	}
	if len(states) == 0 {
		return l
	}
	fused := a.Fuse(online, Concatenate(states, 0), Concatenate(bias, 0), image.Tokens, Concatenate(choice, 0))
	if which.Has(negative.ITM) {
		logits := a.MatchLogits(online, rows(fused, 0, matched))
		l.ITM, l.CaptionScores = objective.ITM(logits, labels, weights), above(rows(logits, 0, batch))
	}
	if which.Has(negative.MLM) {
		logits := a.maskedWords(online, rows(fused, matched, matched+words))
		if taught != nil {
			teaching := taught.words
			if joined != nil {
				teaching = Concatenate([]*Node{teaching, taught.read(joined)}, 0)
			}
			l.MLM = objective.DistilledMLM(logits, predicted, teaching, taught.mix)
		} else {
			l.MLM = objective.MLM(logits, predicted)
		}
	}
	return l
}
