package explore

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
)

// compiledKey tells compiled methods apart.
type compiledKey struct {
	method string
	side   Side
}

// compiledMethod is a method compiled to be asked about mini-batches of one size, whose pair 0 is the anchor's.
type compiledMethod struct {
	method negative.Method
	side   Side
	batch  int
	draws  int  // of the matching's noise, over which what is seen is averaged
	exact  bool // picks are the softmax of the anchor's similarities
	exec   *model.Exec
	store  *model.Store
}

// matchingDraws is how often a matching that is not known is asked: a share is within 2.5 % (a standard error) at the most.
const matchingDraws = 400

// compile compiles a method. What a method keeps, such as a queue or thresholds, is that of a run's first step, and stays so.
func (x *Explorer) compile(m negative.Method, side Side) (*compiledMethod, error) {
	l := &compiledMethod{method: m, side: side, batch: x.batch, draws: matchingDraws, store: model.NewStore()}
	if noise, known := negative.Noise(m.Matching); known && (noise == 0 || m.Positives == nil) {
		l.draws, l.exact = 1, noise > 0
	}
	err := l.declare(x.start)
	if err == nil {
		l.exec, err = model.NewExec(x.backend, l.store, l.build)
	}
	if err != nil {
		l.store.Finalize()
		return nil, err
	}
	return l, nil
}

// declare gives the method its state for embeddings as wide as nudged makes them. What lies in the further columns at first is
// no embedding of the batch's pairs, and so zero.
func (l *compiledMethod) declare(start negative.Start) error {
	if !l.method.Keeps() {
		return nil
	}
	dim := start.Dim
	start.Dim += l.batch
	if err := l.method.DeclareState(l.store.Scope(framework.State), start); err != nil {
		return err
	}
	for v := range l.store.Scope(framework.State).IterVariables() {
		if v.DType() != dtypes.Float32 || v.Shape().Rank() == 0 || v.Shape().Dim(-1) != start.Dim {
			continue
		}
		rows, err := tensors.CopyFlatData[float32](v.MustValue())
		if err != nil {
			return err
		}
		for at := 0; at < len(rows); at += start.Dim {
			clear(rows[at+dim : at+start.Dim])
		}
		if err := v.SetValue(tensors.FromFlatDataAndDimensions(rows, v.Shape().Dimensions...)); err != nil {
			return err
		}
	}
	return nil
}

// build is the graph of one draw. Its results are the anchor's pushes, its similarities over temperature and its pick, one-hot,
// [batch] each, and where the method has Positives those of wouldBe.
func (l *compiledMethod) build(s *model.Scope, in []*Node) []*Node {
	defer framework.Orderly()
	image, text, tau, progress, items, scores, noise, index, truth := in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8]
	f := negative.Features{Image: image, Text: text, Temperature: tau, Progress: progress, State: s.Store().Scope(framework.State)}
	f.Fields = field.Nodes{field.Progress: progress, field.Items: items, field.Index: index, field.Truth: truth,
		field.FalseShare: falseShare(truth)}
	f.Left = l.method.Leaving(f.State, f.Fields)
	if _, distils := l.method.Contrast.(negative.Distiller); distils {
		f.MomentumImage, f.MomentumText = StopGradient(image), StopGradient(text)
	}
	if _, informed := l.method.Contrast.(negative.Informed); informed {
		f.ReferenceImage, f.ReferenceText = StopGradient(image), StopGradient(text)
	}
	if itemised, ok := l.method.Contrast.(negative.Itemised); ok && itemised.NeedsItems() {
		f.Items = items
	}
	var further []*Node
	if l.method.Positives != nil {
		c := l.connect(f, scores, noise)
		f.Connections = &c
		further = l.wouldBe(scores)
	}
	widened, nudge := nudged(f, l.side)
	contrasted := l.asked(s, widened)
	push := MulScalar(l.anchors(pushes(contrasted.Loss, nudge)), float64(l.batch))
	contrasted = widened.Unpicked(contrasted)

	var row, picked *Node
	switch matching, picks := l.method.Matching.(negative.Picking); {
	case f.Connections != nil:
		row, picked = l.ofAnchor(online(f)), l.pick(f.Connections.Images, f.Connections.Texts)
	case picks:
		row, picked = l.ofAnchor(contrasted), l.pick(matching.Negatives(l.method.Seen(f, contrasted), noise))
	default:
		row, picked = l.ofAnchor(contrasted), l.met(l.method.ITMPairs(f, contrasted, noise))
	}
	return append([]*Node{push, row, picked}, further...)
}

// asked is the contrast's answer; its state is put back.
func (l *compiledMethod) asked(s *model.Scope, f negative.Features) negative.Contrasted {
	g := f.Image.Graph()
	before := map[*model.Variable]*Node{}
	for v := range s.Store().Scope(framework.State).IterVariables() {
		before[v] = v.NodeValue(g)
	}
	contrasted := l.method.Contrasted(f)
	for v, value := range before {
		v.SetNodeValue(value)
	}
	return contrasted
}

// falseShare stands in for field.FalseShare, of which the explored pairs know their own mini-batch alone.
func falseShare(truth *Node) *Node {
	others := Where(Diagonal(truth.Graph(), truth.Shape().Dim(0)), ZerosLike(truth), truth)
	return Stack([]*Node{ReduceMean(others, 1), ReduceMean(others, 0)}, 1)
}

// anchors is the row of pair 0, [batch], of [batch, candidates].
func (l *compiledMethod) anchors(rows *Node) *Node {
	return Squeeze(Slice(rows, AxisRange(0, 1), AxisRange(0, l.batch)), 0)
}

// ofAnchor are the anchor's similarities.
func (l *compiledMethod) ofAnchor(c negative.Contrasted) *Node {
	if l.side == OfText {
		return l.anchors(c.T2I)
	}
	return l.anchors(c.I2T)
}

// pick marks what a matching picks for the anchor.
func (l *compiledMethod) pick(images, texts *Node) *Node {
	picks := texts
	if l.side == OfText {
		picks = images
	}
	return l.anchors(OneHot(picks, l.batch, dtypes.Float32))
}

// met marks the pairs that stand with the anchor among those that do not match, of a matching that does not tell whose pick is
// whose.
func (l *compiledMethod) met(p negative.Pairs) *Node {
	anchors, others := p.Images, p.Texts
	if l.side == OfText {
		anchors, others = p.Texts, p.Images
	}
	zero := ZerosLike(anchors)
	with := ConvertDType(And(Equal(anchors, zero), Equal(p.Labels, zero)), dtypes.Float32)
	return ReduceMax(Mul(OneHot(others, l.batch, dtypes.Float32), InsertAxes(with, -1)), 0)
}

// online are the online model's similarities, by which candidates for Positives are picked.
func online(f negative.Features) negative.Contrasted {
	i2t := StopGradient(objective.Similarities(f.Image, f.Text, f.Temperature))
	return negative.Contrasted{I2T: i2t, T2I: Transpose(i2t, 0, 1)}
}
