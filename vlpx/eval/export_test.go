package eval

import (
	"maps"

	"vlpx.internal/datasets"
)

// MeasuredBy is what [Retrieval] measures by scores, with the single queries' items.
func MeasuredBy(i2t, t2i Scores, captionImage []int, relation datasets.Relation) (Result, Items, error) {
	result, own, err := recall(i2t, t2i, captionImage)
	if err != nil {
		return nil, Items{}, err
	}
	more, known, err := trueRecall(i2t, t2i, captionImage, relation)
	if err != nil {
		return nil, Items{}, err
	}
	maps.Copy(result, more)
	return result, own.with("", known), nil
}

// FoldRecall is for folds smaller than COCO's.
var FoldRecall = foldRecall
