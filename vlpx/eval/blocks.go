package eval

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

const (
	// wholeLimit is how many scores are held at once at most: 134 MB. The 1,000 images and 5,000 captions of Flickr30k's test split have 5
	// million, COCO's 5,000 and 25,000 have 125 million.
	wholeLimit = 1 << 24
	// blockRows is how many rows of more scores than that are held at a time: so many that gonum sums up each as it does in the whole
	// matrix.
	blockRows = 256
)

// tables are the similarities of all images with all captions, [images, captions], and the other way round: whole, or a block of rows at a
// time where they are more than limit, which gives the same numbers.
func (e *Encodings) tables(limit int) (i2t, t2i Rows) {
	images, captions := len(e.images.Features)/(e.vectors*e.dim), len(e.texts.Features)/e.dim
	if images*captions <= limit {
		whole := e.Similarities()
		return whole, whole.Transpose()
	}
	perImage := e.vectors * e.dim
	return &blocks{rows: images, cols: captions, compute: func(b *blocks, from, to int) {
			b.similarities(e.images.Features[from*perImage:to*perImage], e.texts.Features, e.vectors, e.dim,
				func(image, caption int) int { return image*captions + caption })
		}},
		&blocks{rows: captions, cols: images, compute: func(b *blocks, from, to int) {
			b.similarities(e.images.Features, e.texts.Features[from*e.dim:to*e.dim], e.vectors, e.dim,
				func(image, caption int) int { return caption*images + image })
		}}
}

// blocks are scores that are computed a block of rows at a time, when one of them is asked for.
type blocks struct {
	rows, cols int
	compute    func(b *blocks, from, to int) // fills block with the rows from to to

	from, to int
	block    []float64 // [to-from, cols]
	product  []float32 // scratch
	checked  bool
}

// Shape implements Rows.
func (b *blocks) Shape() (rows, cols int) { return b.rows, b.cols }

// Row implements Rows.
func (b *blocks) Row(i int) []float64 {
	if i < b.from || i >= b.to {
		b.to = min(i/blockRows*blockRows+blockRows, b.rows)
		b.from = max(b.to-blockRows, 0) // the last block is as large as the others
		if b.block == nil {
			b.block = make([]float64, (b.to-b.from)*b.cols)
		}
		b.compute(b, b.from, b.to)
	}
	return b.block[(i-b.from)*b.cols : (i-b.from+1)*b.cols]
}

// check implements Rows. It looks at the scores once.
func (b *blocks) check(name string, rows, cols int) error {
	if b.rows != rows || b.cols != cols {
		return fmt.Errorf("eval: %s is [%d, %d], want [%d, %d]", name, b.rows, b.cols, rows, cols)
	}
	for i := 0; i < rows && !b.checked; i++ {
		if err := checkRow(name, i, b.Row(i)); err != nil {
			return err
		}
	}
	b.checked = true
	return nil
}

// similarities writes those of images [images, vectors, dim] with texts [texts, dim], of each image's vectors the largest, to their places
// in the block. Some images go into a product, as many as blockRows rows of the block are, or all vectors of one image.
func (b *blocks) similarities(images, texts []float32, vectors, dim int, place func(image, text int) int) {
	count, n, some := len(images)/(vectors*dim), len(texts)/dim, 1
	if vectors == 1 {
		some = count
	}
	if need := some * vectors * n; len(b.product) < need {
		b.product = make([]float32, need)
	}
	for from := 0; from < count; from += some {
		product := multiply(images[from*vectors*dim:(from+some)*vectors*dim], texts, dim, b.product)
		for i := range some {
			for t, x := range product[i*vectors*n:][:n] {
				for v := 1; v < vectors; v++ {
					x = max(x, product[(i*vectors+v)*n+t])
				}
				b.block[place(from+i, t)] = float64(x)
			}
		}
	}
}

// multiply writes the dot products of rows of embeddings of a width, [rows, columns], to out and returns what it wrote.
func multiply(rows, columns []float32, dim int, out []float32) []float32 {
	r, c := len(rows)/dim, len(columns)/dim
	matrix := func(rows, cols int, data []float32) blas32.General {
		return blas32.General{Rows: rows, Cols: cols, Stride: cols, Data: data[:rows*cols]}
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(r, dim, rows), matrix(c, dim, columns), 0, matrix(r, c, out))
	return out[:r*c]
}
