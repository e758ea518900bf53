package paper

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/plan"
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
	Encoder  string  `json:",omitempty"` // Report.Encoder
	// Framework is Report.Framework.
	Framework string `json:",omitempty"`
	// Command made the runs. Resamples, drawn with ResampleSeed, are those of Intervals. Older references have neither.
	Command      string `json:",omitempty"`
	Resamples    int    `json:",omitempty"`
	ResampleSeed uint64 `json:",omitempty"`
	Rows         []ReferenceRow
	// Claims are those that were tested, as judged then.
	Claims []Finding `json:",omitempty"`
}

// ReferenceRow is one method's reference results.
type ReferenceRow struct {
	Name    string
	Runs    []string              // identities of the runs; where today has another configuration the row is not shown
	Metrics map[string][3]float64 // mean, standard deviation (0 for a single run) and number of runs
	// Values are those that Metrics are of, one a run, null where a run lacks the metric; none in older references.
	Values map[string][]*float64 `json:",omitempty"`
	// Intervals are as Summary.Interval; none from results of older versions.
	Intervals map[string][2]float64 `json:",omitempty"`
	Seeds     []uint64              `json:",omitempty"` // of Runs; 1, 2 and so on if none
	Questions []string              `json:",omitempty"` // identities of what was asked, one a run; none where nothing was
	// Downstream are the identities of what each downstream task gave, one a run, by the task's name; none where a task was left out.
	Downstream map[string][]string `json:",omitempty"`
	// Engine, Commit and DataHash are of Runs where they are not the reference's. Scenes, which a plan always has, have no DataHash here.
	Engine   string `json:",omitempty"`
	Commit   string `json:",omitempty"`
	DataHash string `json:",omitempty"`
}

func (row ReferenceRow) engine(r *Reference) string { return cmp.Or(row.Engine, r.Engine) }

func (row ReferenceRow) commit(r *Reference) string { return cmp.Or(row.Commit, r.Commit) }

// seeds are those of the runs.
func (row ReferenceRow) seeds() []uint64 {
	if row.Seeds != nil {
		return row.Seeds
	}
	return fromOne(len(row.Runs))
}

// fromOne are the seeds from 1 to n.
func fromOne(n int) []uint64 {
	seeds := make([]uint64, n)
	for k := range seeds {
		seeds[k] = uint64(k) + 1
	}
	return seeds
}

// References returns the shipped reference results.
func References() ([]Reference, error) {
	all, err := ParseReferences(referenceJSON)
	if err != nil {
		return nil, fmt.Errorf("paper: reference.json: %w", err)
	}
	return all, nil
}

// FindReference returns the reference results for a plan's artifact, scale, data and framework, nil if none are shipped, as none are of a
// framework of one's own.
func FindReference(p *Planned) (*Reference, error) {
	if p.Planner.Model != nil {
		return nil, nil
	}
	all, err := References()
	if err != nil {
		return nil, err
	}
	for i, r := range all {
		if r.Artifact == p.Artifact.ID && r.Scale == p.Scale.Name && r.Data == p.Data.Name && r.Framework == p.Framework() {
			return &all[i], nil
		}
	}
	return nil, nil
}

// ReferenceOn returns the reference results of an artifact at a scale on data of a name, as data sets are named in folders; nil if none
// are shipped.
func ReferenceOn(artifact, scale, data string) (*Reference, error) {
	all, err := References()
	if err != nil {
		return nil, err
	}
	for i, r := range all {
		if r.Artifact == artifact && r.Scale == scale && strings.EqualFold(strings.ReplaceAll(r.Data, "-", ""), data) {
			return &all[i], nil
		}
	}
	return nil, nil
}

// current tells whether these are the jobs that the row was shipped of, [seeds][jobs]. A downstream task that was left out then is no
// other.
func (row ReferenceRow) current(today [][]plan.Job) bool {
	var runs, questions []string
	for k, jobs := range today {
		for _, j := range jobs {
			id := j.ID()
			switch shipped := row.Downstream[j.Downstream]; {
			case j.Question():
				questions = append(questions, id)
			case j.Downstream == "":
				runs = append(runs, id)
			case shipped != nil && shipped[k] != id:
				return false
			}
		}
	}
	return slices.Equal(runs, row.Runs) && slices.Equal(questions, row.Questions)
}

