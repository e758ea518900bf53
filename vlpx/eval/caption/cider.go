package caption

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// CIDErD is CIDEr-D (Vedantam et al., 2015, section 4): per n-gram length the cosine of the hypothesis' and a reference's n-gram counts,
// weighted by idf, with the hypothesis' counts clipped at the reference's, times exp(-d²/2σ²) for a difference d in length with σ = 6; the
// mean over n = 1 to 4 and over the references, times 10. Corpus is the mean.
//
// A document is an item: an n-gram's idf is log(items) - log(items with a reference that has it). So a score depends on which other items
// are scored along with it. As published, the length of a sentence is its number of bigrams.
func CIDErD(items []Tokens) Scores {
	const sigma, scale = 6, 10
	references := make([][]map[string]int, len(items))
	documents := map[string]float64{}
	for i, item := range items {
		inItem := map[string]bool{}
		for _, reference := range item.References {
			counts := nGrams(strings.Fields(reference))
			references[i] = append(references[i], counts)
			for gram := range counts {
				inItem[gram] = true
			}
		}
		for gram := range inItem {
			documents[gram]++
		}
	}

	var s Scores
	for i, item := range items {
		hypothesis := weigh(nGrams(strings.Fields(item.Hypothesis)), documents, len(items))
		var sum float64
		for _, counts := range references[i] {
			reference := weigh(counts, documents, len(items))
			off := float64(hypothesis.length - reference.length)
			sum += hypothesis.similarity(reference) * math.Exp(-off*off/(2*sigma*sigma))
		}
		s.Items = append(s.Items, scale*sum/float64(len(references[i])))
	}
	s.Corpus = mean(s.Items)
	return s
}

// weighted is a sentence as CIDEr sees it.
type weighted struct {
	grams  []string // in alphabetical order, so that sums do not depend on a map's
	weight map[string]float64
	norm   [MaxN]float64 // by n-1
	length int           // in bigrams
}

func weigh(counts map[string]int, documents map[string]float64, items int) weighted {
	w := weighted{grams: slices.Sorted(maps.Keys(counts)), weight: make(map[string]float64, len(counts))}
	for _, gram := range w.grams {
		weight := float64(counts[gram]) * (math.Log(float64(items)) - math.Log(max(1, documents[gram])))
		w.weight[gram] = weight
		w.norm[order(gram)] += weight * weight
		if order(gram) == 1 {
			w.length += counts[gram]
		}
	}
	for n, square := range w.norm {
		w.norm[n] = math.Sqrt(square)
	}
	return w
}

// similarity is the mean of the cosines over n, which take of w's weights what the reference has.
func (w weighted) similarity(reference weighted) float64 {
	var products [MaxN]float64
	for _, gram := range w.grams {
		other := reference.weight[gram]
		products[order(gram)] += min(w.weight[gram], other) * other
	}
	var sum float64
	for n, product := range products {
		if norms := w.norm[n] * reference.norm[n]; norms != 0 {
			product /= norms
		}
		sum += product
	}
	return sum / MaxN
}
