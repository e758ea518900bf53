package blip2

import (
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/steptest"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

type tellingContrast struct{ negative.InfoNCE }

func (c tellingContrast) ITC(f negative.Features) negative.Contrasted {
	f.TellShare("true pairs", f.Truth().Holds, f.Truth().Known)
	return c.InfoNCE.ITC(f)
}

type tellingMatching struct{ negative.Hardest }

func (m tellingMatching) Negatives(c negative.Contrasted, noise *Node) (images, texts *Node) {
	c.Tell("negatives", ConstAs(c.I2T, 2*c.I2T.Shape().Dim(0)))
	return m.Hardest.Negatives(c, noise)
}

func (m tellingMatching) Pairs(c negative.Contrasted, noise *Node) negative.Pairs {
	c.Tell("pairs", ConstAs(c.I2T, 3*c.I2T.Shape().Dim(0)))
	return m.Hardest.Pairs(c, noise)
}

type tellingPositives struct{ negative.ECM }

func (p tellingPositives) Connect(c negative.Candidates) negative.Connections {
	c.TellShare("judged", OnesLike(c.ImageScores), OnesLike(c.TextScores))
	return p.ECM.Connect(c)
}

// What a method's parts report on BLIP-2, once, though the losses are built again.
func TestPartsTell(t *testing.T) {
	for _, c := range []struct {
		positives negative.Positives
		want      []field.Number
	}{
		{nil, []field.Number{{Name: "true pairs", Unit: field.Percent, Sum: 5, Of: 9}, {Name: "pairs", Sum: 9, Of: 1}}},
		{tellingPositives{negative.ECM{Low: 0.5, High: 0.8, JudgedBy: negative.Oracle}}, []field.Number{
			{Name: "negatives", Sum: 6, Of: 1}, {Name: "judged", Unit: field.Percent, Sum: 3, Of: 3},
			{Name: "true pairs", Unit: field.Percent, Sum: 5, Of: 9},
		}},
	} {
		m, on, b := small(), enginetest.PureGo(t), three(9)
		u := use(negative.Method{Contrast: tellingContrast{}, Matching: tellingMatching{}, Positives: c.positives}, 3, 9)
		store := initialised(t, on, m, u)
		inputs := m.Inputs(u)
		var forward field.Numbers
		results := steptest.Run(t, on, store, func(s *model.Scope, args []*Node) []*Node {
			nodes := field.Nodes{}
			for k, f := range inputs {
				nodes[f.Name] = args[k]
			}
			truth := Const(args[0].Graph(), b.truth)
			reports := field.NewReports(field.Nodes{field.Truth: truth, field.Known: OnesLike(truth)})
			u.Reporter = reports.By(field.Part("framework", m))
			first := m.Step(s, u, nodes)
			reports.End()
			first.Again(negative.All)
			forward, _ = reports.Numbers()
			return []*Node{reports.Sums()}
		}, b.values(inputs)...)
		sums := results[0]
		if len(forward) != len(c.want) {
			t.Fatalf("reported %+v, want %+v", forward, c.want)
		}
		for k, n := range forward {
			n.Sum, n.Of = sums[2*k], sums[2*k+1]
			if !slices.Contains(c.want, n) {
				t.Errorf("reported %+v, want one of %+v", n, c.want)
			}
		}
	}
}
