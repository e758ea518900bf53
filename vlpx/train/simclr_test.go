package train

import (
	"math"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/transform"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/simclr"
	"vlpx.internal/vlpx/negative"
)

// onSimCLR is smallest with SimCLR in the place of ALBEF, by LARS, without a vocabulary.
func onSimCLR(t *testing.T, m negative.Method, viT bool) Job {
	t.Helper()
	job := smallest(t, m)
	model := simclr.Model{Hidden: 8, Embed: 6, Temperature: 0.2}
	if viT {
		model.Vision = encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16}
	} else {
		model.ResNet = encoder.ResNet{Image: 16, Layers: []int{1, 1}, Width: 4, Basic: true, Stem: 2}
	}
	job.Config.Framework = framework.Choice{Framework: model}
	job.Config.Transform = transform.SogCLR(16)
	job.Config.Optimiser, job.Config.LARS = AdamW{}, LARS{Trust: 0.01, Momentum: 0.9, WeightDecay: 1e-6}
	job.Config.Schedule = Schedule{Rate: 0.05, Epochs: 3, Smooth: true, Ramp: 1}
	job.Config.MaxLen, job.Tokenizer = 0, nil
	return job
}

// viewMethods are methods that keep something of each image, and one that keeps nothing.
func viewMethods() []negative.Method {
	thresholds := negative.Plain()
	thresholds.Name, thresholds.LeftOut = "SimCLR + GloFND", negative.Thresholds{Alpha: 0.3, Learn: 1}
	global := negative.Plain()
	global.Name, global.Contrast = "SogCLR", negative.SogCLR{Gamma: 0.9}
	return []negative.Method{negative.Plain(), thresholds, global}
}

// SimCLR trains, and goes on after a stop in the same bits: LARS's momentum, running statistics and what is kept of images included. An
// item is one of the 11 images, not one of their 22 captions, and false negatives are images of one class.
func TestSimCLRGoesOn(t *testing.T) {
	for _, viT := range []bool{false, true} {
		for _, m := range viewMethods() {
			whole, stopped := onSimCLR(t, m, viT), onSimCLR(t, m, viT)
			want, got := finish(t, whole), finish(t, stopped, 1, 3)
			if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
				t.Errorf("%s, ViT %t, stopped: got epochs\n%s\nwant\n%s", m.Name, viT, g, w)
			}
			a, _ := saved(t, whole.Dir)
			b, _ := saved(t, stopped.Dir)
			same(t, m.Name, variables(t, b, "/"), variables(t, a, "/"))
			if want.Pairs != 3*8 {
				t.Errorf("%s: got %d items in three epochs, want 2 mini-batches of 4 in each", m.Name, want.Pairs)
			}
			for v := range a.Scope(framework.State).IterVariables() {
				if got := v.Shape().Dimensions[0]; got != 11 {
					t.Errorf("%s: %s is of %d items, want the images", m.Name, v.Path(), got)
				}
			}
			if counted := want.Epochs[0].False; counted.Hardest != 2*8 {
				t.Errorf("%s: got %+v, want the hardest negative of each view", m.Name, counted)
			}
			if found := want.Epochs[2].Observed.Found(); (m.LeftOut != nil) != (found != nil) || found != nil &&
				found.Negatives+found.False == 0 {
				t.Errorf("%s: got the found negatives %+v", m.Name, found)
			}
		}
	}
}

// Engines agree on SimCLR's steps.
func TestSimCLROnEngines(t *testing.T) {
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			fast := enginetest.Open(t, name)
			for _, viT := range []bool{false, true} {
				for _, m := range viewMethods() {
					jobs := [2]Job{onSimCLR(t, m, viT), onSimCLR(t, m, viT)}
					jobs[1].Backend = fast
					sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
						want, got := outs[0].told(), outs[1].told()
						for name, x := range want {
							// batch normalisation of four images amplifies rounding
							if off := math.Abs(got[name] - x); !(off <= 2e-3*math.Abs(x)) {
								t.Errorf("%s, ViT %t, epoch %d, step %d, %s: got %g, want %g", m.Name, viT, epoch, step, name, got[name], x)
							}
						}
						if epoch == 0 && step == 0 {
							momentum := func(of *trainer) map[string][]float32 {
								all := map[string][]float32{}
								for _, v := range sortedVariables(of.store, Optimiser+"/momentum") {
									all[strings.TrimPrefix(v.Path(), Optimiser)] = vector(t, of.store, v.Path())
								}
								return all
							}
							sameGradients(t, momentum(runs[1]), momentum(runs[0]), 2e-3, 1e-5)
						}
					})
				}
			}
		})
	}
}

// bare is a set of which nothing is known but its images.
type bare struct{ datasets.Set }

// What SimCLR is not able to, or the data does not report it, is reported before training.
func TestSimCLRIsRefused(t *testing.T) {
	refused(t, onSimCLR(t, negative.GRITVLP(8, 16), false), "embeddings of images and captions")
	refused(t, onSimCLR(t, mining(), false), "image-text matching")
	job := onSimCLR(t, negative.Plain(), false)
	job.Config.Objectives = negative.Of(negative.ITC, negative.ITM)
	refused(t, job, "needs the loss ITM")
	job = onSimCLR(t, negative.Plain(), false)
	job.Config.Transform.Size = 32
	refused(t, job, "images of 32 pixels")
	exact := negative.Plain()
	exact.LeftOut = negative.Exact{}
	finish(t, onSimCLR(t, exact, false))
	job = onSimCLR(t, exact, false)
	job.Set = bare{job.Set}
	refused(t, job, "it has no classes; take data with classes")
}
