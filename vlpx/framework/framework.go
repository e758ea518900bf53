package framework

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/negative"
)

// Framework is a model with its losses. It is plain data: its JSON is part of a run's identity (see [Choice]). What it can do besides
// being trained are further interfaces, such as [Embeds] and [Matches].
type Framework interface {
	// Name is what people call it.
	Name() string
	// Check reports why it cannot be used so: sizes that do not fit, or a method that asks for what it has not.
	Check(u Use) error
	// Losses are the names of its losses, in the order in which they are added.
	Losses() []negative.Loss
	// Inputs are what Step reads of a mini-batch.
	Inputs(u Use) []field.Field
	// Step builds one forward pass on a mini-batch: the losses that Use.Objectives names, and what it reports. The scope is the root of
	// a store, with the model's variables below [Model]; a variable comes into being when it is first asked for.
	Step(s *model.Scope, u Use, in field.Nodes) Forward
}

// Use is how a run uses a framework: what the shapes of its inputs and its losses depend on besides itself.
type Use struct {
	Method     negative.Method
	Objectives negative.Objectives // losses that train the model
	Batch      int                 // pairs a mini-batch
	Image      int                 // pixels a side
	Tokens     int                 // of a caption
	// Room is the number of rows that new positives may take, at most 2 Batch, for a framework that reports field.Joined; each number is
	// a graph of its own.
	Room int
	// Reporter is how the framework reports numbers by names of its own, and its Features those of the method's parts.
	field.Reporter
}

// Features are what all contrasts see of a mini-batch; the framework adds its embeddings and the temperature.
func (u Use) Features(store *model.Store, in field.Nodes) negative.Features {
	return negative.Features{
		Progress: in.Of(field.Progress), State: store.Scope(State), Items: in[field.Items], Fields: in,
		Left: u.Method.Leaving(store.Scope(State), in), Reporter: u.For(field.Part("contrast", u.Method.Contrast)),
	}
}

// Forward is what one forward pass gives.
type Forward struct {
	Losses map[negative.Loss]*Node // scalars in nats
	// Weights are what losses weigh in the model's, 1 where there is none.
	Weights map[negative.Loss]float64
	Outputs field.Nodes // fields that a step may report
	// Again builds the sum of some losses for the same mini-batch, on the same choices, with the weights as they are in the graph by
	// then: after the update, if that is built. nil: Step is asked once more.
	Again func(negative.Objectives) *Node
	// Reports are the numbers that the framework and the method's parts report by names of their own; whoever trains adds it.
	Reports *field.Reports
	// Repeats says that Again would give the same losses as this pass while the weights are the same: nothing random is in it.
	Repeats bool
}

// Of is the weighted sum of the losses that which names, a scalar.
func (t Forward) Of(f Framework, which negative.Objectives) *Node {
	var sum *Node
	for _, name := range f.Losses() {
		loss := t.Losses[name]
		if weight, weighs := t.Weights[name]; weighs && loss != nil {
			loss = MulScalar(loss, weight)
		}
		switch {
		case loss == nil || !which.Has(name):
		case sum == nil:
			sum = loss
		default:
			sum = Add(sum, loss)
		}
	}
	return sum
}

// EmbedsImages is a Framework that embeds images.
type EmbedsImages interface {
	Framework
	// Dim is the width of the embedding.
	Dim() int
	// EmbedImage encodes a batch of images, as field.Image. The scope is that of the model's variables.
	EmbedImage(s *model.Scope, images *Node) Embedded
}

// Represents is a Framework whose representation of images lies below their embedding, as that before a projection head does. Probes of
// what was learned read it, such as linear classifiers; of other frameworks they read the embedding.
type Represents interface {
	EmbedsImages
	// Represent encodes a batch of images, as field.Image, to [batch, width], not normalised. The scope is that of the model's variables.
	Represent(s *model.Scope, images *Node) *Node
}

// Embeds is a Framework that brings images and captions to a shared embedding: retrieval, samplers and zero-shot classes go by it.
type Embeds interface {
	EmbedsImages
	// EmbedText encodes a batch of captions, as field.Captions, as EmbedImage does images.
	EmbedText(s *model.Scope, ids *Node) Embedded
}

// Multiple is an Embeds whose images have several vectors, as BLIP-2's by its queries. An image is as similar to a caption as the nearest
// of its vectors; samplers see that of its own caption.
type Multiple interface {
	Embeds
	// Vectors is how many an image has.
	Vectors() int
}

// Vectors is how many vectors an image has in a framework's embedding.
func Vectors(f Framework) int {
	if m, ok := f.(Multiple); ok {
		return m.Vectors()
	}
	return 1
}

// Embedded is an encoded batch.
type Embedded struct {
	Feature *Node // normalised, [batch, Dim], or of images [batch, Vectors, Dim] where the framework is Multiple
	States  *Node // what Matches reads of it, [batch, ...]; nil where nothing does
}

// Matches is a Framework that scores pairs of an image and a caption together: re-ranking and Con-D ask it.
type Matches interface {
	Embeds
	// Match returns logits of "not matched" and "matched", [rows, 2], of captions by their states and ids with the images of the same
	// rows by their states.
	Match(s *model.Scope, text, ids, image *Node) *Node
}

