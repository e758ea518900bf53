package eval

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// Writing has a model write negatives of captions of a split, as TAGS-DC does in training, and measures what comes of it (TAGS-DC, section 4): whether
// it tells them from the captions, which of their words it finds and corrects, and, where sentences can be judged, how many of the
// "negatives" are true.
type Writing struct {
	Captions       int // one of each of the first images; 0 for 200
	Masks, Refills int // K and L of a caption
	// Temperatures are those of refilling. The sentences that are kept are of the first one.
	Temperatures []float64
	Rate         float64 // of masking
	Retrieved    int     `json:",omitempty"` // captions of the split that stand for a mini-batch, to compare with; 0 for 32
}

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
		{TellsWritten, group, "told", "%", false, "captions that the model scores above the hardest sentence it wrote"},
		{TellsEdited, group, "told, VSE-C", "%", false, "captions that the model scores above a sentence edited by rules"},
		{WoDAccuracy, group, "WoD", "%", false, "words rightly told to be replaced or not, at a probability of .5"},
		{WoDRecall, group, "WoD, replaced", "%", false, "replaced words that are told to be"},
		{WoCAccuracy, group, "WoC", "%", false, "masked words of which the original is told"},
		{HardestTrue, judged, "kept", "%", true, "sentences that were kept and are true of the image, of the judged"},
		{GapOfTrue, judged, "gap, true", "", false, "mean score of a kept sentence that is true, above its caption's"},
		{GapOfFalse, judged, "gap, false", "", true, "mean score of a kept sentence that is false, above its caption's"},
	}
	for _, passed := range []bool{false, true} {
		for _, t := range w.Temperatures {
			infos = append(infos, Info{TrueAt(t, passed), judged, string(TrueAt(t, passed)), "%", true, "sentences written at this temperature that are true of the image"})
		}
		for _, e := range Elements() {
			infos = append(infos, Info{TrueOf(e, passed), judged, string(TrueOf(e, passed)), "%", true, "sentences with this element masked that are true of the image"})
		}
	}
	return infos
}

// Check implements Task.
func (w Writing) Check(f framework.Framework, set datasets.Set) error {
	if _, fills := f.(framework.Fills); !fills {
		return fmt.Errorf("eval: sentences are written by masked words, which %s does not predict", f.Name())
	}
	if w.Masks < 1 || w.Refills < 1 || len(w.Temperatures) == 0 || slices.Min(w.Temperatures) <= 0 || !(w.Rate > 0 && w.Rate <= 1) {
		return fmt.Errorf("eval: writing by %d maskings at a rate of %g, %d refills of each, at temperatures %v; use at least one of each, all above 0",
			w.Masks, w.Rate, w.Refills, w.Temperatures)
	}
	return captioned("writing", set)
}

// Measure implements Task. In brief it measures nothing.
func (w Writing) Measure(ctx context.Context, on Subject) (Measured, error) {
	if on.Brief {
		return Measured{}, nil
	}
	if on.Tokenizer == nil || on.Tokenizer.MASK() < 0 {
		return Measured{}, fmt.Errorf("eval: writing masks words, and the vocabulary has no token for that; give BERT's, or leave -vocab out")
	}
	s, err := newScribe(ctx, w, on)
	if err != nil {
		return Measured{}, err
	}
	for place := range s.pairs {
		if err := s.caption(ctx, place); err != nil {
			return Measured{}, err
		}
	}
	return Measured{Metrics: s.result(), Sentences: s.sentences}, nil
}

