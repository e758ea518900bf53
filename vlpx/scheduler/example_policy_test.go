package scheduler_test

import (
	"fmt"

	"vlpx.internal/vlpx/scheduler"
)

func ExamplePolicy() {
	policy := scheduler.NewPolicy(scheduler.Network{Inputs: 3, Hidden: 8, Blocks: 2}, 1e-2, 1)
	state := []float32{0.8, 1, 1.2}
	for range 200 { // hard negatives made the loss fall
		policy.Update(state, []float64{0.9}, 0.5)
	}
	fmt.Printf("%.1f\n", policy.Predict(state).Mean())
	// Output: 0.9
}
