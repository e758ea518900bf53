package negative

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// ECM is MAFA's efficient connection mining (section 4.1; METHODS.md 4.1): a hard negative that its judge finds matching becomes
// a positive, and an ambiguous one gives its place to the next hardest, unasked.
type ECM struct {
	// Low and High are the judge's probabilities below which a candidate is a true negative (0.5) and above which it is a new
	// positive (0.8); between them it is ambiguous. One that is equal to either drops out of ITM, as in the published code.
	Low, High float64
	// JudgedBy is Con-D, or the data's relation.
	JudgedBy Judge `json:",omitempty"`
	// Use names the losses that take new positives; all three if it names none.
	Use Objectives `json:",omitempty"`
	// Eliminate drops the new positives instead of learning from them: ECM-E (MAFA, Table 5).
	Eliminate bool `json:",omitempty"`
}

// PublishedECM has MAFA's thresholds of Con-D (MAFA, section 4.1), judged by Con-D itself.
func PublishedECM() ECM { return ECM{Low: 0.5, High: 0.8} }

// Judge implements Positives.
func (e ECM) Judge() Judge { return e.JudgedBy }

// Validate reports which value is out of its range.
func (e ECM) Validate() error {
	if !(0 <= e.Low && e.Low <= e.High && e.High < 1) {
		return fmt.Errorf("negative: ECM with thresholds %g and %g; take 0 <= Low <= High < 1", e.Low, e.High)
	}
	if e.JudgedBy != ConD && e.JudgedBy != Oracle {
		return fmt.Errorf("negative: ECM judged by %q; take %q or nothing, which is Con-D", e.JudgedBy, Oracle)
	}
	return nil
}

// Connect implements Positives. The pairs of ITM are in ALBEF's order: the own pairs, each text with its image, each image with
// its text.
func (e ECM) Connect(c Candidates) Connections {
	out := Connections{Candidates: c, Use: e.Use, Eliminate: e.Eliminate}
	above := func(score *Node, threshold float64) *Node { return GreaterThan(score, ConstAs(score, threshold)) }
	below := func(score *Node, threshold float64) *Node { return LessThan(score, ConstAs(score, threshold)) }
	asNumber := func(is, like *Node) *Node { return ConvertDType(is, like.DType()) }
	out.NewImages = asNumber(above(c.ImageScores, e.High), c.ImageScores)
	out.NewTexts = asNumber(above(c.TextScores, e.High), c.TextScores)
	if !out.Use.Has(ITM) {
		out.Pairs = withNegatives(c.Images, c.Texts)
		return out
	}

	side := func(first, second, score *Node) (chosen, label, weight *Node) {
		isNew, isNegative := above(score, e.High), below(score, e.Low)
		ambiguous := And(above(score, e.Low), below(score, e.High))
		weighed := Or(isNegative, ambiguous)
		if !e.Eliminate {
			weighed = Or(weighed, isNew)
		}
		return Where(ambiguous, second, first), ConvertDType(isNew, dtypes.Int32), asNumber(weighed, score)
	}
	images, imageLabels, imageWeights := side(c.Images, c.SecondImages, c.ImageScores)
	texts, textLabels, textWeights := side(c.Texts, c.SecondTexts, c.TextScores)
	own := Iota(images.Graph(), shapes.Make(dtypes.Int32, images.Shape().Dim(0)), 0)
	out.Pairs = Pairs{
		Images:  Concatenate([]*Node{own, images, own}, 0),
		Texts:   Concatenate([]*Node{own, own, texts}, 0),
		Labels:  Concatenate([]*Node{OnesLike(own), imageLabels, textLabels}, 0),
		Weights: Concatenate([]*Node{OnesLike(imageWeights), imageWeights, textWeights}, 0),
	}
	return out
}

// MAFA mines connections among GRIT-VLP's hard negatives and smooths ITC (Byun et al., 2024; METHODS.md 4). It needs Con-D as its
// frozen reference model.
func MAFA(searchSpace, queue int) Method {
	m := SmoothedGRIT(searchSpace, queue)
	m.Name, m.Positives = "MAFA", ECM{Low: 0.5, High: 0.8}
	return m
}

// OracleMAFA is MAFA whose judge is the data's relation (MAFA, appendix G.5; METHODS.md 4.4).
func OracleMAFA(searchSpace, queue int) Method {
	m := MAFA(searchSpace, queue)
	m.Name, m.Positives = "MAFA (Oracle)", ECM{Low: 0.5, High: 0.8, JudgedBy: Oracle}
	return m
}

var mafa = Entry{
	Name:      "MAFA",
	Source:    "Byun et al., 2024; METHODS.md 4",
	What:      "matching negatives become positives, and ITC is smoothed",
	At:        func(s Sizes) Method { return s.smoothed(MAFA(s.SearchSpace, s.GroupQueue)) },
	Reference: "Con-D",
}

var mafaOracle = Entry{
	Name:    "MAFA (Oracle)",
	Aliases: []string{"Oracle MAFA"},
	Source:  "MAFA, appendix G.5; METHODS.md 4.4",
	What:    "MAFA whose judge is the data's relation",
	At:      func(s Sizes) Method { return s.smoothed(OracleMAFA(s.SearchSpace, s.GroupQueue)) },
}
