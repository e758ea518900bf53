package negative

import (
	"fmt"
	"slices"

	. "github.com/gomlx/gomlx/core/graph"

	"vlpx.internal/vlpx/field"
)

// Exact is the LeftOut that knows: the negatives that are false by the data's own relation, or, of images without captions, those of the
// anchor's class. It bounds what finding them can give.
type Exact struct {
	Use float64 // epoch from which it is used
}

// Validate reports whether the epoch is none.
func (e Exact) Validate() error {
	if e.Use < 0 {
		return fmt.Errorf("negative: false negatives left out from epoch %g; take one from 0", e.Use)
	}
	return nil
}

// Reads implements Reading.
func (Exact) Reads() []field.Name { return []field.Name{field.Truth} }

// Find implements LeftOut.
func (e Exact) Find(a Anchors, s Sight) *Node {
	truth := s.Fields.Of(field.Truth)
	if a.Of == TextAnchors {
		truth = Transpose(truth, 0, 1)
	}
	holds := GreaterThan(truth, ZerosLike(truth))
	batch := holds.Shape().Dim(0)
	row := InsertAxes(Concatenate(slices.Repeat([]*Node{holds}, a.Cosines.Shape().Dim(2)/batch), 1), 1)
	return s.From(e.Use, BroadcastToDims(row, a.Cosines.Shape().Dimensions...))
}

var sogCLROracle = Entry{
	Name:    "SogCLR (Oracle)",
	Aliases: []string{"Oracle SogCLR"},
	Source:  "METHODS.md 10.2",
	What:    "SogCLR without the negatives that are false by the data's relation",
	At:      func(s Sizes) Method { return s.without(Exact{Use: s.begin()}) },
}