// NewReference makes reference results of a report: of each row the runs of its first seeds, up to one that is not finished.
func NewReference(r *Report) (Reference, error) {
	if len(r.Plan.Artifact.Columns) == 0 {
		return Reference{}, fmt.Errorf("paper: %s has no columns of measures, which are all that is shipped", r.ID)
	}
	ref := Reference{
		Artifact: r.ID, Scale: r.Scale, Data: r.Data.Name, DataHash: r.Data.Hash, Engine: r.Engine, Commit: r.Commit, Date: r.Date,
		Encoder: r.Encoder, Framework: r.Framework, Command: r.command(), Resamples: evidence.Resamples, ResampleSeed: evidence.ResampleSeed,
	}
	var seconds []float64
	for i, row := range r.Rows {
		results := leading(row.Results, r.Plan.Rows[i])
		if len(results) == 0 {
			continue
		}
		one := ReferenceRow{Name: row.Name, Metrics: map[string][3]float64{}, Values: map[string][]*float64{},
			Intervals: map[string][2]float64{}}
		var engines, commits []string
		for k, result := range results {
			for _, j := range r.Plan.Jobs[i][k] {
				if j.Question() {
					one.Questions = append(one.Questions, j.ID())
				}
			}
			one.Runs, one.Seeds = append(one.Runs, result.ID), append(one.Seeds, result.Seed)
			engines, commits = once(engines, result.Engine), once(commits, result.Commit)
			seconds = append(seconds, result.Seconds)
		}
		one.Downstream = whole(row.further[:len(results)])
		if slices.Equal(one.Seeds, fromOne(len(one.Seeds))) {
			one.Seeds = nil
		}
		for _, column := range r.Plan.Artifact.Columns {
			if values := column.Values(results); len(values) > 0 {
				one.Metrics[column.Key()], one.Values[column.Key()] = summarised(values), column.each(results)
			}
			if ends := r.bootstraps.over(column.shares(results)); ends != nil {
				one.Intervals[column.Key()] = [2]float64{round(ends[0]), round(ends[1])}
			}
		}
		if len(one.Metrics) == 0 {
			return Reference{}, fmt.Errorf("paper: %s has no measure that a run of %s knows by itself, which are all that is shipped",
				r.ID, row.Name)
		}
		if all := strings.Join(engines, ", "); all != ref.Engine {
			one.Engine = all
		}
		if all := strings.Join(commits, ", "); all != ref.Commit {
			one.Commit = all
		}
		if r.Data.Scenes == nil && row.Data.Hash != ref.DataHash {
			one.DataHash = row.Data.Hash
		}
		ref.Rows = append(ref.Rows, one)
	}
	if len(ref.Rows) == 0 {
		return Reference{}, fmt.Errorf("paper: %s at %s on %s has no finished run; reproduce it first", r.ID, r.Scale, r.Data.Name)
	}
	ref.Seconds = round(stat.Mean(seconds, nil))
	for _, f := range r.Claims {
		if f.Difference != nil && f.From == "" {
			ref.Claims = append(ref.Claims, f)
		}
	}
	return ref, nil
}

// summarised are mean, standard deviation (0 of a single value) and number of values.
func summarised(values []float64) [3]float64 {
	summary := [3]float64{round(stat.Mean(values, nil)), 0, float64(len(values))}
	if len(values) > 1 {
		summary[1] = round(stat.StdDev(values, nil))
	}
	return summary
}

// each are a column's values, one a result, rounded; nil where a result has none.
func (c Column) each(results []run.Result) []*float64 {
	values := make([]*float64, len(results))
	for k, result := range results {
		if v, ok := c.Value(result); ok {
			v = round(v)
			values[k] = &v
		}
	}
	return values
}

// whole are the identities of the jobs of the downstream tasks that all results have, by the tasks' names; nil for none.
func whole(have [][]plan.Job) map[string][]string {
	ids := map[string][]string{}
	for _, jobs := range have {
		for _, j := range jobs {
			if j.Downstream != "" {
				ids[j.Downstream] = append(ids[j.Downstream], j.ID())
			}
		}
	}
	maps.DeleteFunc(ids, func(_ string, of []string) bool { return len(of) < len(have) })
	if len(ids) == 0 {
		return nil
	}
	return ids
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

// beside tells whether another reference is of the same artifact, scale, data and framework.
func (r Reference) beside(other Reference) bool {
	return other.Artifact == r.Artifact && other.Scale == r.Scale && other.Data == r.Data && other.Framework == r.Framework
}

// Merge puts a reference into a list. Rows that it has anew replace older ones of the same artifact, scale, data and framework, unless
// those have the same runs and more; the others are kept, with the engine and the commit they were run at, unless another image encoder was
// locked in front of them.
func Merge(all []Reference, r Reference) []Reference {
	for i, old := range all {
		if !r.beside(old) {
			continue
		}
		if old.Encoder != r.Encoder {
			old.Rows = nil
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
			if row.Engine == "" && old.Engine != r.Engine {
				row.Engine = old.Engine
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
