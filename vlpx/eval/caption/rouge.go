package caption

import "strings"

// ROUGEL is ROUGE-L (Lin, 2004): of the longest common subsequence of words of the hypothesis and each reference, the largest share of the
// hypothesis P and the largest share of a reference R, which may come from different references, as
// (1+b²)·P·R / (R + b²·P) with b = 1.2. Corpus is the mean.
//
// As published, an empty sentence is one empty word, so that an empty hypothesis fits an empty reference.
func ROUGEL(items []Tokens) Scores {
	const b = 1.2
	var s Scores
	for _, item := range items {
		words := strings.Split(item.Hypothesis, " ")
		var precision, recall float64
		for _, reference := range item.References {
			others := strings.Split(reference, " ")
			common := float64(subsequence(words, others))
			precision = max(precision, common/float64(len(words)))
			recall = max(recall, common/float64(len(others)))
		}
		score := 0.0
		if precision > 0 && recall > 0 {
			score = (1 + b*b) * precision * recall / (recall + b*b*precision)
		}
		s.Items = append(s.Items, score)
	}
	s.Corpus = mean(s.Items)
	return s
}

// subsequence is the length of the longest one that a and b share.
func subsequence(a, b []string) int {
	longest := make([]int, len(b)+1) // of the words of a so far and the first words of b
	for _, word := range a {
		diagonal := 0
		for j, other := range b {
			above := longest[j+1]
			if word == other {
				longest[j+1] = diagonal + 1
			} else {
				longest[j+1] = max(above, longest[j])
			}
			diagonal = above
		}
	}
	return longest[len(b)]
}
