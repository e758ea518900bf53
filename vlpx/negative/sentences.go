package negative

import (
	"errors"
	"math"

	"vlpx.internal/vlpx/field"
)

// WrittenSentences count, of an epoch, the sentences that a method wrote from captions, by what is known of them: whether they are true of
// the image that they are to be negatives of. A sentence that is the caption itself counts apart, and so does one that nobody can judge, as
// of broken grammar.
type WrittenSentences struct {
	Captions  int    `json:"captions"`            // that were rewritten
	Graphless int    `json:"graphless,omitempty"` // of these, without a scene graph, in which every word was a phrase
	Own       int    `json:"own"`                 // sentences that are their caption
	Written   Truths `json:"written"`             // all others
	Passed    Truths `json:"passed"`              // of these, those that the filter left
	Kept      Truths `json:"kept"`                // the hardest of those, that were trained against
	// ByElement are Written and Passed by what alone was masked: object, attribute or relation.
	ByElement map[string][2]Truths `json:"by_element,omitempty"`
	// Gaps are the kept sentences by how far their score, from 0 to 1, is above their caption's, in gapBins equal parts of -1 to 1: of an
	// interval of training each, from its first step on.
	Gaps []Gaps `json:"gaps,omitempty"`
	// Shown are the first rewritten captions of the last epoch's first step.
	Shown []ShownSentence `json:"shown,omitempty"`
}

// Truths count sentences by their truth.
type Truths struct {
	True    int `json:"true"`
	False   int `json:"false"`
	Unknown int `json:"unknown"`
}

// All are those of any truth.
func (s Truths) All() int { return s.True + s.False + s.Unknown }

func (s *Truths) add(holds, known bool) {
	switch {
	case !known:
		s.Unknown++
	case holds:
		s.True++
	default:
		s.False++
	}
}

// Gaps are histograms of score gaps.
type Gaps struct {
	Step    int          `json:"step"`
	True    [gapBins]int `json:"true"`
	False   [gapBins]int `json:"false"`
	Unknown [gapBins]int `json:"unknown"`
}

// gapBins is the number of parts of the gaps' range, gapIntervals how often in an epoch they are kept, and shownCaptions how many rewritten
// captions are kept to be shown.
const (
	gapBins       = 40
	gapIntervals  = 10
	shownCaptions = 16
)

// ShownSentence is a kept sentence of a pair of the training set.
type ShownSentence struct {
	Pair     int     `json:"pair"`
	Sentence string  `json:"sentence"`
	Gap      float64 `json:"gap"`
	True     bool    `json:"true,omitempty"`
	Known    bool    `json:"known,omitempty"`
}

// writtenStep is what a step gives of its sentences; see Drafts.
type writtenStep struct {
	sentences []int32   // [batch, n, tokens]
	passed    []float32 // [batch, n]
	scores    []float32 // [batch, n], logits
	kept      []int32   // [batch, m]
	captions  []float32 // [batch], logits
}

// sentencesObserver watches a Writing.
type sentencesObserver struct {
	Gathered[WrittenSentences]
	run Training
}

func observeSentences(m Method, run Training) Observer {
	if !m.Writes() {
		return nil
	}
	return &sentencesObserver{run: run}
}

// Name implements Observer.
func (*sentencesObserver) Name() string { return sentencesName }

// Observe implements Observer.
func (o *sentencesObserver) Observe(step Step) error {
	if !step.Outputs.Has(field.Sentences) {
		return nil
	}
	var failed [5]error
	var s writtenStep
	s.sentences, failed[0] = step.Outputs.Ints(field.Sentences)
	s.passed, failed[1] = step.Outputs.Floats(field.SentencePassed)
	s.scores, failed[2] = step.Outputs.Floats(field.SentenceScores)
	s.kept, failed[3] = step.Outputs.Ints(field.SentencesKept)
	s.captions, failed[4] = step.Outputs.Floats(field.CaptionScores)
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	o.count(step, s)
	return nil
}

const sentencesName = "written"

// WrittenSentences are those of the epoch, nil where the method writes none.
func (o Observations) WrittenSentences() *WrittenSentences {
	return Observed[WrittenSentences](o, sentencesName)
}

