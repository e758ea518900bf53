package train

import (
	"math"
	"slices"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/negative"
)

// What saves memory on a GPU gives the same losses and gradients, dropout included, on every engine: activations that are computed again,
// and the engine's own attention.
func TestSavingMemoryChangesNothing(t *testing.T) {
	for _, name := range slices.Concat([]string{"go:ops_sequential"}, enginetest.Compiled) {
		t.Run(name, func(t *testing.T) {
			backend := enginetest.Open(t, name)
			for what, saving := range map[string]func(*albef.Model){
				"recompute": func(a *albef.Model) { a.Vision.Recompute, a.Text.Recompute = true, true },
				"fused":     func(a *albef.Model) { a.Vision.Fused = true },
			} {
				t.Run(what, func(t *testing.T) {
					var jobs [2]Job
					for i := range jobs {
						jobs[i] = smallest(t, negative.ALBEF(8))
						jobs[i].Backend = backend
					}
					change(&jobs[1], saving)
					sideBySide(t, 1, jobs, func(_, step int, runs [2]*trainer, outs [2]Output) {
						want, got := outs[0].told(), outs[1].told()
						for name, x := range want {
							if off := math.Abs(got[name] - x); !(off <= 1e-5*math.Abs(x)) {
								t.Errorf("step %d, %s: got %g, want %g", step, name, got[name], x)
							}
						}
						if step == 0 {
							sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 1e-5, 1e-6)
						}
					})
				})
			}
		})
	}
}
