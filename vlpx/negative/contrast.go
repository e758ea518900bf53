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

func contrastRole() Role {
	alpha := []Setting{AlphaSetting}
	return slot(Role{
		Name: "Contrast", Label: "contrast", plain: InfoNCE{}, Parts: []Part{
			{Name: "InfoNCE", What: "one true caption, all others equally wrong", Of: "InfoNCE"},
			{Name: "consistency", What: "agreement of an anchor's two views, weighed by alpha (GRIT-VLP)", Of: "GRIT-VLP", Uses: alpha},
			{Name: "distilled", What: "soft targets of momentum encoders and a queue, mixed in by alpha (ALBEF)", Of: "ALBEF", Uses: alpha},
			{Name: "smoothed", What: "labels smoothed by alpha (MAFA's S-ITC)", Of: "S-ITC", Uses: alpha},
			{Name: "hardness-weighted", What: "harder negatives weigh more (DiHT)", Of: "DiHT"},
			{Name: "regulated", What: "similar negatives weigh less, by a reference model (SRCL)", Of: "SRCL"},
			{Name: "global", What: "negatives of the whole data, by a moving average an anchor (SogCLR)", Of: "SogCLR"},
			{Name: "individual", What: "the same at a temperature of its own for each anchor (iSogCLR)", Of: "iSogCLR"},
			{Name: "fading, learned", What: "moving averages that fade in, and a temperature that learns by them (FastCLIP-v0)",
				Of: "FastCLIP-v0"},
			{Name: "fading, constant", What: "the same at a constant temperature (FastCLIP-v1)", Of: "FastCLIP-v1"},
			{Name: "fading, individual", What: "the same at a temperature for each anchor (FastCLIP-v2)", Of: "FastCLIP-v2"},
			{Name: "fading, robust", What: "the same at a temperature that learns by a robust loss (FastCLIP-v3)", Of: "FastCLIP-v3"},
		},
	}, func(m *Method) *Contrast { return &m.Contrast })
}

// Softening is a Contrast whose soft targets have a weight.
type Softening interface {
	Contrast
	// Softened is the same with another weight of the soft targets.
	Softened(alpha float64) Contrast
}

// Features are what a contrast sees of a mini-batch.
type Features struct {
	// Image and Text are u and w: normalised embeddings, [batch, dim]. An image may have several vectors, [batch, vectors, dim], of which
	// the most similar one counts (see objective.Cosines).
	Image, Text *Node
	// Views says that Image and Text are two views of the same images; Support are further ones, [batch, dim] each.
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
	// Reporter is how the contrast reports numbers by names of its own.
	field.Reporter

	role string       // of the part that sees this; empty for the contrast
	root *model.Scope // of all that the method keeps, where another part than the contrast sees this
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
	// Reporter is how the Matching that sees this reports numbers by names of its own; a contrast leaves it out.
	field.Reporter
	state *model.Scope // of what the method keeps, for the Matching
}

// assert panics if the outcome that a method such as "Mine.ITC" returns lacks what the rest of the step needs. It says what is wanted.
func (c Contrasted) assert(of string, batch int) {
	if c.Loss == nil || !c.Loss.IsScalar() {
		exceptions.Panicf("negative: the loss that %s returns is %s; return a scalar", of, shapeOf(c.Loss))
	}
	for name, n := range map[string]*Node{"I2T": c.I2T, "T2I": c.T2I} {
		if n == nil || n.Rank() != 2 || n.Shape().Dim(0) != batch || n.Shape().Dim(1) != batch {
			exceptions.Panicf("negative: %s that %s returns is %s; return the similarities over temperature, [%d, %d], by which ITM's "+
				"negatives are picked", name, of, shapeOf(n), batch, batch)
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

// Itemised is a Contrast that can distinguish captions of the same image from others.
type Itemised interface {
	Contrast
	// NeedsItems reports whether it does.
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
