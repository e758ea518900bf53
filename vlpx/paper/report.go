package paper

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/train"
)

// Report is an artifact with what our runs gave so far. Its JSON is what `vlpx reproduce` writes.
type Report struct {
	ID     string      `json:"id"`
	Title  string      `json:"title"`
	Scale  string      `json:"scale"`
	Data   run.Data    `json:"data"`
	Seeds  []uint64    `json:"seeds"`
	Engine string      `json:"engine"`
	Commit string      `json:"commit"`
	Date   time.Time   `json:"date"` // of the latest run
	Rows   []RowReport `json:"rows"`
	Claims []Finding   `json:"claims"`

	artifact  Artifact
	plan      *Plan
	reference *Reference
}

// RowReport is one row of a report.
type RowReport struct {
	Name    string             `json:"name"`
	Status  string             `json:"status"` // "ready", "2 of 3 seeds", "not run" if not asked for, or "not yet"
	Metrics map[string]Summary `json:"metrics"`

	results []run.Result
}

// Summary is a measure over seeds, beside the paper's number.
type Summary struct {
	Mean  *float64 `json:"mean"` // null if there is no run
	Std   *float64 `json:"std"`  // null with fewer than two runs
	N     int      `json:"n"`
	Paper *float64 `json:"paper"` // null if the paper reports none
}

// NewReport gathers a plan's results from the store; runs that are not finished are missing from it.
func NewReport(p *Plan, store *run.Store) (*Report, error) {
	r := &Report{
		ID: p.Artifact.ID, Title: p.Artifact.Title, Scale: p.Scale.Name, Data: p.Data, Seeds: p.Seeds,
		artifact: p.Artifact, plan: p,
	}
	var err error
	if r.reference, err = FindReference(p); err != nil {
		return nil, err
	}
	for i, row := range p.Artifact.Rows {
		one := RowReport{Name: row.Name}
		for _, x := range p.Rows[i] {
			result, err := store.Result(x)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			one.results = append(one.results, result)
			if result.Finished.After(r.Date) {
				r.Date, r.Engine, r.Commit = result.Finished, result.Engine, result.Commit
			}
		}
		one.Status = status(row, p.Rows[i], len(one.results))
		one.Metrics = summaries(p.Artifact.Columns, row, one.results)
		r.Rows = append(r.Rows, one)
	}
	for _, claim := range p.Artifact.Claims {
		claim = r.resolve(claim)
		better, than := r.paired(claim)
		r.Claims = append(r.Claims, judge(claim, better, than))
	}
	return r, nil
}

// status tells how far a row's runs are.
func status(row Row, runs []run.Run, done int) string {
	switch {
	case row.Method == nil:
		return string(NotYet)
	case len(runs) == 0:
		return "not run"
	case done < len(runs):
		return fmt.Sprintf("%d of %d seeds", done, len(runs))
	}
	return string(Ready)
}

func summaries(columns []Column, row Row, results []run.Result) map[string]Summary {
	metrics := map[string]Summary{}
	for c, column := range columns {
		var s Summary
		if c < len(row.Paper) && !math.IsNaN(row.Paper[c]) {
			s.Paper = &row.Paper[c]
		}
		if values := column.valuesOf(results); len(values) > 0 {
			mean, std := stat.MeanStdDev(values, nil)
			s.Mean, s.N = &mean, len(values)
			if len(values) > 1 {
				s.Std = &std
			}
		}
		metrics[column.key()] = s
	}
	return metrics
}

// key names a column in the JSON: its metric, or its heading while the task is not there.
func (c Column) key() string {
	switch {
	case c.Metric == "":
		return c.Group + " " + c.Name
	case c.Validation:
		return c.Metric + ", validation"
	}
	return c.Metric
}

// value is what a result has in the column.
func (c Column) value(r run.Result) (v float64, ok bool) {
	if !c.Validation {
		if v, ok = r.Metrics[c.Metric]; ok || len(r.Epochs) == 0 {
			return v, ok
		}
		v, ok = r.Epochs[len(r.Epochs)-1].Counted()[c.Metric] // of older results, what was not told then
		return v, ok
	}
	if len(r.Epochs) == 0 {
		return 0, false
	}
	return epochValue(r.Epochs[len(r.Epochs)-1], c.Metric)
}

func (c Column) valuesOf(results []run.Result) []float64 {
	var values []float64
	for _, result := range results {
		if v, ok := c.value(result); ok {
			values = append(values, v)
		}
	}
	return values
}

// epochValue is what the record of an epoch has under the name of a metric: retrieval on the validation split, or what was
// counted in training, as a result's metrics have it of the last epoch.
func epochValue(record train.Record, metric string) (v float64, ok bool) {
	if v, ok = record.Metrics[metric]; !ok {
		v, ok = record.Counted()[metric]
	}
	return v, ok
}

// resolve puts the row that was best on the validation split for BestOfSweep.
func (r *Report) resolve(c Claim) Claim {
	best, highest := "", math.Inf(-1)
	for _, row := range r.Rows {
		if !slices.Contains(r.artifact.Sweep, row.Name) {
			continue
		}
		if s := row.Metrics[r.artifact.Columns[0].key()]; s.Mean != nil && *s.Mean > highest {
			best, highest = row.Name, *s.Mean
		}
	}
	for _, name := range []*string{&c.Better, &c.Than} {
		if *name == BestOfSweep && best != "" {
			*name = best
			c.Source = "best on validation"
		}
	}
	return c
}

// paired returns the values of a claim's two rows for the seeds that both have.
func (r *Report) paired(c Claim) (better, than []float64) {
	seeds := func(name string) map[uint64]float64 {
		values := map[uint64]float64{}
		for _, row := range r.Rows {
			if row.Name != name {
				continue
			}
			for _, result := range row.results {
				if v, ok := c.In.value(result); ok {
					values[result.Seed] = v
				}
			}
		}
		return values
	}
	a, b := seeds(c.Better), seeds(c.Than)
	for _, seed := range r.Seeds {
		x, has := a[seed]
		y, also := b[seed]
		if has && also {
			better, than = append(better, x), append(than, y)
		}
	}
	return better, than
}
