package uniter

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
func (m Model) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	online := s.Store().Scope(framework.Model)
	if m.Pretraining {
		return m.pretrain(online, in)
	}
	m.declare(online)
	b := batch{
		Model: m, scope: online, captions: in.Of(field.Captions), images: in.Of(field.Image),
		pairs: in.Of(field.Captions).Shape().Dim(0),
	}
	forward := framework.Forward{Losses: map[negative.Loss]*Node{}, Weights: map[negative.Loss]float64{}, Outputs: field.Nodes{}}
	b.positives()
	if keep := u.Method.Retrieves(); keep > 0 {
		b.retrieve(s.Store(), keep, u.Method.Pool(), in)
	} else {
		b.pick(s.Store(), u, in.Of(field.Noise))
	}
	var written negative.Written
	if u.Method.Writes() {
		written = u.Method.Writing.Write(b.writer(s.Store(), u, in))
		b.adopt(written)
		for _, loss := range m.Losses() {
			forward.Weights[loss] = u.Method.Writing.Weight(loss)
		}
	}
	ids, read := Concatenate(b.ids, 0), encoder.Asking(encoder.Class)
	if written.Sentences != nil {
		read = nil
	}
	states := m.encode(online, ids, ids, b.images, Concatenate(b.choices, 0), read)
	scores := m.rank(online, states)
	of := func(x *Node, g group) *Node { return Slice(x, AxisRange(g.from, g.from+b.pairs*g.each)) }
	positives := of(scores, b.own)
	triplet := func(g group) *Node {
		return objective.Triplet(positives, Reshape(of(scores, g), b.pairs, g.each), g.counts, m.Margin)
	}
	forward.Losses[negative.ITM] = Add(triplet(b.texts), triplet(b.pictures))
	tell := func(loss negative.Loss, node func() *Node) {
		if forward.Weights[loss] > 0 {
			forward.Losses[loss] = node()
		}
	}
	if written.MLM != nil {
		tell(negative.MLM, func() *Node { return written.MLM })
	}
	if written.Sentences != nil {
		tell(negative.ISTM, func() *Node { return triplet(b.written) })
		tell(negative.WoD, func() *Node { return m.discriminate(online, of(states, b.written), b.captions, written) })
		tell(negative.WoC, func() *Node { return m.correct(online, of(states, b.written), written) })
		forward.Outputs.Add(field.CaptionScores, positives)
	}
	written.Report(forward.Outputs)
	return forward
}

// pretrain builds UNITER's losses on what exists: masked words, and matching of the own pairs and of each image with another's caption.
func (m Model) pretrain(s *model.Scope, in field.Nodes) framework.Forward {
	captions, images, masked := in.Of(field.Captions), in.Of(field.Image), in.Of(field.Masked)
	g, pairs := captions.Graph(), captions.Shape().Dim(0)
	others := Concatenate([]*Node{Slice(captions, AxisRange(1)), Slice(captions, AxisRange(0, 1))}, 0)
	own := one(each(g, pairs), pairs, images)
	read := Concatenate([]*Node{captions, others, masked}, 0)
	padded := Concatenate([]*Node{captions, others, captions}, 0)
	states := m.Encode(s, read, padded, images, Concatenate([]*Node{own, own, own}, 0))
	matching := m.MatchLogits(s, Slice(states, AxisRange(0, 2*pairs)))
	labels := Concatenate([]*Node{OnesLike(each(g, pairs)), ZerosLike(each(g, pairs))}, 0)
	return framework.Forward{
		Losses: map[negative.Loss]*Node{
			negative.ITM: objective.ITM(matching, labels, nil),
			negative.MLM: objective.MLM(m.MaskedWords(s, Slice(states, AxisRange(2*pairs))), in.Of(field.Words)),
		},
		Outputs: field.Nodes{},
	}
}

// each are the numbers 0 to n-1.
func each(g *Graph, n int) *Node { return Iota(g, shapes.Make(dtypes.Int32, n), 0) }

// one is one-hot of places among n, in the type of x.
func one(places *Node, n int, x *Node) *Node { return OneHot(places, n, x.DType()) }

