package schedule

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// A product of rowBlock anchors and panelWidth members is small enough for gonum to compute it in the calling goroutine, and a
// panel of the usual dimension stays in the L2 cache.
const (
	rowBlock   = 32
	panelWidth = 192
)

// panel is a factor of S: rows of the embeddings of some members, image beside text or text beside image.
type panel blas32.General // [members, 2*dim]

// pack makes p the panel of members.
func (p *panel) pack(left, right []float32, dim int, members []int32) {
	// gonum's order of summation in a dot product follows the alignment of the second factor. Rows of a multiple of four
	// numbers all begin at a multiple of 16 bytes, and give the same sums in every panel.
	p.Rows, p.Cols, p.Stride = len(members), 2*dim, (2*dim+3)&^3
	size := p.Rows * p.Stride
	p.Data = slices.Grow(p.Data[:0], size)[:size]
	for k, member := range members {
		row, lo, hi := p.Data[k*p.Stride:], int(member)*dim, (int(member)+1)*dim
		copy(row, left[lo:hi])
		copy(row[dim:], right[lo:hi])
	}
}

// multiply writes the similarities of anchors (at most rowBlock, image beside text) and members (at most panelWidth, text
// beside image) to out, [anchors, members], whose rows are stride apart. A similarity is the same in whatever panels it is
// computed, so the buckets agree to the bit with what a pick computes again.
func multiply(anchors, members panel, out []float32, stride int) {
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, blas32.General(anchors), blas32.General(members), 0,
		blas32.General{Rows: anchors.Rows, Cols: members.Rows, Stride: stride, Data: out})
}
