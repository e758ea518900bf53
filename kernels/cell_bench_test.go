package kernels_test

import (
	"fmt"
	"testing"
	"time"

	"vlpx.internal/internal/test/kerneltest"
	"vlpx.internal/kernels"
)

// BenchmarkCells tells what a cell takes from being sent to its end, in a kernel with a warm build cache: the first that calls vlpx, those
// after it, each with another call, and one that is run again unchanged.
func BenchmarkCells(b *testing.B) {
	nbconvert, err := kernels.Nbconvert()
	if err != nil {
		kerneltest.Skip(b, "notebook", err.Error())
	}
	prefix := kerneltest.Prefix(b)
	var first, later, again time.Duration
	const changes = 4
	for b.Loop() {
		k := startKernel(b, prefix, nbconvert, b.TempDir())
		cell := func(code string) time.Duration {
			start := time.Now()
			if answer := k.do("cell", code); answer.Status != "ok" {
				b.Fatalf("%s: %s", code, answer.Stderr)
			}
			return time.Since(start)
		}
		cell(importing)
		code := ""
		for change := range changes + 1 {
			code = fmt.Sprintf("%%%%\nvlpx.Show(\"falcon/table%d\", vlpx.Options{Scale: \"tiny\"})", []int{5, 6, 1, 2, 4}[change])
			if took := cell(code); change == 0 {
				first += took
			} else {
				later += took / changes
			}
		}
		again += cell(code)
	}
	for name, took := range map[string]time.Duration{"first": first, "later": later, "again": again} {
		b.ReportMetric(took.Seconds()/float64(b.N), "s/"+name)
	}
}
