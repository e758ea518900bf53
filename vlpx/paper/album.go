package paper

import (
	"context"
	"image"

	"vlpx.internal/datasets"
	"vlpx.internal/plots"
)

// album is a set of a report, for what it shows of single pairs.
type album struct {
	set      datasets.Set
	pairs    []datasets.Pair
	relation datasets.Relation // nil where it is not known
}

// newAlbum is that of the training set.
func newAlbum(r *Report) (album, error) {
	set, err := r.plan.Data.TrainingSet()
	if err != nil {
		return album{}, err
	}
	return albumOf(set), nil
}

func albumOf(set datasets.Set) album {
	a := album{set: set, pairs: datasets.Pairs(set)}
	if related, ok := set.(datasets.Related); ok {
		a.relation = related.Relation()
	}
	return a
}

func (a album) caption(pair int) string { return a.pairs[pair].Text(a.set) }

func (a album) image(pair int) (image.Image, error) {
	return a.set.Image(context.Background(), a.pairs[pair].Image)
}

// mark tells whether the caption of one pair is true of the image of another.
func (a album) mark(image, text int) plots.Mark {
	if a.relation == nil {
		return plots.Unmarked
	}
	switch holds, known := a.relation.Holds(a.pairs[image].Image, text); {
	case known && holds:
		return plots.TruePair
	case known:
		return plots.FalsePair
	}
	return plots.Unmarked
}

// isTruePair says a mark in a table; what is not known stays empty.
var isTruePair = map[plots.Mark]string{plots.TruePair: "yes", plots.FalsePair: "no"}
