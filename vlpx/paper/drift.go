package paper

import (
	"maps"
	"math"
	"slices"
)

// Drift is what a fresh run has where the shipped one of the same row and seed has another value, or the same.
type Drift struct {
	Row, Metric    string
	Seed           uint64
	Shipped, Fresh float64
	Std            float64 // of the row's shipped seeds; 0 of one alone
}

// tooFar is by how many standard deviations of the shipped seeds a fresh value may lie beside the shipped one of its seed. Rounding on
// another processor makes another run of it, whose difference has at most √2 of a standard deviation: where eight seeds give that, at most
// one value in a hundred is farther off by chance (Student's t).
const tooFar = 5

// TooFar tells whether a value cannot be the shipped run's, repeated. Of a row with one seed all that is not equal is.
func (d Drift) TooFar() bool { return math.Abs(d.Fresh-d.Shipped) > tooFar*d.Std }

// Drifts holds fresh results against the shipped ones, value by value: of those rows and seeds that both have, of the same runs.
func Drifts(shipped []Reference, fresh Reference) (all []Drift) {
	k := slices.IndexFunc(shipped, fresh.beside)
	if k < 0 {
		return nil
	}
	for _, row := range fresh.Rows {
		at := slices.IndexFunc(shipped[k].Rows, func(x ReferenceRow) bool { return x.Name == row.Name })
		if at < 0 {
			continue
		}
		was := shipped[k].Rows[at]
		for n, id := range row.Runs {
			of := slices.Index(was.Runs, id)
			if of < 0 {
				continue
			}
			for _, metric := range slices.Sorted(maps.Keys(row.Values)) {
				before, now := was.Values[metric], row.Values[metric]
				if of >= len(before) || before[of] == nil || now[n] == nil {
					continue
				}
				all = append(all, Drift{Row: row.Name, Metric: metric, Seed: row.seeds()[n], Shipped: *before[of], Fresh: *now[n],
					Std: was.Metrics[metric][1]})
			}
		}
	}
	return all
}
