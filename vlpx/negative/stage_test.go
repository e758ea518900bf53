package negative

import (
	"fmt"
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
)

// stage plays steps of a method's contrast on given embeddings, of images and captions or of views.
type stage struct {
	method  Method
	views   int // 0 for images and captions
	samples int
	store   *model.Store
	step    func(minibatch) outcome
}

// minibatch is what a step sees.
type minibatch struct {
	embeddings    [][]float32 // of images and of captions, or of each view, [batch, dim]
	dim           int
	index         []int32
	truth, shares []float32 // as field.Truth and field.FalseShare; nil for zeros
	tau, progress float64
}

// outcome is what a step gave, and the state after it.
type outcome struct {
	loss, tauGradient float64
	gradients         [][]float64 // by the embeddings
	found             []float64   // of the first kind of anchors, [batch, views, candidates]
	state             map[string][]float64
}

func (m minibatch) batch() int { return len(m.index) }

// anchorsOf are the kinds of anchors of so many views, 0 for images and captions.
func anchorsOf(views int) []string {
	if views == 0 {
		return []string{ImageAnchors, TextAnchors}
	}
	return []string{ImageAnchors}
}

func newStage(t *testing.T, m Method, views, samples int) *stage {
	t.Helper()
	return stageOf(t, m, views, Start{Pairs: samples})
}

// stageOf plays a run's steps. Momentum and reference models are those that have the embeddings that the model itself has, and each pair's
// image is its own.
func stageOf(t *testing.T, m Method, views int, run Start) *stage {
	t.Helper()
	must.Do(t, m.WithDefaults().Validate())
	s := &stage{method: m, views: views, samples: run.Pairs, store: model.NewStore()}
	run.Anchors = anchorsOf(views)
	must.Do(t, m.DeclareState(s.store.Scope("/state"), run))
	call := compiled(t, s.store, func(_ *model.Scope, in []*Node) []*Node {
		f := Features{Image: in[5], Text: in[6], Support: in[7:], Views: views > 0, Temperature: in[0], Progress: in[1],
			MomentumImage: StopGradient(in[5]), MomentumText: StopGradient(in[6]),
			ReferenceImage: StopGradient(in[5]), ReferenceText: StopGradient(in[6]), Items: in[2],
			State:  s.store.Scope("/state"),
			Fields: field.Nodes{field.Progress: in[1], field.Index: in[2], field.Truth: in[3], field.FalseShare: in[4]}}
		f.Left = m.Leaving(f.State, f.Fields)
		z := m.Contrasted(f)
		f.Unpicked(z)
		first := f.Anchors()[0]
		found := LogicalAnd(first.Negative, LogicalNot(f.Kept(first)))
		return append([]*Node{z.Loss, numbers(found, in[5])}, Gradient(z.Loss, append(in[5:], in[0])...)...)
	})
	s.step = func(b minibatch) outcome {
		t.Helper()
		n := b.batch()
		filled := func(x []float32, size int) []float32 {
			if x == nil {
				return make([]float32, size)
			}
			return x
		}
		in := []any{float32(b.tau), float32(b.progress), b.index, tensors.FromFlatDataAndDimensions(filled(b.truth, n*n), n, n),
			tensors.FromFlatDataAndDimensions(filled(b.shares, n*2), n, 2)}
		for _, x := range b.embeddings {
			in = append(in, tensors.FromFlatDataAndDimensions(x, n, b.dim))
		}
		got := call(in...)
		last := len(got) - 1
		return outcome{loss: got[0][0], found: got[1], gradients: got[2:last], tauGradient: got[last][0], state: s.state(t)}
	}
	return s
}

// state are the variables by their paths.
func (s *stage) state(t *testing.T) map[string][]float64 {
	t.Helper()
	all := map[string][]float64{}
	for v := range s.store.Scope("/state").IterVariables() {
		all[v.Path()] = floats(t, v.MustValue())
	}
	return all
}

// sized are embeddings of a mini-batch, of the samples from some on.
func sized(views, batch, dim int, seed uint64, from int32, tau float64) minibatch {
	b := minibatch{dim: dim, tau: tau}
	for len(b.embeddings) < max(views, 2) {
		u, w := embeddings(batch, dim, seed+uint64(len(b.embeddings)))
		b.embeddings = append(b.embeddings, u, w)
	}
	b.embeddings = b.embeddings[:max(views, 2)]
	for i := range batch {
		b.index = append(b.index, from+int32(i))
	}
	return b
}

// globals are the contrasts that keep an average, and their variants.
func globals() map[string]Contrast {
	return map[string]Contrast{
		"SogCLR":         SogCLR{Gamma: 0.9},
		"SogCLR iSogCLR": SogCLR{Gamma: 0.8, As: ByISogCLR, Temperature: 0.2},
		"SogCLR LibAUC":  SogCLR{Gamma: 0.9, As: ByLibAUC, Decay: 2},
		"iSogCLR":        ISogCLR{Gamma: 0.8, Temperature: 0.2, Least: 0.05, Most: 1, Rho: 6, Rate: 0.01, Beta: 0.9},
		"iSogCLR LibAUC": ISogCLR{Gamma: 0.8, Temperature: 0.2, Least: 0.05, Most: 1, Rho: 0.3, Rate: 0.01, Beta: 0.9, As: ByLibAUC},
		"FastCLIP-v0":    FastCLIP{Gamma: 0.2, Decay: 2},
		"FastCLIP-v1":    FastCLIP{Version: 1, Gamma: 0.2, Decay: 2, Temperature: 0.2},
		"FastCLIP-v2":    FastCLIP{Version: 2, Gamma: 0.2, Decay: 2, Temperature: 0.2, Rho: 7, Rate: 0.01},
		"FastCLIP-v3":    FastCLIP{Version: 3, Gamma: 0.2, Decay: 2, Rho: 6.5},
	}
}

// finite reports the first number of an outcome that is none.
func (o outcome) finite() error {
	all := map[string][]float64{"loss": {o.loss}, "gradient of the temperature": {o.tauGradient}}
	for i, g := range o.gradients {
		all[fmt.Sprintf("gradient %d", i)] = g
	}
	for path, values := range o.state {
		all[path] = values
	}
	for name, values := range all {
		for i, x := range values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%s: value %d is %v", name, i, x)
			}
		}
	}
	return nil
}
