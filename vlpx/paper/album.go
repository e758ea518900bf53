package paper

import (
	"context"
	"image"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
)

// Album is a split of a report's data, for what is shown of its single pairs. A pair is its place in Pairs.
type Album struct {
	Set      datasets.Set
	Pairs    []datasets.Pair
	Relation datasets.Relation // nil where it is not known
}

// NewAlbum is the album of the training split, as the plan's runs see it.
func NewAlbum(r *Report) (Album, error) {
	set, err := r.Plan.Data.TrainingSet()
	if err != nil {
		return Album{}, err
	}
	if runs := r.Plan.Runs(); len(runs) > 0 {
		set = runs[0].Train.Sees(set)
	}
	return AlbumOf(set), nil
}

// TestAlbum is the album of the test split.
func TestAlbum(r *Report) (Album, error) {
	set, err := r.Plan.Data.TestSet()
	if err != nil {
		return Album{}, err
	}
	return AlbumOf(set), nil
}

// AlbumOf is the album of a split.
func AlbumOf(set datasets.Set) Album {
	a := Album{Set: set, Pairs: datasets.Pairs(set)}
	if related, ok := set.(datasets.Related); ok {
		a.Relation = related.Relation()
	}
	return a
}

// Caption is the text of a pair.
func (a Album) Caption(pair int) string { return a.Pairs[pair].Text(a.Set) }

// Image is the picture of a pair.
func (a Album) Image(pair int) (image.Image, error) {
	return a.Set.Image(context.Background(), a.Pairs[pair].Image)
}

// Mark tells whether the caption of one pair is true of the image of another.
func (a Album) Mark(image, text int) plots.Mark {
	if a.Relation == nil {
		return plots.Unmarked
	}
	switch holds, known := a.Relation.Holds(a.Pairs[image].Image, text); {
	case known && holds:
		return plots.TruePair
	case known:
		return plots.FalsePair
	}
	return plots.Unmarked
}

// MarkWord says a mark in a table; what is not known stays empty.
func MarkWord(m plots.Mark) string {
	return map[plots.Mark]string{plots.TruePair: "yes", plots.FalsePair: "no"}[m]
}
