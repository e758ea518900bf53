package scheduler

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// A product of rowBlock anchors and panelWidth members is small enough for gonum to compute it in the calling goroutine, and a
// panel of the usual dimension stays in the L2 cache.
const (
	rowBlock   = 32
	panelWidth = 192
)

// panel is a factor of S, one row a member: the sum p = u+w of its embeddings beside their difference m = u-w, or beside -m for
// the other factor. S_ij = u_i.w_j + w_i.u_j = (p_i.p_j - m_i.m_j)/2 is then a single dot product, whose terms are to the bit
// the same for (i, j) and (j, i): S is symmetric in whatever order they are summed.
type panel blas32.General // [members, 2*dim]

// makePanel returns a panel of zeros.
func makePanel(members, dim int) panel {
	// gonum's order of summation in a dot product follows the alignment of the second factor. Rows of a multiple of four
	// numbers all begin at a multiple of 16 bytes, and give the same sums in every panel.
	stride := (2*dim + 3) &^ 3
	return panel{Rows: members, Cols: 2 * dim, Stride: stride, Data: make([]float32, members*stride)}
}

// newPanel returns the panel of the members with these embeddings, [members, dim].
func newPanel(image, text []float32, dim int) panel {
	p := makePanel(len(image)/dim, dim)
	for i := range p.Rows {
		row, lo, hi := p.Data[i*p.Stride:], i*dim, (i+1)*dim
		sum, difference := row[:dim], row[dim:2*dim]
		for d, u := range image[lo:hi] {
			w := text[lo+d]
			sum[d], difference[d] = u+w, u-w
		}
	}
	return p
}

// slice returns the panel of the members from lo to hi.
func (p panel) slice(lo, hi int) panel {
	return panel{Rows: hi - lo, Cols: p.Cols, Stride: p.Stride, Data: p.Data[lo*p.Stride : hi*p.Stride]}
}

// pack makes p, of enough rows, the other factor for the members of a panel.
func (p *panel) pack(members panel) {
	p.Rows = members.Rows
	copy(p.Data, members.Data)
	for row := p.Data[:p.Rows*p.Stride]; len(row) > 0; row = row[p.Stride:] {
		difference := row[p.Cols/2 : p.Cols]
		for d, m := range difference {
			difference[d] = -m
		}
	}
}

// multiply writes the similarities of packed anchors (at most rowBlock) and members (at most panelWidth) to out, [anchors,
// members], whose rows are stride apart. A similarity is the same in whatever panels it is computed, so the buckets agree to
// the bit with what a pick computes again.
func multiply(anchors, members panel, out []float32, stride int) {
	blas32.Gemm(blas.NoTrans, blas.Trans, 0.5, blas32.General(anchors), blas32.General(members), 0,
		blas32.General{Rows: anchors.Rows, Cols: members.Rows, Stride: stride, Data: out})
}
