package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"vlpx.internal/datasets"
)

// Writer writes sentences from single captions, for looking at them.
type Writer interface {
	Write(ctx context.Context, on Subject, pair int) (Sheet, error)
	// Draft is Write without what scores and corrections cost, in the order in which sentences were written.
	Draft(ctx context.Context, on Subject, pair int) (Sheet, error)
	// At are the temperatures of refilling.
	At() []float64
}

// NewWriter masks a caption so many times at a rate, and refills each so many times at a temperature, as [Writing] does.
func NewWriter(masks, refills int, rate, temperature float64) Writer {
	return Writing{Masks: masks, Refills: refills, Rate: rate, Temperatures: []float64{temperature}}
}

// Sheet is a caption with all sentences that a model wrote from it.
type Sheet struct {
	Pair        int     // index into the split's pairs
	Caption     string  // as the tokenizer reads it
	Score       float64 // of the caption with its image, from 0 to 1
	True, Known bool    // of the image, and whether that is known
	Written     []WrittenSentence
}

// WrittenSentence is a sentence that a model wrote from a caption.
type WrittenSentence struct {
	Text        string
	Temperature float64  // of refilling
	Masked      []string // those of [Elements] that were masked; none where the caption's scene graph names nothing
	Times       int      // how often it was written
	Score       float64  // with the caption's image, from 0 to 1
	Refused     Refusal
	True, Known bool // of the image, and whether that is known
	// Corrected is Text by word correction, and Replaced the probability of each of its tokens to be a replaced one, by word
	// discrimination; none of a framework that does not correct.
	Corrected string
	Replaced  []float64
}

// Refusal is why the filter takes a written sentence for no negative (TAGS-DC, section 2.1.2; METHODS.md 12.3).
type Refusal string

// Refusals.
const (
	Passed     Refusal = ""
	TheCaption Refusal = "the caption"
	Annotated  Refusal = "annotated" // every word that was replaced occurs in a caption of the image
)

// Write has a model write sentences from the caption of a pair of the split, as Measure does: at each temperature every sentence once, the
// highest score first.
func (w Writing) Write(ctx context.Context, on Subject, pair int) (Sheet, error) {
	s, written, err := w.draft(ctx, on, pair)
	if err != nil {
		return Sheet{}, err
	}
	sheet, rows := s.sheet(written)
	err = s.assess(ctx, &sheet, rows)
	return sheet, err
}

// At implements Writer.
func (w Writing) At() []float64 { return w.Temperatures }

// Draft implements Writer.
func (w Writing) Draft(ctx context.Context, on Subject, pair int) (Sheet, error) {
	s, written, err := w.draft(ctx, on, pair)
	if err != nil {
		return Sheet{}, err
	}
	sheet, _ := s.sheet(written)
	return sheet, nil
}

// draft writes from the caption of a pair, by a scribe of its own.
func (w Writing) draft(ctx context.Context, on Subject, pair int) (*scribe, [][]candidate, error) {
	if err := w.Check(on.Model.Framework(), on.Set); err != nil {
		return nil, nil, err
	}
	all := datasets.Pairs(on.Set)
	if pair < 0 || pair >= len(all) {
		return nil, nil, fmt.Errorf("eval: writing from pair %d of %s; its pairs are 0 to %d", pair, on.Set.Name(), len(all)-1)
	}
	s, err := newScribe(ctx, w, on, all, []int{pair})
	if err != nil {
		return nil, nil, err
	}
	written, err := s.write(ctx, 0)
	return s, written, err
}

// sheet is that of the scribe's only caption, without scores, and the ids of the caption and the sentences, [1+sentences, MaxLen].
func (s *scribe) sheet(written [][]candidate) (sheet Sheet, rows []int32) {
	caption := s.caption(0)
	sheet = Sheet{Pair: s.pairs[0], Caption: s.Tokenizer.Decode(caption)}
	if s.language != nil {
		sheet.True, sheet.Known = s.language.Judge(s.all[s.pairs[0]].Image, sheet.Caption)
	}
	rows = slices.Clone(caption)
	for k, candidates := range written {
		for _, c := range lastOfEqual(candidates) {
			one := WrittenSentence{Text: s.Tokenizer.Decode(c.ids), Temperature: s.Temperatures[k], Masked: c.draft.elements, True: c.holds,
				Known: c.known}
			for _, other := range candidates {
				if slices.Equal(other.ids, c.ids) {
					one.Times++
				}
			}
			switch {
			case c.own:
				one.Refused = TheCaption
			case !c.passed:
				one.Refused = Annotated
			}
			sheet.Written, rows = append(sheet.Written, one), append(rows, c.ids...)
		}
	}
	return sheet, rows
}

// assess scores a sheet's caption and sentences, corrects them and puts them in order.
func (s *scribe) assess(ctx context.Context, sheet *Sheet, rows []int32) error {
	places := make([]int, 1+len(sheet.Written)) // the scribe's only one
	scores, err := s.scores(ctx, rows, places)
	if err != nil {
		return err
	}
	sheet.Score = scores[0]
	for k := range sheet.Written {
		sheet.Written[k].Score = scores[1+k]
	}
	if s.Model.Corrects() {
		replaced, words, err := s.correct(ctx, rows, places)
		if err != nil {
			return err
		}
		for k := range sheet.Written {
			at, past, one := (1+k)*s.MaxLen, (2+k)*s.MaxLen, &sheet.Written[k]
			one.Corrected, one.Replaced = s.restored(s.caption(0), rows[at:past], replaced[at:past], words[at:past])
		}
	}
	slices.SortStableFunc(sheet.Written, func(a, b WrittenSentence) int { return cmp.Compare(b.Score, a.Score) })
	return nil
}

// lastOfEqual are the candidates without those of which an equal one comes later: what the filter looks at.
func lastOfEqual(candidates []candidate) (last []candidate) {
	for k, c := range candidates {
		if !slices.ContainsFunc(candidates[k+1:], func(later candidate) bool { return slices.Equal(later.ids, c.ids) }) {
			last = append(last, c)
		}
	}
	return last
}
