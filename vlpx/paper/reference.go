package paper

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/run"
)

// referenceJSON holds the results of the project's own runs; see Reference.
//
//go:embed reference.json
var referenceJSON []byte

// Reference is what the project's own runs of an artifact gave, shipped so that a newcomer sees a full table at once.
type Reference struct {
	Artifact string
	Scale    string
	Data     string // the collection's name
	DataHash string
	Engine   string
	Commit   string
	Date     time.Time
	Seconds  float64 // a run, training only
	Rows     []ReferenceRow
}

// ReferenceRow is one method's reference results.
type ReferenceRow struct {
	Name    string
	Runs    []string              // identities of the runs; another configuration today makes the row stale
	Metrics map[string][3]float64 // mean, standard deviation (0 for a single run) and number of runs
	Commit  string                `json:",omitempty"` // where it is not the reference's
}

// References returns the shipped reference results.
func References() ([]Reference, error) {
	var all []Reference
	if err := json.Unmarshal(referenceJSON, &all); err != nil {
		return nil, fmt.Errorf("paper: reference.json: %w", err)
	}
	return all, nil
}

// FindReference returns the reference results for a plan's artifact, scale and data, nil if none are shipped.
func FindReference(p *Plan) (*Reference, error) {
	all, err := References()
	if err != nil {
		return nil, err
	}
	for i, r := range all {
		if r.Artifact == p.Artifact.ID && r.Scale == p.Scale.Name && r.Data == p.Data.Name {
			return &all[i], nil
		}
	}
	return nil, nil
}

// row returns the reference results of a row, and whether they are stale: from runs other than those that the same seeds
// would make today.
func (r *Reference) row(p *Plan, i int) (row ReferenceRow, stale, ok bool) {
	if r == nil {
		return ReferenceRow{}, false, false
	}
	at := slices.IndexFunc(r.Rows, func(x ReferenceRow) bool { return x.Name == p.Artifact.Rows[i].Name })
	if at < 0 {
		return ReferenceRow{}, false, false
	}
	for _, x := range p.Rows[i] {
		if x.Train.Seed <= uint64(len(r.Rows[at].Runs)) && !slices.Contains(r.Rows[at].Runs, x.ID()) {
			stale = true
		}
	}
	return r.Rows[at], stale, true
}

// seeds is the largest number of runs that a method has.
func (r *Reference) seeds() int {
	most := 0
	for _, row := range r.Rows {
		most = max(most, len(row.Runs))
	}
	return most
}

// NewReference makes reference results of a report: of each row the runs of its first seeds, up to one that is not finished.
func NewReference(r *Report) (Reference, error) {
	if len(r.artifact.Columns) == 0 {
		return Reference{}, fmt.Errorf("paper: %s has no columns of measures, which are all that is shipped", r.ID)
	}
	ref := Reference{Artifact: r.ID, Scale: r.Scale, Data: r.Data.Name, DataHash: r.Data.Hash, Engine: r.Engine, Commit: r.Commit, Date: r.Date}
	var seconds []float64
	for i, row := range r.Rows {
		results := leading(row.results, r.plan.Rows[i])
		if len(results) == 0 {
			continue
		}
		one := ReferenceRow{Name: row.Name, Metrics: map[string][3]float64{}}
		for _, result := range results {
			one.Runs = append(one.Runs, result.ID)
			seconds = append(seconds, result.Seconds)
		}
		for _, column := range r.artifact.Columns {
			if values := column.valuesOf(results); len(values) > 0 {
				summary := [3]float64{round(stat.Mean(values, nil)), 0, float64(len(values))}
				if len(values) > 1 {
					summary[1] = round(stat.StdDev(values, nil))
				}
				one.Metrics[column.key()] = summary
			}
		}
		if latest := results[len(results)-1].Commit; latest != ref.Commit {
			one.Commit = latest
		}
		ref.Rows = append(ref.Rows, one)
	}
	if len(ref.Rows) == 0 {
		return Reference{}, fmt.Errorf("paper: %s at %s on %s has no finished run; reproduce it first", r.ID, r.Scale, r.Data.Name)
	}
	ref.Seconds = round(stat.Mean(seconds, nil))
	return ref, nil
}

// leading are the results of the first of the runs, up to one that has none.
func leading(results []run.Result, runs []run.Run) []run.Result {
	for k, x := range runs {
		if k == len(results) || results[k].ID != x.ID() {
			return results[:k]
		}
	}
	return results
}

// Merge puts a reference into a list. Rows that it has anew replace older ones of the same artifact, scale and data, unless those
// have the same runs and more; the others are kept, with the commit they were run at.
func Merge(all []Reference, r Reference) []Reference {
	for i, old := range all {
		if old.Artifact != r.Artifact || old.Scale != r.Scale || old.Data != r.Data {
			continue
		}
		for _, row := range old.Rows {
			if at := slices.IndexFunc(r.Rows, func(x ReferenceRow) bool { return x.Name == row.Name }); at >= 0 {
				fresh := r.Rows[at]
				if len(row.Runs) <= len(fresh.Runs) || row.Runs[0] != fresh.Runs[0] {
					continue
				}
				r.Rows = slices.Delete(r.Rows, at, at+1)
			}
			if row.Commit == "" && old.Commit != r.Commit {
				row.Commit = old.Commit
			}
			r.Rows = append(r.Rows, row)
		}
		all[i] = r
		return all
	}
	return append(all, r)
}

// round keeps the digits worth shipping.
func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }
