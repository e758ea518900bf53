package negative

import (
	"math"
	"testing"

	"vlpx.internal/datasets"
)

// Three images of two captions each and one of one. Pairs 4, 0, 6 and 3 are the mini-batch, of images 2, 0, 3 and 1. By oddly the
// image must be odd and the caption's number, too; nothing is known of image 0.
func TestConnecting(t *testing.T) {
	pairs := []datasets.Pair{{Image: 0}, {Image: 0, Caption: 1}, {Image: 1}, {Image: 1, Caption: 1}, {Image: 2}, {Image: 2, Caption: 1},
		{Image: 3}}
	batch := []int{4, 0, 6, 3}
	o := judgedNegatives{
		Texts: []int32{2, 3, 3, 1}, TextScores: []float32{0.9, 0.4, 0.85, 0.5}, // texts 6, 3, 3, 0 of images 2, 0, 3, 1
		Images: []int32{3, 2, 0, 2}, ImageScores: []float32{0.7, 0.95, 0.1, 0.99}, // images 1, 3, 2, 3 of texts 4, 0, 6, 3
	}
	var c Judgements
	c.add(ECM{Low: 0.5, High: 0.8}, o, oddly{}, pairs, batch, true)
	// A score of the lower threshold itself is ambiguous.
	scored := func(bins ...int) (counts [scoreBins]int) {
		for _, bin := range bins {
			counts[bin]++
		}
		return counts
	}
	want := Verdicts{True: [3]int{0, 0, 1}, False: [3]int{0, 1, 1}, Unknown: [3]int{1, 0, 0}, TrueScores: scored(17),
		FalseScores: scored(10, 18)}
	if c.Images != want {
		t.Errorf("image anchors: got %+v, want %+v", c.Images, want)
	}
	want = Verdicts{True: [3]int{0, 0, 1}, False: [3]int{1, 1, 1}, TrueScores: scored(19), FalseScores: scored(2, 14, 19)}
	if c.Texts != want {
		t.Errorf("text anchors: got %+v, want %+v", c.Texts, want)
	}
	for k, want := range []NewPositive{{4, 6, 0.9}, {6, 3, 0.85}} {
		if len(c.NewTexts) != 2 || c.NewTexts[k] != want {
			t.Errorf("new texts: got %v, want %v at %d", c.NewTexts, want, k)
		}
	}
	for k, want := range []NewPositive{{0, 6, 0.95}, {3, 6, 0.99}} {
		if len(c.NewImages) != 2 || c.NewImages[k] != want {
			t.Errorf("new images: got %v, want %v at %d", c.NewImages, want, k)
		}
	}

	counted := c.Metrics()
	for name, want := range map[string]float64{
		ConDPositives: 50, ConDOfImages: 50, ConDOfTexts: 50, ConDPrecision: 50, ConDRecall: 100, FalseLeft: 0,
	} {
		if got, ok := counted[name]; !ok || got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// Of eight judged pairs, counted by hand: three positives of which two are true, five left of which two are true.
func TestConnectingRatios(t *testing.T) {
	c := Judgements{
		Images: Verdicts{True: [3]int{1, 1, 2}},
		Texts:  Verdicts{False: [3]int{2, 1, 1}, Unknown: [3]int{3, 0, 1}},
	}
	counted := c.Metrics()
	for name, want := range map[string]float64{
		ConDPositives: 100 * 4. / 12, ConDOfImages: 50, ConDOfTexts: 25, ConDPrecision: 100 * 2. / 3, ConDRecall: 50, FalseLeft: 40,
	} {
		if got := counted[name]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if counted := (&Judgements{Texts: Verdicts{Unknown: [3]int{0, 0, 1}}}).Metrics(); len(counted) != 2 {
		t.Errorf("of one pair of unknown truth: got %v, want the positives of all and of texts alone", counted)
	}
}

// Another caption of the anchor's image is no discovery; an image is shown once, and no more than eight are.
func TestConnectionsKept(t *testing.T) {
	var pairs []datasets.Pair
	for image := range 12 {
		pairs = append(pairs, datasets.Pair{Image: image}, datasets.Pair{Image: image, Caption: 1})
	}
	var kept []NewPositive
	for anchor := range pairs {
		kept = keep(kept, NewPositive{anchor, anchor ^ 1, 0.9}, pairs)
		kept = keep(kept, NewPositive{anchor, (anchor + 2) % len(pairs), 0.9}, pairs)
	}
	if len(kept) != shownConnections {
		t.Fatalf("got %d, want %d", len(kept), shownConnections)
	}
	for k, c := range kept {
		if want := (NewPositive{2 * k, 2*k + 2, 0.9}); c != want {
			t.Errorf("got %v, want %v", c, want)
		}
	}
}

// At every threshold the counts of all bins above it, against a loop over scores.
func TestConnectingAt(t *testing.T) {
	trueScores, falseScores := []float64{0.1, 0.35, 0.6, 0.95, 0.95}, []float64{0.05, 0.3, 0.3, 0.7}
	var c Judgements
	for k, score := range trueScores {
		side := []*Verdicts{&c.Images, &c.Texts}[k%2]
		side.TrueScores[int(score*scoreBins+1e-9)]++
	}
	for _, score := range falseScores {
		c.Texts.FalseScores[int(score*scoreBins+1e-9)]++
	}
	precision, recall := c.At()
	wins := 0.0
	for _, x := range trueScores {
		for _, y := range falseScores {
			if x > y {
				wins++
			}
		}
	}
	if got, want := c.AUC(), 100*wins/20; math.Abs(got-want) > 1e-9 {
		t.Errorf("AUC: got %v, want %v", got, want)
	}
	for bin, threshold := range JudgedAt() {
		above := func(scores []float64) (n float64) {
			for _, s := range scores {
				if s > threshold-1e-9 {
					n++
				}
			}
			return n
		}
		right, wrong := above(trueScores), above(falseScores)
		if want := 100 * right / (right + wrong); precision[bin] != want {
			t.Errorf("precision at %g: got %v, want %v", threshold, precision[bin], want)
		}
		if want := 100 * right / 5; recall[bin] != want {
			t.Errorf("recall at %g: got %v, want %v", threshold, recall[bin], want)
		}
	}
}
