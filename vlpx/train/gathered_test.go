package train

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/internal/test/enginetest"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/framework/blip2"
	"vlpx.internal/vlpx/negative"
)

// onBLIP2 is smallest on BLIP-2's first stage.
func onBLIP2(t *testing.T, m negative.Method, smoothing float64) Job {
	t.Helper()
	job := smallest(t, m)
	job.Config.Framework.Framework = blip2.Model{
		Vision: encoder.ViT{Image: 16, Patch: 8, Width: 8, Layers: 1, Heads: 2, MLP: 16, EVA: true, Open: true},
		Text: encoder.QFormer{Vocab: job.Tokenizer.Size(), Positions: 12, Queries: 3, Width: 8, Heads: 2, MLP: 16,
			Layers: 2, Every: 2},
		Embed: 6, Smoothing: smoothing,
	}
	return job
}

// Devices that share a mini-batch and gather each other's embeddings with their gradient have, on average, the loss and the gradients of
// the undivided step: where each contrasts all that is gathered, and where each contrasts its own anchors with it. So it is with a queue,
// which all of them then have.
//
// Published codes gather without gradient, and their gradients are others. Where a device's own part keeps its gradient, those of the
// encoders are that of the undivided step over the number of devices, the temperature's is the same. Where what is gathered carries none at
// all, as in BLIP-2's, they are those of one device whose keys are detached, as GRIT-VLP's are; with keys of momentum encoders, which carry
// none anyway, they are the undivided step's.
func TestGatheredEmbeddings(t *testing.T) {
	distilled := smallest(t, negative.ALBEF(8))
	change(&distilled, withoutDropout)
	cases := map[string]Job{
		"CLIP": onCLIP(t, negative.Plain(), false), "CLIP, HN-NCE": onCLIP(t, negative.DiHT(), false),
		"CLIP, queue": onCLIP(t, negative.ALBEF(8),
			false),
		"ALBEF": distilled, "BLIP-2": onBLIP2(t, negative.Plain(), 0.1), "BLIP-2 without smoothing": onBLIP2(t, negative.Plain(), 0),
	}
	const detached = "one device, with keys detached"
	for _, name := range slices.Concat([]string{"go:ops_sequential"}, enginetest.Compiled) {
		dtype, tolerance := dtypes.Float64, 1e-13
		if name != "go:ops_sequential" {
			dtype, tolerance = dtypes.Float32, 2e-6
		}
		t.Run(name, func(t *testing.T) {
			backend := enginetest.Open(t, name)
			for name, job := range cases {
				if dtype == dtypes.Float32 && strings.ContainsAny(name, ", ") {
					continue // they are as much work for a compiler, and report nothing more of it
				}
				t.Run(name, func(t *testing.T) {
					contrast := job.Config.Method.Contrast
					_, plainly := contrast.(negative.InfoNCE)
					_, distils := contrast.(negative.Distiller)
					m, _ := job.Config.Framework.Framework.(blip2.Model)
					smooth := m.Smoothing > 0
					how := map[string]func(*shared) *Node{
						"all anchors, with gradient":    func(d *shared) *Node { return d.byContrast(contrast, true) },
						"all anchors, own part's alone": func(d *shared) *Node { return d.byContrast(contrast, false) },
						detached:                        func(d *shared) *Node { return d.byContrast(negative.Consistency{}, true) },
					}
					if plainly || distils {
						how["own anchors, with gradient"] = func(d *shared) *Node { return d.ownAnchors(true) }
						how["own anchors, without gradient"] = func(d *shared) *Node { return d.ownAnchors(false) }
					}
					got := shares(t, backend, dtype, job, how)
					whole := got["whole"]
					for form := range how {
						if form == detached {
							continue
						}
						x, want, times := got[form], whole, 1.0
						if form == "all anchors, own part's alone" {
							times = ranks
						}
						if off := math.Abs(x.loss - whole.loss); !(off <= tolerance*whole.loss) {
							t.Errorf("%s: a loss of %.15g, undivided %.15g", form, x.loss, whole.loss)
						}
						if form == "own anchors, without gradient" && !distils {
							if off, _ := x.off(whole, 1); off < 0.01 {
								t.Errorf("%s: gradients are off by %g of the largest; they should be others", form, off)
							}
							if smooth {
								continue // GRIT-VLP's targets are not smoothed
							}
							want = got[detached]
						}
						off, kept := x.off(want, times)
						if !(off <= tolerance) {
							t.Errorf("%s: gradients are off by %g of the largest", form, off)
						}
						if strings.HasPrefix(form, "all anchors") && kept > tolerance {
							t.Errorf("%s: what the contrast keeps is off by %g", form, kept)
						}
					}
				})
			}
		})
	}
}

// ALBEF's published code contrasts each device's part with its own keys and the queue, and gathers for the queue alone: an anchor has fewer
// negatives than in the undivided step, so that the loss is lower by what the others' keys add.
func TestALBEFsDevicesContrastApart(t *testing.T) {
	job := smallest(t, negative.ALBEF(8))
	change(&job, withoutDropout)
	contrast := negative.Distilled{Decay: 0.995, Queue: 8} // without soft targets, so that negatives can only add
	job.Config.Method.Contrast = contrast
	got := shares(t, enginetest.PureGo(t), dtypes.Float64, job,
		map[string]func(*shared) *Node{"apart": func(d *shared) *Node { return d.apart(contrast) }})
	if whole, apart := got["whole"].loss, got["apart"].loss; !(apart < whole-1e-3) {
		t.Errorf("a loss of %g apart, %g undivided", apart, whole)
	}
}
