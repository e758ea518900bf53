package eval

import (
	"fmt"
	"slices"
)

// Version names one of the sentences that a [Sentence] holds.
type Version string

// Versions of a sentence.
const (
	Original  Version = "original" // the caption
	Written   Version = "written"
	Corrected Version = "corrected"
	Edited    Version = "edited"
)

// Sentences are the examples of [Writing].
var Sentences = NewKind[[]Sentence]("Sentences")

// Sentence is a caption of a split with what was made of it: a negative that a model wrote, and what it makes of that (TAGS-DC, sections
// 4.2 to 4.4).
type Sentence struct {
	Pair    int    `json:"pair"` // index into the split's pairs
	Caption string `json:"caption"`
	Written string `json:"written,omitempty"` // the hardest that the filter left; "" where none is
	Element string `json:"element,omitempty"` // what alone was masked: object, attribute or relation
	// Corrected is Written by word correction, and Replaced the probability of each of its words to be a replaced one, by word
	// discrimination; none of a model without these heads.
	Corrected string    `json:"corrected,omitempty"`
	Replaced  []float64 `json:"replaced,omitempty"`
	// Edited is made by rules, as in VSE-C; "" where no rule applies.
	Edited string `json:"edited,omitempty"`
	// The model's scores of each, from 0 to 1.
	CaptionScore float64 `json:"caption_score"`
	WrittenScore float64 `json:"written_score,omitempty"`
	EditedScore  float64 `json:"edited_score,omitempty"`
	// Batch and Split are the scores of the hardest other caption of a mini-batch and of the whole split.
	BatchScore float64 `json:"batch_score,omitempty"`
	SplitScore float64 `json:"split_score,omitempty"`
	// True says that Written is true of the image, and Known that this is known.
	True  bool `json:"true,omitempty"`
	Known bool `json:"known,omitempty"`
}

// Of is the sentence of a version; "" where there is none.
func (s Sentence) Of(v Version) string {
	return map[Version]string{Original: s.Caption, Written: s.Written, Corrected: s.Corrected, Edited: s.Edited}[v]
}

// sentencesOf is the flag of the run whose sentences a task is about.
func sentencesOf[T Task](set func(task *T, run string)) Flag {
	return NewFlag("of", "the `run`, as vlpx runs names it, about whose sentences discrimination and fluency ask",
		func(t *T, run string) error {
			set(t, run)
			return nil
		})
}

// versionOf is the flag of their version.
func versionOf[T Task](set func(task *T, v Version)) Flag {
	return NewFlag("version", "the `version` of these: original, written, corrected or edited (default written)",
		func(t *T, v string) error {
			set(t, Version(v))
			return nil
		})
}

// about reports why sentences are none to ask for.
func about(run string, v Version) error {
	if !slices.Contains([]Version{Original, Written, Corrected, Edited}, v) {
		return fmt.Errorf("eval: there are no %q sentences; name %q, %q, %q or %q", v, Original, Written, Corrected, Edited)
	}
	if run == "" {
		return fmt.Errorf("eval: %s sentences of no run; name the run that wrote them by its identity", v)
	}
	return nil
}

// versions are the sentences of a run that have a version; none where nothing could be made of any caption, as by rules that know no word
// of it.
func (s Subject) versions(run string, v Version) ([]Sentence, error) {
	all, err := s.SentencesOf(run)
	return slices.DeleteFunc(slices.Clone(all), func(x Sentence) bool { return x.Of(v) == "" }), err
}

// SentencesOf are those that a finished run wrote of its test split, by the run's identity. It is an error if there are none.
func (s Subject) SentencesOf(run string) ([]Sentence, error) {
	if s.Examples == nil {
		return nil, fmt.Errorf("eval: sentences of run %s without a store of runs; give Subject.Examples", run)
	}
	examples, err := s.Examples(run)
	if err != nil {
		return nil, err
	}
	all := Sentences.Of(examples)
	if len(all) == 0 {
		return nil, fmt.Errorf("eval: run %s wrote no sentences; ask for those of a run that a task lets write", run)
	}
	return all, nil
}
