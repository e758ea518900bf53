package train

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/engine"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
)

// inChunks is a job whose mini-batches of four are encoded in chunks.
func inChunks(t *testing.T, job Job, chunk int) Job {
	t.Helper()
	job.Config.Chunk, job.Dir = chunk, t.TempDir()
	return job
}

// wide is a field's value in float64, where it has numbers.
func wide(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	switch x.DType() {
	case dtypes.Float64:
		return must.Get(tensors.CopyFlatData[float64](x))(t)
	case dtypes.Float32:
		var all []float64
		for _, x := range must.Get(tensors.CopyFlatData[float32](x))(t) {
			all = append(all, float64(x))
		}
		return all
	}
	return nil
}

// apart is how far numbers are off, as a share of the largest wanted one, at least a tenth: what moves by
// rounding alone under Adam, such as keys' biases, stays near zero.
func apart(got, want []float64) float64 {
	largest, off := 0.1, 0.0
	for k, x := range want {
		if len(got) != len(want) || math.IsNaN(got[k]) {
			return math.Inf(1)
		}
		largest, off = max(largest, math.Abs(x)), max(off, math.Abs(got[k]-x))
	}
	return off / largest
}

// exactly makes all steps of two runs in float64, on the same mini-batches, and returns how far losses, all else that a step gives, and
// gradients, weights, moments and what the method keeps are apart at most.
func exactly(t *testing.T, jobs [2]Job) (losses, outputs, variables float64) {
	t.Helper()
	var runs [2]*trainer
	for i, job := range jobs {
		runs[i] = must.Get(newTrainer(job))(t)
		defer runs[i].close()
		step := NewStep(job.Backend, widened(t, runs[i].store), job.Config)
		defer step.Close()
		for _, f := range runs[i].step.inputs {
			if f.Shape.DType == dtypes.Float32 {
				f.Shape.DType = dtypes.Float64
			}
			step.inputs = append(step.inputs, f)
		}
		step.inputs = step.inputs[len(step.inputs)-len(runs[i].step.inputs):]
		runs[i].step = step
	}
	first, steps := runs[0], 0
	for ; first.Epoch < 3; first.Epoch++ {
		first.steps = must.Get(first.sampler.Epoch(first.Epoch))(t)
		for first.Step = 0; first.Step < first.steps; first.Step++ {
			pairs := must.Get(first.sampler.Next())(t)
			must.Do(t, first.loader.Submit(first.request(pairs, first.Step)))
			batch := first.apart(must.Get(first.loader.Next(t.Context()))(t), first.Step)
			var outs [2]Output
			for i, run := range runs {
				in := first.fields(batch)
				for name, x := range in {
					if numbers := wide(t, x); numbers != nil {
						in[name] = tensors.FromFlatDataAndDimensions(numbers, x.Shape().Dimensions...)
					}
				}
				outs[i] = must.Get(run.step.Run(in, run.room()))(t)
			}
			for name, want := range outs[0].Losses {
				losses = max(losses, apart([]float64{outs[1].Losses[name]}, []float64{want}))
			}
			if got, want := len(outs[1].Values), len(outs[0].Values); got != want {
				t.Errorf("got %d outputs, want %d", got, want)
			}
			for name, want := range outs[0].Values {
				outputs = max(outputs, apart(wide(t, outs[1].Values[name]), wide(t, want)))
			}
			seen := negative.Observation{Pairs: pairs}
			for to, name := range map[*[]float32]field.Name{&seen.Image: field.ImageEmbedding, &seen.Text: field.TextEmbedding} {
				for _, x := range wide(t, outs[0].Values[name]) {
					*to = append(*to, float32(x))
				}
			}
			must.Do(t, first.sampler.Observe(seen))
			steps++
		}
	}
	compared := 0
	for _, v := range sortedVariables(runs[0].step.store, "/") {
		if passing(v) {
			continue
		}
		other := runs[1].step.store.GetVariable(v.Path())
		if other == nil {
			t.Errorf("the run in chunks has no %s", v.Path())
			continue
		}
		want, got := wide(t, must.Get(v.Value())(t)), wide(t, must.Get(other.Value())(t))
		if off := apart(got, want); off > variables {
			variables = off
			if off > 1e-10 {
				t.Logf("%s is off by %.2g", v.Path(), off)
			}
		}
		compared++
	}
	if steps < 6 || compared < 10 {
		t.Errorf("compared %d steps and %d variables", steps, compared)
	}
	return losses, outputs, variables
}

