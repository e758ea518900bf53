package scheduler

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

const (
	// rowBlock anchors meet the members in one go. The members are read from memory once for them, and these many hide that.
	rowBlock = 128
	// panelWidth members of the usual dimension stay in the L2 cache, beside the anchors.
	panelWidth = 192
	// plainRows anchors and panelWidth members are few enough for gonum to multiply them in the calling goroutine, and to sum up each
	// product in one go.
	plainRows = 64
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

// A tile of similarities, which an amd64 processor computes at once, has tileAnchors rows of anchors and tileMembers of members, whose
// number of columns is a multiple of tileCols.
const (
	tileAnchors = 4
	tileMembers = 2
	tileCols    = 16
)

// multiply writes the similarities of packed anchors (at most rowBlock) and members (at most panelWidth) to out, [anchors,
// members], whose rows are stride apart. A similarity is the same in whatever panels it is computed, so the buckets agree to
// the bit with what a pick computes again.
func multiply(anchors, members panel, out []float32, stride int) {
	rows, columns := 0, 0 // that tiles cover
	if tiled && anchors.Cols%tileCols == 0 {
		rows, columns = anchors.Rows-anchors.Rows%tileAnchors, members.Rows-members.Rows%tileMembers
		multiplyTiles(anchors.slice(0, rows), members.slice(0, columns), out, stride)
	}
	if columns < members.Rows {
		multiplyPlainly(anchors.slice(0, rows), members.slice(columns, members.Rows), out[columns:], stride)
	}
	if rows < anchors.Rows {
		multiplyPlainly(anchors.slice(rows, anchors.Rows), members, out[rows*stride:], stride)
	}
}

// multiplyTiles is multiply where tiles cover all.
func multiplyTiles(anchors, members panel, out []float32, stride int) {
	for i := 0; i < anchors.Rows; i += tileAnchors { // these stay in the L1 cache
		for j := 0; j < members.Rows; j += tileMembers {
			_ = out[(i+tileAnchors-1)*stride+j+tileMembers-1]
			tile(&anchors.Data[i*anchors.Stride], &members.Data[j*members.Stride], members.Stride, members.Cols, &out[i*stride+j], stride)
		}
	}
}

// multiplyPlainly is multiply by gonum.
func multiplyPlainly(anchors, members panel, out []float32, stride int) {
	if members.Rows == 0 {
		return
	}
	for i := 0; i < anchors.Rows; i += plainRows {
		some := anchors.slice(i, min(i+plainRows, anchors.Rows))
		blas32.Gemm(blas.NoTrans, blas.Trans, 0.5, blas32.General(some), blas32.General(members), 0,
			blas32.General{Rows: some.Rows, Cols: members.Rows, Stride: stride, Data: out[i*stride:]})
	}
}
