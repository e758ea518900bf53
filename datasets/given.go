package datasets

import (
	"cmp"
	"maps"
	"slices"
)

// Given is one of the answers to a question, with the share of the people who gave it.
type Given struct {
	Answer string
	Share  float64
}

// Given are the distinct answers, the most frequent first, equally frequent ones in alphabetical order.
func (q Question) Given() []Given {
	counts := map[string]int{}
	for _, answer := range q.Answers {
		counts[answer]++
	}
	var all []Given
	for _, answer := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Given{answer, float64(counts[answer]) / float64(len(q.Answers))})
	}
	slices.SortStableFunc(all, func(a, b Given) int { return cmp.Compare(b.Share, a.Share) })
	return all
}

// DistinctAnswers are those that a set's questions have, in alphabetical order.
func DistinctAnswers(s Questioned) []string {
	distinct := map[string]bool{}
	for _, q := range s.Questions() {
		for _, answer := range q.Answers {
			distinct[answer] = true
		}
	}
	return slices.Sorted(maps.Keys(distinct))
}
