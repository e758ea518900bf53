package framework

import (
	"fmt"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/machine"
)

// fits reports a model, with its moments and three mini-batches, that is larger than a machine's memory, in bytes; 0 where that is unknown.
// It is judged by shapes, before memory is taken. Activations come on top.
func fits(f Framework, u Use, store *model.Store, memory uint64) error {
	numbers, bytes := 0., 0. // of products that no whole number may hold
	for v := range store.IterVariables() {
		n := float64(v.DType().Size())
		for _, dim := range v.Shape().Dimensions {
			n *= float64(dim)
		}
		numbers += n / float64(v.DType().Size())
		if bytes += n; v.Trainable {
			bytes += 2 * n
		}
	}
	batch := 0.
	for _, x := range f.Inputs(u) {
		n := float64(x.Shape.DType.Size())
		for _, dim := range x.Shape.Dimensions {
			n *= float64(dim)
		}
		batch += n
	}
	if memory == 0 || bytes+ahead*batch <= float64(memory) {
		return nil
	}
	const gib = 1 << 30
	return fmt.Errorf("framework: %s of %.3g numbers takes %.3g GiB with its moments, and mini-batches of %d take %.3g GiB each; this machine "+
		"has %.3g GiB: use smaller ones (settings width, textwidth, mlp, embed, visionlayers, textlayers, image, batchsize)",
		f.Name(), numbers, bytes/gib, u.Batch, batch/gib, float64(memory)/gib)
}

// ahead is the number of mini-batches in memory at once: the loader has two while one is learned from.
const ahead = 3

// judged is [fits] on this machine.
func judged(f Framework, u Use, store *model.Store) error {
	total, _ := machine.Memory()
	return fits(f, u, store, total)
}
