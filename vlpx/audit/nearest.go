package audit

import (
	"cmp"
	"slices"

	"vlpx.internal/vlpx/eval"
)

// near is a pair of an image and a text by its cosine.
type near struct {
	image, text int
	cosine      float64
}

// before orders pairs by descending cosine, of equal ones by image and text.
func before(a, b near) int {
	return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.image, b.image), cmp.Compare(a.text, b.text))
}

// top keeps the k first pairs.
type top struct {
	k    int
	kept []near // in their order
}

func (t *top) add(n near) {
	if len(t.kept) == t.k && before(n, t.kept[t.k-1]) > 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(t.kept, n, before)
	t.kept = slices.Insert(t.kept, at, n)
	t.kept = t.kept[:min(len(t.kept), t.k)]
}

// inBlock is how many similarities are held at once: 32 MB.
const inBlock = 4 << 20

// nearest are the k texts nearest to each image, and the k images nearest to each text, each pair once and in the order of images; pairs
// that leave names are left out. block is how many similarities are held at once, but for those of one image.
//
//   - images: [images, vectors, dim]; texts: [texts, dim].
func nearest(images, texts []float32, vectors, dim, k, block int, leave func(image, text int) bool) []near {
	perImage, count := vectors*dim, len(texts)/dim
	ofTexts := make([]top, count)
	for t := range ofTexts {
		ofTexts[t].k = k
	}
	var all []near
	rows := max(1, block/max(1, count))
	for from := 0; from < len(images)/perImage; from += rows {
		to := min(from+rows, len(images)/perImage)
		sims := eval.Similarities(images[from*perImage:to*perImage], texts, vectors, dim)
		for i := from; i < to; i++ {
			ofImage := top{k: k}
			for t, cosine := range sims.Row(i - from) {
				if n := (near{i, t, cosine}); !leave(i, t) {
					ofImage.add(n)
					ofTexts[t].add(n)
				}
			}
			all = append(all, ofImage.kept...)
		}
	}
	for _, t := range ofTexts {
		all = append(all, t.kept...)
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Or(cmp.Compare(a.image, b.image), cmp.Compare(a.text, b.text)) })
	return slices.Compact(all)
}
