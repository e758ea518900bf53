package train

import (
	"maps"
	"slices"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// inShards is a set in three shards.
type inShards struct{ datasets.Set }

func (inShards) Shards() []int { return []int{0, 4, 8} }

// A run goes through the pairs in the order that the shards of its data give: two captions an image, so from pairs 0, 8 and 16.
func TestShardsReachTheSampler(t *testing.T) {
	m := negative.Plain()
	m.Batches = negative.Streamed{}
	job := smallest(t, m)
	job.Set = inShards{job.Set}
	trainer := must.Get(newTrainer(job))(t)
	defer trainer.close()
	defer trainer.store.Finalize()
	want := must.Get(m.Batches.Start(negative.Start{
		Pairs: 22, BatchSize: 4, Dim: framework.Dim(job.Config.Framework.Framework), Epochs: 3, Seed: job.Config.Seed,
		Shards: []int{0, 8, 16},
	}))(t)
	steps := must.Get(trainer.sampler.Epoch(0))(t)
	must.Get(want.Epoch(0))(t)
	for k := range steps {
		got := must.Get(trainer.sampler.Next())(t)
		if batch, _ := want.Next(); !slices.Equal(got, batch) {
			t.Errorf("mini-batch %d: got pairs %v, want %v", k, got, batch)
		}
	}
}

// A run in the order of shards that is stopped goes on to the weights of one that is not.
func TestStreamedRunResumes(t *testing.T) {
	m := negative.Plain()
	m.Batches = negative.Streamed{Workers: 2, Buffer: 5}
	job := func() Job {
		j := smallest(t, m)
		j.Set = inShards{j.Set}
		return j
	}
	whole, stopped := job(), job()
	finish(t, whole)
	finish(t, stopped, 2, 7)
	got, _ := saved(t, stopped.Dir)
	want, _ := saved(t, whole.Dir)
	if !maps.Equal(variables(t, got, "/"), variables(t, want, "/")) {
		t.Error("a stopped run ends in other weights")
	}
}
