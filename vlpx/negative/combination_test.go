package negative

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/internal/test/must"
)

// A contrast teaches under any mini-batches: gradient descent on embeddings that are parameters themselves lowers, in every
// epoch, the losses of the mini-batches that the embeddings of the epoch before gave.
func TestContrastsUnderGroupedAndScheduledBatches(t *testing.T) {
	const rate = 0.05
	run := Start{Pairs: 16, BatchSize: 4, Dim: 3, Epochs: 3, Seed: 1}
	for _, contrast := range []Contrast{HNNCE{Alpha: 1, Beta: 0.25, WeightGradient: true}, Smoothed{Alpha: 0.5}} {
		step := compiled(t, model.NewStore(), func(_ *model.Scope, in []*Node) []*Node {
			loss := func(u, w *Node) *Node {
				return contrast.ITC(Features{Image: u, Text: w, Temperature: ConstAs(u, 0.2), Progress: in[2]}).Loss
			}
			before := loss(in[0], in[1])
			gradients := Gradient(before, in[:2]...)
			u := L2Normalize(Sub(in[0], MulScalar(gradients[0], rate)), -1)
			w := L2Normalize(Sub(in[1], MulScalar(gradients[1], rate)), -1)
			return []*Node{Sub(before, loss(u, w)), u, w}
		})
		for _, batches := range []Batches{Grouped{SearchSpace: 8, Queue: 16}, Scheduled{SearchSpace: 8}} {
			t.Run(fmt.Sprintf("%T under %T", contrast, batches), func(t *testing.T) {
				image, text := embeddings(run.Pairs, run.Dim, 11)
				sampler := started(t, batches, run)
				for e := range run.Epochs {
					steps := must.Get(sampler.Epoch(e))(t)
					var improvement float64
					for k := range steps {
						pairs := must.Get(sampler.Next())(t)
						u, w := permuted(image, run.Dim, pairs), permuted(text, run.Dim, pairs)
						progress := float32(e) + float32(k)/float32(steps)
						got := step(tensors.FromFlatDataAndDimensions(u, run.BatchSize, run.Dim),
							tensors.FromFlatDataAndDimensions(w, run.BatchSize, run.Dim), progress)
						improvement += got[0][0]
						for i, pair := range pairs {
							for d := range run.Dim {
								image[pair*run.Dim+d] = float32(got[1][i*run.Dim+d])
								text[pair*run.Dim+d] = float32(got[2][i*run.Dim+d])
							}
						}
						saw := Observation{Pairs: pairs, Image: u, Text: w, Temperature: 0.2, Improvement: got[0][0]}
						must.Do(t, sampler.Observe(saw))
					}
					if !(improvement > 0) {
						t.Errorf("epoch %d: the losses fell by %v, want more than 0", e, improvement)
					}
				}
			})
		}
	}
}