// A run in chunks makes the steps of one that encodes mini-batches as a whole, in float64 but for the last digits: losses, gradients,
// weights, moments, queues, thresholds, momentum encoders, what is left out and what a step improved.
func TestChunksChangeNothing(t *testing.T) {
	reference := onCLIP(t, negative.Plain(), false)
	finish(t, reference)
	found := negative.Method{Name: "thresholds", Contrast: negative.FastCLIP{Version: 2, Gamma: 0.5, Decay: 2, Temperature: 0.1, Rho: 7,
		Rate: 0.01},
		LeftOut: negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}}
	jobs := map[string]Job{}
	for _, m := range []negative.Method{negative.Plain(), negative.GRITVLP(8, 16), negative.ALBEF(8), negative.SRCL(3), negative.DiHT(),
		scheduledByITC(), found.WithDefaults(),
		{Name: "S-ITC", Contrast: negative.Smoothed{Alpha: 0.2}}, {Name: "SigLIP", Contrast: negative.SigLIP{}},
		{Name: "SogCLR", Contrast: negative.SogCLR{Gamma: 0.8, Temperature: 0.1}}} {
		jobs["CLIP, "+m.Name] = withReference(onCLIP(t, m.WithDefaults(), false), reference)
	}
	distils := scheduledByITC()
	distils.Name, distils.Contrast = "FALCON that distils", negative.ALBEF(8).Contrast
	jobs["CLIP, "+distils.Name] = onCLIP(t, distils, false)
	for _, m := range viewMethods() {
		jobs["SimCLR, "+m.Name] = onSimCLR(t, m, true)
	}
	for _, m := range []negative.Method{negative.Plain(), negative.GRITVLP(8, 16), negative.DiHT(), scheduledByITC(),
		negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 4, Hidden: 4, Blocks: 1}), found.WithDefaults()} {
		job := smallest(t, m.WithDefaults())
		change(&job, withoutDropout)
		jobs["ALBEF, "+m.Name+fmt.Sprint(len(jobs))] = job
	}
	byITG := negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 4, Hidden: 4, Blocks: 1, Objectives: negative.Of(negative.ITG)})
	for _, m := range []negative.Method{negative.Plain(), negative.GRITVLP(8, 16), negative.DiHT(), byITG, found.WithDefaults()} {
		jobs["BLIP-2, "+m.Name] = onBLIP2(t, m.WithDefaults(), 0.1)
	}
	frozen := onBLIP2(t, negative.Plain(), 0.1)
	of := frozen.Config.Framework.Framework.(blip2.Model)
	of.Frozen = true
	frozen.Config.Framework.Framework = of
	jobs["BLIP-2 with a frozen image encoder"] = frozen
	for name, job := range jobs {
		for _, chunk := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%s, chunk %d", name, chunk), func(t *testing.T) {
				losses, outputs, variables := exactly(t, [2]Job{job, inChunks(t, job, chunk)})
				t.Logf("losses are off by %.1e, outputs by %.1e, variables by %.1e", losses, outputs, variables)
				if !(max(losses, outputs, variables) <= 1e-10) {
					t.Error("these are other steps")
				}
			})
		}
	}
}

// dropping is CLIP with dropout of its embeddings. In parts of so many pairs one graph draws as chunks do, one after the other.
type dropping struct {
	clip.Model
	Parts int
}

func (d dropping) Encode(s *model.Scope, u framework.Use, in field.Nodes) []*Node {
	rows := in.Of(field.Image).Shape().Dim(0)
	if d.Parts > 0 && d.Parts < rows {
		var all []*Node
		for from := 0; from < rows; from += d.Parts {
			part := field.Nodes{}
			for name, x := range in {
				if part[name] = x; x.Rank() > 0 && x.Shape().Dim(0) == rows {
					part[name] = Slice(x, AxisRange(from, from+d.Parts))
				}
			}
			for k, x := range d.Encode(s.Store().Scope(s.Scope()), u, part) {
				if from == 0 {
					all = append(all, x)
				} else {
					all[k] = Concatenate([]*Node{all[k], x}, 0)
				}
			}
		}
		return all
	}
	out := d.Model.Encode(s, u, in)
	for k, x := range out {
		out[k] = layers.DropoutStatic(s, x, 0.3)
	}
	return out
}

