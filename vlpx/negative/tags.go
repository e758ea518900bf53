package negative

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/field"
	"vlpx.internal/vlpx/objective"
)

// TAGS writes negatives by masking what a caption's scene graph names and refilling it (Fan et al., 2022, section 2.1; METHODS.md 12): each
// caption is masked Masks times and each masked one refilled Refills times by the masked language model, what the filter leaves is scored
// with the image, and the Keep hardest are the negatives.
type TAGS struct {
	// K, L and m; published: 20, 20 and 31. Without Keep words are masked and predicted, and nothing is written
	Masks, Refills, Keep int
	Temperature          float64 // of refilling; published: 1.5
	Rate                 float64 // of masking; published: 0.15
	ByWord               bool    `json:",omitempty"` // masks words, not what the scene graph names ("TAGS w/ WM")
	// Static writes by a frozen reference model instead of the one that learns ("TAGS w/ SG"). The model's own masked words are learned as
	// before, so that who writes is all that differs.
	Static bool   `json:",omitempty"`
	Filter Filter `json:",omitempty"`
	// Lambdas are the weights of the losses: masked words, matching of written sentences, word discrimination and correction; published for
	// Flickr30K: 0.1, 1e-3, 1e-3, 1e-3.
	MLM, ISTM, WoD, WoC float64
}

// Filter is the rule by which written sentences that may be true are left out.
type Filter string

// Filters.
const (
	// Annotated leaves out a sentence all of whose replaced words occur in the image's captions (section 2.1.2), and all but the last of
	// equal ones. The caption itself is among the former.
	Annotated Filter = ""
	// Penalised takes 3 off the logit of a sentence that is the caption, and 2 off all but the last of equal ones, as the published code of
	// the first stage does (METHODS.md 12.3): they may still be among the hardest.
	Penalised Filter = "penalised"
	// Different leaves out the caption itself and all but the last of equal sentences, and no other.
	Different Filter = "different"
	// OnlyFalse leaves out what Different does, and all that are true of the image, which only data in a known language tells.
	OnlyFalse Filter = "exact"
	// OnlyTrue leaves out what Different does, and all that are not known to be true: what remains are false negatives.
	OnlyTrue Filter = "only-true"
)

var filters = []Filter{Annotated, Penalised, Different, OnlyFalse, OnlyTrue}

// MostTrue is how many true sentences of a draft are told. Of generated scenes' drafts one or two in ten thousand have more; what is
// written from such a one is left out by OnlyFalse and by OnlyTrue.
const MostTrue = 64

// Validate reports what is wrong with the settings.
func (t TAGS) Validate() error {
	switch {
	case t.Masks < 1 || t.Keep < 0 || t.Keep > 0 && (t.Refills < 1 || t.Keep > t.Masks*t.Refills):
		return fmt.Errorf("negative: TAGS keeps %d of %d x %d written sentences; mask at least once, and keep no more than are written",
			t.Keep, t.Masks, t.Refills)
	case t.Keep > 0 && !(t.Temperature > 0):
		return fmt.Errorf("negative: TAGS refills at a temperature of %g; it is above 0", t.Temperature)
	case !(t.Rate > 0 && t.Rate <= 1):
		return fmt.Errorf("negative: TAGS masks at a rate of %g; it lies in (0, 1]", t.Rate)
	case !slices.Contains(filters, t.Filter):
		return fmt.Errorf("negative: TAGS has no filter %q; there are %q", t.Filter, filters)
	case t.MLM < 0 || t.ISTM < 0 || t.WoD < 0 || t.WoC < 0:
		return fmt.Errorf("negative: TAGS weighs its losses by %g, %g, %g and %g; none is below 0", t.MLM, t.ISTM, t.WoD, t.WoC)
	}
	return nil
}

// Sizes implements Writing.
func (t TAGS) Sizes() WritingSizes {
	return WritingSizes{Masks: t.Masks, Refills: t.Refills, Rate: t.Rate, ByWord: t.ByWord}
}

// Reads implements Writing.
func (t TAGS) Reads() []field.Name {
	names := []field.Name{field.Drafts, field.DraftWords}
	if t.Keep > 0 {
		names = append(names, field.Refills)
		switch t.Filter {
		case Annotated:
			names = append(names, field.Annotated)
		case OnlyFalse, OnlyTrue:
			names = append(names, field.TrueFillings)
		}
	}
	return names
}

// Weight implements Writing.
func (t TAGS) Weight(l Loss) float64 {
	switch l {
	case MLM:
		return t.MLM
	case ISTM:
		return t.ISTM
	case WoD:
		return t.WoD
	case WoC:
		return t.WoC
	}
	return 1
}