// batch is a mini-batch on its way through the step: the rows that the model reads with gradient, group by group, and the images that they
// choose from.
type batch struct {
	Model
	scope    *model.Scope
	captions *Node // [pairs, tokens]
	images   *Node // of the mini-batch and of the pool, [pairs+pool, ...]
	pairs    int

	ids, choices []*Node // of rows
	rows         int
	own          group
	texts        group // each image with captions of the pool
	pictures     group // each caption with images of the pool
	written      group // each image with written sentences
}

// group are rows of all pairs, those of a pair side by side.
type group struct {
	from, each int
	counts     *Node // of each, 1 or 0, [pairs, each]; nil where all count
}

// add makes a group of rows [pairs each, ...].
func (b *batch) add(ids, choice, counts *Node, each int) group {
	g := group{b.rows, each, counts}
	b.ids, b.choices, b.rows = append(b.ids, ids), append(b.choices, choice), b.rows+b.pairs*each
	return g
}

// repeated are the numbers of the pairs, each so many times, [pairs times].
func (b *batch) repeated(times int) *Node {
	return Reshape(Iota(b.captions.Graph(), shapes.Make(dtypes.Int32, b.pairs, times), 0), b.pairs*times)
}

// choose is one-hot of images.
func (b *batch) choose(places *Node) *Node { return one(places, b.images.Shape().Dim(0), b.images) }

func (b *batch) positives() {
	b.own = b.add(b.captions, b.choose(each(b.captions.Graph(), b.pairs)), nil, 1)
}

// score are logits of captions with images by their places, without gradient and as in evaluation, [rows].
func (b *batch) score(store *model.Store, ids, places *Node) (logits *Node) {
	framework.Evaluating(store, ids.Graph(), func() {
		logits = StopGradient(b.rank(b.scope, b.summarise(b.scope, ids, b.images, b.choose(places))))
	})
	return logits
}

// retrieve takes each pair's hardest negatives of the pool. A pair of the same image is none.
func (b *batch) retrieve(store *model.Store, keep, among int, in field.Nodes) {
	texts, items, g := in.Of(field.PoolCaptions), in.Of(field.PoolItems), b.captions.Graph()
	b.images = Concatenate([]*Node{b.images, in.Of(field.PoolImages)}, 0)
	for k := range b.choices { // those before know the mini-batch's images alone
		b.choices[k] = GrowRight(b.choices[k], 1, among, 0)
	}
	apart := NotEqual(BroadcastToDims(InsertAxes(in.Of(field.Items), 1), b.pairs, among),
		BroadcastToDims(InsertAxes(items, 0), b.pairs, among))
	counts := ConvertDType(apart, b.images.DType())
	pool := Reshape(BroadcastToDims(InsertAxes(each(g, among), 0), b.pairs, among), b.pairs*among)
	pick := func(logits *Node) *Node {
		return negative.Top(Where(apart, Reshape(logits, b.pairs, among), ConstAs(logits, -1e9)), keep)
	}
	ofTexts, ofImages := BroadcastToDims(InsertAxes(each(g, among), 0), b.pairs, among),
		BroadcastToDims(InsertAxes(each(g, among), 0), b.pairs, among)
	if keep < among {
		ofTexts = pick(b.score(store, Gather(texts, InsertAxes(pool, -1)), b.repeated(among)))
		ofImages = pick(b.score(store, Gather(b.captions, InsertAxes(b.repeated(among), -1)), AddScalar(pool, b.pairs)))
	}
	flat := func(x *Node) *Node { return Reshape(x, b.pairs*keep) }
	b.texts = b.add(Gather(texts, InsertAxes(flat(ofTexts), -1)), b.choose(b.repeated(keep)), negative.Choose(counts, ofTexts), keep)
	b.pictures = b.add(Gather(b.captions, InsertAxes(b.repeated(keep), -1)), b.choose(AddScalar(flat(ofImages), b.pairs)),
		negative.Choose(counts, ofImages), keep)
}