// Adding is a Matches that re-ranks pairs by the sum of the logit of "matched" and their similarity, as BLIP-2 does (METHODS.md 13).
type Adding interface {
	Matches
	AddsSimilarity()
}

// Scores is a Framework that sees an image and a caption together from its first layer on, as UNITER does, and embeds neither by itself.
// Retrieval ranks by its scores of all pairs.
type Scores interface {
	Framework
	// Score returns the logit of "the caption is true of the image" of captions by their ids, as field.Captions, with the images of the
	// same rows, as field.Image; [rows]. The scope is that of the model's variables.
	Score(s *model.Scope, ids, images *Node) *Node
}

// Retrieves reports whether a framework ranks captions for an image and images for a caption: by embeddings, or by scores of pairs.
func Retrieves(f Framework) bool {
	_, embeds := f.(Embeds)
	_, scores := f.(Scores)
	return embeds || scores
}

// Predicts is a Framework that predicts each token of a text from those before it: a language model.
type Predicts interface {
	Framework
	// LogLikelihood returns that of each token of texts by those before it, in nats, [rows, tokens], of ids as field.Captions; 0 for a
	// token that is not predicted: a text's first one and padding. The scope is that of the model's variables.
	LogLikelihood(s *model.Scope, ids *Node) *Node
}

// Fills is a Framework that predicts masked words of captions which read their image, and so can write sentences of it.
type Fills interface {
	Framework
	// Fill returns the logits of the words at each place of masked captions with the images of the same rows, [rows, tokens, vocabulary].
	// The padding is that of the captions. The scope is that of the model's variables.
	Fill(s *model.Scope, masked, captions, images *Node) *Node
}

// Corrects is a Framework that reports which words of a sentence were replaced, and what stood there (TAGS-DC, section 2.4).
type Corrects interface {
	Fills
	// Correct returns, of sentences by their ids with the images of the same rows, the probability of each word to be a replaced one, and
	// the most probable original word, int32; both [rows, tokens]. The scope is that of the model's variables.
	Correct(s *model.Scope, ids, images *Node) (replaced, words *Node)
}

// Field is what the framework declares of a name that has the same shape for all: every one but field.Image, field.View and field.Other.
func (u Use) Field(name field.Name) field.Field {
	switch name {
	case field.Captions, field.Masked, field.Words:
		return field.Int32(name, u.Batch, u.Tokens)
	case field.Fresh:
		return field.Int32(name, 2*u.Batch, u.Tokens)
	case field.PoolCaptions:
		return field.Int32(name, u.Method.Pool(), u.Tokens)
	case field.PoolItems:
		return field.Int32(name, u.Method.Pool())
	case field.Drafts, field.DraftWords:
		return field.Int32(name, u.Batch, u.Method.Writing.Sizes().Masks, u.Tokens)
	case field.Refills:
		of := u.Method.Writing.Sizes()
		return field.Float32(name, u.Batch, of.Masks, of.Refills, u.Tokens)
	case field.Annotated:
		return field.Int32(name, u.Batch, 5*u.Tokens)
	case field.TrueFillings:
		return field.Int32(name, u.Batch, u.Method.Writing.Sizes().Masks, negative.MostTrue, u.Tokens)
	case field.Index, field.Items, field.Class, field.Verdict:
		return field.Int32(name, u.Batch)
	case field.Noise:
		return field.Float32(name, 2, u.Batch, u.Batch)
	case field.Assignment:
		return field.Float32(name, 2, u.Batch)
	case field.Truth, field.Known:
		return field.Float32(name, u.Batch, u.Batch)
	case field.FalseShare:
		return field.Float32(name, u.Batch, 2)
	default:
		return field.Float32(name)
	}
}

// Fields are those of the names, and those that the method itself reads, each once.
func (u Use) Fields(names ...field.Name) []field.Field {
	var fields []field.Field
	for k, name := range append(names, u.Method.Reads()...) {
		if k < len(names) || !slices.Contains(names, name) {
			fields = append(fields, u.Field(name))
		}
	}
	return fields
}

// Images is a field of images of the shape that the framework reads one in, such as [side, side, 3].
func (u Use) Images(name field.Name, dims ...int) field.Field {
	return field.Float32(name, append([]int{u.Batch}, dims...)...)
}

// Anchors are the kinds of anchors of a framework: images and captions, or images by their views where it embeds no captions.
func Anchors(f Framework) []string {
	if _, embeds := f.(Embeds); embeds {
		return []string{negative.ImageAnchors, negative.TextAnchors}
	}
	return []string{negative.ImageAnchors}
}

// Dim is the width of a framework's embedding, 1 where it has none.
func Dim(f Framework) int {
	if e, ok := f.(EmbedsImages); ok {
		return e.Dim()
	}
	return 1
}

// Reads reports whether a framework reads captions, so that it needs a vocabulary: as a field of a step, or to embed them.
func Reads(f Framework, u Use) bool {
	return Retrieves(f) || slices.ContainsFunc(f.Inputs(u), func(x field.Field) bool { return x.Name.OfCaptions() })
}
