package train

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Learned is what a training step tells of a mini-batch as it was before the update.
type Learned struct {
	framework.Losses
	Norm *Node // of the whole gradient, before clipping; a scalar
	// Improvement is how much the update lowered the losses that the method's Reward names on this mini-batch, in nats, a
	// scalar; nil where the method is not negative.Rewarded.
	Improvement *Node
}

// Learn builds one training step in a graph: the losses of a mini-batch, the update of the weights and what it improved. It
// computes in the type of the weights and inputs. The scope is the root of a store that holds the initialised model.
//
//   - rate: the learning rate, a scalar.
func (c Config) Learn(s *model.Scope, batch framework.Batch, rate *Node) Learned {
	g, which := batch.Pixels.Graph(), c.objectives()
	learner, rewarded := c.Method.Batches.(negative.Rewarded)
	s.Store().SetTraining(g, true)
	learned := Learned{Losses: c.Framework.Losses(s, c.Method, batch, which)}
	reassess := func() *Node {
		s.Store().SetTraining(g, false)
		defer s.Store().SetTraining(g, true)
		return c.Framework.Reassess(s, c.Method, batch, learned.Pairs, learner.Reward())
	}
	var hold *Node
	if learned.Joined != nil && batch.Room < 2*c.BatchSize {
		hold = GreaterThan(learned.Joined, ConstAs(learned.Joined, batch.Room))
	}
	var before *Node
	if rewarded {
		before = learned.Of(learner.Reward())
		if _, distils := c.Method.Contrast.(negative.Distiller); distils || c.Method.Positives != nil || c.Framework.Text.Dropout > 0 {
			before = reassess() // the training pass was not the same
		}
	}
	learned.Norm = c.Optimiser.Update(s.Store(), framework.Model, learned.Of(which), rate, hold)
	if rewarded {
		learned.Improvement = Sub(before, reassess())
	}
	return learned
}
