package paper

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"

	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
)

// Ask is what a row asks once runs are finished: one run's model is measured, on the test split, by a task that reads the sentences which
// another one wrote (see eval.Sentence). The answer joins the metrics of the row's result of that seed, so that columns, claims and shipped
// results have it like any other.
type Ask struct {
	// Model is the row whose run is asked, and Of the one whose run wrote, of the same seed; nil for the row itself. One on another framework
	// than the row takes no weights, vocabulary and tasks of a request, which are for the row's.
	Model, Of *Row
	// Crossed takes the run of Of with the next seed of the plan, and for the last one with the first; where the plan has one seed, with the
	// one above.
	Crossed bool
	// Task is that of the asked run; of is the identity of the run that wrote.
	Task func(of string) eval.Task
}

// Question is an Ask of one seed.
type Question struct {
	Asked, Of run.Run
	Task      eval.Task
}

// Measure is what the store keeps the answer under.
func (q Question) Measure() run.Measure { return run.Measure{Split: "test", Tasks: eval.Tasks{q.Task}} }

// ID is the question's identity: who is asked, and what.
func (q Question) ID() string {
	text, err := json.Marshal([]any{q.Asked.ID(), q.Measure()})
	if err != nil {
		panic(fmt.Sprintf("paper: the task %T does not marshal: %v", q.Task, err))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Answer is what the store has to a question, and whether it has an answer.
func (q Question) Answer(store *run.Store) (map[string]float64, bool, error) {
	return store.Evaluation(q.Asked, q.Measure())
}

// questions are those of a row with its runs, one a seed; none where it asks nothing.
func (w planner) questions(row Row, own []run.Run, scale Scale, data run.Data) ([]Question, error) {
	if row.Ask == nil {
		return nil, nil
	}
	asked, of := own, own
	var err error
	if other := row.Ask.Model; other != nil {
		of, model, err := w.beside(row, *other)
		if err != nil {
			return nil, err
		}
		if asked, err = of.runs(model, scale, data); err != nil {
			return nil, err
		}
	}
	other := row
	if row.Ask.Of != nil {
		other = *row.Ask.Of
	}
	if w, other, err = w.beside(row, other); err != nil {
		return nil, err
	}
	if row.Ask.Crossed {
		w.seeds = crossed(w.seeds)
	}
	if row.Ask.Of != nil || row.Ask.Crossed {
		if of, err = w.runs(other, scale, data); err != nil {
			return nil, err
		}
	}
	var all []Question
	for k := range own {
		all = append(all, Question{Asked: asked[k], Of: of[k], Task: row.Ask.Task(of[k].ID())})
	}
	return all, nil
}

// beside is the planner of a row that another one asks.
func (w planner) beside(row, other Row) (planner, Row, error) {
	if other.Framework != row.Framework {
		return w.speaking(other)
	}
	return w, other, nil
}

// crossed is the seed after each one.
func crossed(seeds []uint64) []uint64 {
	if len(seeds) == 1 {
		return []uint64{seeds[0] + 1}
	}
	return append(append([]uint64{}, seeds[1:]...), seeds[0])
}

// answered is a result with the answer to the row's question of its seed, if the store has one; it tells whether anything is left to ask.
func (p *Plan) answered(row, seed int, result run.Result, store *run.Store) (with run.Result, open bool, err error) {
	if p.Questions[row] == nil {
		return result, false, nil
	}
	answer, done, err := p.Questions[row][seed].Answer(store)
	if err != nil || !done {
		return result, true, err
	}
	metrics := maps.Clone(answer)
	maps.Copy(metrics, result.Metrics)
	result.Metrics = metrics
	return result, false, nil
}
