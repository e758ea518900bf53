package paper

import (
	"testing"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
)

// BenchmarkWriting is what TAGS-DC's sentences cost at mini: steps of UNITER with retrieved negatives, with masked words besides, with
// written sentences and with the tasks on their words in turn, and of ALBEF without and with written sentences. It reports milliseconds a
// step, the sentences that are written and scored a second of what TAGS takes above UNITER+MLM, and their share of its step.
func BenchmarkWriting(b *testing.B) {
	backend, plain := usual(b)
	scale := plain
	must.Do(b, scale.Set("framework=uniter"))
	var all []*contender
	for _, method := range []string{"UNITER", "UNITER+MLM", "TAGS", "TAGS-DC"} {
		all = append(all, contend(b, backend, scale, plan.MethodRow(method), 10_000))
	}
	all = append(all, contend(b, backend, plain, plan.MethodRow("ALBEF"), 10_000),
		contend(b, backend, plain, plan.MethodRow("ALBEF").Writing().As("ALBEF+TAGS"), 10_000))
	inTurn(b, all)
	for k, of := range all {
		first := all[0]
		if k >= 4 {
			first = all[4]
		}
		b.ReportMetric(of.milliseconds(b), of.name+"-ms/step")
		b.ReportMetric(float64(of.took)/float64(first.took), of.name+"/"+first.name)
	}
	writing := all[2].took - all[1].took
	of := plan.MethodRow("TAGS").Method(scale).Writing.(negative.TAGS)
	b.ReportMetric(float64(b.N*scale.BatchSize*of.Masks*of.Refills)/writing.Seconds(), "sentences/s")
	b.ReportMetric(100*float64(writing)/float64(all[2].took), "%-of-TAGS")
}
