package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Downstream is a task that the model of each row is put to besides what the row's runs measure: further runs that go on from it, such as
// fine-tuning for question answering, or what it is asked, such as retrieval on other data. What comes out joins the row's result of that
// seed.
type Downstream struct {
	// Name is that of the task, by which a request leaves it out.
	Name string
	// Jobs are what it has of a row, one a seed: further runs, or measures of finished ones. Its error is a framework.Lacking where the
	// row's framework cannot have it.
	Jobs func(Trained) ([]Job, error)
}

// SecondPrefix stands before the metrics of the second data.
const SecondPrefix = "second "

// Second is retrieval on the second data, which stands in for Flickr30K: of other scenes, or of a folder that a request names. A row that
// is fine-tuned is fine-tuned there; others are asked as they are.
var Second = Downstream{Name: "second", Jobs: func(t Trained) ([]Job, error) {
	data, err := t.Second()
	if err != nil {
		return nil, err
	}
	var all []Job
	for k, from := range t.Before {
		j := Job{Run: t.Own[k], Prefix: SecondPrefix}
		if t.Row.Tune != nil {
			method := t.Row.Tune(t.Scale.Resolved())
			method.Name = t.Row.Name + " fine-tuned on the second data"
			j.Run = t.Scale.Tuned(from, data, method)
			growing, ok := j.Run.Train.Framework.Framework.(framework.Growing)
			if !ok {
				return nil, &framework.Lacking{Method: method.Name, Framework: j.Run.Train.Framework.Name(),
					Needs:  "a vocabulary that grows by new words",
					Advice: "leave the second data out"}
			}
			sizes, err := t.Grown(&j.Run)
			if err != nil {
				return nil, err
			}
			j.Run.Train.Framework.Framework = growing.WithVocabulary(sizes.Words)
		} else {
			j.Prefix, j.Task = "", eval.On(Target(data), SecondPrefix, eval.UsualTask(t.Scale.Rerank))
		}
		all = append(all, j)
	}
	return all, nil
}}

// Target is data as a task is measured on it.
func Target(d run.Data) eval.Target {
	return eval.Target{Name: d.Name, Hash: d.Hash, Scenes: d.Scenes, Dir: d.Dir}
}

// SecondWhole is Second for rows whose every stage is on the data at hand: the row is made anew on the second data.
var SecondWhole = Downstream{Name: "second", Jobs: func(t Trained) ([]Job, error) {
	w := t.planner
	s, err := w.Preset()
	if err != nil {
		return nil, err
	}
	if err := s.SetAll(w.Set); err != nil {
		return nil, err
	}
	if w.Request, err = w.onSecond(); err != nil {
		return nil, err
	}
	if !w.Folder() {
		s.Scenes.World = scale.SecondWorld
	}
	data, err := w.data(s)
	if err != nil {
		return nil, err
	}
	runs, err := w.runs(t.Row, s, data)
	if err != nil {
		return nil, err
	}
	return prefixed(SecondPrefix, Made(runs)), nil
}}

// Beside is each row made anew on another framework, whose metrics join under its name.
func Beside(framework string) Downstream {
	return Downstream{Name: framework, Jobs: func(t Trained) ([]Job, error) {
		w := t.planner
		scale, err := w.Preset()
		if err != nil {
			return nil, err
		}
		if err := scale.SetAll(w.Set); err != nil {
			return nil, err
		}
		row := t.Row
		row.Framework = framework
		runs, err := w.runs(row, scale, t.Clean)
		if err != nil {
			return nil, err
		}
		return prefixed(framework+" ", Made(runs)), nil
	}}
}

// onSecond is the request on the second data.
func (q Request) onSecond() (Request, error) {
	if q.Second == "" && q.Folder() {
		return q, &framework.Lacking{Method: "second", Framework: "the data", Needs: "a second folder of captioned images",
			Advice: "name it with -data2"}
	}
	q.Data = q.Second
	return q, nil
}

// Second is the second data at the row's scale.
func (t Trained) Second() (run.Data, error) { return t.planner.second(t.Scale) }

// second describes the second data at a scale.
func (w planner) second(s scale.Scale) (run.Data, error) {
	q, err := w.onSecond()
	if err != nil {
		return run.Data{}, err
	}
	if !q.Folder() {
		s.Scenes.World = scale.SecondWorld
	}
	s.Portion = 0
	return q.data(s)
}

// prefixed are jobs whose metrics have a prefix.
func prefixed(prefix string, all []Job) []Job {
	for k := range all {
		all[k].Prefix = prefix
	}
	return all
}

// downstream are the jobs of the artifact's downstream tasks for a row, [seeds][jobs], and the tasks that the row's framework or the data
// do not allow.
func (p *Plan) downstream(t Trained) ([][]Job, []leftOut, error) {
	all := make([][]Job, len(t.Own))
	var left []leftOut
	for _, d := range p.Experiment.Downstream {
		if p.without(d.Name) {
			continue
		}
		of, err := d.Jobs(t)
		if none := new(datasets.NoTexts); errors.As(err, &none) {
			err = &framework.Lacking{Method: d.Name, Framework: none.Set, Needs: none.Texts, Advice: none.Advice}
		}
		if lacking := new(framework.Lacking); errors.As(err, &lacking) {
			left = append(left, leftOut{d.Name, lacking})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s: %w", t.Row.Name, d.Name, err)
		}
		for k, j := range of {
			j.Downstream = d.Name
			all[k] = append(all[k], j)
		}
	}
	return all, left, nil
}

// ofJudge is the name of what is asked of judges: FALCON's question, which is the only one.
const ofJudge = "complexity"

// OfJudge measures the frozen model that judges a row's negatives. Rows that no such model judges have nothing of it.
func OfJudge(task eval.Task) Downstream {
	return Downstream{Name: ofJudge, Jobs: func(t Trained) ([]Job, error) {
		var all []Job
		for _, r := range t.Own {
			if r.Reference == nil {
				return nil, nil
			}
			all = append(all, Job{Run: *r.Reference, Task: task})
		}
		return all, nil
	}}
}

// without tells whether a request leaves a downstream task out.
func (q Request) without(name string) bool {
	return slices.ContainsFunc(q.Without, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), name) })
}

func (p *Plan) without(name string) bool { return p.Planner.without(name) }

// checkWithout tells of a task to leave out that no artifact has; one that only others have is left out of nothing.
func (q Request) checkWithout() error {
	names := []string{ofJudge}
	for _, d := range append([]Downstream{Second}, stages...) {
		names = append(names, d.Name)
	}
	for _, w := range q.Without {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(w), n) }) {
			return scale.Unknown("downstream task", w, names)
		}
	}
	return nil
}

// joined is a result with the metrics of the further jobs of its row and seed, as far as the store has them, the jobs that it has, and the
// results of the runs among them, by their downstream tasks. An error that around accepts, such as of a damaged file, leaves its job out.
func (p *Plan) Joined(row, seed int, result run.Result, store *run.Store, around func(error) bool) (
	with run.Result, have []Job, results map[string]run.Result, err error) {
	metrics := maps.Clone(result.Metrics)
	results = map[string]run.Result{}
	for _, j := range p.Jobs[row][seed][1:] {
		further, of, done, err := j.find(store)
		if around(err) {
			continue
		}
		if err != nil {
			return result, nil, nil, err
		}
		if done {
			have = append(have, j)
		}
		if of != nil {
			results[j.Downstream] = *of
		}
		for name, v := range further {
			if _, own := metrics[name]; !own {
				metrics[name] = v
			}
		}
	}
	result.Metrics = metrics
	return result, have, results, nil
}
