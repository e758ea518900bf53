package plan_test

import (
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Runs of a seed share scenes, warm start and first weights, whatever the method; runs of two seeds share none of them.
func TestBlockScenes(t *testing.T) {
	grouped := plan.Row{Name: "grouped", Method: func(scale.Scale) negative.Method {
		m := negative.Plain()
		m.Batches = negative.Grouped{SearchSpace: 16}
		return m
	}}
	plain := plan.Row{Name: "plain", Method: func(scale.Scale) negative.Method { return negative.Plain() }}
	e := plan.Experiment{ID: "test", Rows: []plan.Row{grouped, plain}}
	seeds := []uint64{2, 5}
	p := must.Get(plan.New(e, plan.Request{Scale: "tiny", Seeds: seeds, Set: []string{"blockscenes=true", "warmstart=1"}}))(t)
	for i, runs := range p.Rows {
		for k, r := range runs {
			if r.Data.Scenes.Seed != seeds[k] || r.Train.Seed != seeds[k] {
				t.Errorf("%s, seed %d: scenes of %d, trained with %d", e.Rows[i].Name, seeds[k], r.Data.Scenes.Seed, r.Train.Seed)
			}
			if w := r.Init; w.Data.Hash != r.Data.Hash || w.Train.Seed != seeds[k] || w.ID() != p.Rows[0][k].Init.ID() {
				t.Errorf("%s, seed %d: a warm start of seed %d", e.Rows[i].Name, seeds[k], w.Train.Seed)
			}
		}
		if runs[0].Data.Hash == runs[1].Data.Hash || runs[0].Init.ID() == runs[1].Init.ID() {
			t.Errorf("%s: two seeds share scenes or warm start", e.Rows[i].Name)
		}
	}
	if p.Data.Hash != p.Rows[0][0].Data.Hash {
		t.Error("the plan's data are not those of the first seed")
	}
	one := must.Get(p.RunsOf(grouped, seeds[1:]))(t)
	if !slices.EqualFunc(one.Runs, p.Rows[0][1:], func(a, b run.Run) bool { return a.ID() == b.ID() }) {
		t.Error("a seed's run depends on the other seeds")
	}
	shared := must.Get(plan.New(e, plan.Request{Scale: "tiny", Seeds: seeds, Set: []string{"warmstart=1"}}))(t)
	if r := shared.Rows[0]; r[0].Data.Hash != r[1].Data.Hash || r[0].Init.ID() != r[1].Init.ID() {
		t.Error("without it seeds do not share scenes and warm start")
	}
}

func TestBlockScenesRefused(t *testing.T) {
	e := plan.Experiment{ID: "test", Rows: []plan.Row{{Name: "one", Method: func(scale.Scale) negative.Method { return negative.Plain() }}}}
	for _, c := range []struct {
		seeds []uint64
		set   []string
		want  string
	}{
		{[]uint64{0, 1}, nil, "seed 0"},
		{nil, []string{"scenes.seed=7"}, "scenes.seed=7"},
	} {
		_, err := plan.New(e, plan.Request{Scale: "tiny", Seeds: c.seeds, Set: append(c.set, "blockscenes=true")})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want an error about %q", c, err, c.want)
		}
	}
}