func (d dropping) Step(s *model.Scope, u framework.Use, in field.Nodes) framework.Forward {
	forward := framework.Composed(s, u, in, d)
	forward.Repeats = false
	return forward
}

func (d dropping) Assess(s *model.Scope, u framework.Use, in field.Nodes, seen framework.Seen) (framework.Forward, framework.Reassess) {
	forward, again := d.Model.Assess(s, u, in, seen)
	forward.Repeats = false
	return forward, again
}

// The two passes of a chunk draw the same: gradients are those of one graph in which chunks draw one after the other. What a step improved
// is measured without dropout.
func TestChunksDrawTwiceTheSame(t *testing.T) {
	for _, m := range []negative.Method{negative.Plain(), scheduledByITC()} {
		for _, chunk := range []int{1, 2, 4} {
			job := onCLIP(t, m, false)
			of := job.Config.Framework.Framework.(clip.Model)
			job.Config.Framework.Framework = dropping{of, chunk}
			divided := inChunks(t, job, chunk)
			divided.Config.Framework.Framework = dropping{Model: of}
			losses, outputs, variables := exactly(t, [2]Job{job, divided})
			if !(max(losses, outputs, variables) <= 1e-10) {
				t.Errorf("%s, chunk %d: losses are off by %.1e, outputs by %.1e, variables by %.1e", m.Name, chunk, losses, outputs, variables)
			}
		}
	}
}

// A run in chunks goes on after a stop in the same bits, and its checkpoint has what one without chunks has.
func TestChunksGoOn(t *testing.T) {
	asking := negative.Method{Name: "asks for the relation", LeftOut: tellingLeftOut{}}
	for _, job := range []Job{onCLIP(t, negative.ALBEF(8), false), onCLIP(t, scheduledByITC(), false), onSimCLR(t, viewMethods()[2], true),
		onCLIP(t, asking.WithDefaults(), false)} {
		undivided, whole, stopped := inChunks(t, job, 0), inChunks(t, job, 2), inChunks(t, job, 2)
		finish(t, undivided)
		want, got := finish(t, whole), finish(t, stopped, 1, 4)
		if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
			t.Errorf("%s, stopped: got epochs\n%s\nwant\n%s", job.Config.Method.Name, g, w)
		}
		a, _ := saved(t, whole.Dir)
		b, _ := saved(t, stopped.Dir)
		c, _ := saved(t, undivided.Dir)
		same(t, job.Config.Method.Name, variables(t, b, "/"), variables(t, a, "/"))
		if got, want := len(variables(t, a, "/")), len(variables(t, c, "/")); got != want {
			t.Errorf("%s: a checkpoint has %d variables, without chunks %d", job.Config.Method.Name, got, want)
		}
	}
}

// A run whose chunks are divided among devices has the very weights, moments, queues, momentum encoders and random numbers of one on a
// single device, where no engine rounds otherwise, so that it makes the steps of one that encodes mini-batches as a whole: with a queue and
// momentum encoders, numbers of samples and thresholds, and a scheduled sampler that asks what a step improved.
func TestChunksOnDevicesChangeNothing(t *testing.T) {
	found := negative.Method{Name: "thresholds", Contrast: negative.FastCLIP{Version: 2, Gamma: 0.5, Decay: 2, Temperature: 0.1, Rho: 7,
		Rate: 0.01},
		LeftOut: negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}}
	noisy := onCLIP(t, negative.Plain(), false)
	noisy.Config.Framework.Framework = dropping{Model: noisy.Config.Framework.Framework.(clip.Model)}
	jobs := map[string]Job{
		"CLIP that distils": onCLIP(t, negative.ALBEF(8), false), "CLIP by FALCON": onCLIP(t, scheduledByITC(), false),
		"CLIP with thresholds": onCLIP(t, found.WithDefaults(), false), "CLIP with dropout": noisy,
		"SimCLR": onSimCLR(t, viewMethods()[1], true), "ALBEF": smallest(t, negative.GRITVLP(8, 16).WithDefaults()),
		"BLIP-2": onBLIP2(t, negative.Plain(), 0.1),
	}
	for name, job := range jobs {
		t.Run(name, func(t *testing.T) {
			one := inChunks(t, job, 2)
			two := inChunks(t, onDevices(t, job, 2), 2)
			want, got := finish(t, one), finish(t, two, 2, 4)
			if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
				t.Errorf("got epochs\n%s\nwant\n%s", g, w)
			}
			learned, _ := saved(t, one.Dir)
			divided, _ := saved(t, two.Dir)
			same(t, "on two devices", variables(t, divided, "/"), variables(t, learned, "/"))
		})
	}
}

