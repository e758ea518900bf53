package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// The averages are the weighted means of the weights behind each step, by hand: as a whole, in chunks, and of the running statistics of
// batch normalisation, too. A step that lacked room for its new positives is none.
func TestAverageAgainstDefinition(t *testing.T) {
	const decay = 0.8
	chunked, held := smallest(t, plain), smallest(t, mining())
	change(&chunked, withoutDropout)
	change(&held, withoutDropout)
	for name, job := range map[string]Job{
		"whole": smallest(t, plain), "in chunks": inChunks(t, chunked, 2), "held": held, "ResNet": onSimCLR(t, plain, false),
	} {
		job.Config.EMA = decay
		tr := must.Get(newTrainer(job))(t)
		defer tr.close()
		must.Do(t, tr.store.InitializeVariables(job.Backend, nil))
		in := firstInput(t, tr)
		rooms := []int{tr.room(), tr.room(), tr.room(), tr.room()}
		if name == "held" {
			with(in, field.Truth, allTrue()) // 8 candidates are new positives
			rooms = []int{8, 2, 8, 2}
		}
		before := variables(t, tr.store, framework.Model)
		sums, weight := map[string][]float64{}, 0.0
		for _, room := range rooms {
			out := must.Get(tr.step.Run(in, room))(t)
			if out.Joined > room {
				continue
			}
			weight = decay*weight + 1
			for path := range before {
				now := wide(t, must.Get(tr.store.GetVariable(path).Value())(t))
				if sums[path] == nil {
					sums[path] = make([]float64, len(now))
				}
				for k, x := range now {
					sums[path][k] = decay*sums[path][k] + x
				}
			}
		}
		for path, last := range variables(t, tr.store, framework.Model) {
			average := tr.store.GetVariable(Averages + path)
			if average == nil {
				if last != before[path] {
					t.Errorf("%s: %s changes, and has no average", name, path)
				}
				continue
			}
			for k, got := range wide(t, must.Get(average.Value())(t)) {
				if want := sums[path][k] / weight; math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
					t.Fatalf("%s: %s[%d]: got an average of %g, want %g", name, path, k, got, want)
				}
			}
		}
		if n := len(variables(t, tr.store, Averages+framework.Model)); n < 10 {
			t.Errorf("%s: %d averages", name, n)
		}
	}
}

// Training goes on by the weights, whatever is averaged; evaluation, the run's model and what is loaded have the averages.
func TestAveragesAreTheModel(t *testing.T) {
	without := smallest(t, negative.ALBEF(8))
	finish(t, without)
	stores := [2]map[string]string{}
	plainStore, _ := saved(t, without.Dir)
	stores[0] = variables(t, plainStore, framework.Model)

	job := smallest(t, negative.ALBEF(8))
	job.Config.EMA = 0.7
	var measured map[string]string
	job.Evaluate = func(_ context.Context, m *Model, _ int) (map[string]float64, error) {
		measured = variables(t, m.store, framework.Model)
		return nil, nil
	}
	m, _ := must.Get2(Train(t.Context(), job))(t)
	defer m.Close()
	store, _ := saved(t, job.Dir)
	stores[1] = variables(t, store, framework.Model)
	same(t, "the weights beside the averages", stores[1], stores[0])
	averages := map[string]string{}
	for path, value := range variables(t, store, Averages+framework.Model) {
		averages[strings.TrimPrefix(path, Averages)] = value
	}
	same(t, "what is measured", measured, averages)
	same(t, "the model", variables(t, m.store, framework.Model), averages)
	loaded := must.Get(Load(job.Backend, job.Config, job.Tokenizer, job.Dir))(t)
	defer loaded.Close()
	same(t, "the model that is loaded", variables(t, loaded.store, framework.Model), averages)

	following := smallest(t, plain)
	following.Config.Init, following.Init = "earlier", job.Dir
	next := must.Get(newTrainer(following))(t)
	defer next.close()
	same(t, "what a run starts from", variables(t, next.store, framework.Model), averages)
}

// A run with averages ends in the same bits wherever it was stopped, in an evaluation, too, and keeps the averages of its best epoch.
func TestAverageResumes(t *testing.T) {
	values := []float64{1, 3, 2}
	averaging := func() (Job, *[]map[string]string) {
		job, weights := selecting(t, values...)
		job.Config.EMA = 0.7
		return job, weights
	}
	whole, weights := averaging()
	finish(t, whole)
	store, _ := saved(t, whole.Dir)
	want := variables(t, store, "/")
	loaded := must.Get(Load(whole.Backend, whole.Config, whole.Tokenizer, whole.Dir))(t)
	defer loaded.Close()
	same(t, "the best epoch's averages", variables(t, loaded.store, framework.Model), (*weights)[1])

	stopped, _ := averaging()
	finish(t, stopped, 3, 7)
	store, _ = saved(t, stopped.Dir)
	same(t, "stopped", variables(t, store, "/"), want)

	interrupted, _ := averaging()
	evaluate, calls := interrupted.Evaluate, 0
	ctx, cancel := context.WithCancel(t.Context())
	interrupted.Evaluate = func(of context.Context, m *Model, epoch int) (map[string]float64, error) {
		if calls++; calls == 2 {
			cancel()
			return nil, of.Err()
		}
		return evaluate(of, m, epoch)
	}
	must.Fail(t, must.Err2(Train(ctx, interrupted)), "context canceled")
	finish(t, interrupted)
	store, _ = saved(t, interrupted.Dir)
	same(t, "stopped in an evaluation", variables(t, store, "/"), want)
}

func TestAverageMistakes(t *testing.T) {
	for _, decay := range []float64{-0.1, 1, math.NaN()} {
		job := smallest(t, plain)
		job.Config.EMA = decay
		must.Fail(t, job.Config.Validate(), "lies in [0, 1)")
	}
}
