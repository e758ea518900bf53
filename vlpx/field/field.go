// Package field names what a training step reads of a mini-batch and what it reports of it. Frameworks and methods declare the fields that
// they read, the trainer makes them, and a graph finds them by name.
package field

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Name is a field's.
type Name string

// What a step may read of a mini-batch of pairs.
const (
	// normalised pixels, [batch, side, side, 3], or a locked encoder's tokens, [batch, tokens, width], or regions, see framework.Regional
	Image    Name = "image"
	View     Name = "second view"     // the same images augmented by draws of their own, as Image
	Other    Name = "second image"    // the right image of each pair of images, whose left one is Image, as Image
	Verdict  Name = "verdict"         // 1 where the statement about two images is true, else 0, [batch] int32
	Captions Name = "captions"        // ids, padded with zeros, [batch, tokens] int32
	Masked   Name = "masked captions" // the ids with MLM's masks, [batch, tokens] int32
	Words    Name = "masked words"    // the original ids where masked, objective.Ignored elsewhere, [batch, tokens] int32
	Noise    Name = "matching noise"  // standard Gumbel draws for sampled matching, [2, batch, batch]
	// Assignment are uniform draws in [0, 1): whether a text's own image is one of its two, and on which side, [2, batch].
	Assignment Name = "assignment draws"
	Progress   Name = "progress" // epochs done, a fraction; a scalar
	Index      Name = "index"    // of each pair in the training set, [batch] int32
	Items      Name = "items"    // the image of each pair, [batch] int32
	Class      Name = "class"    // of each image, [batch] int32
	Truth      Name = "truth"    // 1 where the caption of a column is true of the image of a row, else 0, [batch, batch]
	// 1 where it is known whether the caption of a column is true of the image of a row, else 0, [batch, batch]
	Known Name = "known truth"
	// FalseShare is the share of all other samples of the training set that are false negatives of the image and of the caption of each
	// pair, or of the image alone where there are no captions, [batch, 2].
	FalseShare Name = "share of false negatives"
	Fresh      Name = "masks of new positives" // codes of the masks of their captions, see objective.MaskByCodes, [2 batch, tokens] int32
	Rate       Name = "rate"                   // the learning rate, a scalar

	// Of pairs that are drawn from the training set besides the mini-batch, in number pool.
	PoolCaptions Name = "captions of the pool" // ids, padded with zeros, [pool, tokens] int32
	PoolImages   Name = "images of the pool"   // as Image, [pool, ...]
	PoolItems    Name = "items of the pool"    // the image of each, as Items, [pool] int32

	// Of captions that are rewritten, in maskings K and refills L.
	Drafts     Name = "drafts"          // masked captions, [batch, K, tokens] int32
	DraftWords Name = "words of drafts" // the original ids where masked, objective.Ignored elsewhere, [batch, K, tokens] int32
	Refills    Name = "refills"         // uniform draws in [0, 1), [batch, K, L, tokens]
	Annotated  Name = "annotated"       // the distinct ids in all captions of each image, padded with zeros, [batch, 5 tokens] int32
	// TrueFillings are the sentences that a draft's masked words can become and that are true of the image, padded with zeros,
	// [batch, K, negative.MostTrue, tokens] int32. A draft of more than these has -1 in all places.
	TrueFillings Name = "true fillings"

	// Of questions in the place of captions: their distinct answers, and what these weigh, such as the share of the people who gave each.
	Answers       Name = "answers"            // ids, padded with zeros, [batch, answers, tokens of an answer] int32
	AnswerWeights Name = "weights of answers" // 0 where there is none, [batch, answers]
)

