package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/plan"
)

// BestOfSweep stands for a row in a claim; see Artifact.Sweep.
const BestOfSweep = "the best of the sweep"

// best is BestOfSweep as a row. In each block it is the row of the sweep that has the highest mean in the first column, of the validation
// split, over the other blocks. A block has no say in its own choice: a run that is lucky on both of its splits gains nothing by it.
type best struct {
	RowReport
	rows map[string]map[uint64]string // of the sweep, by source, empty for this store, and seed
}

// chooseBest fills in the best of the sweep, of this store and of what is shipped.
func (r *Report) chooseBest() {
	b := best{RowReport{Name: BestOfSweep, Status: string(Ready)}, map[string]map[uint64]string{}}
	b.rows[""] = r.choices(func(row RowReport) []SeedReport { return row.Seeds })
	b.rows[FromReference] = r.choices(func(row RowReport) []SeedReport { return row.Shipped })
	for _, seed := range r.Seeds {
		if name, ok := b.rows[""][seed]; ok {
			row := r.row(name)
			b.Results = append(b.Results, row.Results[seedIndex(row.Seeds, seed)])
		}
	}
	for _, seed := range slices.Sorted(maps.Keys(b.rows[FromReference])) {
		row := r.row(b.rows[FromReference][seed])
		s := row.Shipped[seedIndex(row.Shipped, seed)]
		b.Shipped, b.shipped.Runs = append(b.Shipped, s), append(b.shipped.Runs, s.Run)
	}
	b.Metrics, b.shipped.Metrics = r.summaries(plan.Row{}, b.Results), map[string][3]float64{}
	for _, c := range r.Plan.Artifact.Columns {
		var values []float64
		for _, s := range b.Shipped {
			if v, ok := s.Metrics[c.Key()]; ok {
				values = append(values, v)
			}
		}
		if mean, std := stat.MeanStdDev(values, nil); len(values) > 1 {
			b.shipped.Metrics[c.Key()] = [3]float64{mean, std, float64(len(values))}
		}
	}
	r.best = b
}

// choices are the best rows of the sweep by the seed of a block; none unless there are two blocks that all rows of the sweep have.
func (r *Report) choices(known func(RowReport) []SeedReport) map[uint64]string {
	a, values := r.Plan.Artifact, map[uint64]map[string]float64{}
	for _, row := range r.Rows {
		if !slices.Contains(a.Sweep, row.Name) {
			continue
		}
		for _, s := range known(row) {
			if v, ok := s.Metrics[a.Columns[0].Key()]; ok {
				if values[s.Seed] == nil {
					values[s.Seed] = map[string]float64{}
				}
				values[s.Seed][row.Name] = v
			}
		}
	}
	sums := map[string]float64{}
	for seed, of := range values {
		if len(of) < len(a.Sweep) {
			delete(values, seed)
			continue
		}
		for name, v := range of {
			sums[name] += v
		}
	}
	chosen := map[uint64]string{}
	for seed, of := range values {
		highest := math.Inf(-1)
		for _, name := range a.Sweep {
			if others := sums[name] - of[name]; len(values) > 1 && others > highest {
				chosen[seed], highest = name, others
			}
		}
	}
	return chosen
}

func seedIndex(of []SeedReport, seed uint64) int {
	return slices.IndexFunc(of, func(s SeedReport) bool { return s.Seed == seed })
}

// chosenNote tells which rows stood for BestOfSweep in a claim, and in how many blocks; empty where no tested claim names it.
func (r *Report) chosenNote() string {
	at := slices.IndexFunc(r.claims, func(c Claim) bool { return slices.Contains(c.Rows(), BestOfSweep) })
	if at < 0 || r.Claims[at].Difference == nil {
		return ""
	}
	blocks := map[string]int{}
	for _, name := range r.best.rows[r.Claims[at].From] {
		blocks[name]++
	}
	var parts []string
	for _, name := range r.Plan.Artifact.Sweep {
		if blocks[name] > 0 {
			parts = append(parts, fmt.Sprintf("%s (%d)", name, blocks[name]))
		}
	}
	return fmt.Sprintf(" The best of the sweep is chosen for each block, by the validation splits of the others: %s.",
		strings.Join(parts, ", "))
}

// pool are the rows by which a claim is tested. The sweep's are left out where the best of it stands for them.
func (r *Report) pool(c Claim) []RowReport {
	names := c.Rows()
	if !slices.Contains(names, BestOfSweep) {
		return r.Rows
	}
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row RowReport) bool {
		return slices.Contains(r.Plan.Artifact.Sweep, row.Name) && !slices.Contains(names, row.Name)
	})
	return append(rows, r.best.RowReport)
}
