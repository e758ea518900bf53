package negative

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"vlpx.internal/vlpx/field"
)

// Contrast is how ITC weighs the other pairs of a mini-batch: targets, weights, masks, estimator, queue.
type Contrast interface {
	// ITC builds the loss of a mini-batch.
	ITC(Features) Contrasted
}

// Features are what a contrast sees of a mini-batch.
type Features struct {
	// Image and Text are u and w: normalised embeddings, [batch, dim]. An image may have several vectors, [batch, vectors, dim], of which
	// the most similar one counts (see objective.Cosines).
	Image, Text *Node
	// Views tells that Image and Text are two views of the same images; Support are further ones, [batch, dim] each.
	Views   bool
	Support []*Node
	// MomentumImage and MomentumText are um and wm, the momentum encoders' embeddings of the same batch, without gradient;
	// nil unless the contrast is a Distiller.
	MomentumImage, MomentumText *Node
	// ReferenceImage and ReferenceText are a frozen model's embeddings of the same batch, without gradient; nil unless the
	// contrast is Informed.
	ReferenceImage, ReferenceText *Node
	Temperature                   *Node        // tau, a scalar
	Smoothing                     float64      // label smoothing that the framework has where a contrast has no soft targets of its own
	Progress                      *Node        // epochs done, a fraction: e + i/steps at step i of epoch e; a scalar
	State                         *model.Scope // where the contrast keeps variables of its own, such as a queue
	// Items are the images that the pairs belong to, int32, [batch]; nil unless the contrast is Itemised.
	Items *Node
	// Connections are the new positives; nil where the method has no Positives.
	Connections *Connections
	// Left are the negatives that do not count; nil where the method leaves out none.
	Left *Leaving
	// Fields are those of the mini-batch that the contrast reads by itself, as a Reading; Progress and Items are there, too.
	Fields field.Nodes
	// Teller is how the contrast tells numbers by names of its own.
	field.Teller
}

// Contrasted is the outcome of ITC.
type Contrasted struct {
	Loss *Node // a scalar in nats
	// I2T and T2I are the similarities over temperature within the batch, [batch, batch], anchors in rows. Matching picks
	// its negatives by them.
	I2T, T2I *Node
	// Weights are those of the negatives, [batch, batch], image anchors in rows; nil where all weigh the same.
	Weights *Node
	// Labels are the image anchors' targets, [batch, candidates]; nil where they are not soft.
	Labels *Node
	// Teller is how the Matching that sees this tells numbers by names of its own; a contrast leaves it out.
	field.Teller
	state *model.Scope // of what the method keeps, for the Matching
}

// Assert panics if a contrast's outcome lacks what the rest of the step needs, as one's own may: it says what is wanted.
func (c Contrasted) Assert(of Contrast, batch int) {
	if c.Loss == nil || !c.Loss.IsScalar() {
		exceptions.Panicf("negative: the loss that %T.ITC returns is %s; return a scalar", of, shapeOf(c.Loss))
	}
	for name, n := range map[string]*Node{"I2T": c.I2T, "T2I": c.T2I} {
		if n == nil || n.Rank() != 2 || n.Shape().Dim(0) != batch || n.Shape().Dim(1) != batch {
			exceptions.Panicf("negative: %s that %T.ITC returns is %s; return the similarities over temperature, [%d, %d], by which "+
				"ITM's negatives "+
				"are picked", name, of, shapeOf(n), batch, batch)
		}
	}
}

// shapeOf is a node's shape, if there is one.
func shapeOf(n *Node) string {
	if n == nil {
		return "missing"
	}
	return "of shape " + n.Shape().String()
}

// Stateful is a Contrast that keeps variables of its own, which no optimiser trains (see [Trainable]). They are saved and resumed with the
// weights.
type Stateful interface {
	Contrast
	// Declare puts the variables with their first values into the empty scope that Features.State will be.
	Declare(state *model.Scope, run Start) error
}

// Informed is a Contrast that needs a frozen reference model of the same architecture, trained by a run of its own.
type Informed interface {
	Contrast
	NeedsReference()
}

// Itemised is a Contrast that can tell captions of the same image from others.
type Itemised interface {
	Contrast
	// NeedsItems tells whether it does.
	NeedsItems() bool
}

// Distiller is a Contrast that needs momentum encoders. Their predictions are distilled into MLM, too.
type Distiller interface {
	Contrast
	// Momentum is the decay of the moving average of weights.
	Momentum() float64
	// Mix is the weight of the soft targets at a point of training, a scalar.
	Mix(progress *Node) *Node
}
