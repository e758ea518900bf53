package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Rows are scores that are read a row at a time, one query a row and one candidate a column; higher is nearer.
type Rows interface {
	Shape() (rows, cols int)
	// Row returns the scores of query i. They stand until the next call.
	Row(i int) []float64
	// check reports that they are not [rows, cols] or hold NaN, which no rank can be read from.
	check(name string, rows, cols int) error
}

// Scores is a matrix of scores in row-major order, one query a row and one candidate a column; higher is nearer.
type Scores struct {
	Rows, Cols int
	Data       []float64 // [Rows*Cols]
}

// NewScores returns a matrix of zeros.
func NewScores(rows, cols int) Scores {
	return Scores{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

// Shape implements Rows.
func (s Scores) Shape() (rows, cols int) { return s.Rows, s.Cols }

// Row returns the scores of query i. It shares memory with s.
func (s Scores) Row(i int) []float64 { return s.Data[i*s.Cols : (i+1)*s.Cols] }

// Transpose returns a copy with rows and columns exchanged.
func (s Scores) Transpose() Scores {
	const block = 64 // keeps reads and writes of a block in the cache
	t := NewScores(s.Cols, s.Rows)
	for i0 := 0; i0 < s.Rows; i0 += block {
		for j0 := 0; j0 < s.Cols; j0 += block {
			for i := i0; i < min(i0+block, s.Rows); i++ {
				for j := j0; j < min(j0+block, s.Cols); j++ {
					t.Data[j*s.Rows+i] = s.Data[i*s.Cols+j]
				}
			}
		}
	}
	return t
}

// check implements Rows.
func (s Scores) check(name string, rows, cols int) error {
	if s.Rows != rows || s.Cols != cols || len(s.Data) != rows*cols {
		return fmt.Errorf("eval: %s is [%d, %d] with %d scores, want [%d, %d]", name, s.Rows, s.Cols, len(s.Data), rows, cols)
	}
	for i := range rows {
		if err := checkRow(name, i, s.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

// checkRow reports NaN among the scores of query i.
func checkRow(name string, i int, row []float64) error {
	for c, v := range row {
		if math.IsNaN(v) {
			return fmt.Errorf("eval: %s: score of row %d and column %d is NaN; the model that gave it has diverged", name, i, c)
		}
	}
	return nil
}

// scoresOf are those of pairs of an image and a caption, in their order, read by ascending image.
func scoresOf(i2t Rows, pairs []ImageText) []float64 {
	order := make([]int, len(pairs))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(pairs[a].Image, pairs[b].Image) })
	scores := make([]float64, len(pairs))
	for _, k := range order {
		scores[k] = i2t.Row(pairs[k].Image)[pairs[k].Text]
	}
	return scores
}
