package negative

import "fmt"

// Chain orders the pairs of one search space so that neighbours are similar (GRIT-VLP, grouping; METHODS.md 3.5). It begins
// with entry start and visits every entry once: on hops 1, 3, 5, ... the image of the entry just visited ranks the texts of
// those not visited, on hops 2, 4, ... its text ranks their images, and the entry at quantile q of the ranking is next.
// Consecutive entries share a mini-batch.
//
//   - image, text: embeddings of the entries, [entries, dim]; row i of each is pair i. Similarity is their product in float32,
//     the cosine of normalised embeddings; GRIT-VLP's softmax over it keeps the order.
//   - q: hardness quantile in [0, 1] among the remaining entries. 1 takes the most similar (GRIT-VLP), 0 the least; of equals
//     the lowest entry is the most similar.
//
// Time is O(entries^2 dim), memory O(entries dim). The result does not depend on the number of processors.
func Chain(image, text []float32, dim, start int, q float64) ([]int, error) {
	if dim < 1 || len(image) != len(text) || len(image) == 0 || len(image)%dim != 0 {
		return nil, fmt.Errorf("negative: chain: %d image and %d text numbers are no embeddings of width %d", len(image), len(text), dim)
	}
	n := len(image) / dim
	if start < 0 || start >= n {
		return nil, fmt.Errorf("negative: chain: start %d is none of the %d entries", start, n)
	}
	if err := checkQuantile(q); err != nil {
		return nil, err
	}
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return newSpace(image, text, dim, rows).walk(start, q), nil
}

// walk takes all entries of the space, beginning with start; each picks the next one, at the quantile, with its image on hops
// 1, 3, 5, ... and with its text on hops 2, 4, ... (GRIT-VLP's rule).
func (s *space) walk(start int, quantile float64) []int {
	order := make([]int, 0, s.remaining())
	for entry := start; ; {
		order = append(order, entry)
		s.take(entry)
		if s.remaining() == 0 {
			return order
		}
		by := imageRanksTexts
		if len(order)%2 == 0 {
			by = textRanksImages
		}
		entry = s.pick(by, quantile)
	}
}

func checkQuantile(q float64) error {
	if !(q >= 0 && q <= 1) {
		return fmt.Errorf("negative: quantile %v is outside [0, 1]", q)
	}
	return nil
}
