package train

import (
	"math"
	"testing"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/clip"
	"vlpx.internal/vlpx/negative"
)

// onCLIP is smallest with CLIP in the place of ALBEF, with either tower.
func onCLIP(t *testing.T, m negative.Method, resNet bool) Job {
	t.Helper()
	job := smallest(t, m)
	model := clip.Model{
		Text:  encoder.CLIPText{Vocab: job.Tokenizer.Size(), Positions: 12, Width: 8, Layers: 1, Heads: 2, MLP: 16, End: encoder.LastToken},
		Embed: 6,
	}
	if resNet {
		model.ResNet = encoder.CLIPResNet{Image: 16, Layers: []int{1, 1}, Width: 4, Heads: 2, Output: 6}
	} else {
		model.Vision = encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, CLIP: true}
	}
	job.Config.Framework = framework.Choice{Framework: model}
	return job
}

// scheduledByITC is FALCON where ITC is the only loss.
func scheduledByITC() negative.Method {
	return negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 4, Hidden: 4, Blocks: 1, Objectives: negative.Of(negative.ITC)})
}

// CLIP trains under methods that distil, group and schedule, with either tower, and goes on after a stop in the same bits: running
// statistics and the momentum copy included.
func TestCLIPGoesOn(t *testing.T) {
	for _, resNet := range []bool{false, true} {
		for _, m := range []negative.Method{negative.ALBEF(8), negative.GRITVLP(8, 16), scheduledByITC()} {
			whole, stopped := onCLIP(t, m, resNet), onCLIP(t, m, resNet)
			want, got := finish(t, whole), finish(t, stopped, 1, 7)
			if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
				t.Errorf("%s, ResNet %t, stopped: got epochs\n%s\nwant\n%s", m.Name, resNet, g, w)
			}
			a, _ := saved(t, whole.Dir)
			b, _ := saved(t, stopped.Dir)
			same(t, m.Name, variables(t, b, "/"), variables(t, a, "/"))
			if losses := want.Epochs[0].Losses; len(losses) != 1 || losses[negative.ITC] <= 0 {
				t.Errorf("%s: got the losses %v, want ITC alone", m.Name, losses)
			}
			if hardest := want.Epochs[0].False.Hardest; hardest == 0 {
				t.Errorf("%s: no hardest negatives were counted", m.Name)
			}
		}
	}
}

// Engines agree on CLIP's steps.
func TestCLIPOnEngines(t *testing.T) {
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			fast := enginetest.Open(t, name)
			for _, resNet := range []bool{false, true} {
				for _, m := range []negative.Method{negative.Plain(), negative.ALBEF(8), scheduledByITC()} {
					jobs := [2]Job{onCLIP(t, m, resNet), onCLIP(t, m, resNet)}
					jobs[1].Backend = fast
					sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
						want, got := outs[0].told(), outs[1].told()
						for name, x := range want {
							// batch normalisation of four images amplifies rounding
							share := 1e-3
							if resNet {
								share = 5e-3
							}
							if off := math.Abs(got[name] - x); !(off <= share*math.Abs(x)) {
								t.Errorf("%s, ResNet %t, epoch %d, step %d, %s: got %g, want %g", m.Name, resNet, epoch, step, name,
									got[name], x)
							}
						}
						if off := math.Abs(outs[1].Float(field.Improvement) - outs[0].Float(field.Improvement)); !(off <= 1e-3*
							outs[0].Loss()) {
							t.Errorf("%s, epoch %d, step %d: improvements differ by %g", m.Name, epoch, step, off)
						}
						if epoch == 0 && step == 0 {
							sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 1e-3, 1e-5)
						}
					})
				}
			}
		})
	}
}

// What CLIP is not able to is reported before training.
func TestCLIPLacksMatching(t *testing.T) {
	for says, m := range map[string]negative.Method{
		"image-text matching":       mining(),
		"the loss MLM for a reward": negative.FALCON(negative.Scheduled{SearchSpace: 8, Quantiles: 4, Hidden: 4, Blocks: 1}),
	} {
		job := onCLIP(t, m, false)
		refused(t, job, says)
	}
	job := onCLIP(t, plain, false)
	job.Config.Objectives = negative.Of(negative.ITC, negative.ITM)
	refused(t, job, "needs the loss ITM")
}

// halved declares images of half the side.
type halved struct{ clip.Model }

func (h halved) Inputs(u framework.Use) []field.Field {
	return append(u.Fields(field.Captions, field.Progress), u.Images(field.Image, u.Image/2, u.Image/2, 3))
}

// A field that is declared in another shape than it is made in is reported before training.
func TestDeclaredShapes(t *testing.T) {
	job := onCLIP(t, plain, false)
	job.Config.Framework.Framework = halved{job.Config.Framework.Framework.(clip.Model)}
	refused(t, job, `reads "image" of shape (Float32)[4, 8, 8, 3], and what is made has (Float32)[4, 16, 16, 3]`)
}

// refused expects an error that says something before there is a step.
func refused(t *testing.T, job Job, says ...string) {
	t.Helper()
	job.Report = func(Report) { t.Errorf("%s: a step was made", says) }
	err := must.Err2(Train(t.Context(), job))
	for _, part := range says {
		must.Fail(t, err, part)
	}
}
