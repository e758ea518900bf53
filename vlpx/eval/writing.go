package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// Writing has a model write negatives of captions of a split, as TAGS-DC does in training, and measures what comes of it (TAGS-DC, section
// 4): whether it tells them from the captions, which of their words it finds and corrects, and, where sentences can be judged, how many of
// the "negatives" are true.
type Writing struct {
	Captions       int // one of each of the first images; 0 for 200
	Masks, Refills int // K and L of a caption
	// Temperatures are those of refilling. The sentences that are kept are of the first one.
	Temperatures []float64
	Rate         float64 // of masking
	Retrieved    int     `json:",omitempty"` // captions of the split that stand for a mini-batch, to compare with; 0 for 32
}

func init() { Register("", Writing{}) }

// Metrics of Writing. Those of truth are followed by a temperature or an element.
const (
	TellsWritten Metric = "written sentences told" // a caption's score above that of the sentence
	TellsEdited  Metric = "edited sentences told"
	WoDAccuracy  Metric = "WoD accuracy"
	WoDRecall    Metric = "WoD recall"
	WoCAccuracy  Metric = "WoC accuracy"
	GapOfTrue    Metric = "gap of true sentences"
	GapOfFalse   Metric = "gap of false sentences"
	HardestTrue  Metric = "kept sentences true"

	writtenTrue = "written, true"
	passedTrue  = "passed, true"
)

// TrueAt is the metric of the share of true sentences among those written at a temperature, or of those that pass the filter.
func TrueAt(temperature float64, passed bool) Metric {
	return truth(strconv.FormatFloat(temperature, 'g', -1, 64), passed)
}

// TrueOf is that of the sentences in which an element alone was masked: object, attribute or relation.
func TrueOf(element string, passed bool) Metric { return truth(element, passed) }

func truth(of string, passed bool) Metric {
	name := writtenTrue
	if passed {
		name = passedTrue
	}
	return Metric(name + ", " + of)
}

// Elements are what a scene graph names.
func Elements() []string { return []string{"object", "attribute", "relation"} }

// Metrics implements Task.
func (w Writing) Metrics() []Info {
	const group, judged = "Written sentences", "True sentences"
	infos := []Info{
		{TellsWritten, group, "recognised", "%", false, "captions that the model scores above the hardest sentence it wrote"},
		{TellsEdited, group, "recognised, VSE-C", "%", false, "captions that the model scores above a sentence edited by rules"},
		{WoDAccuracy, group, "WoD", "%", false, "words recognised as replaced or not, at a probability of .5"},
		{WoDRecall, group, "WoD, replaced", "%", false, "replaced words that are recognised"},
		{WoCAccuracy, group, "WoC", "%", false, "masked words of which the original is found"},
		{HardestTrue, judged, "kept", "%", true, "sentences that were kept and are true of the image, of the judged"},
		{GapOfTrue, judged, "gap, true", "", false, "mean score of a kept sentence that is true, above its caption's"},
		{GapOfFalse, judged, "gap, false", "", true, "mean score of a kept sentence that is false, above its caption's"},
	}
	for _, passed := range []bool{false, true} {
		for _, t := range w.Temperatures {
			infos = append(infos, Info{TrueAt(t, passed), judged, string(TrueAt(t, passed)), "%", true, "sentences written at this " +
				"temperature that are true of the image"})
		}
		for _, e := range Elements() {
			infos = append(infos, Info{TrueOf(e, passed), judged, string(TrueOf(e, passed)), "%", true, "sentences with this element " +
				"masked that are true of the image"})
		}
	}
	return infos
}

