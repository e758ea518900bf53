package albef

import (
	"fmt"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// encoded is a mini-batch behind its encoders: its images, and its texts in one batch, captions first and then masked ones, as far as the
// losses read them.
type encoded struct {
	image Image
	texts Text
}

// encode encodes a mini-batch for the losses that which names.
func (b *batch) encode(which negative.Objectives) encoded {
	return b.Model.encode(b.store.Scope(framework.Model), which, b.in)
}

func (a Model) encode(s *model.Scope, which negative.Objectives, in field.Nodes) encoded {
	image := a.EncodeImage(s, in.Of(field.Image))
	ids, padded := a.texts(which, in)
	return encoded{image, a.encodeText(s, Concatenate(ids, 0), Concatenate(padded, 0))}
}

// texts are the ids of the texts that losses read, and those whose zeros are their padding.
func (a Model) texts(which negative.Objectives, in field.Nodes) (ids, padded []*Node) {
	captions := in.Of(field.Captions)
	if which.Has(negative.ITC) || which.Has(negative.ITM) {
		ids, padded = append(ids, captions), append(padded, captions)
	}
	if which.Has(negative.MLM) {
		masked := in.Of(field.Masked)
		ids, padded = append(ids, masked), append(padded, a.padding(masked, captions))
	}
	return ids, padded
}

// Encode implements framework.Halves: the image's tokens and embedding, and the states and embeddings of captions and of masked ones, as
// far as losses read them.
func (a Model) Encode(s *model.Scope, u framework.Use, in field.Nodes) []*Node {
	of := a.encode(s, u.Objectives, in)
	out := []*Node{of.image.Tokens, of.image.Feature}
	pairs := of.image.Tokens.Shape().Dim(0)
	for from := 0; from < of.texts.States.Shape().Dim(0); from += pairs {
		rows := AxisRange(from, from+pairs)
		out = append(out, Slice(of.texts.States, rows), Slice(of.texts.Feature, rows))
	}
	return out
}

// Assess implements framework.Halves. The fusion layers are a part of it: ITM's pairs are chosen among the whole mini-batch.
func (a Model) Assess(s *model.Scope, u framework.Use, in field.Nodes, seen framework.Seen) (framework.Forward, framework.Reassess) {
	b := a.batch(s.Store(), u, in)
	of := func(which negative.Objectives, nodes []*Node) encoded {
		image, texts := Image{nodes[0], nodes[1]}, Text{}
		var states, features []*Node
		for k := 2; k < len(nodes); k += 2 {
			states, features = append(states, nodes[k]), append(features, nodes[k+1])
		}
		_, padded := a.texts(which, in)
		texts.States, texts.Feature = Concatenate(states, 0), Concatenate(features, 0)
		texts.Bias = paddingBias(Concatenate(padded, 0), encoder.DType(b.store.Scope(framework.Model)))
		return encoded{image, texts}
	}
	given := of(u.Objectives, seen.Online)
	b.given, b.like = &given, given.image.Tokens
	forward, first := b.forward(u)
	return forward, func(which negative.Objectives, online []*Node) *Node {
		return b.reassess(which, of(which, online), first)
	}
}

// Divides implements framework.Divisible.
func (a Model) Divides(u framework.Use) error {
	_, distils := u.Method.Contrast.(negative.Distiller)
	needs := ""
	switch {
	case distils:
		needs = "momentum encoders, which read masked captions with their images, too"
	case u.Method.NeedsReference():
		needs = "a reference model, which reads pairs of the whole mini-batch"
	case u.Method.Positives != nil:
		needs = "new positives, whose captions are masked anew"
	case u.Method.Writes():
		needs = "sentences that are written of the whole mini-batch"
	default:
		return nil
	}
	return fmt.Errorf("albef: %s has %s, and these are not divided; take a method without", u.Method.Name, needs)
}
