package bench

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	_ "vlpx.internal/vlpx/framework/all"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// executor is one on the pure-Go engine with an empty store.
func executor(t *testing.T) *run.Executor {
	t.Helper()
	backend := enginetest.PureGo(t)
	return &run.Executor{Store: run.OpenStore(t.TempDir()), Backend: backend, Engine: "go:ops_sequential"}
}

// tiny is a method's run at tiny with settings.
func tiny(t *testing.T, method string, set ...string) Case {
	t.Helper()
	row := must.Get(plan.Variant(method, nil))(t)
	artifact := must.Get(paper.Compared([]plan.Row{row}))(t)
	plan := must.Get(paper.NewPlan(artifact, plan.Request{Scale: "tiny", Seeds: []uint64{1}, Set: set}))(t)
	return Case{Scale: "tiny", Run: plan.Rows[0][0]}
}

// probe opens a case.
func probe(t *testing.T, e *run.Executor, c Case) *run.Probe {
	t.Helper()
	p := must.Get(e.Probe(t.Context(), c.Run, engine.Operations))(t)
	t.Cleanup(p.Close)
	return p
}

func TestMeasure(t *testing.T) {
	cases := []Case{tiny(t, "FALCON", "framework=clip", "batchsize=4"), tiny(t, "InfoNCE", "framework=OPT")}
	result := must.Get(Measure(t.Context(), executor(t), cases, Settings{Rounds: 1}, nil))(t)
	var got []string
	for _, l := range result.Lines {
		got = append(got, l.Framework+" "+l.Kind+" "+l.What)
		if !(l.Median > 0 && l.Quartile1 <= l.Median && l.Median <= l.Quartile3) || len(l.Seconds) < 3 {
			t.Errorf("%s: got %d times with quartiles %v, %v and %v", got[len(got)-1], len(l.Seconds), l.Quartile1, l.Median, l.Quartile3)
		}
		if step := l.Kind == Step; step != (l.Operations > 0) || step != (l.Share > 0) || step != (l.Up > 0) {
			t.Errorf("%s: got %v operations, a share of %v, %d bytes up", got[len(got)-1], l.Operations, l.Share, l.Up)
		}
	}
	want := []string{"step forward", "step forward and backward", "step whole step", "loader a mini-batch", "sampler a mini-batch",
		"evaluation the test split"}
	for _, framework := range []string{"CLIP", "OPT"} {
		for _, line := range want {
			if !slices.Contains(got, framework+" "+line) {
				t.Errorf("got no line %q of %s in %q", line, framework, got)
			}
		}
	}
	if !slices.Contains(got, "OPT generation a text") || len(result.Left) != 1 {
		t.Errorf("got lines %q, and %q left out; want texts of OPT, and none of CLIP", got, result.Left)
	}
	var text strings.Builder
	if err := result.Table().Markdown(&text); err != nil || !strings.Contains(text.String(), "CLIP, FALCON, batch 4: whole step") {
		t.Errorf("got %v and the table\n%s", err, text.String())
	}
}

// A step of CLIP has as many operations as its sizes say: the backward pass has two products for each of the forward pass, but for the
// patches, whose pixels need no gradient. In the last layer of texts only their ends ask.
func TestOperationsOfCLIP(t *testing.T) {
	c := tiny(t, "InfoNCE", "framework=clip")
	p, of := probe(t, executor(t), c), c.Run.Train
	in := must.Get(p.Load(t.Context()))(t)
	defer in.Release()
	m := of.Framework.Framework.(clip.Model)
	layer := func(tokens, asking, width, mlp int) float64 {
		return float64(tokens*2*width*width + asking*(2*width*width+2*width*mlp+2*tokens*width))
	}
	layers := func(count, tokens, width, mlp int) float64 { return float64(count) * layer(tokens, tokens, width, mlp) }
	batch := float64(of.BatchSize)
	patches := batch * float64((m.Vision.Tokens()-1)*m.Vision.Patch*m.Vision.Patch*3*m.Vision.Width)
	others := batch * (layers(m.Vision.Layers, m.Vision.Tokens(), m.Vision.Width, m.Vision.MLP) + float64(m.Vision.Width*m.Embed) +
		layers(m.Text.Layers-1, of.MaxLen, m.Text.Width, m.Text.MLP) + layer(of.MaxLen, 1, m.Text.Width, m.Text.MLP) +
		float64(m.Text.Width*m.Embed) + batch*float64(m.Embed))
	for part, want := range map[train.Part]float64{
		train.Forward: 2 * (patches + others), train.Backward: 2 * (2*patches + 3*others), train.Whole: 2 * (2*patches + 3*others),
	} {
		out := must.Get(p.Run(part, in))(t)
		out.Release()
		if got, err := p.Operations(part); err != nil || got != want {
			t.Errorf("%s: got %v operations, %v; want %v", part, got, err, want)
		}
	}
}

