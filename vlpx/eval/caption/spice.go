package caption

import (
	"strings"

	"vlpx.internal/datasets/scenegraph"
)

// SPICE compares scene graphs (Anderson et al., 2016, section 3.2): the F1 of the tuples (objects, objects with an attribute, subjects with
// a relation and an object) of the hypothesis' graph against those of all references' graphs together, each tuple once. Corpus is the mean.
//
//   - graph: the scene graph of a sentence, such as datasets.GraphOf of a set.
//
// Tuples match where their words have the same lemma ([scenegraph.Lemma]); the published metric takes WordNet's synonyms for equal, too,
// and parses with rules of its own, so its numbers are others. An item whose graphs are all empty scores 0.
func SPICE(items []Item, graph func(sentence string) scenegraph.Graph) (Scores, error) {
	compared, err := CompareGraphs(items, graph)
	if err != nil {
		return Scores{}, err
	}
	var s Scores
	for _, c := range compared {
		s.Items = append(s.Items, c.All.F1())
	}
	s.Corpus = mean(s.Items)
	return s, nil
}

// CompareGraphs is what [SPICE] counts, by kind of tuple; [scenegraph.Summarise] sums it up.
func CompareGraphs(items []Item, graph func(sentence string) scenegraph.Graph) ([]scenegraph.Score, error) {
	scores := make([]scenegraph.Score, len(items))
	for i, item := range items {
		if err := item.check(i); err != nil {
			return nil, err
		}
		var references []string
		for _, reference := range item.References {
			if text := graph(reference).String(); text != "" {
				references = append(references, text)
			}
		}
		scores[i] = scenegraph.Compare(graph(item.Hypothesis).String(), strings.Join(references, " , "), scenegraph.Lemma)
	}
	return scores, nil
}
