package blip2

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// encoded is a mini-batch as its losses read it: what the queries see of its images, without their states, and for ITC the vectors of its
// captions, [batch, Embed].
type encoded struct {
	image Looked
	text  *Node
}

// encode encodes the mini-batch for the losses that which names.
func (b *batch) encode(which negative.Objectives) encoded {
	return b.Model.encode(b.store.Scope(framework.Model), which, b.in)
}

func (m Model) encode(s *model.Scope, which negative.Objectives, in field.Nodes) encoded {
	of := encoded{image: m.Look(s, in.Of(field.Image))}
	if which.Has(negative.ITC) {
		_, of.text = m.Read(s, in.Of(field.Captions))
	}
	return of
}

// Encode implements framework.Halves: the image's tokens, the queries' vectors and, as far as losses read them, the captions' vectors and
// what each layer's queries offer.
func (m Model) Encode(s *model.Scope, u framework.Use, in field.Nodes) []*Node {
	of := m.encode(s, u.Objectives, in)
	out := []*Node{of.image.Tokens, of.image.Feature}
	if u.Objectives.Has(negative.ITC) {
		out = append(out, of.text)
	}
	if u.Objectives.Has(negative.ITG) {
		for _, layer := range of.image.Offered {
			out = append(out, layer.Keys, layer.Values)
		}
	}
	return out
}

// Assess implements framework.Halves. The Q-Former's passes for ITM and ITG are a part of it: ITM's pairs are chosen among the whole
// mini-batch.
func (m Model) Assess(s *model.Scope, u framework.Use, in field.Nodes, seen framework.Seen) (framework.Forward, framework.Reassess) {
	of := func(which negative.Objectives, nodes []*Node) encoded {
		e := encoded{image: Looked{Tokens: nodes[0], Feature: nodes[1]}}
		if nodes = nodes[2:]; which.Has(negative.ITC) {
			e.text, nodes = nodes[0], nodes[1:]
		}
		for ; len(nodes) > 0; nodes = nodes[2:] {
			e.image.Offered = append(e.image.Offered, encoder.Memory{Keys: nodes[0], Values: nodes[1]})
		}
		return e
	}
	b := m.batch(s.Store(), u, in)
	forward, first := b.forward(u, of(u.Objectives, seen.Online))
	return forward, func(which negative.Objectives, online []*Node) *Node {
		return b.reassess(which, of(which, online), first)
	}
}

// Divides implements framework.Divisible.
func (m Model) Divides(u framework.Use) error {
	needs := ""
	switch {
	case u.Method.NeedsReference():
		needs = "a reference model, which reads pairs of the whole mini-batch"
	case u.Method.Positives != nil:
		needs = "new positives, whose captions are written, too"
	default:
		return nil
	}
	return fmt.Errorf("blip2: %s has %s, and these are not divided; take a method without", u.Method.Name, needs)
}
