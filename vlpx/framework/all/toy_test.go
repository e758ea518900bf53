package all_test

import (
	"context"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// toy is a framework of the promised size: a linear function of the pixels, and the mean of the words.
type toy struct{ Image, Vocab, Embed int }

// toySizes are what it has besides a scale's.
type toySizes struct{ Numbers int }

func (toy) Name() string                { return "Toy" }
func (toy) Losses() []negative.Loss     { return []negative.Loss{negative.ITC} }
func (t toy) Dim() int                  { return t.Embed }
func (toy) Check(u framework.Use) error { return nil }

func (t toy) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions, field.Progress), u.Images(field.Image, t.Image, t.Image, 3))
}

func (t toy) EmbedImage(s *model.Scope, images *Node) framework.Embedded {
	pixels := Reshape(images, -1, t.Image*t.Image*3)
	return framework.Embedded{Feature: framework.Normalise(encoder.Linear(s.In("image"), pixels, t.Embed, false))}
}

func (t toy) EmbedText(s *model.Scope, ids *Node) framework.Embedded {
	words := encoder.Variable(s.In("text"), ids.Graph(), encoder.Embedding, t.Vocab, t.Embed)
	return framework.Embedded{Feature: framework.Normalise(ReduceMean(Gather(words, InsertAxes(ids, -1)), 1))}
}

func (t toy) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	temperature := func(_ *model.Scope, g *Graph) *Node { return Const(g, float32(0.1)) }
	return framework.Contrast(s, u, in, framework.Contrasting{Temperature: temperature, Embed: func(s *model.Scope, in field.Nodes) []*Node {
		return []*Node{t.EmbedImage(s, in.Of(field.Image)).Feature, t.EmbedText(s, in.Of(field.Captions)).Feature}
	}})
}

// A framework is a type and its entry, its own sizes included. Then -framework knows it: it is planned with them, trained, measured and
// read back, and its settings are there for it alone.
func TestAFrameworkIsATypeAndItsEntry(t *testing.T) {
	framework.Register(toy{})
	plan.Register(plan.Framework{Kind: scale.Kind{
		Name: "Toy", What: "a linear function of the pixels, and the mean of the words",
		Own:      func(name string) any { return map[string]toySizes{"tiny": {Numbers: 8}}[name] },
		Settings: []scale.Settable{{Name: "numbers", Unit: "numbers", Says: "length of the toy's vectors", Also: []string{"dims"}}},
		Build: func(s scale.Scale, vocab int) framework.Framework {
			return toy{s.Image, vocab, scale.Own[toySizes](s).Numbers}
		},
	}})
	o := lab.Options{Scale: "tiny", Framework: "toy", Seeds: []uint64{1}, Home: t.TempDir(), Set: []string{"epochs=1"}}
	grid := must.Get(lab.OpenComparison([]string{"InfoNCE", "GRIT-VLP"}, o))(t)
	must.Do(t, grid.Make(context.Background(), nil))
	for _, runs := range grid.Plan.Rows {
		if f, is := runs[0].Train.Framework.Framework.(toy); !is || f.Embed != 8 || f.Vocab < 10 {
			t.Errorf("%s is planned on %+v", runs[0].Train.Method.Name, runs[0].Train.Framework.Framework)
		}
		result := must.Get(grid.Store.Result(runs[0]))(t)
		if _, measured := result.Metrics["cosine "+string(eval.IRMAP)]; !measured {
			t.Errorf("%s is measured by %v", result.Method, result.Metrics)
		}
	}
	wider := must.Get(plan.Variant("InfoNCE, dims=12", nil))(t)
	p := must.Get(plan.New(plan.Experiment{ID: "test/toy", Rows: []plan.Row{wider}}, plan.Request{Scale: "tiny", Seeds: []uint64{1},
		Set: []string{"framework=Toy"}}))(t)
	if f := p.Rows[0][0].Train.Framework.Framework.(toy); f.Embed != 12 {
		t.Errorf("numbers=12 gives %+v", f)
	}
	o.Set = []string{"numbers=12"}
	for name, is := range map[string]string{"": "ALBEF", "clip": "CLIP"} {
		o.Framework = name
		must.Fail(t, must.Err(lab.OpenComparison([]string{"InfoNCE"}, o)), "numbers is a setting of Toy, not of "+is)
	}
	o.Framework, o.Set = "toyy", nil
	must.Fail(t, must.Err(lab.OpenComparison([]string{"InfoNCE"}, o)), `did you mean "Toy"?`)
}
