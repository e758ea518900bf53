package negative

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/field"
)

// Writing makes negatives of images that exist nowhere: sentences written from their captions (TAGS-DC; METHODS.md 12). The framework
// trains against them by what matching loss it has.
type Writing interface {
	// Sizes are those of the fields that it reads, and how they are drawn.
	Sizes() WritingSizes
	// Reads are the fields of a mini-batch that it reads by itself.
	Reads() []field.Name
	// Write writes the sentences of a mini-batch; nothing in them carries gradient.
	Write(w Writer) Written
	// Weight is what a loss weighs in the model's, 1 for one that writing does not change and 0 for one that is left out.
	Weight(l Loss) float64
}

func writingRole() Role {
	return slot(Role{
		Name: "Writing", Label: "writing", scope: "writing", Check: Method.writable, Parts: []Part{
			{Name: "none", What: "all negatives exist", Of: "InfoNCE"},
			{Name: "TAGS", What: "sentences with other words in the place of what a scene graph names (TAGS-DC)", Of: "TAGS"},
		},
	}, func(m *Method) *Writing { return &m.Writing })
}

// writable reports why a static writer has no reference model of its own.
func (m Method) writable() error {
	if m.Writing != nil && refers(m.Writing) && len(slices.DeleteFunc(m.parts(), func(part any) bool { return !refers(part) })) > 1 {
		return fmt.Errorf("negative: a static %T beside a part that asks another frozen model; a method has one, so let the model "+
			"itself write", m.Writing)
	}
	return nil
}

// WritingSizes are how much a Writing reads of each caption, and how drafts are masked.
type WritingSizes struct {
	Masks   int     // maskings, K
	Refills int     // words drawn for each masked one, L
	Rate    float64 // of masking
	ByWord  bool    // every word is a phrase of its own, whatever the scene graph names
}

// Writer is what a framework offers a Writing of a mini-batch.
type Writer struct {
	Captions *Node // ids, padded with zeros, [batch, tokens] int32
	Fields   field.Nodes
	// Fill returns the logits of the words at each place of masked captions, which read their image, [batch n, tokens, vocabulary], for ids
	// [batch n, tokens], the n of a caption side by side.
	Fill func(ids *Node) *Node
	// FillFrozen is Fill by the frozen reference model, without gradient; nil where there is none.
	FillFrozen func(ids *Node) *Node
	// Score returns logits of "the sentence is true of the image", without gradient and as in evaluation, [batch n], for ids as Fill's.
	Score func(ids *Node) *Node
	// Reporter is how the Writing reports numbers by names of its own.
	field.Reporter
}

// Written are the sentences of a mini-batch.
type Written struct {
	Sentences *Node   // those to train against, ids [batch, m, tokens] int32; nil where none are written
	Labels    *Node   // the original ids where a sentence's words were masked, objective.Ignored elsewhere, [batch, m, tokens] int32
	Counts    *Node   // 1 for a sentence, 0 for a row to spare, [batch, m]
	MLM       *Node   // the loss of the masked words, a scalar with gradient; nil where none are masked
	Drafts    *Drafts // all that were written; nil where nothing reports of them
}

// Drafts are all sentences that were written, of which Written keeps some.
type Drafts struct {
	Sentences *Node // [batch, n, tokens] int32
	Passed    *Node // 1 for one that passed the filter, else 0, [batch, n]
	Scores    *Node // matching logits, [batch, n]
	Kept      *Node // places of the m kept ones among the n, [batch, m] int32
}

// Writes reports whether the method writes negatives.
func (m Method) Writes() bool { return m.Writing != nil }

// Join puts the sentences behind the pairs of ITM, as negatives: the labels and weights of all. Those of a caption weigh together what a
// pair does.
func (w Written) Join(p Pairs) (labels, weights *Node) {
	rows, keep := w.Counts.Shape().Size(), w.Counts.Shape().Dim(1)
	weights = p.Weights
	if weights == nil {
		weights = ConvertDType(OnesLike(p.Labels), w.Counts.DType())
	}
	zeros := Zeros(w.Counts.Graph(), shapes.Make(p.Labels.DType(), rows))
	return Concatenate([]*Node{p.Labels, zeros}, 0), Concatenate([]*Node{weights, DivScalar(Reshape(w.Counts, rows), keep)}, 0)
}

// Report adds what is reported of the sentences to what a step reports.
func (w Written) Report(outputs field.Nodes) {
	if d := w.Drafts; d != nil {
		outputs[field.Sentences], outputs[field.SentencePassed] = d.Sentences, d.Passed
		outputs[field.SentenceScores], outputs[field.SentencesKept] = d.Scores, d.Kept
	}
}
