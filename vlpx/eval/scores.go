package eval

import (
	"fmt"
	"math"
)

// Scores is a matrix of scores in row-major order, one query a row and one candidate a column; higher is nearer.
type Scores struct {
	Rows, Cols int
	Data       []float64 // [Rows*Cols]
}

// NewScores returns a matrix of zeros.
func NewScores(rows, cols int) Scores {
	return Scores{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
}

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

// check reports a matrix that is not [rows, cols] or holds NaN, which no rank can be read from.
func (s Scores) check(name string, rows, cols int) error {
	if s.Rows != rows || s.Cols != cols || len(s.Data) != rows*cols {
		return fmt.Errorf("eval: %s is [%d, %d] with %d scores, want [%d, %d]", name, s.Rows, s.Cols, len(s.Data), rows, cols)
	}
	for k, v := range s.Data {
		if math.IsNaN(v) {
			return fmt.Errorf("eval: %s: score of row %d and column %d is NaN; the model that gave it has diverged", name, k/cols, k%cols)
		}
	}
	return nil
}
