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

// Step implements framework.Framework.
func (a Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	b := a.batch(s.Store(), u, in)
	forward, first := b.forward(u)
	forward.Again = func(which negative.Objectives) *Node { return b.reassess(which, b.encode(which), first) }
	return forward
}

// forward builds the losses of a mini-batch, and what it reports.
func (b *batch) forward(u framework.Use) (framework.Forward, passed) {
	first := b.assess(u.Objectives)
	forward := framework.Forward{Losses: first.losses, Outputs: field.Nodes{}}
	_, distils := u.Method.Contrast.(negative.Distiller)
	forward.Repeats = !distils && u.Method.Positives == nil && b.Text.Dropout == 0
	if u.Objectives.Has(negative.ITC) {
		forward.Outputs[field.ImageEmbedding], forward.Outputs[field.TextEmbedding] = first.features.Image, first.features.Text
		framework.Report(forward.Outputs, first.features, first.contrasted)
	}
	forward.Outputs.Add(field.Joined, first.joined)
	if first.written != nil {
		forward.Outputs.Add(field.CaptionScores, first.captionScores)
		first.written.Report(forward.Outputs)
	}
	return forward, first
}

// batch is a mini-batch on its way through the step.
type batch struct {
	Model
	store               *model.Store
	method              negative.Method
	in                  field.Nodes
	pixels, ids, masked *Node
	like                *Node             // has a row an image, in the type of what is computed
	given               *encoded          // the mini-batch, where it is encoded already; nil elsewhere
	features            negative.Features // without what a pass adds
	reporter            field.Reporter
	room                int // rows of MLM for new positives, 1 to 2 batch; where there are more of them, passed.joined says so
}

// batch is that of the fields of a step.
func (a Model) batch(store *model.Store, u framework.Use, in field.Nodes) *batch {
	return &batch{
		Model: a, store: store, method: u.Method, in: in, pixels: in[field.Image], ids: in.Of(field.Captions),
		masked: in.Of(field.Masked), like: in[field.Image],
		features: u.Features(store, in), reporter: u.Reporter, room: u.Room,
	}
}

// passed is what one forward pass computes.
type passed struct {
	losses     map[negative.Loss]*Node
	features   negative.Features   // that ITC saw
	contrasted negative.Contrasted // without the similarities of negatives that are left out
	pairs      negative.Pairs      // that ITM saw
	// written are the sentences that the method wrote, nil where it writes none, and captionScores ITM's logits of the own pairs, [batch].
	written       *negative.Written
	captionScores *Node
	// joined is the number of new positives that join MLM, a scalar; nil where none can. With more than there is room for MLM is wrong.
	joined *Node
}

// assess builds the losses that which names, of ALBEF's three.
func (b *batch) assess(which negative.Objectives) passed {
	if distiller, distils := b.method.Contrast.(negative.Distiller); distils {
		// Momentum encoders follow the weights before this step's update.
		taught := b.teach(distiller.Momentum(), which)
		taught.mix = distiller.Mix(b.in.Of(field.Progress))
		return b.pass(which, b.encode(which), nil, &taught)
	}
	if b.given != nil {
		return b.pass(which, *b.given, nil, nil)
	}
	return b.pass(which, b.encode(which), nil, nil)
}

// reassess builds the sum of the losses that which names again, of the mini-batch as it is encoded anew, on the same ITM pairs and written
// sentences, with the weights as they are in the graph by now: after the update, if that is built. MLM is against the masked words alone,
// without distillation.
func (b *batch) reassess(which negative.Objectives, of encoded, seen passed) *Node {
	return framework.Forward{Losses: b.pass(which, of, &seen, nil).losses}.Of(b.Model, which)
}

