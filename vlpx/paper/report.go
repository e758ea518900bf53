package paper

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
)

// Report is an artifact with what our runs gave so far. Its JSON is what `vlpx reproduce` writes.
type Report struct {
	ID     string      `json:"id"`
	Title  string      `json:"title"`
	Scale  string      `json:"scale"`
	Data   run.Data    `json:"data"`
	Seeds  []uint64    `json:"seeds"`
	Set    []string    `json:"set"`    // what was changed of the scale; see Plan.Settings
	Engine string      `json:"engine"` // of the latest run, as are Commit and Date; a row has its own
	Commit string      `json:"commit"`
	Date   time.Time   `json:"date"`
	Rows   []RowReport `json:"rows"`
	Claims []Finding   `json:"claims"`
	// Unreadable are images that the runs could not read.
	Unreadable Unreadable `json:"unreadable,omitzero"`
	// Damaged tells of files of the store that cannot be read, with what to do. What they should tell is missing from the report.
	Damaged []string `json:"damaged,omitempty"`
	// Encoder tells of the published image encoder that is locked in front of every row, and what regions are; empty where there are none.
	Encoder string `json:"encoder,omitempty"`
	// Framework names that of every row; empty for the usual one, ALBEF.
	Framework string `json:"framework,omitempty"`

	// Plan is what the report is of, its artifact among it.
	Plan *Planned `json:"-"`

	shipped    shipped
	best       best
	bootstraps bootstraps
	claims     []Claim // of each of Claims
	tested     int     // claims that were corrected for together
	view       View
	chosen     bool // the columns and rows are the view's
}

// RowReport is one row of a report.
type RowReport struct {
	Name    string    `json:"name"`
	Status  string    `json:"status"`  // "ready", "2 of 3 seeds", "without VQA", "not run" if not asked for, or "not yet"
	Set     []string  `json:"set"`     // what the row itself changes of the scale and of its method's parts
	Data    *run.Data `json:"data"`    // null without runs
	Engines []string  `json:"engines"` // of the runs that are finished, each once
	Commits []string  `json:"commits"`
	// OtherCode is the number of the finished runs that other code than this program's made or measured, or a run that they go on
	// from.
	OtherCode int                `json:"other_code,omitempty"`
	Metrics   map[string]Summary `json:"metrics"`
	// Unreadable are images that the row's runs could not read.
	Unreadable Unreadable `json:"unreadable,omitzero"`
	// Seeds are what its finished runs gave, seed by seed.
	Seeds []SeedReport `json:"seeds"`
	// Shipped are what the project's own runs gave, seed by seed; none of older references, which have means alone.
	Shipped []SeedReport `json:"shipped,omitempty"`

	// Results are of the runs that are finished, seed by seed.
	Results []run.Result `json:"-"`
	// Downstream are the results of the runs that downstream tasks go on with, by the task's name, seed by seed, where they are finished.
	Downstream map[string][]run.Result `json:"-"`

	further [][]plan.Job // that the store has besides each of Results
	shipped shippedRow
}

// First is the result of the run that a downstream task goes on with from the row's first one, and whether it is there.
func (row RowReport) First(task string) (of run.Result, done bool) {
	for _, result := range row.Downstream[task] {
		if result.Seed == row.Results[0].Seed {
			return result, true
		}
	}
	return run.Result{}, false
}

// Summary is a measure over seeds, beside the paper's number.
type Summary struct {
	Mean  *float64 `json:"mean"` // null if there is no run
	Std   *float64 `json:"std"`  // null with fewer than two runs
	N     int      `json:"n"`
	Of    int      `json:"of,omitempty"` // the row's finished seeds, where some of them lack the number; else 0
	Paper *float64 `json:"paper"`        // null if the paper reports none
	// Interval is that of the mean over test images, 95 %, by the bootstrap, of these very seeds: what other test images would change,
	// beside Std, which tells what other seeds would. null for what is not of test queries, or of results of older versions, which lack
	// them.
	Interval *[2]float64 `json:"interval"`
}

