package caption

import (
	"math"
	"strings"
)

// MaxN is the length of the longest n-grams that BLEU and CIDEr count.
const MaxN = 4

// BLEU is BLEU-1 to BLEU-4 (Papineni et al., 2002), [MaxN] scores in this order: the geometric mean of the shares of n-grams that some
// reference has, each counted at most as often as in the reference that has it most often, times exp(1 - r/h) where the hypothesis is
// shorter (h) than the reference closest in length (r, the shorter of two equally close). Corpus is the same of the counts summed over all
// items.
//
// As published, 1e-15 is added to matches and 1e-9 to what they are divided by, so that nothing divides by zero and an item without any
// match has a score a little above zero.
func BLEU(items []Tokens) [MaxN]Scores {
	var all [MaxN]Scores
	var sums overlap
	for _, item := range items {
		o := overlapOf(item)
		for n, score := range o.bleu() {
			all[n].Items = append(all[n].Items, score)
		}
		sums.add(o)
	}
	if len(items) > 0 {
		for n, score := range sums.bleu() {
			all[n].Corpus = score
		}
	}
	return all
}

// overlap is what BLEU counts.
type overlap struct {
	matched, said         [MaxN]int // n-grams of the hypothesis that references have, and all of them; by n-1
	hypothesis, reference int       // lengths
}

func (o *overlap) add(p overlap) {
	for n := range o.said {
		o.matched[n] += p.matched[n]
		o.said[n] += p.said[n]
	}
	o.hypothesis += p.hypothesis
	o.reference += p.reference
}

func overlapOf(item Tokens) overlap {
	words := strings.Fields(item.Hypothesis)
	o := overlap{hypothesis: len(words)}
	most, closest := map[string]int{}, math.MaxInt
	for _, reference := range item.References {
		others := strings.Fields(reference)
		for gram, count := range nGrams(others) {
			most[gram] = max(most[gram], count)
		}
		off := max(len(others)-len(words), len(words)-len(others))
		if off < closest || off == closest && len(others) < o.reference {
			closest, o.reference = off, len(others)
		}
	}
	for n := range o.said {
		o.said[n] = max(0, len(words)-n)
	}
	for gram, count := range nGrams(words) {
		o.matched[order(gram)] += min(count, most[gram])
	}
	return o
}

// bleu is BLEU-1 to BLEU-4 of the counts.
func (o overlap) bleu() (scores [MaxN]float64) {
	const tiny, small = 1e-15, 1e-9
	brevity := 1.0
	if ratio := (float64(o.hypothesis) + tiny) / (float64(o.reference) + small); ratio < 1 {
		brevity = math.Exp(1 - 1/ratio)
	}
	product := 1.0
	for n := range scores {
		product *= (float64(o.matched[n]) + tiny) / (float64(o.said[n]) + small)
		scores[n] = math.Pow(product, 1/float64(n+1)) * brevity
	}
	return scores
}

// nGrams counts the sequences of one to MaxN words, with one blank between words.
func nGrams(words []string) map[string]int {
	counts := make(map[string]int, MaxN*len(words))
	for i := range words {
		for n := 1; n <= MaxN && i+n <= len(words); n++ {
			counts[strings.Join(words[i:i+n], " ")]++
		}
	}
	return counts
}

// order is the number of words of an n-gram, less one.
func order(gram string) int { return strings.Count(gram, " ") }
