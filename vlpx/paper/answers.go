package paper

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
)

// answered are the metrics that tasks gave of a plan's finished runs beside the runs' own, as vlpx.Measure and vlpx eval keep them. A
// metric is taken as it was measured of most of the runs, and of ways that are of as many the last one: numbers that were measured in other
// ways do not mix.
type answered struct {
	by     map[string]string // the way of each metric
	others map[string]int    // and how many others there are
	stale  map[string]int    // of how many runs other code than this program's has measured it so
	own    map[string]bool   // metrics that the plan's own tasks have
}

// ways are what tasks gave in one way.
type ways struct {
	runs  int
	stale int // runs that other code than this program's has measured
	last  time.Time
}

// newAnswered are those of what tasks gave of each run, without the plan's own metrics, which need not be of the same run.
func newAnswered(answers [][]run.Answer, own map[string]bool) answered {
	all := map[string]map[string]ways{} // by metric and way
	for _, of := range answers {
		for _, a := range of {
			for name := range a.Metrics {
				if all[name] == nil {
					all[name] = map[string]ways{}
				}
				w := all[name][a.By]
				if w.runs++; a.Finished.After(w.last) {
					w.last = a.Finished
				}
				if a.OtherCode {
					w.stale++
				}
				all[name][a.By] = w
			}
		}
	}
	b := answered{map[string]string{}, map[string]int{}, map[string]int{}, own}
	maps.DeleteFunc(all, func(name string, _ map[string]ways) bool { return own[name] })
	for name, of := range all {
		b.by[name] = slices.MaxFunc(slices.Sorted(maps.Keys(of)), func(one, other string) int {
			if of[one].runs != of[other].runs {
				return of[one].runs - of[other].runs
			}
			return of[one].last.Compare(of[other].last)
		})
		b.others[name], b.stale[name] = len(of)-1, of[b.by[name]].stale
	}
	return b
}

// withCosine are metrics, with the same without re-ranking.
func withCosine(metrics map[string]bool) map[string]bool {
	all := maps.Clone(metrics)
	for name := range metrics {
		all[eval.CosinePrefix+name] = true
	}
	return all
}

// joined is a result with what tasks gave of its run besides.
func (b answered) joined(result run.Result, answers []run.Answer) run.Result {
	if len(answers) == 0 {
		return result
	}
	metrics := map[string]float64{}
	for _, a := range answers {
		for name, v := range a.Metrics {
			if b.by[name] == a.By {
				metrics[name] = v
			}
		}
	}
	maps.Copy(metrics, result.Metrics)
	result.Metrics = metrics
	return result
}

// Measured notes what the store has of metrics that tasks gave of the plan's runs beside the runs' own, so that they can be columns. What
// cannot be read is left out, and told once it is reported.
func (p *Planned) Measured(store *run.Store) error {
	_, err := p.gather(store, func(error) bool { return true })
	return err
}

// gather are what tasks gave of the plan's runs, by their identities.
func (p *Planned) gather(store *run.Store, steppedAround func(error) bool) (map[string][]run.Answer, error) {
	answers := map[string][]run.Answer{}
	for _, runs := range p.Rows {
		for _, x := range runs {
			of, err := store.AnswersOf(x.ID(), x.Code())
			if err != nil && !errors.Is(err, fs.ErrNotExist) && !steppedAround(err) {
				return nil, err
			}
			answers[x.ID()] = of
		}
	}
	p.answered = newAnswered(slices.Collect(maps.Values(answers)), withCosine(p.Measures()))
	return answers, nil
}

// columns are those of metrics that no task of package eval has. Nobody knows whether more of them is better.
func (b answered) columns() []Column {
	var all []Column
	for _, name := range slices.Sorted(maps.Keys(b.by)) {
		all = append(all, Column{Group: "Measured besides", Name: name, Metric: name, Neutral: true})
	}
	return all
}

// answeredNote tells of the columns shown that no run measures by itself how they were measured, and how what is missing of them is.
func (r *Report) answeredNote() string {
	var told, lacking []string
	for _, c := range r.Shown() {
		_, known := r.Plan.answered.by[c.Metric]
		if c.Reported || c.Of != nil || c.Validation || r.Plan.answered.own[c.Metric] || !known && !r.chosen {
			continue
		}
		if known {
			note := fmt.Sprintf("%s by %s", c.Metric, r.Plan.answered.by[c.Metric])
			if n := r.Plan.answered.others[c.Metric]; n > 0 {
				note += fmt.Sprintf(" (left out, as it was measured otherwise: %d)", n)
			}
			if n := r.Plan.answered.stale[c.Metric]; n > 0 {
				note += fmt.Sprintf(" (by other code, which may give other numbers today: %d)", n)
			}
			told = append(told, note)
		}
		_, ofTask := eval.InfoOf(eval.Metric(c.Metric))
		if (known || ofTask) && slices.ContainsFunc(r.Rows,
			func(row RowReport) bool { return len(c.Values(row.Results)) < len(row.Results) }) {
			lacking = append(lacking, c.Metric)
		}
	}
	note := ""
	if len(told) > 0 {
		note += fmt.Sprintf(" Measured of finished runs: %s.", strings.Join(told, "; "))
	}
	if len(lacking) > 0 {
		note += fmt.Sprintf(" Where – stands, a run has not been measured by it yet: %s. vlpx eval METHOD -task TASK measures finished "+
			"runs, as vlpx.Measure does in a "+
			"notebook; vlpx show tasks has the tasks.", strings.Join(lacking, ", "))
	}
	return note
}