// A probe's whole step is training's: it lowers the loss of the mini-batch that it learns from, and the other parts leave the weights.
func TestStepLearns(t *testing.T) {
	p := probe(t, executor(t), tiny(t, "InfoNCE"))
	in := must.Get(p.Load(t.Context()))(t)
	defer in.Release()
	loss := func(part train.Part) float64 {
		out := must.Get(p.Run(part, in))(t)
		defer out.Release()
		return out.Loss()
	}
	first := loss(train.Forward)
	for _, part := range []train.Part{train.Backward, train.Whole} {
		if got := loss(part); math.Abs(got-first) > 1e-5 {
			t.Errorf("%s: got a loss of %v, want %v as before", part, got, first)
		}
	}
	for range 5 {
		loss(train.Whole)
	}
	if last := loss(train.Forward); !(last < first-0.1) {
		t.Errorf("got a loss of %v after six steps on the same mini-batch, %v before", last, first)
	}
}

func TestSettingsMistakes(t *testing.T) {
	for _, c := range []struct {
		settings Settings
		want     string
	}{
		{Settings{Kinds: []string{"steps"}}, `no "steps" to measure; there are step, loader`},
		{Settings{Rounds: -1}, "-1 rounds"},
		{Settings{Kinds: []string{Loader}, Peer: true}, "add step"},
		{Settings{Costs: true, Peer: true}, "costs are measured alone"},
		{Settings{Runs: []int{2, 1}}, "1 for the number of runs at once; take 2 or more"},
		{Settings{Runs: []int{2}}, "set Settings.Again"},
		{Settings{Apart: true}, "set Settings.Again"},
		{Settings{Apart: true, Kinds: []string{Step}}, "steps in chunks are measured alone; leave out peer, runs, what"},
		{Settings{Pairs: []int{100}}, "ask for costs, too"},
		{Settings{Workers: 2}, "ask for costs, too"},
		{Settings{Costs: true, Pairs: []int{0}}, "costs of 0 training pairs"},
		{Settings{Costs: true, Workers: -1}, "-1 workers"},
	} {
		must.Fail(t, must.Err(Measure(t.Context(), nil, nil, c.settings, nil)), c.want, "%+v", c.settings)
	}
}

func TestMeasureStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Measure(ctx, executor(t), []Case{tiny(t, "InfoNCE")}, Settings{Kinds: []string{Step}, Rounds: 1000},
		func(string) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}

func TestTimes(t *testing.T) {
	times := Times{4, 1, 3, 2}
	first, third := times.Quartiles()
	if got := []float64{first, times.Median(), third}; !slices.Equal(got, []float64{1.75, 2.5, 3.25}) {
		t.Errorf("got quartiles %v of %v, want 1.75, 2.5 and 3.25", got, times)
	}
	if got := (Times{5, 9, 7}).Median(); got != 7 {
		t.Errorf("got the median %v, want 7", got)
	}
	if times[0] != 4 || (Times{}).Median() != 0 {
		t.Errorf("the order changed: %v; or none have the median %v", times, Times{}.Median())
	}
}