// Write implements Writing.
func (t TAGS) Write(w Writer) Written {
	drafts, words := w.Fields.Of(field.Drafts), w.Fields.Of(field.DraftWords)
	batch, tokens := drafts.Shape().Dim(0), drafts.Shape().Dim(2)
	flat := func(x *Node) *Node { return Reshape(x, append([]int{batch * t.Masks}, x.Shape().Dimensions[2:]...)...) }
	logits := w.Fill(flat(drafts))
	written := Written{MLM: objective.MLM(logits, flat(words))}
	if t.Keep == 0 {
		return written
	}
	if t.Static {
		logits = w.FillFrozen(flat(drafts))
	}
	drawn := objective.DrawWords(objective.RefillProbabilities(logits, t.Temperature), flat(w.Fields.Of(field.Refills)))
	n := t.Masks * t.Refills
	sentences := Reshape(objective.Refilled(flat(drafts), flat(words), drawn), batch, n, tokens)
	labels := Reshape(BroadcastToDims(InsertAxes(words, 2), batch, t.Masks, t.Refills, tokens), batch, n, tokens)
	scores := Reshape(w.Score(Reshape(sentences, batch*n, tokens)), batch, n)
	passed := t.Filter.passes(w, sentences, scores.DType())
	ranked := Sub(scores, MulScalar(OneMinus(passed), farBelow))
	if t.Filter == Penalised {
		ranked = Sub(scores, Penalties(w.Captions, sentences, scores.DType()))
	}
	kept := Top(StopGradient(ranked), t.Keep)
	written.Sentences, written.Labels, written.Counts = Choose(sentences, kept), Choose(labels, kept), Choose(passed, kept)
	written.Drafts = &Drafts{sentences, passed, scores, kept}
	return written
}

// farBelow is what a sentence that does not count is ranked below all others by.
const farBelow = 1e9

// passes reports which sentences [batch, n, tokens] the filter leaves, 1 or 0, [batch, n].
func (f Filter) passes(w Writer, sentences *Node, dtype dtypes.DType) *Node {
	if f == Penalised {
		return Ones(sentences.Graph(), shapes.Make(dtype, sentences.Shape().Dimensions[:2]...))
	}
	out := Or(repeatsCaption(w.Captions, sentences), comesAgain(sentences))
	switch f {
	case Annotated:
		out = Or(out, AllAnnotated(w.Captions, w.Fields.Of(field.Annotated), sentences))
	case OnlyFalse:
		are, told := areTrue(w.Fields.Of(field.TrueFillings), sentences)
		out = Or(out, Or(are, Not(told)))
	case OnlyTrue:
		are, _ := areTrue(w.Fields.Of(field.TrueFillings), sentences)
		out = Or(out, Not(are))
	}
	return ConvertDType(Not(out), dtype)
}

// Penalties are what the published code takes off the logits of sentences [batch, n, tokens] of captions [batch, tokens], [batch, n]; see
// Penalised.
func Penalties(captions, sentences *Node, dtype dtypes.DType) *Node {
	of := func(is *Node, by float64) *Node { return MulScalar(ConvertDType(is, dtype), by) }
	return Add(of(repeatsCaption(captions, sentences), 3), of(comesAgain(sentences), 2))
}

// AllAnnotated reports which sentences [batch, n, tokens] have only such words in the place of the caption's [batch, tokens] as occur in
// the image's captions, whose ids annotated [batch, words] lists, padded with zeros; [batch, n], bool.
func AllAnnotated(captions, annotated, sentences *Node) *Node {
	dims := sentences.Shape().Dimensions
	kept := Equal(sentences, BroadcastToDims(InsertAxes(captions, 1), dims...))
	known := annotated.Shape().Dim(1)
	all := append(append([]int{}, dims...), known)
	occurs := Equal(BroadcastToDims(InsertAxes(sentences, -1), all...), BroadcastToDims(InsertAxes(annotated, 1, 1), all...))
	occurs = GreaterThan(ReduceSum(ConvertDType(occurs, dtypes.Int32), -1), Const(captions.Graph(), int32(0)))
	return every(Or(kept, occurs))
}

