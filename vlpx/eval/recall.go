package eval

import (
	"errors"
	"fmt"
	"maps"
)

// Recall measures retrieval as the papers do, by own captions (ALBEF Retrieval.py; METHODS.md 15.1).
//
//   - i2t: scores [images, captions], an image asking for captions.
//   - t2i: scores [captions, images]; with re-ranking not the transpose of i2t.
//   - captionImage: the image of each caption, [captions]; any number of captions an image, but at least one.
//
// An image counts for TR@K if any of its captions is among the first K, a caption for IR@K if its image is. A tie is decided
// against the model: the right candidate ranks last among equals. So a model that gives every pair the same score gets 0.
// The result holds TR@1 to RSum in per cent, the mean ranks, and the per cent of queries that such a tie touches. NaN among the scores
// is an error.
func Recall(i2t, t2i Rows, captionImage []int) (Result, error) {
	r, _, err := recall(i2t, t2i, captionImage)
	return r, err
}

// recall is [Recall] with the single queries' ranks.
func recall(i2t, t2i Rows, captionImage []int) (Result, Items, error) {
	own, err := captionsOf(i2t, t2i, captionImage)
	if err != nil {
		return nil, Items{}, err
	}
	tr, ir := make([][]int, len(own)), make([][]int, len(captionImage))
	tiedTexts, tiedImages := make([][]int, len(own)), make([][]int, len(captionImage))
	ofText, ofImages := newRanker(i2t), newRanker(t2i)
	for i := range tr {
		row := i2t.Row(i)
		tr[i], tiedTexts[i] = ofText.of(ownView, row, own[i]), []int{rankAmongEquals(row, own[i])}
	}
	for t, image := range captionImage {
		row, right := t2i.Row(t), []int{image}
		ir[t], tiedImages[t] = ofImages.of(ownView, row, right), []int{rankAmongEquals(row, right)}
	}
	r := Result{}
	text, image := ownView.add(r, 0, tr), ownView.add(r, 1, ir)
	maps.Copy(text, tiedView.add(r, 0, tiedTexts))
	maps.Copy(image, tiedView.add(r, 1, tiedImages))
	for _, s := range sums {
		for _, recalls := range s.of {
			var sum float64
			for _, m := range recalls {
				sum += r[m]
			}
			r[s.Metric] += sum
		}
		r[s.Metric] /= s.over
	}
	return r, items(own, text, image), nil
}

// captionsOf checks the matrices against each other and returns the captions of each image.
func captionsOf(i2t, t2i Rows, captionImage []int) ([][]int, error) {
	images, _ := i2t.Shape()
	captions := len(captionImage)
	if images == 0 {
		return nil, errors.New("eval: no images to retrieve")
	}
	if err := i2t.check("i2t", images, captions); err != nil {
		return nil, err
	}
	if err := t2i.check("t2i", captions, images); err != nil {
		return nil, err
	}
	own := make([][]int, images)
	for t, image := range captionImage {
		if image < 0 || image >= images {
			return nil, fmt.Errorf("eval: caption %d belongs to image %d, but there are %d images", t, image, images)
		}
		own[image] = append(own[image], t)
	}
	for image, captions := range own {
		if len(captions) == 0 {
			return nil, fmt.Errorf("eval: image %d has no caption; leave it out", image)
		}
	}
	return own, nil
}