// What a step may report of a mini-batch.
const (
	ImageEmbedding Name = "image embedding" // u, normalised, [batch, dim]
	TextEmbedding  Name = "text embedding"  // w, normalised, [batch, dim]
	Temperature    Name = "temperature"     // tau, a scalar
	// HardestImages[k] is the mini-batch's most similar other image for text k, HardestTexts[k] the most similar other text for image k:
	// int32, [batch]. False negatives are counted by them.
	HardestImages Name = "hardest images"
	HardestTexts  Name = "hardest texts"
	Weights       Name = "weights of negatives" // [batch, batch], image anchors in rows
	Labels        Name = "soft labels"          // the image anchors' targets, [batch, candidates]
	// The negatives of images and of captions that a method took for false, 1 or 0, [batch, views, candidates]; see negative.Anchors.
	FoundOfImages Name = "found negatives of images"
	FoundOfTexts  Name = "found negatives of captions"
	// The negatives that a method's Positives judge, with the scores; see negative.Candidates. All are [batch].
	PickedImages Name = "picked images"
	PickedTexts  Name = "picked texts"
	ImageScores  Name = "scores of picked images"
	TextScores   Name = "scores of picked texts"
	// What a method has written; see negative.Drafts. Of n sentences of each caption m are kept.
	Sentences      Name = "written sentences"           // [batch, n, tokens] int32
	SentencePassed Name = "written sentences that pass" // [batch, n]
	SentenceScores Name = "scores of written sentences" // logits, [batch, n]
	SentencesKept  Name = "written sentences kept"      // places, [batch, m] int32
	CaptionScores  Name = "scores of captions"          // logits of the own captions, [batch]
	// Joined is the number of new positives that take rows of their own, a scalar. With more than there is room for the step is wrong.
	Joined Name = "joined"
	// GradientNorm is that of the whole gradient before clipping, a scalar.
	GradientNorm Name = "gradient norm"
	// Improvement is how much the update lowered the rewarded losses on this mini-batch, in nats, a scalar.
	Improvement Name = "improvement"
)

// OfImages reports a field that is made of images alone.
func (n Name) OfImages() bool { return n == Image || n == View || n == Other || n == PoolImages }

// OfCaptions reports a field that is made of the captions' tokens.
func (n Name) OfCaptions() bool {
	switch n {
	case Captions, Masked, Words, Fresh, PoolCaptions, Drafts, DraftWords, Refills, Annotated, TrueFillings, Answers, AnswerWeights:
		return true
	}
	return false
}

// Field is an input of a step.
type Field struct {
	Name  Name
	Shape shapes.Shape
}

// Float32 is a field of numbers.
func Float32(name Name, dims ...int) Field { return Field{name, shapes.Make(dtypes.Float32, dims...)} }

// Int32 is a field of ids, indices or codes.
func Int32(name Name, dims ...int) Field { return Field{name, shapes.Make(dtypes.Int32, dims...)} }

// Names are those of fields, in their order.
func Names(fields []Field) []Name {
	var names []Name
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// Nodes are fields in a graph.
type Nodes map[Name]*Node

// Of finds a field. It panics where there is none, as graph builders do.
func (n Nodes) Of(name Name) *Node {
	node := n[name]
	if node == nil {
		exceptions.Panicf("field: nothing is called %q in this step; declare it as an input. There are %s", name, list(n))
	}
	return node
}

// Add adds a field; a nil node is none.
func (n Nodes) Add(name Name, node *Node) {
	if node != nil {
		n[name] = node
	}
}

// Values are fields on the host.
type Values map[Name]*tensors.Tensor

// Release frees the values at once.
func (v Values) Release() {
	for _, t := range v {
		t.FinalizeAll()
	}
}

// Has reports whether there is a field.
func (v Values) Has(name Name) bool { return v[name] != nil }

// Float is a scalar, 0 where there is none.
func (v Values) Float(name Name) float64 {
	if v[name] == nil {
		return 0
	}
	return float64(tensors.ToScalar[float32](v[name]))
}

// Floats are the numbers of a field, nil where there is none.
func (v Values) Floats(name Name) ([]float32, error) { return flat[float32](v, name) }

// Ints are the whole numbers of a field, nil where there is none.
func (v Values) Ints(name Name) ([]int32, error) { return flat[int32](v, name) }

func flat[T float32 | int32](v Values, name Name) ([]T, error) {
	if v[name] == nil {
		return nil, nil
	}
	numbers, err := tensors.CopyFlatData[T](v[name])
	if err != nil {
		return nil, fmt.Errorf("field: %q: %w", name, err)
	}
	return numbers, nil
}

// list names what there is, sorted.
func list[V any](m map[Name]V) string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		names = append(names, fmt.Sprintf("%q", name))
	}
	return strings.Join(names, ", ")
}
