package engine

import (
	"fmt"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

const (
	speedSide = 512                    // the matrices are [speedSide, speedSide]
	speedTime = 300 * time.Millisecond // how long to repeat the product, at least
)

// Speed returns how many 10^9 floating-point operations a second a backend reaches on the product of two 512x512 float32
// matrices, 2*512^3 operations each, repeated for about 0.3 s after one for warming up. It orders the engines of one
// machine; it does not predict a training step, which is made of more than products, and a GPU is far from filled by it.
func Speed(backend compute.Backend) (gflops float64, err error) {
	product, err := graph.NewExec1(backend, func(a, b *graph.Node) *graph.Node { return graph.MatMul(a, b) })
	if err != nil {
		return 0, fmt.Errorf("engine: speed of %s: %w", backend.Name(), err)
	}
	defer product.Finalize()
	a := tensors.FromShape(shapes.Make(dtypes.Float32, speedSide, speedSide))
	b := tensors.FromShape(a.Shape())
	defer a.FinalizeAll()
	defer b.FinalizeAll()

	multiply := func(read bool) error {
		c, err := product.Call1(a, b)
		if err != nil {
			return fmt.Errorf("engine: speed of %s: %w", backend.Name(), err)
		}
		defer c.FinalizeAll()
		if read { // waits for the device, which may work behind the program's back
			return c.ConstFlatData(func(any) {})
		}
		return nil
	}
	if err := multiply(true); err != nil {
		return 0, err
	}
	start := time.Now()
	for n := 1; ; n++ {
		last := time.Since(start) >= speedTime
		if err := multiply(last); err != nil {
			return 0, err
		}
		if last {
			return 2 * speedSide * speedSide * speedSide * float64(n) / time.Since(start).Seconds() / 1e9, nil
		}
	}
}