// scribe is one measuring by Writing.
type scribe struct {
	Writing
	Subject
	pairs      []int // of the split
	all        []datasets.Pair
	images     []float32 // as the framework reads them, a pair's each
	ids        []int32   // of the captions, [pairs, MaxLen]
	language   datasets.Spoken
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

func newScribe(ctx context.Context, w Writing, on Subject) (*scribe, error) {
	if w.Captions == 0 {
		w.Captions = 200
	}
	if w.Retrieved == 0 {
		w.Retrieved = 32
	}
	s := &scribe{Writing: w, Subject: on, all: datasets.Pairs(on.Set), gaps: map[bool][]float64{},
		byTemperature: map[string]*[2]tallied{}, byElement: map[string]*[2]tallied{}}
	s.language = datasets.Language(on.Set)
	var images []int
	for p, pair := range s.all {
		s.vocabulary.Learn(datasets.GraphOf(on.Set, on.Tokenizer.Prepare(pair.Text(on.Set))))
		if pair.Caption == 0 && len(s.pairs) < w.Captions {
			s.pairs, images = append(s.pairs, p), append(images, pair.Image)
			s.ids = append(s.ids, on.Tokenizer.EncodeCaption(pair.Text(on.Set), on.MaxLen)...)
		}
	}
	var skipped []loader.Skip
	var err error
	s.images, skipped, err = loader.Images(ctx, on.Set, images, on.Size, on.Features)
	if err != nil {
		return nil, fmt.Errorf("eval: %s: %w", on.Set.Name(), err)
	}
	for _, skip := range skipped {
		if err := on.accept(skip); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// rows runs evalBatch rows at a time of sentences [rows, MaxLen] with the images of places among the pairs.
func (s *scribe) rows(ctx context.Context, ids []int32, places []int, run func(ids []int32, images []float32, from, count int) error) error {
	size := s.Model.ImageSize()
	for from := 0; from < len(places); from += evalBatch {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(evalBatch, len(places)-from)
		batch, images := make([]int32, evalBatch*s.MaxLen), make([]float32, evalBatch*size)
		for k := range evalBatch {
			row := from + min(k, count-1)
			copy(batch[k*s.MaxLen:], ids[row*s.MaxLen:(row+1)*s.MaxLen])
			copy(images[k*size:], s.images[places[row]*size:(places[row]+1)*size])
		}
		if err := run(batch, images, from, count); err != nil {
			return err
		}
	}
	return nil
}

// scores are those of sentences [rows, MaxLen] with images by their places, from 0 to 1.
func (s *scribe) scores(ctx context.Context, ids []int32, places []int) (scores []float64, err error) {
	err = s.rows(ctx, ids, places, func(ids []int32, images []float32, _, count int) error {
		logits, err := s.Model.Score(ids, images)
		for k := 0; err == nil && k < count; k++ {
			scores = append(scores, 1/(1+math.Exp(-float64(logits[k]))))
		}
		return err
	})
	return scores, err
}

// draft is a masked caption.
type draft struct {
	objective.MaskedPhrases
	element string
}

// caption writes from one caption and measures what comes of it.
func (s *scribe) caption(ctx context.Context, place int) error {
	pair := s.all[s.pairs[place]]
	ids := s.ids[place*s.MaxLen : (place+1)*s.MaxLen]
	length := slices.Index(append(slices.Clone(ids), s.Tokenizer.PAD()), s.Tokenizer.PAD())
	r := random.Stream(writingSeed, "written sentences", s.Set.Name(), s.pairs[place])
	drafts := s.drafts(pair, ids[1:length-1], objective.PhraseDraws{
		Uniform: r.Float64, Word: func() int32 { return r.Int32N(int32(s.Tokenizer.Size())) }, Shuffle: r.Shuffle,
	})
	logits, err := s.fill(ctx, place, ids, drafts)
	if err != nil {
		return err
	}
	uniforms := make([]float64, s.Masks*s.Refills*s.MaxLen)
	for k := range uniforms {
		uniforms[k] = r.Float64()
	}
	one := Sentence{Pair: s.pairs[place], Caption: pair.Text(s.Set)}
	var written []candidate
	for k, temperature := range s.Temperatures {
		candidates := s.refill(ids, drafts, logits, uniforms, temperature)
		s.filter(pair, ids, candidates)
		s.count(candidates, strconv.FormatFloat(temperature, 'g', -1, 64), k == 0)
		if k == 0 {
			written = candidates
		}
	}
	return s.keep(ctx, place, one, ids, written)
}

// writingSeed is that of maskings and refills: the same ones for every model.
const writingSeed = 1

// drafts masks a caption's words.
func (s *scribe) drafts(pair datasets.Pair, words []int32, draws objective.PhraseDraws) []draft {
	phrases := datasets.TokenPhrases(s.Set, s.Tokenizer.Prepare(pair.Text(s.Set)), s.Tokenizer.Places, len(words))
	var at [][]int
	for _, p := range phrases {
		at = append(at, p.At)
	}
	var drafts []draft
	for _, m := range objective.MaskPhrases(words, at, s.Masks, s.Rate, s.Tokenizer.MASK(), draws) {
		d := draft{MaskedPhrases: m}
		for k, p := range m.Drawn {
			if phrases == nil || k > 0 && phrases[p].Kind.String() != d.element {
				d.element = ""
				break
			}
			d.element = phrases[p].Kind.String()
		}
		drafts = append(drafts, d)
	}
	return drafts
}

// fill gives the logits of the words of drafts, [drafts, MaxLen, vocabulary].
func (s *scribe) fill(ctx context.Context, place int, ids []int32, drafts []draft) (logits []float32, err error) {
	var masked, captions []int32
	places := slices.Repeat([]int{place}, len(drafts))
	for _, d := range drafts {
		row := slices.Clone(ids)
		copy(row[1:], d.IDs)
		masked, captions = append(masked, row...), append(captions, ids...)
	}
	err = s.rows(ctx, masked, places, func(batch []int32, images []float32, _, count int) error {
		out, err := s.Model.Fill(batch, slices.Concat(captions[:count*s.MaxLen], slices.Repeat(ids, evalBatch-count)), images)
		logits = append(logits, out[:len(out)/evalBatch*count]...)
		return err
	})
	return logits, err
}

// candidate is a written sentence.
type candidate struct {
	ids    []int32 // [MaxLen]
	draft  *draft
	passed bool // the filter
	own    bool // is the caption itself
	holds  bool
	known  bool
}

// refill writes sentences from logits by uniform draws, Refills of each draft (METHODS.md 12.2).
func (s *scribe) refill(ids []int32, drafts []draft, logits []float32, uniforms []float64, temperature float64) []candidate {
	vocab := len(logits) / (len(drafts) * s.MaxLen)
	var all []candidate
	for k := range drafts {
		d := &drafts[k]
		for l := range s.Refills {
			c := candidate{ids: slices.Clone(ids), draft: d}
			copy(c.ids[1:], d.IDs)
			for at, label := range d.Labels {
				if label == objective.Ignored {
					continue
				}
				of := logits[(k*s.MaxLen+at+1)*vocab : (k*s.MaxLen+at+2)*vocab]
				c.ids[at+1] = drawWord(of, temperature, uniforms[(k*s.Refills+l)*s.MaxLen+at+1])
			}
			all = append(all, c)
		}
	}
	return all
}

// drawWord is the first word up to which the probabilities of logits over a temperature sum to more than u.
func drawWord(logits []float32, temperature, u float64) int32 {
	most := slices.Max(logits)
	weights, sum := make([]float64, len(logits)), 0.0
	for w, x := range logits {
		weights[w] = math.Exp(float64(x-most) / temperature)
		sum += weights[w]
	}
	below := 0.0
	for w, x := range weights {
		if below += x / sum; below > u {
			return int32(w)
		}
	}
	return int32(len(logits) - 1)
}

// filter applies the paper's rule (section 2.1.2) and judges.
func (s *scribe) filter(pair datasets.Pair, ids []int32, candidates []candidate) {
	annotated := map[int32]bool{}
	for _, caption := range s.Set.Captions(pair.Image) {
		for _, id := range s.Tokenizer.EncodeCaption(caption, s.MaxLen)[1:] {
			annotated[id] = true
		}
	}
	for k := range candidates {
		c := &candidates[k]
		c.own = slices.Equal(c.ids, ids)
		for at, id := range c.ids {
			c.passed = c.passed || id != ids[at] && !annotated[id]
		}
		for _, later := range candidates[k+1:] {
			c.passed = c.passed && !slices.Equal(c.ids, later.ids)
		}
		if s.language != nil {
			c.holds, c.known = s.language.Judge(pair.Image, s.Tokenizer.Decode(c.ids))
		}
	}
}

// count adds what is known of sentences written at a temperature; the first one's count by element, too.
func (s *scribe) count(candidates []candidate, temperature string, first bool) {
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
		if first && c.draft.element != "" {
			add(s.byElement, c.draft.element, c)
		}
	}
}

// keep takes the hardest sentence of a caption, compares it with others, and has its words told apart and corrected.
func (s *scribe) keep(ctx context.Context, place int, one Sentence, ids []int32, candidates []candidate) error {
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return !c.passed })
	one.Edited = s.edit(place)
	rows, places := slices.Clone(ids), []int{place}
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
			add(s.ids[other*s.MaxLen : (other+1)*s.MaxLen])
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
		if err := s.examine(ctx, place, &one, ids, candidates[best], scores[2+best]); err != nil {
			return err
		}
	}
	s.sentences = append(s.sentences, one)
	return nil
}

