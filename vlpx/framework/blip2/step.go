package blip2

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
func (m Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	b := m.batch(s.Store(), u, in)
	forward, first := b.forward(u, b.encode(u.Objectives))
	forward.Again = func(which negative.Objectives) *Node { return b.reassess(which, b.encode(which), first) }
	return forward
}

// forward builds the losses of a mini-batch, and what it reports.
func (b *batch) forward(u framework.Use, of encoded) (framework.Forward, passed) {
	first := b.pass(u.Objectives, of, nil)
	forward := framework.Forward{Losses: first.losses, Outputs: field.Nodes{},
		Repeats: u.Method.Positives == nil && b.Text.Dropout == 0}
	if u.Objectives.Has(negative.ITC) {
		f := first.features
		forward.Outputs[field.ImageEmbedding], forward.Outputs[field.TextEmbedding] = objective.Nearest(f.Image, f.Text), f.Text
		framework.Report(forward.Outputs, f, first.contrasted)
	}
	forward.Outputs.Add(field.Joined, first.joined)
	return forward, first
}

// reassess builds the sum of the losses that which names again, of the mini-batch as it is encoded anew, on the same pairs of ITM.
func (b *batch) reassess(which negative.Objectives, of encoded, first passed) *Node {
	return framework.Forward{Losses: b.pass(which, of, &first).losses}.Of(b.Model, which)
}

// batch is a mini-batch on its way into the step.
type batch struct {
	Model
	store       *model.Store
	method      negative.Method
	in          field.Nodes
	ids, images *Node             // there are no images where the mini-batch is encoded already
	features    negative.Features // without what a pass adds
	room        int               // rows of ITG for new positives
}

// batch is that of the fields of a step.
func (m Model) batch(store *model.Store, u framework.Use, in field.Nodes) *batch {
	return &batch{Model: m, store: store, method: u.Method, in: in, ids: in.Of(field.Captions), images: in[field.Image], room: u.Room,
		features: u.Features(store, in)}
}

// passed is what one forward pass computes.
type passed struct {
	losses     map[negative.Loss]*Node
	features   negative.Features   // that ITC saw
	contrasted negative.Contrasted // without the similarities of negatives that are left out
	pairs      negative.Pairs      // that ITM saw
	joined     *Node               // the number of new positives that join ITG, a scalar; nil where none can
}

// pass builds the losses that which names of an encoded mini-batch, with the weights as they are in the graph by now. ITM sees the pairs of
// an earlier pass, or those that the method picks.
func (b *batch) pass(which negative.Objectives, seen encoded, earlier *passed) passed {
	s, g := b.store.Scope(framework.Model), b.ids.Graph()
	p := passed{losses: map[negative.Loss]*Node{}}
	var known *negative.Pairs
	if earlier != nil {
		p.pairs, known = earlier.pairs, &earlier.pairs
	}
	if which.Has(negative.ITC) {
		f := b.features
		f.Image, f.Text, f.Temperature, f.Smoothing = seen.image.Feature, seen.text, temperature(s, g), b.Smoothing
		p.features, p.contrasted, p.pairs = framework.Contrasted(b.method, f, b.in.Of(field.Noise), b.referring(), known)
		p.losses[negative.ITC] = p.contrasted.Loss
	}
	if which.Has(negative.ITM) {
		logits := b.MatchLogits(s, Gather(b.ids, InsertAxes(p.pairs.Texts, -1)), seen.image.Tokens, oneHot(p.pairs.Images, seen.image.Tokens))
		p.losses[negative.ITM] = objective.ITM(objective.QueryMean(logits), p.pairs.Labels, p.pairs.Weights)
	}
	if which.Has(negative.ITG) {
		ids, predicted, offered := b.ids, labels(b.ids), seen.image.Offered
		if c := p.features.Connections; c != nil && c.Use.Has(negative.ITG) && !c.Eliminate {
			further := c.Further(b.room)
			ids, predicted, offered = join(ids, offered, further)
			p.joined = further.Count
		}
		p.losses[negative.ITG] = objective.Generation(b.NextLogits(s, ids, offered), predicted, b.Smoothing)
	}
	return p
}

// join adds to captions, and to what the queries of their images offer, those of the new positives; it returns what ITG predicts of all of
// them, too. Rows to spare predict nothing.
func join(ids *Node, offered []encoder.Memory, f negative.Further) (_, predicted *Node, _ []encoder.Memory) {
	further := Gather(ids, InsertAxes(f.Texts, -1))
	of := labels(further)
	of = Where(BroadcastToDims(InsertAxes(f.Taken, -1), of.Shape().Dimensions...), of, ConstAs(of, objective.Ignored))
	var all []encoder.Memory
	for _, m := range offered {
		with := func(x *Node) *Node {
			return Concatenate([]*Node{x, encoder.SelectRows(oneHot(f.Images, x), x)}, 0)
		}
		all = append(all, encoder.Memory{Keys: with(m.Keys), Values: with(m.Values)})
	}
	return Concatenate([]*Node{ids, further}, 0), Concatenate([]*Node{labels(ids), of}, 0), all
}

// referring returns a function that runs the frozen reference model on the mini-batch when it is first called.
func (b *batch) referring() func() *framework.Reference {
	return framework.Referring(b.store, b.ids.Graph(), func(s *model.Scope) (_, _ *Node, match func(images, texts *Node) *Node) {
		seen := b.Look(s, b.images)
		_, text := b.Read(s, b.ids)
		return seen.Feature, text, func(images, texts *Node) *Node {
			return objective.QueryMean(b.MatchLogits(s, Gather(b.ids, InsertAxes(texts, -1)), seen.Tokens, oneHot(images, seen.Tokens)))
		}
	})
}
