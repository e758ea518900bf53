package field

import "math"

// Percent is the unit of a share, which is reported times 100.
const Percent = "%"

// Number is one that a part reports of mini-batches by a name of its own: the sum of a part over the sum of what it is of, so that a share
// over an epoch is one of all its mini-batches together, and not a mean of shares.
type Number struct {
	Name string  `json:"name"`
	Unit string  `json:"unit,omitempty"` // Percent, another such as "nats", or none
	Sum  float64 `json:"sum"`
	Of   float64 `json:"of"`
}

// Value is Sum over Of, times 100 where the unit is Percent, and whether there is one: of nothing there is none.
func (n Number) Value() (v float64, ok bool) {
	if n.Of == 0 {
		return 0, false
	}
	v = n.Sum / n.Of
	if n.Unit == Percent {
		v *= 100
	}
	return v, true
}

// Finite reports whether both sums are numbers.
func (n Number) Finite() bool {
	return !math.IsNaN(n.Sum) && !math.IsInf(n.Sum, 0) && !math.IsNaN(n.Of) && !math.IsInf(n.Of, 0)
}

// Numbers are several, in the order in which they were reported first.
type Numbers []Number

// Tell reports a number, of which the mean is taken where it is reported again.
func (n *Numbers) Tell(name string, value float64) { n.Add(Number{Name: name, Sum: value, Of: 1}) }

// TellShare reports what share of a whole a part is, such as 3 of 12, in per cent.
func (n *Numbers) TellShare(name string, part, whole float64) {
	n.Add(Number{Name: name, Unit: Percent, Sum: part, Of: whole})
}

// Add adds the sums of a number to those of its name. No numbers at all, nil, hear nothing.
func (n *Numbers) Add(number Number) {
	if n == nil {
		return
	}
	for k := range *n {
		if of := &(*n)[k]; of.Name == number.Name {
			of.Sum, of.Of = of.Sum+number.Sum, of.Of+number.Of
			return
		}
	}
	*n = append(*n, number)
}

// Values are the numbers by their names, without those of nothing.
func (n Numbers) Values() map[string]float64 {
	values := map[string]float64{}
	for _, number := range n {
		if v, ok := number.Value(); ok {
			values[number.Name] = v
		}
	}
	return values
}