// pass builds one forward pass for the losses that which names. ITM sees the pairs and sentences of an earlier pass, or those that the
// method picks and writes.
//
// Text and masked text run as one batch, and so do the fusion rows of ITM and MLM: more work a kernel, fewer kernels. New
// positives are known only after the encoders: their masked captions are a batch of their own.
func (b *batch) pass(which negative.Objectives, of encoded, earlier *passed, taught *teacher) passed {
	g, batch := b.ids.Graph(), b.ids.Shape().Dim(0)
	online := b.store.Scope(framework.Model)
	rows := func(x *Node, from, to int) *Node { return Slice(x, AxisRange(from, to)) }
	image, texts := of.image, of.texts

	p := passed{losses: map[negative.Loss]*Node{}}
	var known *negative.Pairs
	if earlier != nil {
		p.pairs, p.written, known = earlier.pairs, earlier.written, &earlier.pairs
	}
	if which.Has(negative.ITC) {
		f := b.features
		f.Temperature = b.temperature(online, g)
		f.Image, f.Text = image.Feature, rows(texts.Feature, 0, batch)
		if taught != nil {
			f.MomentumImage, f.MomentumText = taught.image, taught.text
		}
		p.features, p.contrasted, p.pairs = framework.Contrasted(b.method, f, b.in.Of(field.Noise), b.referring(), known)
		p.losses[negative.ITC] = p.contrasted.Loss
	}
	if earlier == nil && b.method.Writes() && which.Has(negative.ITM) {
		written := b.method.Writing.Write(b.writer(image))
		p.written = &written
	}

	// Fusion: ITM's pairs, then the masked captions with their own images, then those of new positives.
	var states, bias, choice []*Node
	matched := 0
	if which.Has(negative.ITM) {
		matched = p.pairs.Labels.Shape().Dim(0)
		chosen := oneHot(p.pairs.Texts, b.like)
		states = append(states, encoder.SelectRows(chosen, rows(texts.States, 0, batch)))
		bias = append(bias, encoder.SelectRows(chosen, rows(texts.Bias, 0, batch)))
		choice = append(choice, oneHot(p.pairs.Images, b.like))
	}
	labels, weights := p.pairs.Labels, p.pairs.Weights
	if which.Has(negative.ITM) && p.written != nil && p.written.Sentences != nil {
		text, of := b.sentences(*p.written)
		states, bias, choice = append(states, text.States), append(bias, text.Bias), append(choice, of)
		labels, weights = p.written.Join(p.pairs)
		matched = labels.Shape().Dim(0)
	}
	if which.Has(negative.MLM) {
		last := texts.States.Shape().Dim(0)
		states = append(states, rows(texts.States, last-batch, last))
		bias = append(bias, rows(texts.Bias, last-batch, last))
		choice = append(choice, each(image.Tokens))
	}
	predicted := b.in.Of(field.Words)
	var joined *further
	if c := p.features.Connections; c != nil && which.Has(negative.MLM) && c.Use.Has(negative.MLM) && !c.Eliminate {
		joined = b.joining(*c)
		text := b.encodeText(b.store.Scope(framework.Model), joined.masked, joined.padded)
		states, bias, choice = append(states, text.States), append(bias, text.Bias), append(choice, joined.choice)
		predicted, p.joined = Concatenate([]*Node{predicted, joined.labels}, 0), joined.count
	}
	if len(states) == 0 {
		return p
	}
	class, fused := b.Text.FuseFor(online.At("text"), Concatenate(states, 0), Concatenate(bias, 0), image.Tokens, Concatenate(choice, 0),
		matched, b.Half)
	if which.Has(negative.ITM) {
		logits := b.MatchLogits(online, class)
		p.losses[negative.ITM], p.captionScores = objective.ITM(logits, labels, weights), above(rows(logits, 0, batch))
	}
	if which.Has(negative.MLM) {
		logits := b.maskedWords(online, fused)
		if taught != nil {
			teaching := taught.words
			if joined != nil {
				teaching = Concatenate([]*Node{teaching, taught.read(joined)}, 0)
			}
			p.losses[negative.MLM] = objective.DistilledMLM(logits, predicted, teaching, taught.mix)
		} else {
			p.losses[negative.MLM] = objective.MLM(logits, predicted)
		}
	}
	return p
}
