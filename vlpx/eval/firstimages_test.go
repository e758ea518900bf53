package eval

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestHighestAgainstSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOf(rapid.SampledFrom([]float64{-100, -1, 0, 0.5, 2})).Draw(t, "scores")
		n := rapid.IntRange(1, 7).Draw(t, "n")
		want := make([]int, len(scores))
		for c := range want {
			want[c] = c
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		if got := highest(scores, n); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

// Of twelve images with two captions each, every third image's first caption and that of every image between is an example:
// images 0, 1, 3, 4, 6, 7, 9 and 10. The cosine puts the own image first, matching the last ones.
func TestExamples(t *testing.T) {
	const images = 12
	var captionImage []int
	for i := range images {
		captionImage = append(captionImage, i, i)
	}
	cosine, matched := NewScores(2*images, images), NewScores(2*images, images)
	for c := range 2 * images {
		cosine.Row(c)[captionImage[c]] = 1
		matched.Row(c)[images-1], matched.Row(c)[images-2] = 3, 2
	}
	examples := FirstImages(cosine, matched, captionImage)
	var own []int
	for _, e := range examples {
		own = append(own, captionImage[e.Caption])
		if e.Caption%2 != 0 || e.Cosine[0] != captionImage[e.Caption] || len(e.Cosine) != 5 || !slices.Equal(e.Matched[:2], []int{11, 10}) {
			t.Errorf("got %+v", e)
		}
	}
	if want := []int{0, 1, 3, 4, 6, 7, 9, 10}; !slices.Equal(own, want) {
		t.Errorf("got captions of images %v, want %v", own, want)
	}
	if few := FirstImages(NewScores(3, 3), NewScores(3, 3), []int{0, 1, 2}); len(few) != 3 || len(few[2].Cosine) != 3 {
		t.Errorf("of three images: got %+v", few)
	}
}
