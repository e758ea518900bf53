package train

import "vlpx.internal/vlpx/framework"

// holds tells whether the caption of one pair is true of the image of another, as far as the data knows it. Where the framework is one of
// images alone it tells whether the images of the two are of the same class.
func (t *trainer) holds(image, text int) (holds, known bool) {
	if !framework.Retrieves(t.job.Config.Framework.Framework) {
		if t.labelled == nil {
			return false, false
		}
		a, b := t.labelled.Class(t.pairs[image].Image), t.labelled.Class(t.pairs[text].Image)
		return a == b, a >= 0 && b >= 0
	}
	if t.relation == nil {
		return false, false
	}
	return t.relation.Holds(t.pairs[image].Image, text)
}

// knows tells whether holds knows anything.
func (t *trainer) knows() bool {
	if !framework.Retrieves(t.job.Config.Framework.Framework) {
		return t.labelled != nil
	}
	return t.relation != nil
}

// truth tells which captions of a mini-batch are true of which images, 1 or 0, [batch, batch] with images in rows; a pair of which it is not
// known counts as 0.
func (t *trainer) truth(batch []int) []float32 {
	return t.marked(batch, func(holds, known bool) bool { return holds && known })
}

// known tells of which pairs of a mini-batch it is known, as truth.
func (t *trainer) known(batch []int) []float32 {
	return t.marked(batch, func(_, known bool) bool { return known })
}

// marked has 1 for each pair of a mini-batch that is as asked for, else 0, as truth.
func (t *trainer) marked(batch []int, is func(holds, known bool) bool) []float32 {
	marks := make([]float32, 0, len(batch)*len(batch))
	for _, image := range batch {
		for _, text := range batch {
			var mark float32
			if is(t.holds(image, text)) {
				mark = 1
			}
			marks = append(marks, mark)
		}
	}
	return marks
}

// falseShares are the shares of all other samples that are false negatives of the image and of the caption of each pair of a mini-batch,
// [batch, 2]. Each is counted once.
func (t *trainer) falseShares(batch []int) []float32 {
	if t.shares == nil {
		t.shares = map[int][2]float32{}
	}
	var all []float32
	for _, pair := range batch {
		if _, counted := t.shares[pair]; !counted {
			t.shares[pair] = t.falseShare(pair)
		}
		of := t.shares[pair]
		all = append(all, of[:]...)
	}
	return all
}

func (t *trainer) falseShare(pair int) (shares [2]float32) {
	for other := range t.pairs {
		if other == pair {
			continue
		}
		if is, known := t.holds(pair, other); is && known {
			shares[0]++
		}
		if is, known := t.holds(other, pair); is && known {
			shares[1]++
		}
	}
	for side := range shares {
		shares[side] /= float32(max(len(t.pairs)-1, 1))
	}
	return shares
}
