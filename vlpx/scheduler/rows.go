package scheduler

import (
	"encoding/binary"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// compute fills states and buckets, the early rows first, early being at most N/4.
//
// S is symmetric, so the similarities of early members to later ones need not be computed again in the rows of the later. They
// wait there in the place of the buckets: a row's N bytes have room for N/4 of them. N/4 early rows save 3/16 of the product,
// and a quarter of them at a time, with what the ones before left, another 3/128.
func (s *Space) compute(early int) {
	step := (early/4/rowBlock + 1) * rowBlock
	for lo := 0; lo < early; lo += step {
		s.computeRows(lo, min(lo+step, early))
	}
	s.computeRows(early, s.n)
}

// computeRows fills states and buckets of the rows lo to hi, a block at a time. The similarities to the members before lo wait
// in the rows already; those to the members from hi on are left in the rows of these.
func (s *Space) computeRows(lo, hi int) {
	blocks := (hi - lo + rowBlock - 1) / rowBlock
	var done atomic.Int64
	var wait sync.WaitGroup
	for range min(blocks, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			b := newBlock(s)
			for k := int(done.Add(1)) - 1; k < blocks; k = int(done.Add(1)) - 1 {
				b.lo = lo + k*rowBlock
				b.hi = min(b.lo+rowBlock, hi)
				b.fetch(lo)
				b.multiply(lo)
				b.leave(hi)
				b.sort()
			}
		})
	}
	wait.Wait()
}

// block is some rows of S, lo to hi, and scratch for sorting them.
type block struct {
	space    *Space
	lo, hi   int
	rows     []float32 // [rowBlock, N]
	anchors  panel     // [rowBlock, 2*dim]
	sorter   *sorter
	bucketAt []uint8 // of each rank among the N-1 others
}

func newBlock(s *Space) *block {
	b := &block{
		space:    s,
		rows:     make([]float32, rowBlock*s.n),
		anchors:  makePanel(rowBlock, s.dim),
		sorter:   newSorter(s.n),
		bucketAt: make([]uint8, s.n),
	}
	for rank := range s.n - 1 {
		b.bucketAt[rank] = uint8(rank * bucketCount / (s.n - 1))
	}
	return b
}

func (b *block) row(i int) []float32 { return b.rows[(i-b.lo)*b.space.n : (i-b.lo+1)*b.space.n] }

// fetch takes the similarities to the members before end from where they wait.
func (b *block) fetch(end int) {
	for i := b.lo; i < b.hi; i++ {
		row, waiting := b.row(i), b.space.bucketsOf(i)
		for j := range end {
			row[j] = math.Float32frombits(binary.NativeEndian.Uint32(waiting[4*j:]))
		}
	}
}

// multiply computes the similarities to the members from first on.
func (b *block) multiply(first int) {
	n, members := b.space.n, b.space.members
	b.anchors.pack(members.slice(b.lo, b.hi))
	for lo := first; lo < n; lo += panelWidth {
		multiply(b.anchors, members.slice(lo, min(lo+panelWidth, n)), b.rows[lo:], n)
	}
}

// leave leaves the similarities to the members from first on in the rows of these.
func (b *block) leave(first int) {
	n := b.space.n
	for j := first; j < n; j++ {
		waiting := b.space.bucketsOf(j)[4*b.lo:]
		for k := range b.hi - b.lo {
			binary.NativeEndian.PutUint32(waiting[4*k:], math.Float32bits(b.rows[k*n+j]))
		}
	}
}

// sort turns the rows into states and buckets.
func (b *block) sort() {
	for i := b.lo; i < b.hi; i++ {
		sorted, buckets := b.sorter.sort(b.row(i), i), b.space.bucketsOf(i)
		for rank, key := range sorted {
			buckets[uint32(key)] = b.bucketAt[rank]
		}
		buckets[i] = 0 // not sorted, but nothing may be left there
		similarity := func(rank int) float32 { return keyFloat(uint32(sorted[rank] >> 32)) }
		softmaxQuantiles(b.space.State(i), len(sorted), similarity)
	}
}
