package train

import "vlpx.internal/vlpx/framework"

// holds reports whether the caption of one pair is true of the image of another, as far as the data knows it. Where the framework is one of
// images alone it reports whether the images of the two are of the same class.
func (i *input) holds(image, text int) (holds, known bool) {
	if !framework.Retrieves(i.job.Config.Framework.Framework) {
		if i.labelled == nil {
			return false, false
		}
		a, b := i.labelled.Class(i.pairs[image].Image), i.labelled.Class(i.pairs[text].Image)
		return a == b, a >= 0 && b >= 0
	}
	if i.relation == nil {
		return false, false
	}
	return i.relation.Holds(i.pairs[image].Image, text)
}

// knows reports whether holds knows anything.
func (i *input) knows() bool {
	if !framework.Retrieves(i.job.Config.Framework.Framework) {
		return i.labelled != nil
	}
	return i.relation != nil
}

// truth says which captions of a mini-batch are true of which images, 1 or 0, [batch, batch] with images in rows; a pair of which it is
// not known counts as 0.
func (i *input) truth(batch []int) []float32 {
	return i.marked(batch, func(holds, known bool) bool { return holds && known })
}

// known says of which pairs of a mini-batch it is known, as truth.
func (i *input) known(batch []int) []float32 {
	return i.marked(batch, func(_, known bool) bool { return known })
}

// marked has 1 for each pair of a mini-batch that is as wanted, else 0, as truth.
func (i *input) marked(batch []int, is func(holds, known bool) bool) []float32 {
	marks := make([]float32, 0, len(batch)*len(batch))
	for _, image := range batch {
		for _, text := range batch {
			var mark float32
			if is(i.holds(image, text)) {
				mark = 1
			}
			marks = append(marks, mark)
		}
	}
	return marks
}

// falseShares are the shares of all other samples that are false negatives of the image and of the caption of each pair of a mini-batch,
// [batch, 2]. Each is counted once.
func (i *input) falseShares(batch []int) []float32 {
	if i.shares == nil {
		i.shares = map[int][2]float32{}
	}
	var all []float32
	for _, pair := range batch {
		if _, counted := i.shares[pair]; !counted {
			i.shares[pair] = i.falseShare(pair)
		}
		of := i.shares[pair]
		all = append(all, of[:]...)
	}
	return all
}

func (i *input) falseShare(pair int) (shares [2]float32) {
	for other := range i.pairs {
		if other == pair {
			continue
		}
		if is, known := i.holds(pair, other); is && known {
			shares[0]++
		}
		if is, known := i.holds(other, pair); is && known {
			shares[1]++
		}
	}
	for side := range shares {
		shares[side] /= float32(max(len(i.pairs)-1, 1))
	}
	return shares
}
