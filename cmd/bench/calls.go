package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
)

// inARow is how many operations on one number follow each other, enough that what is around them counts for little.
const inARow = 1024

// calling is a row of operations that compute next to nothing: what the engine takes for an operation, however small.
type calling struct{ exec *Exec }

// newCalling prepares the row.
func newCalling(backend compute.Backend) (*calling, error) {
	exec, err := NewExec(backend, func(x *Node) *Node {
		for range inARow {
			x = Sin(x)
		}
		return x
	})
	if err != nil {
		return nil, fmt.Errorf("benchmark: a row of operations on %s: %w", backend.Name(), err)
	}
	return &calling{exec}, nil
}

// turn implements contender. What it returns is of one operation.
func (c *calling) turn(ctx context.Context) (Times, error) {
	return bursts(ctx, func() (time.Duration, error) {
		begun := time.Now()
		out, err := c.exec.Call(float32(1))
		if err != nil {
			return 0, fmt.Errorf("benchmark: a row of operations: %w", err)
		}
		defer out[0].FinalizeAll()
		return time.Since(begun) / inARow, nil
	})
}
