package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// scribe has a model write sentences from captions of a split, and scores them.
type scribe struct {
	Writing
	Subject
	pairs    []int // of the split
	all      []datasets.Pair
	images   []float32 // as the framework reads them, a pair's each
	ids      []int32   // of the captions, [pairs, MaxLen]
	language datasets.Spoken
}

// newScribe is one for some of all pairs of the split.
func newScribe(ctx context.Context, w Writing, on Subject, all []datasets.Pair, pairs []int) (*scribe, error) {
	if on.Tokenizer == nil || on.Tokenizer.MASK() < 0 {
		return nil, fmt.Errorf("eval: writing masks words, and the vocabulary has no token for that; give BERT's, or leave -vocab out")
	}
	s := &scribe{Writing: w, Subject: on, pairs: pairs, all: all, language: datasets.Language(on.Set)}
	var images []int
	for _, p := range pairs {
		images = append(images, all[p].Image)
		s.ids = append(s.ids, on.Tokenizer.EncodeCaption(all[p].Text(on.Set), on.MaxLen)...)
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

// caption are the ids of a caption, [MaxLen].
func (s *scribe) caption(place int) []int32 { return s.ids[place*s.MaxLen : (place+1)*s.MaxLen] }

// rows runs evalBatch rows at a time of sentences [rows, MaxLen] with the images of places among the pairs.
func (s *scribe) rows(ctx context.Context, ids []int32, places []int,
	run func(ids []int32, images []float32, from, count int) error) error {
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

// writingSeed is that of maskings and refills: the same ones for every model.
const writingSeed = 1

// write writes sentences from a caption at each temperature, of which all share the maskings and the draws, [temperatures][Masks Refills].
func (s *scribe) write(ctx context.Context, place int) ([][]candidate, error) {
	pair, ids := s.all[s.pairs[place]], s.caption(place)
	length := slices.Index(append(slices.Clone(ids), s.Tokenizer.PAD()), s.Tokenizer.PAD())
	r := random.Stream(writingSeed, "written sentences", s.Set.Name(), s.pairs[place])
	drafts := s.drafts(pair, ids[1:length-1], objective.PhraseDraws{
		Uniform: r.Float64, Word: func() int32 { return r.Int32N(int32(s.Tokenizer.Size())) }, Shuffle: r.Shuffle,
	})
	logits, err := s.fill(ctx, place, ids, drafts)
	if err != nil {
		return nil, err
	}
	uniforms := make([]float64, s.Masks*s.Refills*s.MaxLen)
	for k := range uniforms {
		uniforms[k] = r.Float64()
	}
	var written [][]candidate
	for _, temperature := range s.Temperatures {
		candidates := s.refill(ids, drafts, logits, uniforms, temperature)
		s.filter(pair, ids, candidates)
		written = append(written, candidates)
	}
	return written, nil
}

// draft is a masked caption.
type draft struct {
	objective.MaskedPhrases
	elements []string // those of [Elements] that are masked; none where the caption's scene graph names nothing
}

// element is what alone is masked, if that is one.
func (d *draft) element() string {
	if len(d.elements) == 1 {
		return d.elements[0]
	}
	return ""
}

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
		for _, element := range Elements() {
			if phrases != nil && slices.ContainsFunc(m.Drawn, func(p int) bool { return phrases[p].Kind.String() == element }) {
				d.elements = append(d.elements, element)
			}
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

// filter applies the paper's rule (section 2.1.2) as negative.Annotated does, to which [PAD] is no new word and [SEP] is one, and judges.
func (s *scribe) filter(pair datasets.Pair, ids []int32, candidates []candidate) {
	annotated := map[int32]bool{s.Tokenizer.PAD(): true}
	for _, caption := range s.Set.Captions(pair.Image) {
		for _, id := range s.Tokenizer.EncodeCaption(caption, s.MaxLen)[1:] {
			if id == s.Tokenizer.SEP() {
				break
			}
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
		if s.language != nil && s.Tokenizer.Whole(c.ids) {
			c.holds, c.known = s.language.Judge(pair.Image, s.Tokenizer.Decode(c.ids))
		}
	}
}

// correct tells of the words of sentences [rows, MaxLen] with images by their places how probably each was replaced and which stood there,
// both [rows, MaxLen].
func (s *scribe) correct(ctx context.Context, ids []int32, places []int) (replaced []float32, words []int32, err error) {
	err = s.rows(ctx, ids, places, func(batch []int32, images []float32, _, count int) error {
		probabilities, originals, err := s.Model.Correct(batch, images)
		if err != nil {
			return err
		}
		replaced, words = append(replaced, probabilities[:count*s.MaxLen]...), append(words, originals[:count*s.MaxLen]...)
		return nil
	})
	return replaced, words, err
}

// isReplaced is the probability from which a word is told to be a replaced one.
const isReplaced = 0.5

// restored is a sentence written from a caption with the words put back that are told to be replaced, and the probability of each of its
// words to be one, by what correct tells of it.
func (s *scribe) restored(caption, sentence []int32, replaced []float32, words []int32) (text string, probabilities []float64) {
	corrected := slices.Clone(sentence)
	for at := 1; at < len(caption) && caption[at] != s.Tokenizer.SEP(); at++ {
		if replaced[at] >= isReplaced {
			corrected[at] = words[at]
		}
		probabilities = append(probabilities, float64(replaced[at]))
	}
	return s.Tokenizer.Decode(corrected), probabilities
}
