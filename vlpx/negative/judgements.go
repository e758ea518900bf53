package negative

import (
	"errors"
	"math"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/field"
)

// Judgements are what the judge of an ECM, such as Con-D, said in an epoch of the hard negatives, beside what the data's
// relation says of them (MAFA, sections 3 and 4.1).
type Judgements struct {
	Images Verdicts `json:"images"` // of image anchors, each with the text picked for it
	Texts  Verdicts `json:"texts"`  // of text anchors, each with the image picked for it
	// NewTexts are the first new positives of image anchors, NewImages those of text anchors: where asked for, each of
	// another anchor image, and none that is merely another caption of it.
	NewTexts  []NewPositive `json:"new_texts,omitempty"`
	NewImages []NewPositive `json:"new_images,omitempty"`
}

// judgedNegatives are those that a method's Positives had judged; see Candidates. All are [batch].
type judgedNegatives struct {
	Images, Texts           []int32
	ImageScores, TextScores []float32
}

// Verdicts count judged pairs by what the relation says of them: those below the lower threshold, those between, and those
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

// NewPositive is a new positive: the text of pair Found for the image of pair Anchor, or its image for the anchor's text.
type NewPositive struct {
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
func (c *Judgements) add(e ECM, o judgedNegatives, relation datasets.Relation, pairs []datasets.Pair, batch []int, show bool) {
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
			c.NewTexts = keep(c.NewTexts, NewPositive{pair, text, o.TextScores[k]}, pairs)
		}
		if one(image, pair, o.ImageScores[k], &c.Texts) && show {
			c.NewImages = keep(c.NewImages, NewPositive{pair, image, o.ImageScores[k]}, pairs)
		}
	}
}

// keep appends a new positive that is worth showing, while there is room.
func keep(kept []NewPositive, c NewPositive, pairs []datasets.Pair) []NewPositive {
	image := pairs[c.Anchor].Image
	shown := func(other NewPositive) bool { return pairs[other.Anchor].Image == image }
	if len(kept) == shownConnections || pairs[c.Found].Image == image || slices.ContainsFunc(kept, shown) {
		return kept
	}
	return append(kept, c)
}

// Plus adds the counts of the other side.
func (v Verdicts) Plus(o Verdicts) Verdicts {
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

// Metrics are those of the epoch by their names, in per cent.
func (c *Judgements) Metrics() map[string]float64 {
	both := c.Images.Plus(c.Texts)
	positives, judged := both.positives()
	ofImages, images := c.Images.positives()
	ofTexts, texts := c.Texts.positives()
	found := both.True[judgedPositive]
	missed := both.True[judgedNegative] + both.True[judgedAmbiguous]
	metrics := map[string]float64{}
	for _, x := range []struct {
		name        string
		part, whole int
	}{
		{ConDPositives, positives, judged},
		{ConDOfImages, ofImages, images},
		{ConDOfTexts, ofTexts, texts},
		{ConDPrecision, found, found + both.False[judgedPositive]},
		{ConDRecall, found, found + missed},
		{FalseLeft, missed, missed + both.False[judgedNegative] + both.False[judgedAmbiguous]},
	} {
		if x.whole > 0 {
			metrics[x.name] = 100 * portion(x.part, x.whole)
		}
	}
	if auc := c.AUC(); !math.IsNaN(auc) {
		metrics[ConDAUC] = auc
	}
	return metrics
}

// AUC is the probability, in per cent, that a true pair among the judged has a higher score than a false one, by the bins; an
// equal bin counts half. It is NaN where either kind is missing.
func (c Judgements) AUC() float64 {
	both := c.Images.Plus(c.Texts)
	var below, wins, found, wrong float64
	for bin, n := range both.TrueScores {
		same := float64(both.FalseScores[bin])
		wins += float64(n) * (below + same/2)
		below, found, wrong = below+same, found+float64(n), wrong+same
	}
	return 100 * wins / (found * wrong)
}

// JudgedAt are the probabilities of At, ascending.
func JudgedAt() []float64 {
	var thresholds []float64
	for bin := range scoreBins {
		thresholds = append(thresholds, float64(bin)/scoreBins)
	}
	return thresholds
}

// At says, for each of JudgedAt, what the judge would have found by it: of the pairs at or above it the share that is true (NaN
// where there are none), and the share of all true pairs that they are, both in per cent.
func (c Judgements) At() (precision, recall []float64) {
	both := c.Images.Plus(c.Texts)
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

// judgementsObserver watches an ECM.
type judgementsObserver struct {
	Gathered[Judgements]
	ecm ECM
	run Training
}

// Observer implements Observing.
func (e ECM) Observer(run Training) Observer { return &judgementsObserver{ecm: e, run: run} }

// Name implements Observer.
func (*judgementsObserver) Name() string { return judgementsName }

// Observe implements Observer.
func (o *judgementsObserver) Observe(step Step) error {
	var failed [4]error
	var judged judgedNegatives
	judged.Images, failed[0] = step.Outputs.Ints(field.PickedImages)
	judged.Texts, failed[1] = step.Outputs.Ints(field.PickedTexts)
	judged.ImageScores, failed[2] = step.Outputs.Floats(field.ImageScores)
	judged.TextScores, failed[3] = step.Outputs.Floats(field.TextScores)
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	o.Now().add(o.ecm, judged, o.run.Relation, o.run.Pairs, step.Pairs, step.Epoch >= o.run.Epochs-shownEpochs)
	return nil
}

const judgementsName = "connecting"

// Judgements are what the judge of an ECM said in the epoch, nil where there is none.
func (o Observations) Judgements() *Judgements { return Observed[Judgements](o, judgementsName) }

// Names of what is counted of the hard negatives that Con-D judged, among a run's metrics, in per cent.
const (
	ConDPositives = "Con-D positives"           // new positives, of all
	ConDOfImages  = "Con-D positives of images" // of those whose anchor is the image
	ConDOfTexts   = "Con-D positives of texts"  // of those whose anchor is the caption
	ConDPrecision = "Con-D precision"           // true pairs, of the new positives
	ConDRecall    = "Con-D recall"              // new positives, of the true pairs
	ConDAUC       = "Con-D AUC"                 // see Judgements.AUC
	FalseLeft     = "FN left"                   // true pairs, of those that are no new positives
)

func judgementsMetrics() []string {
	return []string{ConDPositives, ConDOfImages, ConDOfTexts, ConDPrecision, ConDRecall, ConDAUC, FalseLeft}
}
