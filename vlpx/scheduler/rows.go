package scheduler

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// compute fills states and buckets, a block of rows at a time on each processor. S is symmetric, and half of its products are computed
// twice: there is no place where N*N/2 similarities could wait for the rows below.
func (s *Space) compute() {
	blocks := (s.n + rowBlock - 1) / rowBlock
	var done atomic.Int64
	var wait sync.WaitGroup
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			b := newBlock(s)
			for k := int(done.Add(1)) - 1; k < blocks; k = int(done.Add(1)) - 1 {
				b.lo = k * rowBlock
				b.hi = min(b.lo+rowBlock, s.n)
				b.multiply()
				for i := b.lo; i < b.hi; i++ {
					b.settle(i)
				}
			}
		})
	}
	wait.Wait()
}

// block is some rows of S, lo to hi, and scratch for ordering one of them.
type block struct {
	space     *Space
	lo, hi    int
	rows      []float32 // [rowBlock, N]
	anchors   panel     // [rowBlock, 2*dim]
	histogram *histogram
	sorter    *sorter // nil until it is needed
}

func newBlock(s *Space) *block {
	return &block{
		space:     s,
		rows:      make([]float32, min(rowBlock, s.n)*s.n),
		anchors:   makePanel(min(rowBlock, s.n), s.dim),
		histogram: newHistogram(s.n-1, s.quantiles),
	}
}

// multiply computes the rows.
func (b *block) multiply() {
	n, members := b.space.n, b.space.members
	b.anchors.pack(members.slice(b.lo, b.hi))
	for lo := 0; lo < n; lo += panelWidth {
		multiply(b.anchors, members.slice(lo, min(lo+panelWidth, n)), b.rows[lo:], n)
	}
}

// settle turns row i into its state and buckets.
func (b *block) settle(i int) {
	s := b.space
	row, buckets := b.rows[(i-b.lo)*s.n:(i-b.lo+1)*s.n], s.bucketsOf(i)
	if b.histogram.fill(row, i) {
		b.histogram.bucket(row, i, buckets)
		sorted := b.histogram.sorted
		softmaxQuantiles(s.State(i), s.n-1, func(rank int) float32 { return sorted[rank] })
		return
	}
	if b.sorter == nil {
		b.sorter = newSorter(s.n)
	}
	sorted := b.sorter.sort(row, i)
	for rank, key := range sorted {
		buckets[uint32(key)] = bucketOf(rank, len(sorted))
	}
	softmaxQuantiles(s.State(i), len(sorted), func(rank int) float32 { return keyFloat(uint32(sorted[rank] >> 32)) })
}

// bucketOf is the bucket of a rank among n.
func bucketOf(rank, n int) uint8 { return uint8(rank * bucketCount / n) }
