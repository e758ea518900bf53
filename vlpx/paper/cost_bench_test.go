package paper

import (
	"context"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/run"
	"vlpx.internal/vlpx/scale"
	"vlpx.internal/vlpx/train"
)

// BenchmarkCosts trains methods at mini side by side, a step of each in turn, and reports what an epoch of each takes, its mini-batches
// chosen by its own sampler, in milliseconds a step and relative to InfoNCE on uniform mini-batches. The papers' ratios are 1.27 for
// ALBEF and 1.24 for MAFA, to GRIT-VLP (MAFA, Table 12). Run it with -benchtime 1x; it takes about three minutes on two cores, with
// -short seconds.
func BenchmarkCosts(b *testing.B) {
	backend, scale := usual(b)
	scale.Epochs, scale.Scenes.Train = 2, 4000
	scale = inShort(scale)
	set, job := onScenes(b, backend, scale)
	// What the frozen models know changes nothing of what they cost.
	short := scale
	short.Epochs = 1
	frozen := job(short, negative.Plain())
	frozen.Set = datasets.First(set, scale.BatchSize, 0)
	m, _ := must.Get2(train.Train(b.Context(), frozen))(b)
	m.Close()

	var methods []negative.Method
	for _, name := range []string{"InfoNCE", "ALBEF", "DiHT", "SRCL", "GRIT-VLP", "S-ITC", "MAFA", "MAFA (Oracle)", "FALCON"} {
		methods = append(methods, plan.MethodRow(name).Method(scale))
	}
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		steppers := make([]*stepper, len(methods))
		for i, m := range methods {
			j := job(scale, m)
			if m.NeedsReference() {
				j.Config.Reference, j.Reference = "frozen", frozen.Dir
			}
			steppers[i] = newStepper(ctx, j)
		}
		steps := len(datasets.Pairs(set)) / scale.BatchSize
		seconds := make([]float64, len(methods))
		for step := range scale.Epochs * steps {
			for turn := range steppers {
				i := (turn + step) % len(steppers)
				took, err := steppers[i].step()
				if err != nil {
					b.Fatal(methods[i].Name, err)
				}
				if step >= steps { // epoch 0 is uniform for all
					seconds[i] += took.Seconds()
				}
			}
		}
		for _, s := range steppers {
			s.turn <- struct{}{}
			must.Do(b, <-s.ended)
		}
		cancel()
		for i, m := range methods {
			name := strings.ReplaceAll(m.Name, " ", "-")
			b.ReportMetric(1000*seconds[i]/float64(steps), name+"-ms/step")
			b.ReportMetric(seconds[i]/seconds[0], name+"/InfoNCE")
		}
		b.ReportMetric(0, "ns/op")
	}
}

// onScenes is the training split of a scale's scenes, and the jobs that train a method on it, with a folder each.
func onScenes(b *testing.B, backend compute.Backend, sizes scale.Scale) (datasets.Set, func(scale.Scale, negative.Method) train.Job) {
	data := must.Get(run.ScenesData(sizes.Scenes))(b)
	set := must.Get(data.TrainingSet())(b)
	collection := must.Get(data.Open())(b)
	tokenizer := must.Get(run.Vocabulary{MinCount: sizes.MinCount, MaxSize: sizes.MaxVocab}.Tokenizer(collection))(b)
	return set, func(s scale.Scale, m negative.Method) train.Job {
		c := s.Runs(data, run.Vocabulary{}, tokenizer.Size(), m, []uint64{1})[0].Train
		return train.Job{Config: c, Set: set, Tokenizer: tokenizer, Backend: backend, Dir: b.TempDir()}
	}
}
