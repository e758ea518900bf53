package eval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

// rows is a batch of representations, [rows, width+1], whose last column is 1, so that the last row of weights is the bias.
type rows struct {
	blas64.General
	class []int
}

// newRows has room for n representations of a width.
func newRows(n, width int) rows {
	x := rows{dense(n, width+1), make([]int, n)}
	for i := range n {
		x.Data[i*x.Stride+width] = 1
	}
	return x
}

// rowsOf are all the labelled images.
func rowsOf(s seen) rows {
	x := newRows(len(s.class), s.width)
	for i := range s.class {
		x.set(i, s.row(i), s.class[i])
	}
	return x
}

// set puts a representation at row i.
func (x rows) set(i int, features []float32, class int) {
	for d, f := range features {
		x.Data[i*x.Stride+d] = float64(f)
	}
	x.class[i] = class
}

// first are the first n rows.
func (x rows) first(n int) rows {
	x.Rows, x.class = n, x.class[:n]
	return x
}

// dense is a matrix of zeros.
func dense(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
}

// softmax is a linear classifier with room for what a batch needs: the logits of a representation x are (x, 1) W, W being [width+1,
// classes].
type softmax struct {
	weights  blas64.General // [width+1, classes]
	gradient blas64.General // of the mean cross entropy, [width+1, classes]
	logits   []float64      // room, [batch, classes]
	losses   []float64      // room, [batch]
}

func newSoftmax(width, classes int) *softmax {
	return &softmax{weights: dense(width+1, classes), gradient: dense(width+1, classes)}
}

// forward are the logits of a batch, [rows, classes], which live until the next call.
func (s *softmax) forward(x rows) blas64.General {
	n := x.Rows * s.weights.Cols
	s.logits = slices.Grow(s.logits[:0], n)[:n]
	logits := blas64.General{Rows: x.Rows, Cols: s.weights.Cols, Stride: s.weights.Cols, Data: s.logits}
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x.General, s.weights, 0, logits)
	return logits
}

// backward is the mean cross entropy of a batch in nats; it leaves the gradient, X'(softmax(XW) - Y)/rows.
func (s *softmax) backward(x rows) float64 {
	logits, n := s.forward(x), float64(x.Rows)
	s.losses = slices.Grow(s.losses[:0], x.Rows)[:x.Rows]
	spread(x.Rows, func(i int) {
		row := logits.Data[i*logits.Stride:][:logits.Cols]
		top, sum := row[largest(row)], 0.0
		own := row[x.class[i]] - top
		for k, z := range row {
			row[k] = math.Exp(z - top)
			sum += row[k]
		}
		s.losses[i] = math.Log(sum) - own
		for k := range row {
			row[k] /= sum
		}
		row[x.class[i]]--
	})
	blas64.Gemm(blas.Trans, blas.NoTrans, 1/n, x.General, logits, 0, s.gradient)
	return floats.Sum(s.losses) / n
}

// answers are the classes of the highest logits, of images in any number.
func (s *softmax) answers(of seen) []int {
	const most = 1024
	batch := newRows(min(most, len(of.class)), of.width)
	var answers []int
	for from := 0; from < len(of.class); from += batch.Rows {
		n := min(batch.Rows, len(of.class)-from)
		for i := range n {
			batch.set(i, of.row(from+i), of.class[from+i])
		}
		logits := s.forward(batch.first(n))
		for i := range n {
			answers = append(answers, largest(logits.Data[i*logits.Stride:][:logits.Cols]))
		}
	}
	return answers
}
