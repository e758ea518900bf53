//go:build !amd64

package scheduler

// tiled tells whether the processor computes tiles.
const tiled = false

func tile(anchors, members *float32, stride, cols int, out *float32, outStride int) {
	panic("scheduler: no tiles on this architecture")
}
