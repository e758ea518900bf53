package train

import (
	"context"
	"errors"
	"image"
	"math"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/gpt"
	"vlpx.internal/vlpx/framework/opt"
	"vlpx.internal/vlpx/negative"
)

// unseen is a set of which no image can be opened.
type unseen struct{ datasets.Set }

func (unseen) Image(context.Context, int) (image.Image, error) {
	return nil, errors.New("nobody looks")
}

// onGPT is smallest with a language model in the place of ALBEF, and nothing to see.
func onGPT(t *testing.T, dropout float64) Job {
	t.Helper()
	job := smallest(t, negative.Plain())
	job.Config.Framework = framework.Choice{Framework: gpt.Model{
		Text: encoder.GPT{Vocab: job.Tokenizer.Size(), Positions: 12, Width: 8, Layers: 2, Heads: 2, MLP: 16, Dropout: dropout},
	}}
	job.Set = unseen{job.Set}
	return job
}

// A language model learns from captions whose images cannot be opened, and goes on after a stop in the same bits.
func TestGPTGoesOn(t *testing.T) {
	whole, stopped := onGPT(t, 0.1), onGPT(t, 0.1)
	want, got := finish(t, whole), finish(t, stopped, 1, 7)
	if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	a, _ := saved(t, whole.Dir)
	b, _ := saved(t, stopped.Dir)
	same(t, "GPT-2", variables(t, b, "/"), variables(t, a, "/"))
	first, last := want.Epochs[0].Losses, want.Epochs[2].Losses
	if len(first) != 1 || !(last[negative.LM] < first[negative.LM]) || len(want.Skipped) > 0 {
		t.Errorf("got the losses %v, then %v, and %q skipped; want LM alone, which falls, and no image asked for", first, last,
			want.Skipped)
	}
}

// onOPT is onGPT with an OPT.
func onOPT(t *testing.T) Job {
	job := onGPT(t, 0)
	job.Config.Framework = framework.Choice{Framework: opt.Model{Text: encoder.OPT(job.Config.Framework.Framework.(gpt.Model).Text)}}
	return job
}

// Engines agree on language models' steps.
func TestLanguageModelsOnEngines(t *testing.T) {
	for _, name := range enginetest.Compiled {
		for model, on := range map[string]func(*testing.T) Job{"GPT-2": func(t *testing.T) Job { return onGPT(t, 0) }, "OPT": onOPT} {
			t.Run(name+"/"+model, func(t *testing.T) {
				jobs := [2]Job{on(t), on(t)}
				jobs[1].Backend = enginetest.Open(t, name)
				sideBySide(t, 2, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
					want, got := outs[0].told(), outs[1].told()
					for name, x := range want {
						if off := math.Abs(got[name] - x); !(off <= 1e-4*math.Abs(x)) {
							t.Errorf("epoch %d, step %d, %s: got %g, want %g", epoch, step, name, got[name], x)
						}
					}
					if epoch == 0 && step == 0 {
						sameGradients(t, gradients(t, runs[1]), gradients(t, runs[0]), 1e-4, 1e-6)
					}
				})
			})
		}
	}
}

func TestGPTIsRefused(t *testing.T) {
	job := onGPT(t, 0)
	job.Config.Method = negative.ALBEF(8)
	refused(t, job, "ALBEF needs negatives, which GPT-2 has not")
	job = onGPT(t, 0)
	job.Config.Method = negative.GRITVLP(8, 16)
	refused(t, job, "needs negatives")
	job = onGPT(t, 0)
	job.Set = datasets.Uncaptioned(job.Set)
	refused(t, job, "has no caption")
}