// areTrue reports which sentences [batch, n, tokens], as many of each draft, are true, by field.TrueFillings, and whether that is told of
// their draft; both [batch, n], bool.
func areTrue(fillings, sentences *Node) (are, told *Node) {
	batch, masks, most, tokens := fillings.Shape().Dim(0), fillings.Shape().Dim(1), fillings.Shape().Dim(2), fillings.Shape().Dim(3)
	n := sentences.Shape().Dim(1)
	all := []int{batch, masks, n / masks, most, tokens}
	equal := every(Equal(BroadcastToDims(Reshape(sentences, batch, masks, n/masks, 1, tokens), all...),
		BroadcastToDims(InsertAxes(fillings, 2), all...)))
	none := Const(fillings.Graph(), int32(0))
	are = GreaterThan(ReduceSum(ConvertDType(equal, dtypes.Int32), -1), none)
	first := Reshape(Slice(fillings, AxisRange(), AxisRange(), AxisRange(0, 1), AxisRange(0, 1)), batch, masks, 1)
	told = GreaterOrEqual(BroadcastToDims(first, all[:3]...), none)
	return Reshape(are, batch, n), Reshape(told, batch, n)
}

// repeatsCaption reports which sentences [batch, n, tokens] are the caption [batch, tokens]; [batch, n], bool.
func repeatsCaption(captions, sentences *Node) *Node {
	return every(Equal(sentences, BroadcastToDims(InsertAxes(captions, 1), sentences.Shape().Dimensions...)))
}

// comesAgain reports which sentences [batch, n, tokens] come again later; [batch, n], bool.
func comesAgain(sentences *Node) *Node {
	batch, n, tokens := sentences.Shape().Dim(0), sentences.Shape().Dim(1), sentences.Shape().Dim(2)
	g := sentences.Graph()
	place := Iota(g, shapes.Make(dtypes.Int32, batch, n, n), 2)
	equal := GreaterThan(place, Transpose(place, 1, 2)) // a later one
	for at := range tokens {                            // one after the other: [n, n, tokens] would be large
		word := Squeeze(Slice(sentences, AxisRange(), AxisRange(), AxisRange(at, at+1)), -1)
		equal = And(equal, Equal(BroadcastToDims(InsertAxes(word, 2), batch, n, n), BroadcastToDims(InsertAxes(word, 1), batch, n, n)))
	}
	return GreaterThan(ReduceSum(ConvertDType(equal, dtypes.Int32), -1), Const(g, int32(0)))
}

// every reports what is all true along the last axis.
func every(x *Node) *Node {
	return Equal(ReduceSum(ConvertDType(x, dtypes.Int32), -1), Const(x.Graph(), int32(x.Shape().Dim(-1))))
}

var uniterMLM = Entry{
	Name:   "UNITER+MLM",
	Source: "TAGS-DC, section 3.2; METHODS.md 12",
	What:   "retrieved negatives, and masked words: TAGS' static generator",
	At: func(s Sizes) Method {
		t := s.Writing.TAGS()
		t.Refills, t.Keep, t.Temperature, t.ISTM = 0, 0, 0, 0
		return s.Writing.retrieved(t)
	},
}

var tags = Entry{
	Name:   "TAGS",
	Source: "TAGS-DC, section 2; METHODS.md 12",
	What:   "retrieved negatives, and such as are written from captions",
	At:     func(s Sizes) Method { return s.Writing.retrieved(s.Writing.TAGS()) },
}

var tagsDC = Entry{
	Name:   "TAGS-DC",
	Source: "TAGS-DC; METHODS.md 12",
	What:   "TAGS with word discrimination and word correction",
	At: func(s Sizes) Method {
		t := s.Writing.TAGS()
		t.WoD, t.WoC = s.Writing.WoD, s.Writing.WoC
		return s.Writing.retrieved(t)
	},
}

var tagsByWord = Entry{
	Name:   "TAGS w/ WM",
	Source: "TAGS-DC, section 3.2; METHODS.md 12",
	What:   "TAGS that masks words instead of what a scene graph names",
	At: func(s Sizes) Method {
		t := s.Writing.TAGS()
		t.ByWord = true
		return s.Writing.retrieved(t)
	},
}

var tagsStatic = Entry{
	Name:   "TAGS w/ SG",
	Source: "TAGS-DC, section 3.2; METHODS.md 12",
	What:   "TAGS whose sentences a frozen model writes",
	At: func(s Sizes) Method {
		t := s.Writing.TAGS()
		t.Static = true
		return s.Writing.retrieved(t)
	},
	Reference: "UNITER+MLM",
}

// TAGS are TAGS' written negatives, without the tasks on their words.
func (w WritingSettings) TAGS() TAGS {
	return TAGS{Masks: w.Masks, Refills: w.Refills, Keep: w.Keep, Temperature: w.Temperature, Rate: w.Rate, MLM: w.MLM, ISTM: w.ISTM}
}
