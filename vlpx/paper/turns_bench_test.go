package paper

import (
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// contender is a method whose training step is timed in turn with others', on noise and as if so many pairs were there.
type contender struct {
	name  string
	pairs int
	store *model.Store
	step  *train.Step
	in    field.Values
	took  time.Duration
}

// contend prepares the step of a row.
func contend(b *testing.B, backend compute.Backend, s scale.Scale, row plan.Row, pairs int) *contender {
	const vocab = 37 // of the captions of mini
	c := s.Runs(run.Data{}, run.Vocabulary{}, vocab, row.Method(s), []uint64{1})[0].Train
	if r, regional := c.Framework.Framework.(framework.Regional); regional {
		c.Framework.Framework = r.WithRegions(4, 128) // as scenes have them
	}
	of := &contender{name: row.Name, pairs: pairs, store: model.NewStore(), in: randomInput(b, c)}
	b.Cleanup(of.store.Finalize)
	start := negative.Start{Pairs: pairs, BatchSize: c.BatchSize, Dim: framework.Dim(c.Framework.Framework), Epochs: 1, Seed: c.Seed}
	must.Do(b, framework.Initialise(c.Framework.Framework, c.Use(), backend, of.store, start))
	of.step = train.NewStep(backend, of.store, c)
	b.Cleanup(of.step.Close)
	return of
}

// run makes the k-th step, with other samples than the one before.
func (of *contender) run(b *testing.B, k int) {
	in := copied(b, of.in) // as a mini-batch comes from the host
	defer in.Release()
	if index := in[field.Index]; index != nil {
		ids := make([]int32, index.Shape().Size())
		for i := range ids {
			ids[i] = int32((k*len(ids) + i) * 7919 % of.pairs)
		}
		in[field.Index] = tensors.FromValue(ids)
		index.FinalizeAll()
	}
	begun := time.Now()
	out := must.Get(of.step.Run(in, 0))(b)
	of.took += time.Since(begun)
	out.Release()
}

// inTurn makes a step of each contender in turn, who is first by turns, too, after three that do not count.
func inTurn(b *testing.B, all []*contender) {
	const warm = 3
	for k := range warm {
		for _, of := range all {
			of.run(b, k)
			of.took = 0
		}
	}
	k := warm
	for b.Loop() {
		for turn := range all {
			all[(k+turn)%len(all)].run(b, k)
		}
		k++
	}
	b.ReportMetric(0, "ns/op")
}

// milliseconds are those of a step.
func (of *contender) milliseconds(b *testing.B) float64 {
	return float64(of.took) / float64(b.N) / float64(time.Millisecond)
}

// BenchmarkOverhead is what leaving negatives out costs SogCLR at mini: steps of SogCLR, FNC and GloFND in turn, on the engine that vlpx
// would choose. It reports milliseconds a step, and their ratio to SogCLR's (GloFND reports 1.02 an epoch).
func BenchmarkOverhead(b *testing.B) {
	backend, scale := usual(b)
	must.Do(b, scale.Set("framework=simclr"))
	scale.Global.Begin = 0 // from the first step on
	var all []*contender
	for _, method := range []string{"SogCLR", "FNC", "GloFND"} {
		all = append(all, contend(b, backend, scale, plan.MethodRow(method), 10_000))
	}
	inTurn(b, all)
	for _, of := range all {
		b.ReportMetric(of.milliseconds(b), of.name+"-ms/step")
		b.ReportMetric(float64(of.took)/float64(all[0].took), of.name+"/SogCLR")
	}
}
