package paper

import (
	"fmt"
	"testing"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// BenchmarkSamples is a training step of the mini preset of a method that keeps numbers of each sample, GloFND, with few samples and with ten
// million, and of InfoNCE, which keeps none: a step of each in turn, on the engine that vlpx would choose. It reports milliseconds a step,
// their ratio to the step with few samples, and the bytes that a sample takes. With -short a million stand for the ten.
func BenchmarkSamples(b *testing.B) {
	const few, many, vocab = 10_000, 10_000_000, 37
	backend, scale := usual(b)
	type trained struct {
		name  string
		pairs int
		store *model.Store
		step  *train.Step
		in    field.Values
		took  time.Duration
	}
	most := many
	if testing.Short() {
		most = many / 10
	}
	all := []*trained{{name: "InfoNCE", pairs: few}, {name: "GloFND", pairs: few}, {name: "GloFND", pairs: most}}
	for _, of := range all {
		c := scale.Runs(run.Data{}, run.Vocabulary{}, vocab, MethodRow(of.name).Method(scale), []uint64{1})[0].Train
		of.store = model.NewStore()
		defer of.store.Finalize()
		start := negative.Start{Pairs: of.pairs, BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: 1, Seed: c.Seed}
		if err := framework.Initialise(c.Framework.Framework, c.Use(), backend, of.store, start); err != nil {
			b.Fatal(err)
		}
		of.step = train.NewStep(backend, of.store, c)
		defer of.step.Close()
		of.in = randomInput(b, c)
	}
	bytes := 0
	for v := range all[1].store.Scope(framework.State).IterVariables() {
		if v.DType() == dtypes.Float32 && v.Shape().Size() == few {
			bytes += 4
		}
	}
	one := func(of *trained, k int) {
		in := copied(b, of.in) // as a mini-batch comes from the host
		defer in.Release()
		if index := in[field.Index]; index != nil {
			ids := make([]int32, scale.BatchSize)
			for i := range ids {
				ids[i] = int32((k*len(ids) + i) * 7919 % of.pairs)
			}
			in[field.Index] = tensors.FromValue(ids)
			index.FinalizeAll()
		}
		begun := time.Now()
		out, err := of.step.Run(in, 0)
		if err != nil {
			b.Fatal(err)
		}
		of.took += time.Since(begun)
		out.Release()
	}
	for k := range 3 {
		for _, of := range all {
			one(of, k)
			of.took = 0
		}
	}
	k := 3
	for b.Loop() {
		for turn := range all {
			one(all[(k+turn)%len(all)], k)
		}
		k++
	}
	for _, of := range all {
		ms := float64(of.took) / float64(b.N) / float64(time.Millisecond)
		b.ReportMetric(ms, fmt.Sprintf("%s-%g-ms/step", of.name, float64(of.pairs)))
	}
	b.ReportMetric(float64(all[2].took)/float64(all[1].took), "many/few")
	b.ReportMetric(float64(bytes), "B/sample")
	b.ReportMetric(0, "ns/op")
}
