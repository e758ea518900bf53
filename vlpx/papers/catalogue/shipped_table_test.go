package catalogue

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"vlpx.internal/internal/test/must"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// spread is the mean and the standard deviation of the values that there are, computed from the definition.
func spread(values []*float64) (mean, std float64, n int) {
	for _, v := range values {
		if v != nil {
			mean, n = mean+*v, n+1
		}
	}
	mean /= float64(n)
	for _, v := range values {
		if v != nil {
			std += (*v - mean) * (*v - mean)
		}
	}
	return mean, math.Sqrt(std / float64(max(n-1, 1))), n
}

// What is shown of a shipped table is what its values, one a block, give: every mean and deviation, every difference of a claim.
func TestShippedTables(t *testing.T) {
	cells, claims := 0, 0
	for _, r := range must.Get(paper.References())(t) {
		if r.Rows[0].Values == nil {
			continue
		}
		p := must.Get(paper.NewPlan(must.Get(Find(r.Artifact))(t), plan.Request{Scale: r.Scale, Seeds: []uint64{1}}))(t)
		if r.Data != "scenes" {
			p.Unsee(&r)
		}
		report := must.Get(paper.NewReport(p, run.OpenStore(t.TempDir())))(t)
		table := must.Get(report.Table())(t)
		values := map[string]map[string][]*float64{}
		for _, row := range r.Rows {
			values[row.Name] = row.Values
		}
		check := func(row, column string, cell tables.Cell, of []*float64) {
			mean, std, n := spread(of)
			if got := cell[len(cell)-1]; got.N != n || !(math.Abs(got.Mean-mean) < 2e-4) || !(math.Abs(got.Std-std) < 2e-4) {
				t.Errorf("%s: %s, %s: shown as %+v; its %d values have a mean of %v and a deviation of %v", r.Artifact, row, column, got, n,
					mean, std)
			}
			cells++
		}
		if r.Artifact == "vlpx/map" {
			checkMap(t, p.Artifact, table, values, check)
		}
		ofMeans := len(table.Rows) == len(p.Artifact.Rows) // and not of differences or tests
		for i, row := range p.Artifact.Rows {
			for k, column := range p.Artifact.Columns {
				if of := values[row.Name][column.Key()]; of != nil && ofMeans {
					check(row.Name, column.Key(), table.Rows[i].Cells[k], of)
				}
			}
		}
		for _, claim := range p.Artifact.Claims {
			better, than := values[claim.Better][claim.In.Key()], values[claim.Than][claim.In.Key()]
			if better == nil || than == nil || slices.Contains(better, nil) || slices.Contains(than, nil) || len(better) != len(than) {
				continue
			}
			of, _, _ := spread(better)
			less, _, _ := spread(than)
			if claim.Over != [2]string{} {
				from, to := values[claim.Over[0]][claim.In.Key()], values[claim.Over[1]][claim.In.Key()]
				if len(from) != len(better) || len(to) != len(better) || slices.Contains(from, nil) || slices.Contains(to, nil) {
					continue // another table has shipped them
				}
				base, _, _ := spread(from)
				over, _, _ := spread(to)
				of, less = of-base, less-over
			}
			for _, all := range [][]paper.Finding{report.Claims, r.Claims} { // as today's program judges, and as they were shipped
				at := slices.IndexFunc(all, func(f paper.Finding) bool { return f.Text == claim.String() })
				if at < 0 {
					continue
				}
				if got := all[at].Difference; got == nil || !(math.Abs(*got-(of-less)) < 2e-4) || all[at].Seeds != len(better) {
					t.Errorf("%s: %s: a difference of %v over %d seeds; the values give %v over %d", r.Artifact, claim, got, all[at].Seeds,
						of-less, len(better))
				}
				claims++
			}
		}
		later := slices.ContainsFunc(report.Rows, func(row paper.RowReport) bool { return len(row.Shipped) > 0 && values[row.Name] == nil }) ||
			slices.ContainsFunc(r.Rows, func(row paper.ReferenceRow) bool { return row.Commit != r.Rows[0].Commit })
		for _, was := range r.Claims { // whose runs knew their worlds
			at := slices.IndexFunc(report.Claims, func(f paper.Finding) bool { return f.Text == was.Text })
			if at < 0 || was.Blocks == nil {
				continue
			}
			if later && report.Claims[at].Pooled > was.Pooled {
				continue // rows that were shipped at another time count, too
			}
			if now := report.Claims[at]; now.Pooled != was.Pooled || now.Blocks == nil ||
				!(math.Abs(now.Blocks[0]-was.Blocks[0]) < 2e-2) || !(math.Abs(now.Blocks[1]-was.Blocks[1]) < 2e-2) {
				t.Errorf("%s: %s: %v by %d rows of what is shipped, %v by %d of the runs", r.Artifact, was.Text, now.Blocks, now.Pooled,
					was.Blocks, was.Pooled)
			}
		}
	}
	if t.Logf("%d cells and %d claims were looked at", cells, claims); cells < 300 || claims < 50 {
		t.Error("these are too few to be all")
	}
}

