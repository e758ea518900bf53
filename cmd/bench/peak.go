package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// precision is how products are computed, as tables call it.
type precision string

const (
	float32s precision = "float32"
	tf32     precision = "TF32"
	bfloat16 precision = "bfloat16"
)

// side is that of the square matrices whose product is an engine's peak: large enough to fill a processor's cores. A GPU takes larger ones,
// several products in a chain, so that what is between the calls counts for little. All are our choice.
const (
	side     = 1024
	wide     = 8192
	products = 4
)

// product is a product of two matrices, or a chain of them, which is the most that an engine does in a second.
type product struct {
	exec       *Exec
	a, b       *tensors.Tensor
	operations float64 // of a call
}

// newProduct prepares the product at a precision. Pure Go and ONNX Runtime have theirs in float32, which is their fastest.
func newProduct(backend compute.Backend, of precision, gpu bool) (*product, error) {
	side, times, dtype := side, 1, dtypes.Float32
	if gpu {
		side, times = wide, products
		if of == bfloat16 {
			dtype = dtypes.BFloat16
		}
	}
	exec, err := NewExec(backend, func(a, b *Node) *Node {
		a, b = ConvertDType(a, dtype), ConvertDType(b, dtype)
		for range times {
			a = Dot(a, b).WithAccumulatorDType(dtypes.InvalidDType).MatMul()
		}
		if !gpu {
			return a
		}
		return ReduceAllMax(a) // the matrix need not come to the host
	})
	if err != nil {
		return nil, fmt.Errorf("benchmark: the matrix product of %s: %w", backend.Name(), err)
	}
	numbers := func(scale float32) *tensors.Tensor {
		x := make([]float32, side*side)
		state := uint32(1)
		for i := range x {
			state = state*1664525 + 1013904223
			x[i] = scale * (float32(state>>8)/(1<<23) - 1) // a GPU is faster with numbers that are alike
		}
		return tensors.FromFlatDataAndDimensions(x, side, side)
	}
	return &product{exec, numbers(1), numbers(1. / 32), float64(times) * 2 * float64(side) * float64(side) * float64(side)}, nil
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