// pick takes one negative a pair on each side of the mini-batch, of which all pairs are scored.
func (b *batch) pick(store *model.Store, u framework.Use, noise *Node) {
	tokens := b.captions.Shape().Dim(1)
	texts := Reshape(BroadcastToDims(InsertAxes(b.captions, 0), b.pairs, b.pairs, tokens), b.pairs*b.pairs, tokens)
	i2t := Reshape(b.score(store, texts, b.repeated(b.pairs)), b.pairs, b.pairs)
	images, captions := u.Method.Matching.(negative.Picking).Negatives(u.Method.Seen(
		negative.Features{State: store.Scope(framework.State), Reporter: u.Reporter}, negative.Contrasted{I2T: i2t, T2I: Transpose(i2t, 0, 1)},
	), noise)
	b.texts = b.add(Gather(b.captions, InsertAxes(captions, -1)), b.choose(each(captions.Graph(), b.pairs)), nil, 1)
	b.pictures = b.add(b.captions, b.choose(images), nil, 1)
}

// writer is what a Writing is offered of the mini-batch.
func (b *batch) writer(store *model.Store, u framework.Use, in field.Nodes) negative.Writer {
	fill := func(s *model.Scope, ids *Node) *Node {
		times := ids.Shape().Dim(0) / b.pairs
		padded := Gather(b.captions, InsertAxes(b.repeated(times), -1))
		return b.MaskedWords(s, b.Encode(s, ids, padded, b.images, b.choose(b.repeated(times))))
	}
	w := negative.Writer{
		Captions: b.captions, Fields: in, Reporter: u.For(field.Part("writing", u.Method.Writing)),
		Fill:  func(ids *Node) *Node { return fill(b.scope, ids) },
		Score: func(ids *Node) *Node { return b.score(store, ids, b.repeated(ids.Shape().Dim(0)/b.pairs)) },
	}
	if u.Method.NeedsReference() {
		w.FillFrozen = func(ids *Node) (logits *Node) {
			framework.Evaluating(store, ids.Graph(), func() { logits = StopGradient(fill(store.Scope(framework.Frozen), ids)) })
			return logits
		}
	}
	return w
}

// adopt takes the sentences that were written among the rows.
func (b *batch) adopt(w negative.Written) {
	if w.Sentences == nil {
		return
	}
	keep, tokens := w.Sentences.Shape().Dim(1), w.Sentences.Shape().Dim(2)
	b.written = b.add(Reshape(w.Sentences, b.pairs*keep, tokens), b.choose(b.repeated(keep)), w.Counts, keep)
}

// discriminate is the loss of reporting which words of written sentences are the captions', by the states of these.
func (m Model) discriminate(s *model.Scope, states, captions *Node, w negative.Written) *Node {
	dims := w.Sentences.Shape().Dimensions
	rows := func(x *Node) *Node { return Reshape(x, dims[0]*dims[1], dims[2]) }
	captions = BroadcastToDims(InsertAxes(captions, 1), dims...)
	there := And(GreaterThan(captions, ZerosLike(captions)), GreaterThan(BroadcastToDims(InsertAxes(w.Counts, -1), dims...),
		ScalarZero(captions.Graph(), w.Counts.DType())))
	logits := encoder.Linear(s.At("wod"), m.tokens(states), 2, m.Half)
	return objective.WordDiscrimination(logits, ConvertDType(rows(Equal(w.Sentences, captions)), dtypes.Int32), rows(there))
}

// correct is the loss of reporting the captions' words in written sentences, by the states of these.
func (m Model) correct(s *model.Scope, states *Node, w negative.Written) *Node {
	dims := w.Labels.Shape().Dimensions
	counts := BroadcastToDims(InsertAxes(w.Counts, -1), dims...)
	labels := Where(GreaterThan(counts, ZerosLike(counts)), w.Labels, ConstAs(w.Labels, objective.Ignored))
	logits := m.Text.WordsBy(s.At("text"), corrector, m.tokens(states), m.Half)
	return objective.WordCorrection(logits, Reshape(labels, dims[0]*dims[1], dims[2]))
}
