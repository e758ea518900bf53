package scenegraph

import (
	"cmp"
	"slices"
	"strings"
)

// Tuple is what SPICE compares (Anderson et al., 2016, section 3.2): the name of an object; those of an object and its attribute; or those
// of a subject, a relation and an object.
type Tuple []string

// Kind is that of a tuple of one, two or three names.
func (t Tuple) Kind() Kind { return Kind(len(t) - 1) }

// Segments lists what a graph's text has between brackets, in order and each once: lower case, words of names and the commas between them
// separated by single spaces. Each word is replaced by lemma(word), but for "is"; nil leaves words as they are.
func Segments(graph string, lemma func(word string) string) []string {
	spaced := strings.NewReplacer("(", " ( ", ")", " ) ", ",", " , ").Replace(strings.ToLower(graph))
	words := strings.Fields(spaced)
	for i, word := range words {
		if lemma != nil && word != attribution {
			words[i] = lemma(word)
		}
	}
	var segments []string
	for segment := range strings.SplitSeq(strings.Join(words, " "), ") , (") {
		if segment = strings.Trim(segment, "() "); segment != "" && !slices.Contains(segments, segment) {
			segments = append(segments, segment)
		}
	}
	return segments
}

// Tuples lists the distinct tuples of a graph's text (see [Segments]), those of fewer names first, then in alphabetical order.
func Tuples(graph string, lemma func(word string) string) []Tuple {
	return tuples(Segments(graph, lemma))
}

func tuples(segments []string) []Tuple {
	var all []Tuple
	for _, segment := range segments {
		names := strings.Split(segment, " , ")
		switch {
		case len(names) == 3 && names[1] == attribution:
			all = append(all, Tuple{names[0]}, Tuple{names[0], names[2]})
		case len(names) == 3:
			all = append(all, Tuple{names[0]}, Tuple{names[2]}, names)
		case len(names) == 1:
			all = append(all, names)
		}
	}
	slices.SortFunc(all, func(a, b Tuple) int { return cmp.Or(len(a)-len(b), slices.Compare(a, b)) })
	return slices.CompactFunc(all, slices.Equal)
}

// Counts are how many tuples of a parsed graph are in a reference, of how many.
type Counts struct{ Matched, Parsed, Reference int }

// Precision is the share of the parsed tuples that match, 0 of none.
func (c Counts) Precision() float64 { return share(c.Matched, c.Parsed) }

// Recall is the share of the reference's tuples that are matched, 0 of none.
func (c Counts) Recall() float64 { return share(c.Matched, c.Reference) }

// F1 is the harmonic mean of precision and recall, 0 where nothing matches.
func (c Counts) F1() float64 {
	p, r := c.Precision(), c.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Matched + d.Matched, c.Parsed + d.Parsed, c.Reference + d.Reference}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// Score is how a parsed graph compares with a reference.
type Score struct {
	All    Counts
	Of     [KindRelation + 1]Counts // by Kind
	Equals bool                     // the graphs have the same segments
}

// Compare scores the text of a parsed graph against a reference's, as SPICE does without synonyms: a tuple matches the one that is equal
// to it. Segments says what lemma does.
func Compare(parsed, reference string, lemma func(word string) string) Score {
	got, want := Segments(parsed, lemma), Segments(reference, lemma)
	var s Score
	slices.Sort(got)
	slices.Sort(want)
	s.Equals = slices.Equal(got, want)
	wanted := map[string]bool{}
	for _, t := range tuples(want) {
		wanted[strings.Join(t, ",")] = true
		s.Of[t.Kind()].Reference++
	}
	for _, t := range tuples(got) {
		s.Of[t.Kind()].Parsed++
		if wanted[strings.Join(t, ",")] {
			s.Of[t.Kind()].Matched++
		}
	}
	for _, c := range s.Of {
		s.All = s.All.plus(c)
	}
	return s
}

// Summary is the scores of many captions, in their tuples of one kind or in all.
type Summary struct {
	Micro Counts // summed over the captions
	// The means over Captions of the captions' scores.
	Precision, Recall, F1 float64
	Captions              int
}

// Summaries are the scores of many captions.
type Summaries struct {
	All   Summary                   // in all tuples, over every caption
	Of    [KindRelation + 1]Summary // by Kind; their means are over the captions whose reference has a tuple of the kind, as in SPICE
	Equal float64                   // the share of the captions whose graphs have the same segments
}

// Summarise sums up the scores of captions.
func Summarise(scores []Score) Summaries {
	var all Summaries
	for _, s := range scores {
		all.All.add(s.All, true)
		for kind, c := range s.Of {
			all.Of[kind].add(c, c.Reference > 0)
		}
		if s.Equals {
			all.Equal += 1 / float64(len(scores))
		}
	}
	all.All.divide()
	for kind := range all.Of {
		all.Of[kind].divide()
	}
	return all
}

func (s *Summary) add(c Counts, averaged bool) {
	s.Micro = s.Micro.plus(c)
	if averaged {
		s.Precision += c.Precision()
		s.Recall += c.Recall()
		s.F1 += c.F1()
		s.Captions++
	}
}

func (s *Summary) divide() {
	if n := float64(s.Captions); n > 0 {
		s.Precision, s.Recall, s.F1 = s.Precision/n, s.Recall/n, s.F1/n
	}
}
