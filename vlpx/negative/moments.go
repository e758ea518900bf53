package negative

import "math"

// Moments gather numbers to their mean and standard deviation.
type Moments struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	M2   float64 `json:"m2"` // sum of squared deviations (Welford)
}

// Add takes one more number in.
func (m *Moments) Add(x float64) {
	m.N++
	off := x - m.Mean
	m.Mean += off / float64(m.N)
	m.M2 += off * (x - m.Mean)
}

// Merge takes the numbers of another sample in (Chan, Golub and LeVeque, 1979).
func (m *Moments) Merge(o Moments) {
	if o.N == 0 {
		return
	}
	share := float64(o.N) / float64(m.N+o.N)
	off := o.Mean - m.Mean
	m.M2 += o.M2 + off*off*float64(m.N)*share
	m.Mean += off * share
	m.N += o.N
}

// Std is the standard deviation of the sample, 0 of fewer than two.
func (m Moments) Std() float64 {
	if m.N < 2 {
		return 0
	}
	return math.Sqrt(m.M2 / float64(m.N-1))
}
