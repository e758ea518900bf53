package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// FinishedRuns is a row of a comparison of finished runs of the store, whatever made them: runs that differ in nothing but the seed.
type FinishedRuns struct {
	Name    string
	Scale   string       // the preset that they were made at; empty where nothing tells it
	Data    run.Data     // of the first run
	Blocks  bool         // each run has scenes of its own
	Tasks   eval.Tasks   // that they are measured by
	Train   train.Config // of one of them
	Results []run.Result // one a seed
	// OtherCode is the number of these that other code than this program's made, or a run that they go on from.
	OtherCode int
	// Answers are what tasks gave of each of Results besides.
	Answers [][]run.Answer
}

// NewRunsReport is a report of rows of finished runs, each against the first. It tells of rows on other data, or of another scale, than the
// first.
func NewRunsReport(rows []FinishedRuns) (*Report, error) {
	var named []plan.Row
	for _, row := range rows {
		method := func(scale.Scale) negative.Method { return row.Train.Method }
		named = append(named, plan.Row{Name: row.Name, Method: method, Vary: func(s *scale.Scale) { s.BatchSize = row.Train.BatchSize }})
	}
	a, err := Compared(named)
	if err != nil {
		return nil, err
	}
	a.Title = "Runs of the store"
	if !slices.ContainsFunc(rows, func(row FinishedRuns) bool { return slices.ContainsFunc(row.Results, retrieves) }) {
		a.Columns, a.Claims = nil, nil // as of images alone, or of models that write
	}
	a.Columns = append(a.Columns, measured(rows)...)
	a.Table = func(r *Report) (tables.Table, error) {
		t, err := ownComparison(r)
		t.Note = r.runsNote(rows)
		return t, err
	}
	first := rows[0]
	p := &Planned{Artifact: a, Plan: plan.Plan{
		Experiment: a.Experiment(), Scale: scale.Scale{Name: first.Scale}, Data: first.Data, Blocks: first.Blocks,
		Rows:      make([][]run.Run, len(rows)),
		Requested: make([]bool, len(rows)),
	}}
	for i, row := range rows {
		p.Requested[i] = true
		for _, result := range row.Results {
			if !slices.Contains(p.Seeds, result.Seed) {
				p.Seeds = append(p.Seeds, result.Seed)
			}
		}
	}
	slices.Sort(p.Seeds)
	var answers [][]run.Answer
	own := map[string]bool{}
	for _, row := range rows {
		answers = append(answers, row.Answers...)
		for _, info := range row.Tasks.Metrics() {
			own[string(info.Metric)] = true
		}
	}
	p.answered = newAnswered(answers, withCosine(own))
	r := &Report{ID: a.ID, Title: a.Title, Scale: first.Scale, Data: first.Data, Seeds: p.Seeds, Set: []string{}, Plan: p,
		bootstraps: bootstraps{}}
	for i, row := range rows {
		results := slices.Clone(row.Results)
		for k := range min(len(results), len(row.Answers)) {
			results[k] = p.answered.joined(results[k], row.Answers[k])
		}
		one := RowReport{
			Name: row.Name, Status: string(Ready), Set: []string{}, Data: &rows[i].Data, Engines: []string{}, Commits: []string{},
			Results:    results,
			Downstream: map[string][]run.Result{}, OtherCode: row.OtherCode,
		}
		for _, result := range row.Results {
			r.include(&one, result)
		}
		if n := len(one.Results); n < len(p.Seeds) {
			one.Status = fmt.Sprintf("%d of %d seeds", n, len(p.Seeds))
		}
		r.Rows = append(r.Rows, one)
	}
	r.summarise(p)
	r.judge()
	return r, nil
}

// measured are the columns of what tasks other than the usual one measure, of which some result has a value.
func measured(rows []FinishedRuns) []Column {
	var columns []Column
	for _, row := range rows {
		for _, task := range row.Tasks {
			if eval.IsUsual(task) {
				continue
			}
			for _, info := range task.Metrics() {
				c := column(info)
				known := slices.ContainsFunc(columns, func(other Column) bool { return other.Metric == c.Metric })
				if !known && slices.ContainsFunc(rows, func(row FinishedRuns) bool { return len(c.Values(row.Results)) > 0 }) {
					columns = append(columns, c)
				}
			}
		}
	}
	return columns
}

// runsNote tells which runs are compared, and what else they differ in.
func (r *Report) runsNote(rows []FinishedRuns) string {
	var ids, others []string
	for i, row := range rows {
		var of []string
		for _, result := range row.Results {
			of = append(of, run.Short(result.ID))
		}
		ids = append(ids, fmt.Sprintf("%s of %s", strings.Join(of, ", "), row.Name))
		if i == 0 {
			continue
		}
		if row.Data.Hash != rows[0].Data.Hash {
			others = append(others, fmt.Sprintf("%s is on other data (%s, %s)", row.Name, row.Data.Name, plan.Abbreviated(row.Data.Hash)))
		}
		if scale := cmp.Or(row.Scale, "an unknown scale"); row.Scale != rows[0].Scale {
			others = append(others, fmt.Sprintf("%s is at %s", row.Name, scale))
		}
	}
	note := r.mixedFirst() + fmt.Sprintf("Finished runs: %s. The first is at %s on %s. Test split, ", strings.Join(ids, "; "),
		cmp.Or(rows[0].Scale, "an unknown scale"), r.on())
	note += r.spreadOfSeeds()
	if len(others) > 0 {
		note += fmt.Sprintf(" Not all is alike: %s.", strings.Join(others, "; "))
	}
	if ran := r.origins(); ran != "" {
		note += fmt.Sprintf(" Run on %s.", ran)
	}
	return note + r.intervalNote()
}