// In float32 chunks give the losses and first gradients of the whole but for rounding, on every engine.
func TestChunksOnEngines(t *testing.T) {
	for _, name := range slices.Concat([]string{"go:ops_sequential"}, enginetest.Compiled) {
		t.Run(name, func(t *testing.T) {
			backend := enginetest.Open(t, name)
			for _, job := range []Job{onCLIP(t, negative.Plain(), false), onCLIP(t, negative.ALBEF(8), false),
				onCLIP(t, scheduledByITC(), false), onSimCLR(t, viewMethods()[1], true)} {
				jobs := [2]Job{inChunks(t, job, 0), inChunks(t, job, 2)}
				for i := range jobs {
					jobs[i].Backend = backend
				}
				sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
					want, got := outs[0].told(), outs[1].told()
					for name, x := range want {
						if off := math.Abs(got[name] - x); !(off <= 2e-4*math.Abs(x)) {
							t.Errorf("%s, epoch %d, step %d, %s: got %g, want %g", job.Config.Method.Name, epoch, step, name, got[name], x)
						}
					}
					if epoch == 0 && step == 0 && job.Config.LARS == (LARS{}) {
						sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 1e-4, 1e-6)
					}
				})
			}
		})
	}
}

// A probe makes a step in chunks as training does: its parts give the losses of the whole, and cost one more forward pass.
func TestChunksAreProbed(t *testing.T) {
	count := func(results ...*Node) (float64, error) { return engine.Operations(results...) }
	var losses [2][]float64
	var operations [2]float64
	for i, job := range []Job{onCLIP(t, plain, false), inChunks(t, onCLIP(t, plain, false), 2)} {
		p := must.Get(NewProbe(job, count))(t)
		defer p.Close()
		in := must.Get(p.Load(t.Context()))(t)
		defer in.Release()
		for _, part := range []Part{Forward, Backward, Whole} {
			out := must.Get(p.Run(part, in))(t)
			losses[i] = append(losses[i], out.Loss(), out.Float(field.GradientNorm))
			out.Release()
		}
		forward, whole := must.Get(p.Operations(Forward))(t), must.Get(p.Operations(Whole))(t)
		operations[i] = whole - float64(i)*forward
	}
	if off := apart(losses[1], losses[0]); !(off <= 1e-5) {
		t.Errorf("got losses and norms %v, want %v", losses[1], losses[0])
	}
	if share := operations[1] / operations[0]; math.Abs(share-1) > 0.05 {
		t.Errorf("a step in chunks has %.3g times the operations of the whole, without the further pass", share)
	}
}

// What cannot be trained in chunks is refused before anything is trained, with what to set.
func TestChunksThatAreRefused(t *testing.T) {
	refused(t, inChunks(t, onCLIP(t, plain, false), 3), "4 pairs in chunks of 3", "such as 2")
	refused(t, inChunks(t, onCLIP(t, plain, false), 8), "chunks of 8", "such as 4")
	refused(t, inChunks(t, onCLIP(t, plain, false), -1), "chunks of -1", "such as 1")
	refused(t, inChunks(t, onCLIP(t, plain, true), 2), "batch normalisation", "bottlenecks=[]")
	refused(t, inChunks(t, onSimCLR(t, plain, false), 2), "batch normalisation", "chunk=0")
	refused(t, inChunks(t, smallest(t, negative.ALBEF(8)), 2), "momentum encoders", "chunk=0")
	refused(t, inChunks(t, smallest(t, mining()), 2), "new positives", "chunk=0")
	refused(t, inChunks(t, onBLIP2(t, mining(), 0), 2), "blip2", "new positives", "chunk=0")
	refused(t, inChunks(t, onGPT(t, 0), 2), "GPT", "encoders and losses", "chunk=0")
	refused(t, inChunks(t, onDevices(t, onCLIP(t, plain, false), 2), 1), "chunk=1 beside devices=2", "a multiple of 2")
	leaving := scheduledByITC()
	leaving.LeftOut = negative.Thresholds{Alpha: 0.2, Learn: 1, FromBatch: true}
	refused(t, inChunks(t, onCLIP(t, leaving.WithDefaults(), false), 2), "improved", "left out")
}
