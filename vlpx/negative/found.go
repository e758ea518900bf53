package negative

import "vlpx.internal/vlpx/field"

// Found counts, of the negatives of an epoch whose truth is known, those that the method took for false ones and left out of the loss, or
// made positives, and those that are false. A negative of several views counts with each.
type Found struct {
	Negatives int `json:"negatives"` // of all anchors
	False     int `json:"false"`     // of these, the false ones
	Found     int `json:"found"`     // of Negatives, those taken for false
	Right     int `json:"right"`     // of Found, the false ones
	// Unknown and FoundUnknown are the negatives whose truth is not known, and those of them taken for false.
	Unknown      int `json:"unknown,omitempty"`
	FoundUnknown int `json:"found_unknown,omitempty"`
	// Shown are the images of a mini-batch, in the last epoch's first one, with the pairs taken for false negatives of each.
	Shown []ShownAnchor `json:"shown,omitempty"`
}

// ShownAnchor is an image with the pairs of its mini-batch that a method took for its false negatives; pairs are indices into the training
// set's.
type ShownAnchor struct {
	Anchor int   `json:"anchor"`
	Found  []int `json:"found"`
}

// Precision is the share of the found negatives that are false, Recall the share of the false ones that are found, and F1 their harmonic
// mean, as parts of one; 0 where there are none.
func (f Found) Precision() float64 { return portion(f.Right, f.Found) }

// Recall: see Precision.
func (f Found) Recall() float64 { return portion(f.Right, f.False) }

// F1: see Precision.
func (f Found) F1() float64 { return portion(2*f.Right, f.Found+f.False) }

// Share is that of the negatives that are found, known or not, a part of one.
func (f Found) Share() float64 { return portion(f.Found+f.FoundUnknown, f.Negatives+f.Unknown) }

// add counts the anchors of one kind of a mini-batch.
//
//   - found: 1 or 0, [batch, views, candidates], candidates view by view.
//   - holds: whether the candidate of a place in the mini-batch belongs to the anchor of another, and whether that is known.
func (f *Found) add(found []float32, batch int, holds func(anchor, candidate int) (is, known bool)) {
	each := len(found) / batch
	for anchor := range batch {
		row := found[anchor*each : (anchor+1)*each]
		for candidate := range batch {
			if candidate == anchor {
				continue
			}
			times, taken := 0, 0
			for at := candidate; at < len(row); at += batch {
				times++
				if row[at] > 0 {
					taken++
				}
			}
			switch is, known := holds(anchor, candidate); {
			case !known:
				f.Unknown, f.FoundUnknown = f.Unknown+times, f.FoundUnknown+taken
			case is:
				f.False, f.Right = f.False+times, f.Right+taken
				fallthrough
			default:
				f.Negatives, f.Found = f.Negatives+times, f.Found+taken
			}
		}
	}
}

// Metrics are those of the epoch by their names, in per cent; of an epoch in which nothing is found, as before its time, the share alone.
func (f *Found) Metrics() map[string]float64 {
	metrics := map[string]float64{FoundShare: 100 * f.Share()}
	if f.Found > 0 {
		metrics[FoundPrecision], metrics[FoundRecall], metrics[FoundF1] = 100*f.Precision(), 100*f.Recall(), 100*f.F1()
	}
	return metrics
}

// show keeps the found negatives of each image of a mini-batch; one that is found for any of the views counts.
func (f *Found) show(found []float32, batch []int) {
	each := len(found) / len(batch)
	for anchor, pair := range batch {
		shown := ShownAnchor{Anchor: pair, Found: []int{}}
		for candidate, other := range batch {
			for at := anchor*each + candidate; at < (anchor+1)*each; at += len(batch) {
				if found[at] > 0 {
					shown.Found = append(shown.Found, other)
					break
				}
			}
		}
		f.Shown = append(f.Shown, shown)
	}
}

// foundObserver watches a LeftOut.
type foundObserver struct {
	Gathered[Found]
	run Training
}

func observeFound(_ Method, run Training) Observer { return &foundObserver{run: run} }

// Name implements Observer.
func (*foundObserver) Name() string { return foundName }

// Observe implements Observer.
func (o *foundObserver) Observe(step Step) error {
	for _, of := range []struct {
		name  field.Name
		holds func(anchor, candidate int) (is, known bool)
	}{
		{field.FoundOfImages, func(image, text int) (is, known bool) { return o.run.Holds(step.Pairs[image], step.Pairs[text]) }},
		{field.FoundOfTexts, func(text, image int) (is, known bool) { return o.run.Holds(step.Pairs[image], step.Pairs[text]) }},
	} {
		if !step.Outputs.Has(of.name) {
			continue
		}
		found, err := step.Outputs.Floats(of.name)
		if err != nil {
			return err
		}
		o.Now().add(found, len(step.Pairs), of.holds)
		if of.name == field.FoundOfImages && step.Epoch == o.run.Epochs-1 && step.Number == 0 {
			o.Now().show(found, step.Pairs)
		}
	}
	return nil
}

const foundName = "found"

// Found are the negatives that the method took for false ones in the epoch, nil where it takes none.
func (o Observations) Found() *Found { return Observed[Found](o, foundName) }

// Names of what is counted of the negatives that a method took for false, among a run's metrics, in per cent; see Found.
const (
	FoundShare     = "found" // of all negatives
	FoundPrecision = "found precision"
	FoundRecall    = "found recall"
	FoundF1        = "found F1"
)

func foundMetrics() []string { return []string{FoundShare, FoundPrecision, FoundRecall, FoundF1} }
