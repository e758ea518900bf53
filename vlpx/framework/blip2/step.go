package blip2

import (
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

// Step implements framework.Framework.
func (m Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Told {
	b := batch{Model: m, store: s.Store(), method: u.Method, in: in, ids: in.Of(field.Captions), images: in.Of(field.Image),
		room: u.Room, features: u.Features(s.Store(), in)}
	first := b.pass(u.Objectives, nil)
	told := framework.Told{
		Losses: first.losses,
		Outputs: field.Nodes{
			field.ImageEmbedding: objective.Nearest(first.features.Image, first.features.Text), field.TextEmbedding: first.features.Text,
			field.Temperature: first.features.Temperature,
		},
		Again: func(which negative.Objectives) *Node {
			return framework.Told{Losses: b.pass(which, &first).losses}.Of(m, which)
		},
		Repeats: u.Method.Positives == nil && m.Text.Dropout == 0,
	}
	told.Outputs[field.HardestImages], told.Outputs[field.HardestTexts] = negative.HardestNegatives(first.contrasted)
	told.Outputs.Tell(field.Joined, first.joined)
	told.Outputs.Tell(field.Weights, first.contrasted.Weights)
	told.Outputs.Tell(field.Labels, first.contrasted.Labels)
	foundOfImages, foundOfTexts := first.features.Told()
	told.Outputs.Tell(field.FoundOfImages, foundOfImages)
	told.Outputs.Tell(field.FoundOfTexts, foundOfTexts)
	if c := first.features.Connections; c != nil {
		told.Outputs[field.PickedImages], told.Outputs[field.PickedTexts] = c.Images, c.Texts
		told.Outputs[field.ImageScores], told.Outputs[field.TextScores] = c.ImageScores, c.TextScores
	}
	return told
}

// batch is a mini-batch on its way into the step.
type batch struct {
	Model
	store       *model.Store
	method      negative.Method
	in          field.Nodes
	ids, images *Node
	features    negative.Features // without what a pass adds
	room        int               // rows of ITG for new positives
}

// passed is what one forward pass computes.
type passed struct {
	losses     map[negative.Loss]*Node
	features   negative.Features   // that ITC saw
	contrasted negative.Contrasted // without the similarities of negatives that are left out
	pairs      negative.Pairs      // that ITM saw
	joined     *Node               // the number of new positives that join ITG, a scalar; nil where none can
}

// pass builds the losses that which names, with the weights as they are in the graph by now. ITM sees the pairs of an earlier pass, or those
// that the method picks.
func (b *batch) pass(which negative.Objectives, earlier *passed) passed {
	s, g, pairs := b.store.Scope(framework.Model), b.ids.Graph(), b.ids.Shape().Dim(0)
	p := passed{losses: map[negative.Loss]*Node{}}
	if earlier != nil {
		p.pairs = earlier.pairs
	}
	seen := b.Look(s, b.images)
	if which.Has(negative.ITC) {
		f := b.features
		f.Image, f.Temperature, f.Smoothing = seen.Feature, temperature(s, g), b.Smoothing
		_, f.Text = b.Read(s, b.ids)
		frozen := b.frozen()
		if _, informed := b.method.Contrast.(negative.Informed); informed {
			reference := frozen()
			f.ReferenceImage, f.ReferenceText = reference.image, reference.text
		}
		if b.method.Positives != nil {
			connections := b.connect(f, frozen)
			f.Connections = &connections
		}
		contrasted := b.method.Contrast.ITC(f)
		contrasted.Assert(b.method.Contrast, pairs)
		p.losses[negative.ITC] = contrasted.Loss
		p.features, p.contrasted = f, f.Unpicked(contrasted)
		switch {
		case earlier != nil:
		case f.Connections != nil:
			p.pairs = f.Connections.Pairs
		default:
			p.pairs = b.method.ITMPairs(f, p.contrasted, b.in.Of(field.Noise))
		}
	}
	if which.Has(negative.ITM) {
		logits := b.MatchLogits(s, Gather(b.ids, InsertAxes(p.pairs.Texts, -1)), seen.Tokens, oneHot(p.pairs.Images, seen.Tokens))
		p.losses[negative.ITM] = objective.ITM(objective.QueryMean(logits), p.pairs.Labels, p.pairs.Weights)
	}
	if which.Has(negative.ITG) {
		ids, predicted, offered := b.ids, labels(b.ids), seen.Offered
		if c := p.features.Connections; c != nil && c.Use.Has(negative.ITG) && !c.Eliminate {
			further := c.Further(b.room)
			ids, predicted, offered = join(ids, offered, further)
			p.joined = further.Count
		}
		p.losses[negative.ITG] = objective.Generation(b.NextLogits(s, ids, offered), predicted, b.Smoothing)
	}
	return p
}

// join adds to captions, and to what the queries of their images offer, those of the new positives; it returns what ITG predicts of all of them,
// too. Rows to spare predict nothing.
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

// reference is a mini-batch as the frozen reference model sees it, without gradient and without dropout.
type reference struct {
	image, text *Node
	// match gives the probability that images and texts of the batch match, by their positions, [rows].
	match func(images, texts *Node) *Node
}

// frozen returns a function that runs the frozen reference model on the mini-batch when it is first called.
func (b *batch) frozen() func() *reference {
	var once *reference
	return func() *reference {
		if once != nil {
			return once
		}
		scope := b.store.Scope(framework.Frozen)
		evaluating := func(build func()) { framework.Evaluating(b.store, b.ids.Graph(), build) }
		once = &reference{}
		var seen Looked
		evaluating(func() {
			seen = b.Look(scope, b.images)
			_, once.text = b.Read(scope, b.ids)
		})
		once.image, once.text = StopGradient(seen.Feature), StopGradient(once.text)
		once.match = func(images, texts *Node) (probability *Node) {
			evaluating(func() {
				logits := b.MatchLogits(scope, Gather(b.ids, InsertAxes(texts, -1)), seen.Tokens, oneHot(images, seen.Tokens))
				matched := Slice(Softmax(objective.QueryMean(logits), -1), AxisRange(), AxisRange(1, 2))
				probability = StopGradient(Squeeze(matched, 1))
			})
			return probability
		}
		return once
	}
}

// connect has the negatives that the method's matching picks judged by its Positives. They are picked by the online embeddings.
func (b *batch) connect(f negative.Features, frozen func() *reference) negative.Connections {
	i2t := StopGradient(objective.Similarities(f.Image, f.Text, f.Temperature))
	online := negative.Contrasted{I2T: i2t, T2I: Transpose(i2t, 0, 1)}
	candidates := b.method.Picked(f, online, b.in.Of(field.Noise))
	pairs := b.ids.Shape().Dim(0)
	if b.method.Positives.Judge() == negative.Oracle {
		truth := b.in.Of(field.Truth)
		candidates.ImageScores = ReduceSum(Mul(Transpose(truth, 0, 1), oneHot(candidates.Images, truth)), -1)
		candidates.TextScores = ReduceSum(Mul(truth, oneHot(candidates.Texts, truth)), -1)
		return b.method.Positives.Connect(candidates)
	}
	own := Iota(b.ids.Graph(), shapes.Make(dtypes.Int32, pairs), 0)
	scores := frozen().match(Concatenate([]*Node{candidates.Images, own}, 0), Concatenate([]*Node{own, candidates.Texts}, 0))
	candidates.ImageScores = Slice(scores, AxisRange(0, pairs))
	candidates.TextScores = Slice(scores, AxisRange(pairs, 2*pairs))
	return b.method.Positives.Connect(candidates)
}
