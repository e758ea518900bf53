package benchmark

import (
	"context"
	"fmt"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// side is that of the square float32 matrices whose product is an engine's peak: large enough to fill a processor's cores. It is our choice.
const side = 1024

// peakOperations are those of one product.
const peakOperations = 2 * side * side * side

// product is the product of two matrices, which is the most that an engine does in a second.
type product struct {
	exec *graph.Exec
	a, b *tensors.Tensor
}

func newProduct(backend compute.Backend) (*product, error) {
	exec, err := graph.NewExec(backend, func(a, b *graph.Node) *graph.Node { return graph.MatMul(a, b) })
	if err != nil {
		return nil, fmt.Errorf("benchmark: the matrix product of %s: %w", backend.Name(), err)
	}
	ones := func() *tensors.Tensor {
		x := make([]float32, side*side)
		for i := range x {
			x[i] = 1 + float32(i%7)/8
		}
		return tensors.FromFlatDataAndDimensions(x, side, side)
	}
	return &product{exec, ones(), ones()}, nil
}

// turn implements contender.
func (p *product) turn(ctx context.Context) (Times, error) {
	return bursts(ctx, func() (time.Duration, error) {
		begun := time.Now()
		c, err := p.exec.Call(p.a, p.b)
		if err != nil {
			return 0, fmt.Errorf("benchmark: the matrix product: %w", err)
		}
		defer c[0].FinalizeAll()
		err = c[0].ConstFlatData(func(any) {}) // waits for an engine that works behind the program's back
		return time.Since(begun), err
	})
}

func (p *product) close() {
	p.exec.Finalize()
	p.a.FinalizeAll()
	p.b.FinalizeAll()
}