// GloFND's tables of tests are of shipped values where nothing else is there, and say so.
func TestShippedTests(t *testing.T) {
	references := must.Get(paper.References())(t)
	at := slices.IndexFunc(references, func(r paper.Reference) bool { return r.Artifact == "glofnd/table5" })
	of := references[at]
	p := must.Get(paper.NewPlan(must.Get(Find(of.Artifact))(t), plan.Request{Scale: of.Scale, Seeds: []uint64{1}}))(t)
	p.Unsee(&of)
	table := must.Get(must.Get(paper.NewReport(p, run.OpenStore(t.TempDir())))(t).Table())(t)
	if !strings.Contains(table.Note, "shipped with vlpx") {
		t.Errorf("the note %q does not tell what the numbers are of", table.Note)
	}
	for i, row := range of.Rows[1:] {
		for k, column := range p.Artifact.Columns {
			var d []*float64
			for n, v := range row.Values[column.Key()] {
				less := *v - *of.Rows[0].Values[column.Key()][n]
				d = append(d, &less)
			}
			mean, std, n := spread(d)
			freedom := distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}
			want := 1 - freedom.CDF(mean/std*math.Sqrt(float64(n)))
			if cell := table.Rows[i].Cells[k]; cell[1].N > 0 || math.Abs(cell[2].Mean-want) > 1e-9 {
				t.Errorf("%s, %s: shown as %+v, want a p of %v", row.Name, column.Name, cell, want)
			}
		}
	}
}

// checkMap has the cells of the map checked, which are the shares of false negatives of a place, and what leaving them out gains seed by
// seed.
func checkMap(t *testing.T, a paper.Artifact, table tables.Table, values map[string]map[string][]*float64,
	check func(row, column string, cell tables.Cell, of []*float64)) {
	t.Helper()
	shares, gains := a.Columns[len(a.Columns)-2:], a.Columns[:len(a.Columns)-2]
	if len(table.Rows) != len(values)/2 || len(table.Columns) != len(a.Columns) {
		t.Fatalf("a map of %d places and %d columns; %d rows are shipped, with %d columns", len(table.Rows), len(table.Columns), len(values),
			len(a.Columns))
	}
	for _, row := range table.Rows {
		with, without := values[row.Name], values[row.Name+" without the false ones"]
		for k, c := range shares {
			check(row.Name, c.Key(), row.Cells[k], with[c.Key()])
		}
		for k, c := range gains {
			if with[c.Key()] == nil {
				continue // CLIP has no matching
			}
			gained := slices.Clone(without[c.Key()])
			for seed, before := range with[c.Key()] {
				gain := *gained[seed] - *before
				gained[seed] = &gain
			}
			check(row.Name, c.Key(), row.Cells[len(shares)+k], gained)
		}
	}
}
