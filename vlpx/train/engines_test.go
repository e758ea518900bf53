package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// sideBySide makes so many epochs of two jobs' runs, which differ in how they compute, step by step on the same input: the
// mini-batches are those that the first one's sampler makes of what the first one saw. After each step compare is called with what
// both reported.
func sideBySide(t *testing.T, epochs int, jobs [2]Job, compare func(epoch, step int, runs [2]*trainer, outs [2]Output)) {
	t.Helper()
	var runs [2]*trainer
	for i, job := range jobs {
		runs[i] = must.Get(newTrainer(job))(t)
		defer runs[i].close()
	}
	first := runs[0]
	for ; first.Epoch < epochs; first.Epoch++ {
		first.steps = must.Get(first.sampler.Epoch(first.Epoch))(t)
		for first.Step = 0; first.Step < first.steps; first.Step++ {
			pairs := must.Get(first.sampler.Next())(t)
			must.Do(t, first.loader.Submit(first.request(pairs, first.Step)))
			loaded := must.Get(first.loader.Next(t.Context()))(t)
			batch := first.apart(loaded, first.Step)
			var outs [2]Output
			for i, run := range runs {
				in := first.fields(batch) // a tensor stays with the engine that has read it
				defer in.Release()
				outs[i] = must.Get(run.run(in))(t)
			}
			compare(first.Epoch, first.Step, runs, outs)
			seen := must.Get(observed(pairs, batch.Pairs, outs[0]))(t)
			must.Do(t, first.sampler.Observe(seen))
			for _, out := range outs {
				out.Release()
			}
		}
	}
}

// reported are the numbers of a step by name, but for the improvement.
func (o Output) told() map[string]float64 {
	numbers := o.numbers()
	delete(numbers, string(field.Improvement))
	return numbers
}

// gradients are the gradients of a run's first step by variable, clipped: the first mean of Adam is one part in ten of them.
func gradients(t *testing.T, tr *trainer) map[string][]float32 {
	t.Helper()
	all := map[string][]float32{}
	for _, v := range sortedVariables(tr.store, Optimiser+"/mean") {
		all[strings.TrimPrefix(v.Path(), Optimiser+"/mean")] = vector(t, tr.store, v.Path())
	}
	return all
}

// sameGradients compares gradients that may differ by a share of the largest of their variable, and of the largest of all, which
// covers those that are zero but for rounding.
func sameGradients(t *testing.T, got, want map[string][]float32, share, shareOfAll float64) {
	t.Helper()
	largest := func(x []float32) (most float64) {
		for _, x := range x {
			most = max(most, math.Abs(float64(x)))
		}
		return most
	}
	of := 0.0
	for _, numbers := range want {
		of = max(of, largest(numbers))
	}
	if len(got) != len(want) || of == 0 {
		t.Errorf("got gradients of %d variables, want %d; the largest is %g", len(got), len(want), of)
	}
	for path, numbers := range want {
		if len(got[path]) != len(numbers) {
			t.Errorf("%s: got a gradient of %d numbers, want %d", path, len(got[path]), len(numbers))
			continue
		}
		off := make([]float32, len(numbers))
		for i := range numbers {
			off[i] = got[path][i] - numbers[i]
		}
		if far := largest(off); !(far <= share*largest(numbers)+shareOfAll*of) {
			t.Errorf("gradient of %s: off by up to %g, its largest number is %g, that of all %g", path, far, largest(numbers), of)
		}
	}
}

// Ten steps of every kind of method give the same losses on pure Go and on the compiled engines, and the first step the same
// gradients. In the second epoch FALCON's mini-batches are scheduled.
func TestEnginesAgree(t *testing.T) {
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			fast := enginetest.Open(t, name)
			reference := smallest(t, plain)
			finish(t, reference)
			for _, method := range []negative.Method{negative.ALBEF(8), negative.GRITVLP(8, 16), negative.MAFA(8, 16), mining(),
				negative.SRCL(3),
				negative.DiHT(), negative.FALCON(negative.Scheduled{SearchSpace: 12, Quantiles: 5, Hidden: 8})} {
				t.Run(method.Name, func(t *testing.T) {
					var jobs [2]Job
					for i := range jobs {
						jobs[i] = withReference(smallest(t, method), reference)
						change(&jobs[i], withoutDropout) // each engine has its own draws
					}
					jobs[1].Backend = fast
					sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
						want, got := outs[0].told(), outs[1].told()
						for name, x := range want {
							if off := math.Abs(got[name] - x); !(off <= 1e-4*math.Abs(x)) {
								t.Errorf("epoch %d, step %d, %s: got %g, want %g", epoch, step, name, got[name], x)
							}
						}
						if off := math.Abs(outs[1].Float(field.Improvement) - outs[0].Float(field.Improvement)); !(off <= 1e-4*
							outs[0].Loss()) {
							t.Errorf("epoch %d, step %d: got an improvement of %g, want %g", epoch, step, outs[1].Float(field.Improvement),
								outs[0].Float(field.Improvement))
						}
						if epoch == 0 && step == 0 {
							sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 1e-4, 1e-6)
						}
					})
				})
			}
		})
	}
}

// withReference gives a job the model of a finished one, where its method needs one.
func withReference(job, finished Job) Job {
	if job.Config.Method.NeedsReference() {
		job.Config.Reference, job.Reference = "of the test", finished.Dir
	}
	return job
}

// Steps whose products are in bfloat16 stay near those in float32 on every engine that has it, differ from them, and keep the weights
// and all that is saved in float32.
func TestHalfStep(t *testing.T) {
	for _, name := range slices.Concat([]string{"go:ops_sequential"}, enginetest.Compiled) {
		t.Run(name, func(t *testing.T) {
			backend := enginetest.Open(t, name)
			if !backend.Capabilities().DTypes[dtypes.BFloat16] {
				job := smallest(t, negative.Plain())
				job.Backend = backend
				change(&job, inHalf)
				must.Fail(t, must.Err2(Train(t.Context(), job)), "set half=false")
				return
			}
			var jobs [2]Job
			for i := range jobs {
				jobs[i] = smallest(t, negative.ALBEF(8))
				change(&jobs[i], withoutDropout)
				jobs[i].Backend = backend
			}
			change(&jobs[1], inHalf)
			same := true
			sideBySide(t, 1, jobs, func(_, step int, runs [2]*trainer, outs [2]Output) {
				want, got := outs[0].told(), outs[1].told()
				for name, x := range want {
					same = same && got[name] == x
					if off := math.Abs(got[name] - x); !(off <= 0.02*math.Abs(x)) {
						t.Errorf("step %d, %s: got %g, in float32 %g", step, name, got[name], x)
					}
				}
				if step > 0 {
					return
				}
				sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 0.1, 0.01)
				for _, v := range sortedVariables(runs[1].store, "/") {
					want := runs[0].store.GetVariable(v.Path())
					if want == nil || !want.Shape().Equal(v.Shape()) {
						t.Errorf("%s is %s, not as in float32", v.Path(), v.Shape())
					}
				}
			})
			if same {
				t.Error("half gives float32's very numbers; it was not used")
			}
		})
	}
}

// A run whose products are in bfloat16 goes on after a stop in the same bits.
func TestHalfGoesOn(t *testing.T) {
	half := func() Job {
		job := smallest(t, plain)
		change(&job, inHalf)
		return job
	}
	whole, stopped := half(), half()
	finish(t, whole)
	finish(t, stopped, 3, 7)
	want, _ := saved(t, whole.Dir)
	got, _ := saved(t, stopped.Dir)
	same(t, "stopped", variables(t, got, "/"), variables(t, want, "/"))
}