// Check implements Task.
func (w Writing) Check(f framework.Framework, set datasets.Set) error {
	if _, fills := f.(framework.Fills); !fills {
		return fmt.Errorf("eval: sentences are written by masked words, which %s does not predict", f.Name())
	}
	if w.Masks < 1 || w.Refills < 1 || len(w.Temperatures) == 0 || !(slices.Min(w.Temperatures) > 0) || !(w.Rate > 0 && w.Rate <= 1) {
		return fmt.Errorf("eval: writing by %d maskings at a rate of %g, %d refills of each, at temperatures %v; use at least one of "+
			"each, all above 0",
			w.Masks, w.Rate, w.Refills, w.Temperatures)
	}
	if w.Captions < 0 || w.Retrieved < 0 {
		return fmt.Errorf("eval: writing from %d captions, compared with %d others; neither is below 0", w.Captions, w.Retrieved)
	}
	return captioned("writing", set)
}

// Measure implements Task. In brief it measures nothing.
func (w Writing) Measure(ctx context.Context, on Subject) (Measured, error) {
	if on.Brief {
		return Measured{}, nil
	}
	r, err := newReview(ctx, w, on)
	if err != nil {
		return Measured{}, err
	}
	for place := range r.pairs {
		if err := r.read(ctx, place); err != nil {
			return Measured{}, err
		}
	}
	return Sentences.With(Measured{Metrics: r.result()}, r.sentences), nil
}

// review is what comes of the sentences that a scribe writes.
type review struct {
	*scribe
	vocabulary scenegraph.Vocabulary // of the split
	sentences  []Sentence

	told, edited, kept       tallied
	words, replaced, masked  tallied
	gaps                     map[bool][]float64
	byTemperature, byElement map[string]*[2]tallied // written and passed
}

// tallied is a part of a whole.
type tallied struct{ part, whole int }

func (t *tallied) add(is bool) {
	t.whole++
	if is {
		t.part++
	}
}

// set adds the share in per cent, if there is a whole.
func (t tallied) set(r Result, m Metric) {
	if t.whole > 0 {
		r[m] = 100 * float64(t.part) / float64(t.whole)
	}
}

func newReview(ctx context.Context, w Writing, on Subject) (*review, error) {
	w.Captions, w.Retrieved = cmp.Or(w.Captions, 200), cmp.Or(w.Retrieved, 32)
	all := datasets.Pairs(on.Set)
	var first []int
	for p, pair := range all {
		if pair.Caption == 0 && len(first) < w.Captions {
			first = append(first, p)
		}
	}
	s, err := newScribe(ctx, w, on, all, first)
	if err != nil {
		return nil, err
	}
	r := &review{scribe: s, gaps: map[bool][]float64{}, byTemperature: map[string]*[2]tallied{}, byElement: map[string]*[2]tallied{}}
	for _, pair := range all {
		r.vocabulary.Learn(datasets.GraphOf(on.Set, on.Tokenizer.Prepare(pair.Text(on.Set))))
	}
	return r, nil
}

// read writes from one caption and measures what comes of it.
func (s *review) read(ctx context.Context, place int) error {
	written, err := s.write(ctx, place)
	if err != nil {
		return err
	}
	for k, temperature := range s.Temperatures {
		s.count(written[k], strconv.FormatFloat(temperature, 'g', -1, 64), k == 0)
	}
	return s.keep(ctx, place, written[0])
}

// count adds what is known of sentences written at a temperature; the first one's count by element, too.
func (s *review) count(candidates []candidate, temperature string, first bool) {
	add := func(in map[string]*[2]tallied, name string, c candidate) {
		if in[name] == nil {
			in[name] = &[2]tallied{}
		}
		in[name][0].add(c.holds)
		if c.passed {
			in[name][1].add(c.holds)
		}
	}
	for _, c := range candidates {
		if c.own || !c.known {
			continue
		}
		add(s.byTemperature, temperature, c)
		if first && c.draft.element() != "" {
			add(s.byElement, c.draft.element(), c)
		}
	}
}