// NewReport gathers a plan's results from the store; runs that are not finished are missing from it, and so are those whose result is
// damaged.
func NewReport(p *Planned, store *run.Store) (*Report, error) {
	r := &Report{
		ID: p.Artifact.ID, Title: p.Artifact.Title, Scale: p.Scale.Name, Data: p.Data, Seeds: p.Seeds, Set: p.Settings(),
		Encoder: p.SeenBy(), Framework: p.Framework(), Plan: p, bootstraps: bootstraps{},
	}
	references, err := References()
	if err != nil {
		return nil, err
	}
	answers, err := p.gather(store, r.steppedAround)
	if err != nil {
		return nil, err
	}
	codes := codes{store, r.steppedAround, map[string]bool{}}
	for i, row := range p.Artifact.Rows {
		one := RowReport{Name: row.Name, Set: rowSettings(row), Engines: []string{}, Commits: []string{},
			Downstream: map[string][]run.Result{}}
		if len(p.Rows[i]) > 0 {
			one.Data = &p.Rows[i][0].Data
		}
		left := map[string]int{}
		for k, x := range p.Rows[i] {
			result, err := store.Result(x)
			if errors.Is(err, fs.ErrNotExist) || r.steppedAround(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			result, have, further, err := p.Joined(i, k, result, store, r.steppedAround)
			if err != nil {
				return nil, err
			}
			for task, of := range further {
				one.Downstream[task] = append(one.Downstream[task], of)
			}
			lacks := map[string]bool{}
			for _, j := range p.Jobs[i][k][1:] {
				if _, done, err := j.Metrics(store); err != nil || !done {
					lacks[j.Downstream] = true
				}
			}
			for task := range lacks {
				left[task]++
			}
			one.further = append(one.further, have)
			one.Results = append(one.Results, p.answered.joined(result, answers[x.ID()]))
			other, err := codes.any(x, have)
			if err != nil {
				return nil, err
			}
			if other {
				one.OtherCode++
			}
			r.include(&one, result)
		}
		one.Status = status(row, p.Rows[i], len(one.Results), left)
		r.Rows = append(r.Rows, one)
	}
	r.summarise(p)
	r.ship(references)
	r.judge()
	return r, nil
}

// ship takes what is shipped of the artifact. Of data that is not here it is all that there is.
func (r *Report) ship(all []Reference) {
	var rows []shippedRow
	r.shipped, rows = r.Plan.ship(all)
	for i := range r.Rows {
		r.Rows[i].shipped, r.Rows[i].Shipped = rows[i], nil
		if rows[i].of == nil {
			continue
		}
		r.Rows[i].Shipped = rows[i].seedReports()
		if r.Plan.unseen {
			r.Rows[i].Data = rows[i].data()
		}
	}
	r.chooseBest()
}

// include adds to a row and the report where a result is from, and what of its images could not be read.
func (r *Report) include(row *RowReport, result run.Result) {
	r.Unreadable.add(result)
	row.Unreadable.add(result)
	row.Engines, row.Commits = once(row.Engines, result.Engine), once(row.Commits, result.Commit)
	if result.Finished.After(r.Date) {
		r.Date, r.Engine, r.Commit = result.Finished, result.Engine, result.Commit
	}
}

// summarise fills in the rows' metrics and seeds, also in the columns of what parts reported.
func (r *Report) summarise(p *Planned) {
	r.Plan = p.withReported(r.Rows)
	for i, row := range p.Artifact.Rows {
		r.Rows[i].Metrics = r.summaries(row, r.Rows[i].Results)
		r.Rows[i].Seeds = r.Plan.seedReports(r.Rows[i].Results)
	}
}

// judge tests the claims.
func (r *Report) judge() {
	a := r.Plan.Artifact
	var trials []trial
	r.claims, r.tested = nil, 0
	for _, claim := range a.Claims {
		if a.compared() && !r.measurable(claim.In) {
			continue
		}
		t := r.trial(claim)
		t.primary = len(a.Primary) == 0 || slices.Contains(a.Primary, claim.String())
		trials, r.claims = append(trials, t), append(r.claims, t.claim)
	}
	r.Claims = judge(trials)
	for k, c := range r.claims {
		switch {
		case r.Claims[k].From != "":
			r.Claims[k].Interval = r.shippedInterval(c)
		case r.Claims[k].Difference != nil:
			r.Claims[k].Interval = r.bootstraps.difference(c.In, r.paired(c))
		}
		if r.Claims[k].Primary && r.Claims[k].Holm != nil {
			r.tested++
		}
	}
}

// trial is what a claim is tested on. For a column whose errors are pooled other rows on the same data are among it, each run once.
func (r *Report) trial(c Claim) trial {
	t := trial{claim: c}
	if r.partial(c) {
		t.reason = SomeSeeds
		return t
	}
	paired := r.paired(c)
	if len(paired[0]) == 0 {
		return r.shippedTrial(c)
	}
	var seeds []uint64
	for _, result := range paired[0] {
		seeds = append(seeds, result.Seed)
	}
	known := map[string]bool{} // the first runs of rows
	add := func(name string, results []run.Result) {
		if !known[results[0].ID] {
			known[results[0].ID] = true
			t.rows, t.values = append(t.rows, name), append(t.values, c.In.Values(results))
		}
	}
	names := c.Rows()
	for k, name := range names {
		if !slices.Contains(t.rows, name) {
			known[paired[k][0].ID] = false // two rows of a claim may be of the same run
			add(name, paired[k])
		}
	}
	for _, row := range r.pool(c) {
		if !c.In.pooled() || slices.Contains(names, row.Name) || !row.besides(r.row(names[0])) {
			continue
		}
		if results := row.of(c.In, seeds); results != nil {
			add(row.Name, results)
		}
	}
	return t
}

// besides tells whether a row's runs are of the worlds of another's, whose error is pooled with theirs.
func (row RowReport) besides(other RowReport) bool {
	return row.Data != nil && other.Data != nil && row.Data.Hash == other.Data.Hash
}

// row is the one of that name; it is there.
func (r *Report) row(name string) RowReport {
	if name == BestOfSweep {
		return r.best.RowReport
	}
	return r.Rows[slices.IndexFunc(r.Rows, func(row RowReport) bool { return row.Name == name })]
}

// of are the row's results of the seeds; nil unless each has the column.
func (row RowReport) of(c Column, seeds []uint64) []run.Result {
	var results []run.Result
	for _, seed := range seeds {
		at := slices.IndexFunc(row.Results, func(x run.Result) bool { return x.Seed == seed })
		if at < 0 {
			return nil
		}
		if _, ok := c.Value(row.Results[at]); !ok {
			return nil
		}
		results = append(results, row.Results[at])
	}
	return results
}

// steppedAround notes a damaged file, which the report does without, and tells whether the error is one.
func (r *Report) steppedAround(err error) bool {
	var damaged *run.Damaged
	if !errors.As(err, &damaged) {
		return false
	}
	r.Damaged = once(r.Damaged, strings.TrimPrefix(damaged.Error(), "run: "))
	return true
}

// damagedNote tells of damaged files; empty without any.
func (r *Report) damagedNote() string {
	if len(r.Damaged) == 0 {
		return ""
	}
	return fmt.Sprintf(" Left out, since a file is damaged: %s.", strings.Join(r.Damaged, "; "))
}

// once adds a name to a list that lacks it.
func once(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// status tells how far a row's runs are. Left are the seeds that lack a downstream task, by its name, or what the row asks.
func status(row plan.Row, runs []run.Run, done int, left map[string]int) string {
	switch {
	case row.Method == nil:
		return string(NotYet)
	case len(runs) == 0:
		return "not run"
	case done < len(runs):
		return fmt.Sprintf("%d of %d seeds", done, len(runs))
	}
	var without, some []string
	for _, task := range slices.Sorted(maps.Keys(left)) {
		name, has := cmp.Or(task, "answers"), done-left[task]
		if has == 0 {
			without = append(without, name)
		} else {
			some = append(some, fmt.Sprintf("%s of %d of %d seeds", name, has, len(runs)))
		}
	}
	if len(without) > 0 {
		some = append([]string{"without " + strings.Join(without, ", ")}, some...)
	}
	return cmp.Or(strings.Join(some, "; "), string(Ready))
}

func (r *Report) summaries(row plan.Row, results []run.Result) map[string]Summary {
	metrics := map[string]Summary{}
	for c, column := range r.Plan.Artifact.Columns {
		s := r.summary(column, results)
		if c < len(row.Paper) && !math.IsNaN(row.Paper[c]) {
			s.Paper = &row.Paper[c]
		}
		metrics[column.Key()] = s
	}
	return metrics
}

// summary is what results have in a column.
func (r *Report) summary(c Column, results []run.Result) (s Summary) {
	if values := c.Values(results); len(values) > 0 {
		mean, std := stat.MeanStdDev(values, nil)
		s.Mean, s.N, s.Interval = &mean, len(values), r.bootstraps.over(c.shares(results))
		if len(values) > 1 {
			s.Std = &std
		}
		if len(values) < len(results) {
			s.Of = len(results)
		}
	}
	return s
}

// paired returns the results of each of a claim's rows that have its column, of the seeds that all of these rows have, [rows][seeds].
func (r *Report) paired(c Claim) [][]run.Result {
	names, rows := c.Rows(), r.pool(c)
	bySeed := make([]map[uint64]run.Result, len(names))
	for k, name := range names {
		bySeed[k] = map[uint64]run.Result{}
		for _, row := range rows {
			if row.Name != name {
				continue
			}
			for _, result := range row.Results {
				if _, ok := c.In.Value(result); ok {
					bySeed[k][result.Seed] = result
				}
			}
		}
	}
	paired := make([][]run.Result, len(names))
	for _, seed := range r.Seeds {
		if slices.ContainsFunc(bySeed, func(results map[uint64]run.Result) bool { _, has := results[seed]; return !has }) {
			continue
		}
		for k := range names {
			paired[k] = append(paired[k], bySeed[k][seed])
		}
	}
	return paired
}