// examine looks at a kept sentence.
func (s *scribe) examine(ctx context.Context, place int, one *Sentence, ids []int32, c candidate, score float64) error {
	one.Written, one.Element, one.WrittenScore, one.True, one.Known = s.Tokenizer.Decode(c.ids), c.draft.element, score, c.holds, c.known
	s.told.add(one.CaptionScore > score)
	if c.known {
		s.kept.add(c.holds)
		s.gaps[c.holds] = append(s.gaps[c.holds], score-one.CaptionScore)
	}
	if !s.Model.Corrects() {
		return nil
	}
	return s.rows(ctx, c.ids, []int{place}, func(batch []int32, images []float32, _, _ int) error {
		replaced, words, err := s.Model.Correct(batch, images)
		if err != nil {
			return err
		}
		corrected := slices.Clone(c.ids)
		for at := 1; at < len(ids) && ids[at] != s.Tokenizer.SEP(); at++ {
			differs, told := c.ids[at] != ids[at], replaced[at] >= 0.5
			s.words.add(differs == told)
			if differs {
				s.replaced.add(told)
			}
			if c.draft.Labels[at-1] != objective.Ignored {
				s.masked.add(words[at] == ids[at])
			}
			if told {
				corrected[at] = words[at]
			}
			one.Replaced = append(one.Replaced, float64(replaced[at]))
		}
		one.Corrected = s.Tokenizer.Decode(corrected)
		return nil
	})
}

// result are the metrics of all captions.
func (s *scribe) result() Result {
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
func (s *scribe) edit(place int) string {
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