// count takes a mini-batch's sentences in.
func (o *sentencesObserver) count(step Step, s writtenStep) {
	w, batch, drafted := o.Now(), step.Pairs, step.Drafted
	if w.ByElement == nil {
		w.ByElement = map[string][2]Truths{} // also of a checkpoint that has none
	}
	at := step.Number * min(gapIntervals, step.Of) / step.Of
	for len(w.Gaps) <= at {
		w.Gaps = append(w.Gaps, Gaps{Step: step.Number})
	}
	n, m, tokens := len(s.passed)/len(batch), len(s.kept)/len(batch), len(drafted.Captions)/len(batch)
	for k, pair := range batch {
		image := o.run.Pairs[pair].Image
		own := o.run.Tokenizer.Decode(drafted.Captions[k*tokens : (k+1)*tokens])
		w.Captions++
		if drafted.Graphless[k] {
			w.Graphless++
		}
		seen := map[string][2]bool{} // a sentence's truth and whether it is known
		judge := func(j int) (sentence string, holds, known bool) {
			ids := s.sentences[(k*n+j)*tokens : (k*n+j+1)*tokens]
			sentence = o.run.Tokenizer.Decode(ids)
			if o.run.Language == nil || !o.run.Tokenizer.Whole(ids) {
				return sentence, false, false
			}
			verdict, met := seen[sentence]
			if !met {
				verdict[0], verdict[1] = o.run.Language.Judge(image, sentence)
				seen[sentence] = verdict
			}
			return sentence, verdict[0], verdict[1]
		}
		for j := range n {
			sentence, holds, known := judge(j)
			if sentence == own {
				w.Own++
				continue
			}
			passed := s.passed[k*n+j] > 0
			w.Written.add(holds, known)
			if passed {
				w.Passed.add(holds, known)
			}
			if element := drafted.Elements[(k*n+j)*len(drafted.Elements)/(len(batch)*n)]; element != "" {
				both := w.ByElement[element]
				both[0].add(holds, known)
				if passed {
					both[1].add(holds, known)
				}
				w.ByElement[element] = both
			}
		}
		for _, j := range s.kept[k*m : (k+1)*m] {
			if s.passed[k*n+int(j)] == 0 {
				continue // a row to spare
			}
			sentence, holds, known := judge(int(j))
			w.Kept.add(holds, known)
			gap := sigmoid(s.scores[k*n+int(j)]) - sigmoid(s.captions[k])
			w.Gaps[at].add(gap, holds, known)
			if step.Epoch == o.run.Epochs-1 && step.Number == 0 && k < shownCaptions {
				w.Shown = append(w.Shown, ShownSentence{pair, sentence, gap, holds, known})
			}
		}
	}
}

func (g *Gaps) add(gap float64, holds, known bool) {
	bin := min(int((gap+1)/2*gapBins), gapBins-1)
	switch {
	case !known:
		g.Unknown[bin]++
	case holds:
		g.True[bin]++
	default:
		g.False[bin]++
	}
}

func sigmoid(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }

// Names of what training counts of written sentences, in per cent; WrittenOf is followed by an element.
const (
	WrittenTrue = "written FN"         // true ones, of the judged that were written
	PassedTrue  = "written FN, passed" // of those that the filter left
	KeptTrue    = "written FN, kept"   // of the hardest
	WrittenOwn  = "written own"        // that are the caption itself, of all
	PassedShare = "written, passed"    // that the filter left, of all others
	Ungrammatic = "written, unknown"   // that nobody can judge, of all others
	WrittenOf   = "written FN of "     // of those in which one element was masked
	PassedOf    = "written FN, passed, of "
)

// Metrics are those of the epoch by their names, in per cent.
func (w *WrittenSentences) Metrics() map[string]float64 {
	metrics := map[string]float64{}
	set := func(name string, part, whole int) {
		if whole > 0 {
			metrics[name] = 100 * portion(part, whole)
		}
	}
	judged := func(name string, s Truths) { set(name, s.True, s.True+s.False) }
	judged(WrittenTrue, w.Written)
	judged(PassedTrue, w.Passed)
	judged(KeptTrue, w.Kept)
	set(WrittenOwn, w.Own, w.Own+w.Written.All())
	set(PassedShare, w.Passed.All(), w.Written.All())
	if w.Written.Unknown < w.Written.All() { // something is known of this data
		set(Ungrammatic, w.Written.Unknown, w.Written.All())
	}
	for element, both := range w.ByElement {
		judged(WrittenOf+element, both[0])
		judged(PassedOf+element, both[1])
	}
	return metrics
}

func sentencesMetrics() []string {
	return []string{WrittenTrue, PassedTrue, KeptTrue, WrittenOwn, PassedShare, Ungrammatic}
}
