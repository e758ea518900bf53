package paper

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/plan"
)

// BenchmarkSamples is a training step of the mini preset of a method that keeps numbers of each sample, GloFND, with few samples and with
// ten million, and of InfoNCE, which keeps none: a step of each in turn, on the engine that vlpx would choose. It reports milliseconds a
// step, their ratio to the step with few samples, and the bytes that a sample takes. With -short a million stand for the ten.
func BenchmarkSamples(b *testing.B) {
	const few, many = 10_000, 10_000_000
	backend, scale := usual(b)
	most := many
	if testing.Short() {
		most = many / 10
	}
	all := []*contender{
		contend(b, backend, scale, plan.MethodRow("InfoNCE"), few), contend(b, backend, scale, plan.MethodRow("GloFND"), few),
		contend(b, backend, scale, plan.MethodRow("GloFND"), most),
	}
	bytes := 0
	for v := range all[1].store.Scope(framework.State).IterVariables() {
		if v.DType() == dtypes.Float32 && v.Shape().Size() == few {
			bytes += 4
		}
	}
	inTurn(b, all)
	for _, of := range all {
		b.ReportMetric(of.milliseconds(b), fmt.Sprintf("%s-%g-ms/step", of.name, float64(of.pairs)))
	}
	b.ReportMetric(float64(all[2].took)/float64(all[1].took), "many/few")
	b.ReportMetric(float64(bytes), "B/sample")
}
