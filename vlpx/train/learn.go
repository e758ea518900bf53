package train

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Learn builds one training step in a graph: the losses of a mini-batch, the update of the weights and what it improved. It reports what
// the framework reports of the mini-batch as it was before the update, with field.GradientNorm and, where the method is
// negative.Rewarded, field.Improvement, and by Reports what its parts report by names of their own. It computes in the type of the weights
// and inputs. The scope is the root of a store that holds the initialised model.
//
//   - in: the fields of Inputs.
//   - room: see framework.Use.
func (c Config) Learn(s *model.Scope, in field.Nodes, room int) framework.Forward {
	return c.upTo(Whole, s, in, room)
}

// upTo is Learn up to a part: the gradient's norm is the last that Backward gives.
func (c Config) upTo(last Part, s *model.Scope, in field.Nodes, room int) framework.Forward {
	f, u, rate := c.Framework.Framework, c.Use(), in.Of(field.Rate)
	g := rate.Graph()
	u.Room = room
	reports := field.NewReports(in)
	u.Reporter = reports.By(field.Part("framework", f))
	learner, rewarded := c.Method.Batches.(negative.Rewarded)
	s.Store().SetTraining(g, true)
	forward := f.Step(s, u, in)
	forward.Reports = reports
	reports.End()
	if last == Forward {
		return forward
	}
	loss := func() *Node {
		loss := forward.Of(f, c.Objectives)
		c.Method.AssertTrained(s.Store().Scope(framework.State), loss)
		return loss
	}
	if last == Backward {
		forward.Outputs[field.GradientNorm] = learn(s.Store(), loss()).norm()
		return forward
	}
	again := func() (sum *Node) {
		framework.Evaluating(s.Store(), g, func() {
			if forward.Again != nil {
				sum = forward.Again(learner.Reward())
				return
			}
			u.Objectives = learner.Reward()
			sum = f.Step(s, u, in).Of(f, learner.Reward())
		})
		return sum
	}
	var hold *Node
	if joined := forward.Outputs[field.Joined]; joined != nil && room < 2*c.BatchSize {
		hold = GreaterThan(joined, ConstAs(joined, room))
	}
	// Before the losses are built again: a temperature is clamped in place each time, and its gradient is by the value that the loss has.
	by := learn(s.Store(), loss())
	var before *Node
	if rewarded {
		before = forward.Of(f, learner.Reward())
		if !forward.Repeats {
			before = again()
		}
	}
	forward.Outputs[field.GradientNorm] = c.optimiser().update(s.Store(), by, rate, hold)
	c.average(s.Store(), g, hold)
	if rewarded {
		forward.Outputs[field.Improvement] = Sub(before, again())
	}
	return forward
}

// Part is how far a step goes.
type Part int

const (
	Forward  Part = iota // the losses, and what else a step gives of the mini-batch
	Backward             // with the gradient of the losses and its norm
	Whole                // with the update of the weights, and what it improved where the method asks for it
)

// String names the part as tables do.
func (p Part) String() string {
	return [...]string{"forward", "forward and backward", "whole step"}[p]
}