// keep takes the hardest sentence of a caption, compares it with others, and has its words told apart and corrected.
func (s *review) keep(ctx context.Context, place int, candidates []candidate) error {
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return !c.passed })
	one := Sentence{Pair: s.pairs[place], Caption: s.all[s.pairs[place]].Text(s.Set), Edited: s.edit(place)}
	rows, places := slices.Clone(s.caption(place)), []int{place}
	add := func(ids []int32) {
		rows, places = append(rows, ids...), append(places, place)
	}
	add(s.Tokenizer.EncodeCaption(one.Edited, s.MaxLen))
	for _, c := range candidates {
		add(c.ids)
	}
	first := len(places)
	var others []int
	for other := range s.pairs {
		if other != place {
			others = append(others, other)
			add(s.caption(other))
		}
	}
	scores, err := s.scores(ctx, rows, places)
	if err != nil {
		return err
	}
	one.CaptionScore = scores[0]
	if one.Edited != "" {
		one.EditedScore = scores[1]
		s.edited.add(scores[0] > scores[1])
	}
	for k, other := range others {
		one.SplitScore = max(one.SplitScore, scores[first+k])
		if (other-place+len(s.pairs))%len(s.pairs) < s.Retrieved {
			one.BatchScore = max(one.BatchScore, scores[first+k])
		}
	}
	if len(candidates) > 0 {
		best := 0
		for k := range candidates {
			if scores[2+k] > scores[2+best] {
				best = k
			}
		}
		if err := s.examine(ctx, place, &one, candidates[best], scores[2+best]); err != nil {
			return err
		}
	}
	s.sentences = append(s.sentences, one)
	return nil
}

// examine looks at a kept sentence.
func (s *review) examine(ctx context.Context, place int, one *Sentence, c candidate, score float64) error {
	one.Written, one.Element, one.WrittenScore, one.True, one.Known = s.Tokenizer.Decode(c.ids), c.draft.element(), score, c.holds, c.known
	s.told.add(one.CaptionScore > score)
	if c.known {
		s.kept.add(c.holds)
		s.gaps[c.holds] = append(s.gaps[c.holds], score-one.CaptionScore)
	}
	if !s.Model.Corrects() {
		return nil
	}
	replaced, words, err := s.correct(ctx, c.ids, []int{place})
	if err != nil {
		return err
	}
	ids := s.caption(place)
	one.Corrected, one.Replaced = s.restored(ids, c.ids, replaced, words)
	for at := 1; at <= len(one.Replaced); at++ {
		differs, told := c.ids[at] != ids[at], replaced[at] >= isReplaced
		s.words.add(differs == told)
		if differs {
			s.replaced.add(told)
		}
		if c.draft.Labels[at-1] != objective.Ignored {
			s.masked.add(words[at] == ids[at])
		}
	}
	return nil
}

// result are the metrics of all captions.
func (s *review) result() Result {
	r := Result{}
	s.told.set(r, TellsWritten)
	s.edited.set(r, TellsEdited)
	s.words.set(r, WoDAccuracy)
	s.replaced.set(r, WoDRecall)
	s.masked.set(r, WoCAccuracy)
	s.kept.set(r, HardestTrue)
	for holds, gaps := range s.gaps {
		sum := 0.0
		for _, gap := range gaps {
			sum += gap
		}
		r[map[bool]Metric{true: GapOfTrue, false: GapOfFalse}[holds]] = sum / float64(len(gaps))
	}
	for _, by := range []map[string]*[2]tallied{s.byTemperature, s.byElement} {
		for name, both := range by {
			both[0].set(r, truth(name, false))
			both[1].set(r, truth(name, true))
		}
	}
	return r
}

// edit is a caption's sentence by VSE-C's rules, with the words of the split.
func (s *review) edit(place int) string {
	pair := s.all[s.pairs[place]]
	var of []scenegraph.Graph
	for _, caption := range s.Set.Captions(pair.Image) {
		of = append(of, datasets.GraphOf(s.Set, s.Tokenizer.Prepare(caption)))
	}
	r := random.Stream(writingSeed, "edited sentences", s.Set.Name(), s.pairs[place])
	if edits := s.vocabulary.Edits(of[pair.Caption], of, 1, r); len(edits) > 0 {
		return edits[0].Sentence
	}
	return ""
}
