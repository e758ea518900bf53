package scheduler

import "golang.org/x/sys/cpu"

// tiled tells whether the processor computes tiles.
var tiled = cpu.X86.HasAVX

// tile writes half the dot products of tileAnchors rows with tileMembers rows to out, [tileAnchors, tileMembers]. The rows of the factors
// are stride numbers apart and cols long, a multiple of tileCols above zero; those of out are outStride apart.
//
// Each product is summed up as gonum's assembly for this architecture sums it up, which makes it the same to the bit: number k goes into
// the (k mod 8)-th of eight sums, without fused multiplication and addition; then the upper four are added to the lower, and neighbours to
// neighbours. It is faster since eight products go on at once, each number that is read serves two or four of them, and an instruction has
// eight numbers instead of four.
//
//go:noescape
func tile(anchors, members *float32, stride, cols int, out *float32, outStride int)
