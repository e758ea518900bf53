package lab

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
)

// Remarks says in lines what there is to know of the settings: a learning rate that falls to its end before training does.
func (g *Grid) Remarks() []string { return g.Plan.Swings() }

// Outlook says in lines what there is to run, on which engine and for about how long, and what is damaged; nothing where no run is missing
// and nothing is to ask. What a missing run cannot be made with is an error.
func (g *Grid) Outlook() ([]string, error) {
	left, err := g.left()
	if err != nil || len(left) == 0 {
		return nil, err
	}
	missing := runsOf(left)
	if err := guard(func() error { return checkRuns(missing) }); err != nil {
		return nil, err
	}
	choice, _ := engine.Choose(engine.Cache())
	what := fmt.Sprintf("%d of %d runs to make", len(missing), len(g.Plan.Runs()))
	if n := len(left) - len(missing); n > 0 {
		what += fmt.Sprintf(" and %d questions to ask of finished ones", n)
	}
	lines := []string{fmt.Sprintf("%s at %s on %s: %s on %s (%s)", g.Plan.Artifact.ID, g.Plan.Scale.Name, g.Plan.Data.Name, what,
		choice.Name,
		choice.Reason)}
	for _, line := range []string{g.Plan.Taken(), choice.Slower} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for _, damaged := range g.Damaged() {
		lines = append(lines, fmt.Sprintf("left out: %v", damaged))
	}
	if len(missing) == 0 {
		return lines, nil
	}
	estimate, err := g.estimate(missing, choice.Name)
	if err != nil {
		return nil, err
	}
	lines = append(lines, fmt.Sprintf("about %s in all; stopped, it keeps what is done, and the same call goes on from there",
		round(estimate)))
	return append(lines, g.Plan.Vague()...), nil
}

// checkRuns tells before the first run is made why one of them cannot be, as where its data lacks a split.
func checkRuns(runs []run.Run) error {
	opened := map[string]datasets.Collection{}
	for _, r := range runs {
		where := r.Data.Hash + r.Data.Dir
		if opened[where] == nil {
			collection, err := r.Data.Open()
			if err != nil {
				return err
			}
			opened[where] = collection
		}
		if err := r.Check(opened[where]); err != nil {
			return fmt.Errorf("%s, seed %d: %w", r.Train.Method.Name, r.Train.Seed, err)
		}
	}
	return nil
}

func round(d time.Duration) time.Duration {
	if d > 10*time.Minute {
		return d.Round(time.Minute)
	}
	return d.Round(time.Second)
}

// estimate is about how long runs of this grid take on an engine, by their epochs and by what an epoch takes: of the grid's runs that the
// store has from the same engine, else of the shipped reference results, else of the preset's usual runs.
func (g *Grid) estimate(missing []run.Run, engine string) (time.Duration, error) {
	epochs := 0.
	for _, r := range missing {
		epochs += float64(r.Train.Epochs)
	}
	var seconds, made float64
	for _, r := range g.Plan.Runs() {
		result, done, err := g.Store.Find(r)
		if err != nil && !isDamaged(err) {
			return 0, err
		}
		if done && result.Engine == engine {
			seconds += result.Seconds
			made += float64(r.Train.Epochs)
		}
	}
	if made > 0 {
		return lasting(epochs * seconds / made), nil
	}
	preset, err := scale.Preset(g.Plan.Scale.Name, g.Plan.Data.Scenes == nil)
	if err != nil {
		return 0, err
	}
	reference, err := paper.FindReference(g.Plan)
	if err != nil {
		return 0, err
	}
	each := paper.RunCost(g.Plan.Scale.Name).Seconds() / float64(preset.Epochs)
	if reference != nil {
		each = reference.Seconds / ownEpochs(g.Plan.Experiment.Rows, preset)
	}
	if strings.HasPrefix(engine, "go") {
		each *= paper.PureGoFactor(g.Plan.Scale.Name)
	}
	if g.Plan.Data.Scenes != nil {
		each *= sceneCaptions(g.Plan.Scale) / sceneCaptions(preset)
	}
	return lasting(epochs * each), nil
}

// ownEpochs are those of a row's own run at a preset, a pre-training or a fine-tuning, on the average of rows.
func ownEpochs(rows []plan.Row, preset scale.Scale) float64 {
	epochs := 0
	for _, row := range rows {
		if row.Tune != nil {
			epochs += preset.Tuning.Epochs
		} else {
			epochs += preset.Epochs
		}
	}
	return float64(epochs) / float64(len(rows))
}

// sceneCaptions is the number of training pairs at a scale, of generated scenes.
func sceneCaptions(s scale.Scale) float64 {
	s = s.Resolved()
	s.Scenes = s.Scenes.WithDefaults()
	return float64(s.TrainingScenes()) * float64(cmp.Or(s.Scenes.TrainCaptions, s.Scenes.Captions))
}

// lasting is a time of so many seconds, a century at most.
func lasting(seconds float64) time.Duration {
	const century = 100 * 365 * 24 * time.Hour
	return time.Duration(min(seconds, century.Seconds()) * float64(time.Second))
}
