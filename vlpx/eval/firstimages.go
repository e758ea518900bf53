package eval

import "slices"

// RetrievedImages are the examples of [Retrieval].
var RetrievedImages = NewKind[[]Retrieved]("Retrieved")

// Retrieved is a caption with the images that a model ranked first for it, nearest first.
type Retrieved struct {
	Caption int   // pair
	Cosine  []int // images by the cosine of the embeddings; none where the framework has no embeddings
	Matched []int // images re-ranked by image-text matching, or by the scores of all pairs
}

const (
	exampleCaptions = 8
	exampleImages   = 5
)

// FirstImages are the first five images of eight captions, by their scores [captions, images] before and after re-ranking: the first
// captions of images spread evenly over the set, whatever the model makes of them. Where no cosine ranks it is nil. captionImage is as for
// [Recall].
func FirstImages(cosine, matched Rows, captionImage []int) []Retrieved {
	var examples []Retrieved
	_, images := matched.Shape()
	n := min(exampleCaptions, images)
	for k := range n {
		caption := slices.Index(captionImage, k*images/n)
		one := Retrieved{Caption: caption, Matched: highest(matched.Row(caption), exampleImages)}
		if cosine != nil {
			one.Cosine = highest(cosine.Row(caption), exampleImages)
		}
		examples = append(examples, one)
	}
	return examples
}

// highest are the places of the n highest scores, highest first; of equal ones the lower place comes first.
func highest(scores []float64, n int) []int {
	var top []int
	for c, s := range scores {
		at := len(top)
		for at > 0 && scores[top[at-1]] < s {
			at--
		}
		if at < n {
			top = slices.Insert(top, at, c)
			top = top[:min(n, len(top))]
		}
	}
	return top
}
