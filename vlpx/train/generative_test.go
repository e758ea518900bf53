package train

import (
	"math"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/negative"
)

// onGenerative is smallest with BLIP-2's second stage in the place of ALBEF.
func onGenerative(t *testing.T) Job {
	t.Helper()
	job := smallest(t, negative.Plain())
	words := job.Tokenizer.Size()
	job.Config.Framework = framework.Choice{Framework: blip2.Generative{
		BLIP2: blip2.Model{
			Vision: encoder.ViT{Image: job.Config.Transform.Size, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, EVA: true, Open: true},
			Text:   encoder.QFormer{Vocab: words, Positions: 12, Queries: 3, Width: 8, Heads: 2, MLP: 16, Layers: 2, Every: 2},
			Embed:  4, Frozen: true,
		},
		Language: encoder.OPT{Vocab: words, Positions: 24, Width: 8, Layers: 2, Heads: 2, MLP: 16},
	}}
	return job
}

// The second stage learns, and leaves the image encoder and the language model in their first bits.
func TestGenerativeLeavesTheFrozen(t *testing.T) {
	whole, stopped := onGenerative(t), onGenerative(t)
	want, got := finish(t, whole), finish(t, stopped, 1, 7)
	if g, w := asJSON(t, got.Epochs), asJSON(t, want.Epochs); g != w {
		t.Errorf("stopped: got epochs\n%s\nwant\n%s", g, w)
	}
	if first, last := want.Epochs[0].Losses, want.Epochs[2].Losses; len(first) != 1 || !(last[negative.LM] < first[negative.LM]) {
		t.Errorf("got the losses %v, then %v; want LM alone, which falls", first, last)
	}
	store, _ := saved(t, whole.Dir)
	c, drawn := whole.Config, model.NewStore()
	start := negative.Start{Pairs: 22, BatchSize: c.BatchSize, Dim: 1, Epochs: c.Epochs, Seed: c.Seed}
	must.Do(t, framework.Initialise(c.Framework.Framework, c.Use(), whole.Backend, drawn, start))
	begun, after := variables(t, drawn, framework.Model), variables(t, store, framework.Model)
	if len(after) != len(begun) {
		t.Errorf("got %d variables, want %d", len(after), len(begun))
	}
	for path, first := range begun {
		frozen := strings.HasPrefix(path, "/model/language/") || strings.HasPrefix(path, "/model/vision/")
		if same := after[path] == first; same != frozen {
			t.Errorf("%s is as it was: got %t", path, same)
		}
	}
}

// Engines agree on steps of the second stage.
func TestGenerativeOnEngines(t *testing.T) {
	for _, name := range enginetest.Compiled {
		t.Run(name, func(t *testing.T) {
			jobs := [2]Job{onGenerative(t), onGenerative(t)}
			jobs[1].Backend = enginetest.Open(t, name)
			sideBySide(t, 1, jobs, func(epoch, step int, runs [2]*trainer, outs [2]Output) {
				want, got := outs[0].told(), outs[1].told()
				for name, x := range want {
					if off := math.Abs(got[name] - x); !(off <= 1e-3*math.Abs(x)) {
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
