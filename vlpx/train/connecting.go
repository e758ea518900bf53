package train

import (
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/negative"
)

// Connecting is what the judge of a negative.ECM, such as Con-D, said in an epoch of the hard negatives, beside what the data's
// relation tells of them (MAFA, sections 3 and 4.1).
type Connecting struct {
	Images Verdicts `json:"images"` // of image anchors, each with the text picked for it
	Texts  Verdicts `json:"texts"`  // of text anchors, each with the image picked for it
	// NewTexts are the first new positives of image anchors, NewImages those of text anchors: where asked for, each of
	// another anchor image, and none that is merely another caption of it.
	NewTexts  []Connection `json:"new_texts,omitempty"`
	NewImages []Connection `json:"new_images,omitempty"`
}

// Connected are the negatives that a method's Positives had judged; see negative.Candidates. All are [batch].
type Connected struct {
	Images, Texts           []int32
	ImageScores, TextScores []float32
}

// Verdicts count judged pairs by what the relation tells of them: those below the lower threshold, those between, and those
// above the upper one, which become positives.
type Verdicts struct {
	True    [3]int `json:"true"`
	False   [3]int `json:"false"`
	Unknown [3]int `json:"unknown"`
	// TrueScores and FalseScores count by the judge's probability instead, in scoreBins equal parts of 0 to 1, so that a reader can
	// try other thresholds.
	TrueScores  [scoreBins]int `json:"true_scores"`
	FalseScores [scoreBins]int `json:"false_scores"`
}

// scoreBins is the number of parts of the scores' range.
const scoreBins = 20

// Connection is a new positive: the text of pair Found for the image of pair Anchor, or its image for the anchor's text.
type Connection struct {
	Anchor int     `json:"anchor"`
	Found  int     `json:"found"`
	Score  float32 `json:"score"` // the judge's probability that they match
}

// Places in Verdicts.
const (
	judgedNegative = iota
	judgedAmbiguous
	judgedPositive
)

// shownConnections is how many new positives a side an epoch keeps, in the last shownEpochs of a run.
const (
	shownConnections = 8
	shownEpochs      = 2
)

// add takes a mini-batch's judgements in; relation may be nil. Where it shows, it keeps the first new positives.
func (c *Connecting) add(e negative.ECM, o Connected, relation datasets.Relation, pairs []datasets.Pair, batch []int, show bool) {
	one := func(image, text int, score float32, v *Verdicts) (found bool) {
		verdict := judgedAmbiguous
		switch {
		case float64(score) < e.Low:
			verdict = judgedNegative
		case float64(score) > e.High:
			verdict = judgedPositive
		}
		of := &v.Unknown
		if relation != nil {
			bin := min(int(score*scoreBins), scoreBins-1)
			if holds, known := relation.Holds(pairs[image].Image, text); holds {
				of = &v.True
				v.TrueScores[bin]++
			} else if known {
				of = &v.False
				v.FalseScores[bin]++
			}
		}
		of[verdict]++
		return verdict == judgedPositive
	}
	for k, pair := range batch {
		text, image := batch[o.Texts[k]], batch[o.Images[k]]
		if one(pair, text, o.TextScores[k], &c.Images) && show {
			c.NewTexts = keep(c.NewTexts, Connection{pair, text, o.TextScores[k]}, pairs)
		}
		if one(image, pair, o.ImageScores[k], &c.Texts) && show {
			c.NewImages = keep(c.NewImages, Connection{pair, image, o.ImageScores[k]}, pairs)
		}
	}
}

// keep appends a new positive that is worth showing, while there is room.
func keep(kept []Connection, c Connection, pairs []datasets.Pair) []Connection {
	image := pairs[c.Anchor].Image
	shown := func(other Connection) bool { return pairs[other.Anchor].Image == image }
	if len(kept) == shownConnections || pairs[c.Found].Image == image || slices.ContainsFunc(kept, shown) {
		return kept
	}
	return append(kept, c)
}

// plus adds the counts of the other side.
func (v Verdicts) plus(o Verdicts) Verdicts {
	for k := range v.True {
		v.True[k] += o.True[k]
		v.False[k] += o.False[k]
		v.Unknown[k] += o.Unknown[k]
	}
	for bin := range v.TrueScores {
		v.TrueScores[bin] += o.TrueScores[bin]
		v.FalseScores[bin] += o.FalseScores[bin]
	}
	return v
}

// positives are those above the upper threshold, and all that were judged.
func (v Verdicts) positives() (above, all int) {
	for k := range v.True {
		all += v.True[k] + v.False[k] + v.Unknown[k]
	}
	return v.True[judgedPositive] + v.False[judgedPositive] + v.Unknown[judgedPositive], all
}

// ratios are the parts of wholes that Record.Counted tells in per cent.
func (c Connecting) ratios() []ratio {
	both := c.Images.plus(c.Texts)
	positives, judged := both.positives()
	ofImages, images := c.Images.positives()
	ofTexts, texts := c.Texts.positives()
	found := both.True[judgedPositive]
	missed := both.True[judgedNegative] + both.True[judgedAmbiguous]
	return []ratio{
		{ConDPositives, positives, judged},
		{ConDOfImages, ofImages, images},
		{ConDOfTexts, ofTexts, texts},
		{ConDPrecision, found, found + both.False[judgedPositive]},
		{ConDRecall, found, found + missed},
		{FalseLeft, missed, missed + both.False[judgedNegative] + both.False[judgedAmbiguous]},
	}
}

// AUC is the probability, in per cent, that a true pair among the judged has a higher score than a false one, as the bins tell; an
// equal bin counts half. It is NaN where either kind is missing.
func (c Connecting) AUC() float64 {
	both := c.Images.plus(c.Texts)
	var below, wins, found, wrong float64
	for bin, n := range both.TrueScores {
		same := float64(both.FalseScores[bin])
		wins += float64(n) * (below + same/2)
		below, found, wrong = below+same, found+float64(n), wrong+same
	}
	return 100 * wins / (found * wrong)
}

// Thresholds are the probabilities at which At tells, ascending.
func Thresholds() []float64 {
	var thresholds []float64
	for bin := range scoreBins {
		thresholds = append(thresholds, float64(bin)/scoreBins)
	}
	return thresholds
}

// At tells, for each of Thresholds, what the judge would have found by it: of the pairs at or above it the share that is true (NaN
// where there are none), and the share of all true pairs that they are, both in per cent.
func (c Connecting) At() (precision, recall []float64) {
	both := c.Images.plus(c.Texts)
	all := 0
	for _, n := range both.TrueScores {
		all += n
	}
	for bin := range scoreBins {
		found, wrong := 0, 0
		for k := bin; k < scoreBins; k++ {
			found, wrong = found+both.TrueScores[k], wrong+both.FalseScores[k]
		}
		precision = append(precision, 100*float64(found)/float64(found+wrong))
		recall = append(recall, 100*float64(found)/float64(all))
	}
	return precision, recall
}
