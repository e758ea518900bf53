package ours

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/papers/glofnd"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// SRCL without weights weighs all negatives alike; with exact ones it is the same, without the false ones.
func TestCeilingsWeights(t *testing.T) {
	backend := enginetest.PureGo(t)
	s := must.Get(scale.Preset("tiny", false))(t).Resolved()
	method := func(name string) negative.Method { return papertest.RowNamed(ceilings.Rows, name).Method(s) }
	u, w := [][]float32{{1, 0}, {0.6, 0.8}, {0, 1}}, [][]float32{{0.8, 0.6}, {0, 1}, {-1, 0}}
	weights := must.Get(CallOnceN(backend, func(u, w *Node) []*Node {
		f := negative.Features{Image: u, Text: w, ReferenceImage: u, ReferenceText: w, Temperature: ConstAs(u, 0.3), Progress: ConstAs(u, 0.5)}
		return []*Node{method(unweighted).Contrast.ITC(f).Weights, method(regulated).Contrast.ITC(f).Weights}
	}, u, w))(t)
	alike, own := weights[0].Value().([][]float32), weights[1].Value().([][]float32)
	for i := range alike {
		for j, x := range alike[i] {
			if i != j && math.Abs(float64(x-1)) > 1e-5 {
				t.Errorf("without weights negative %d of anchor %d weighs %v", j, i, x)
			}
		}
	}
	if math.Abs(float64(own[0][2]-1)) < 0.1 {
		t.Errorf("SRCL weighs %v, as without weights", own)
	}
	if m := method(exactly); m.LeftOut != (negative.Exact{}) || m.Contrast != method(unweighted).Contrast {
		t.Errorf("got exact weights by %+v and %+v", m.LeftOut, m.Contrast)
	}
}

// By fine classes the runs are those of GloFND's table 1, which are not made again; on scenes coarse classes are the same.
func TestImageCeilingsShare(t *testing.T) {
	p := papertest.Plan(t, Artifacts(), "vlpx/ceilings-images", plan.Request{Scale: "tiny", Data: "scenes", Seeds: []uint64{1}})
	table := papertest.Plan(t, glofnd.Artifacts(), "glofnd/table1", plan.Request{Scale: "tiny", Data: "scenes", Seeds: []uint64{1}})
	for i := range 4 {
		if got, want := p.Rows[i+4][0].ID(), p.Rows[i][0].ID(); got != want {
			t.Errorf("%s: got another run than by fine classes", p.Artifact.Rows[i+4].Name)
		}
		if i < 3 && p.Rows[i][0].ID() != table.Rows[i][0].ID() {
			t.Errorf("%s: got another run than table 1's", p.Artifact.Rows[i].Name)
		}
		if task := p.Jobs[i][0][1].Task; task != (eval.TenLabels{}) {
			t.Errorf("%s: got the measure %T", p.Artifact.Rows[i].Name, task)
		}
	}
}
