package paper

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
)

// Downstream is a task that the model of each row is put to besides what the row's runs measure: further runs that go on from it, such as
// fine-tuning for question answering, or what it is asked, such as retrieval on other data. What comes out joins the row's result of that seed.
type Downstream struct {
	// Name is that of the task, by which a request leaves it out.
	Name string
	// outcomes are what a row's runs come to, one a seed.
	outcomes func(trained) ([]Outcome, error)
}

// Outcome is what a downstream task gives for one seed of a row.
type Outcome struct {
	Downstream string // the task's name
	// Run is the run that goes on, or that is asked.
	Run run.Run
	// Task is what Run is asked, on the test split, once it is finished; nil takes Run's own metrics.
	Task eval.Task
	// Prefix is put before the names of the metrics.
	Prefix string
}

// onValidation ends the name of a downstream metric on the validation split, after the last epoch or the one that was selected.
const onValidation = ", validation"

// Measure is what the store keeps the answer under, where Run is asked.
func (o Outcome) Measure() run.Measure { return run.Measure{Split: "test", Tasks: eval.Tasks{o.Task}} }

// ID is the identity of the outcome.
func (o Outcome) ID() string {
	of := []any{o.Run.ID(), o.Prefix}
	if o.Task != nil {
		of = append(of, o.Measure())
	}
	text, err := json.Marshal(of)
	if err != nil {
		panic(fmt.Sprintf("paper: the task %T does not marshal: %v", o.Task, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Metrics are what the store has of it, under the names that a row's result has them by, and whether it has them.
func (o Outcome) Metrics(store *run.Store) (metrics map[string]float64, done bool, err error) {
	metrics, _, done, err = o.find(store)
	return metrics, done, err
}

// find is Metrics with the result of the run that goes on; nil where a run is asked.
func (o Outcome) find(store *run.Store) (metrics map[string]float64, goesOn *run.Result, done bool, err error) {
	metrics = map[string]float64{}
	if o.Task != nil {
		answer, done, err := store.Evaluation(o.Run, o.Measure())
		for name, v := range answer {
			metrics[o.Prefix+name] = v
		}
		return metrics, nil, done, err
	}
	result, done, err := store.Find(o.Run)
	if err != nil || !done {
		return nil, nil, false, err
	}
	for name, v := range result.Metrics {
		metrics[o.Prefix+name] = v
	}
	if n := cmp.Or(result.BestEpoch, len(result.Epochs)); n > 0 {
		for name, v := range result.Epochs[n-1].Metrics {
			metrics[o.Prefix+name+onValidation] = v
		}
	}
	return metrics, &result, true, nil
}

// SecondPrefix stands before the metrics of the second data.
const SecondPrefix = "second "

// Second is retrieval on the second data, which stands in for Flickr30K: of other scenes, or of a folder that a request names. A row that is
// fine-tuned is fine-tuned there; others are asked as they are.
var Second = Downstream{Name: "second", outcomes: func(t trained) ([]Outcome, error) {
	data, err := t.planner.second(t.scale)
	if err != nil {
		return nil, err
	}
	var all []Outcome
	for k, from := range t.before {
		o := Outcome{Run: t.own[k], Prefix: SecondPrefix}
		if t.row.Tune != nil {
			method := t.row.Tune(t.scale)
			method.Name = t.row.Name + " fine-tuned on the second data"
			o.Run = t.scale.tuned(from, data, method)
			growing, ok := o.Run.Train.Framework.Framework.(framework.Growing)
			if !ok {
				return nil, &framework.Lacking{Method: method.Name, Framework: o.Run.Train.Framework.Name(), Needs: "a vocabulary that grows by new words",
					Advice: "leave the second data out"}
			}
			sizes, err := t.planner.grown(&o.Run)
			if err != nil {
				return nil, err
			}
			o.Run.Train.Framework.Framework = growing.WithVocabulary(sizes.Words)
		} else {
			o.Prefix, o.Task = "", eval.Elsewhere{Prefix: SecondPrefix, Of: eval.Tasks{eval.Retrieval{Rerank: t.scale.Rerank}}, Target: target(data)}
		}
		all = append(all, o)
	}
	return all, nil
}}

// target is data as a task is measured on it.
func target(d run.Data) eval.Target {
	return eval.Target{Name: d.Name, Hash: d.Hash, Scenes: d.Scenes, Dir: d.Dir}
}

// SecondWhole is Second for rows whose every stage is on the data at hand: the row is made anew on the second data.
var SecondWhole = Downstream{Name: "second", outcomes: func(t trained) ([]Outcome, error) {
	w := t.planner
	scale, err := w.Preset()
	if err != nil {
		return nil, err
	}
	if err := scale.SetAll(w.Set); err != nil {
		return nil, err
	}
	if w.Request, err = w.onSecond(); err != nil {
		return nil, err
	}
	if !w.folder() {
		scale.Scenes.World = secondWorld
	}
	data, err := w.data(scale)
	if err != nil {
		return nil, err
	}
	runs, err := w.runs(t.row, scale, data)
	if err != nil {
		return nil, err
	}
	var all []Outcome
	for _, r := range runs {
		all = append(all, Outcome{Run: r, Prefix: SecondPrefix})
	}
	return all, nil
}}

// Beside is each row made anew on another framework, whose metrics join under its name.
func Beside(framework string) Downstream {
	return Downstream{Name: framework, outcomes: func(t trained) ([]Outcome, error) {
		w := t.planner
		scale, err := w.Preset()
		if err != nil {
			return nil, err
		}
		if err := scale.SetAll(w.Set); err != nil {
			return nil, err
		}
		row := t.row
		row.Framework = framework
		runs, err := w.runs(row, scale, t.clean)
		if err != nil {
			return nil, err
		}
		var all []Outcome
		for _, r := range runs {
			all = append(all, Outcome{Run: r, Prefix: framework + " "})
		}
		return all, nil
	}}
}

// secondWorld is the world of scenes that is the second data where the first is the usual one.
const secondWorld = "second"

// onSecond is the request on the second data.
func (q Request) onSecond() (Request, error) {
	if q.Second == "" && q.folder() {
		return q, &framework.Lacking{Method: "second", Framework: "the data", Needs: "a second folder of captioned images", Advice: "name it with -data2"}
	}
	q.Data = q.Second
	return q, nil
}

// second describes the second data at a scale.
func (w planner) second(s Scale) (run.Data, error) {
	q, err := w.onSecond()
	if err != nil {
		return run.Data{}, err
	}
	if !q.folder() {
		s.Scenes.World = secondWorld
	}
	s.Portion = 0
	return q.data(s)
}

// outcomes are what the artifact's downstream tasks come to for a row, [seeds][tasks], and the tasks that the row's framework or the data do
// not allow.
func (p *Plan) outcomes(t trained) ([][]Outcome, []leftOut, error) {
	all := make([][]Outcome, len(t.own))
	var left []leftOut
	for _, d := range p.Artifact.Downstream {
		if p.without(d.Name) {
			continue
		}
		some, err := d.outcomes(t)
		if none := new(datasets.NoTexts); errors.As(err, &none) {
			err = &framework.Lacking{Method: d.Name, Framework: none.Set, Needs: none.Texts, Advice: none.Advice}
		}
		if lacking := new(framework.Lacking); errors.As(err, &lacking) {
			left = append(left, leftOut{d.Name, lacking})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s, %s: %w", t.row.Name, d.Name, err)
		}
		for k, o := range some {
			o.Downstream = d.Name
			all[k] = append(all[k], o)
		}
	}
	return all, left, nil
}

// without tells whether a request leaves a downstream task out.
func (q Request) without(name string) bool {
	return slices.ContainsFunc(q.Without, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), name) })
}

func (p *Plan) without(name string) bool { return p.planner.without(name) }

// checkWithout tells of a task to leave out that no artifact has; one that only others have is left out of nothing.
func (q Request) checkWithout() error {
	var names []string
	for _, d := range []Downstream{NLVR2, VQA, Second, Generation, Captioning, NoCaps, Complexity, Beside(querying)} {
		names = append(names, d.Name)
	}
	for _, w := range q.Without {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(strings.TrimSpace(w), n) }) {
			return fmt.Errorf("no downstream task %q%s There are %s", w, Suggest(w, names), strings.Join(names, ", "))
		}
	}
	return nil
}

// joined is a result with what the downstream tasks of its seed gave, as far as the store has it, the outcomes that it has, and the results of
// the runs among them that go on, by their tasks. What around says is stepped around, such as a damaged file, is missing from these.
func (p *Plan) joined(row, seed int, result run.Result, store *run.Store, around func(error) bool) (
	with run.Result, have []Outcome, goOn map[string]run.Result, err error) {
	metrics := maps.Clone(result.Metrics)
	goOn = map[string]run.Result{}
	for _, o := range p.Outcomes[row][seed] {
		further, of, done, err := o.find(store)
		if around(err) {
			continue
		}
		if err != nil {
			return result, nil, nil, err
		}
		if done {
			have = append(have, o)
		}
		if of != nil {
			goOn[o.Downstream] = *of
		}
		for name, v := range further {
			if _, own := metrics[name]; !own {
				metrics[name] = v
			}
		}
	}
	result.Metrics = metrics
	return result, have, goOn, nil
}
