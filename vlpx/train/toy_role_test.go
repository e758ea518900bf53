package train_test

import (
	"encoding/json"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/lab"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// pull is a part of a role in one type: captions of one image are drawn together, as strongly as is learned.
type pull struct{ First float64 }

func init() {
	negative.RegisterRole(negative.Role{
		Name: "Pull", Label: "pull", Parts: []negative.Part{
			{Name: "none", What: "nothing is drawn together"},
			{Name: "items", What: "captions of one image are", Value: pull{First: 0.5}},
		},
	})
}

func (pull) Reads() []field.Name { return []field.Name{field.Items} }

func (p pull) Variables(negative.Start) []negative.Variable {
	return []negative.Variable{{Name: "strength", First: p.First}}
}

func (pull) Adjust(f negative.Features, c negative.Contrasted) negative.Contrasted {
	items := f.Fields.Of(field.Items)
	same := Equal(InsertAxes(items, 0), InsertAxes(items, 1))
	same = ConvertDType(LogicalAnd(same, LogicalNot(Diagonal(items.Graph(), items.Shape().Dim(0)))), c.I2T.DType())
	f.TellMean("pulled", "captions", same, OnesLike(items))
	drawn := Sub(f.Variable("strength"), ReduceAllMean(Mul(same, c.I2T)))
	c.Loss = Add(c.Loss, Square(drawn))
	return c
}

func (pull) Observer(negative.Training) negative.Observer { return new(pulls) }

// pulls counts the steps of an epoch.
type pulls struct{ negative.Gathered[int] }

func (pulls) Name() string { return "pulls" }

func (p *pulls) Observe(negative.Step) error {
	*p.Now()++
	return nil
}

func identity(t *testing.T, m negative.Method) string {
	t.Helper()
	text := must.Get(json.Marshal(m))(t)
	return string(text)
}

// TestToyRole: a role that is one type and one registration is checked, read, trained, observed, kept and resumed with the other parts,
// and the bench and the list of methods have it.
func TestToyRole(t *testing.T) {
	method := negative.Method{Name: "pulled", Further: map[string]any{"Pull": pull{First: 0.5}}}.WithDefaults()
	whole := train.Smallest(t, method)
	out := train.Finish(t, whole)
	path := negative.VariablePath("Pull", negative.Variable{Name: "strength"})
	strength := func(job train.Job) float32 {
		m := must.Get(train.Load(job.Backend, job.Config, job.Tokenizer, job.Dir))(t)
		defer m.Close()
		learned, kept, err := m.State(path)
		if err != nil || !kept {
			t.Fatalf("its variable is not kept (%v)", err)
		}
		return learned[0]
	}
	if strength(whole) == 0.5 {
		t.Error("its variable is not trained")
	}
	stopped := train.Smallest(t, method)
	resumed := train.Finish(t, stopped, 2, 5)
	if strength(stopped) != strength(whole) {
		t.Error("stopped, it learns something else")
	}
	for k, epoch := range out.Epochs {
		steps, again := negative.Observed[int](epoch.Observed, "pulls"), negative.Observed[int](resumed.Epochs[k].Observed, "pulls")
		if steps == nil || again == nil || *steps == 0 || *steps != *again ||
			epoch.Counted()["pulled"] != resumed.Epochs[k].Counted()["pulled"] {
			t.Errorf("epoch %d: observed %v and %v, counted %v and %v", k, steps, again, epoch.Counted(), resumed.Epochs[k].Counted())
		}
	}
	other := method
	other.Further = map[string]any{"Pull": pull{First: 0.25}}
	if identity(t, other) == identity(t, method) || identity(t, negative.Plain()) == identity(t, method) {
		t.Error("its part is not in the method's identity")
	}
	wrong := method
	wrong.Further = map[string]any{"Push": pull{}}
	if err := wrong.Validate(); err == nil {
		t.Error("a role that there is not has a part")
	}

	a := paper.PlainAblation(scale.Scales()[0])
	a.Parts["Pull"] = "items"
	row := must.Get(a.Row())(t)
	if m := row.Method(scale.Scales()[0]); m.Further["Pull"] != (pull{First: 0.5}) || row.Name != "items" {
		t.Errorf("the bench composes %+v, called %q", m, row.Name)
	}
	methods, _ := lab.List("methods")
	if !slices.ContainsFunc(methods.Columns, func(c tables.Column) bool { return c.Name == "pull" }) {
		t.Error("the list of methods has no such column")
	}
}
