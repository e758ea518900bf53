package golden_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/vlpx/golden"
)

// checkSceneGraphs scores a rule parser's graphs against people's.
func checkSceneGraphs(t *testing.T, c golden.Case) {
	table := map[string]string{}
	for _, word := range c.Keys("params", "noun_lemmas") {
		table[word] = c.Text("params", "noun_lemmas", word)
	}
	nouns := func(word string) string {
		if lemma, ok := table[word]; ok {
			return lemma
		}
		return word
	}
	for normalisation, lemma := range map[string]func(string) string{"as_is": nil, "noun_lemma": nouns} {
		at := func(path ...string) []string { return append([]string{"expected", normalisation}, path...) }
		var scores []scenegraph.Score
		var numbers, precision, recall, f1, counts, equal []float64
		for i := range c.Len("inputs", "captions") {
			row := strconv.Itoa(i)
			parser, human := c.Text("inputs", "captions", row, "parser"), c.Text("inputs", "captions", row, "human")
			for whose, graph := range map[string]string{"parser": parser, "human": human} {
				if got, want := scenegraph.Tuples(graph, lemma), readTuples(c, at("tuples", row, whose)); !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s: row %d: %s: got the tuples %q, want %q", normalisation, i, whose, got, want)
				}
			}
			s := scenegraph.Compare(parser, human, lemma)
			scores = append(scores, s)
			for _, of := range slices.Concat([]scenegraph.Counts{s.All}, s.Of[:]) {
				counts = append(counts, float64(of.Matched), float64(of.Parsed), float64(of.Reference))
				precision, recall, f1 = append(precision, of.Precision()), append(recall, of.Recall()), append(f1, of.F1())
			}
			equal = append(equal, 0)
			if s.Equals {
				equal[i] = 1
			}
		}
		for name, got := range map[string][]float64{"counts": counts, "precision": precision, "recall": recall, "f1": f1, "set_match": equal} {
			near(t, c, normalisation+": "+name, got, c.Tensor(at(name)...).Float)
		}
		sums, want := scenegraph.Summarise(scores), []float64{}
		for k, kind := range []string{"all", "objects", "attributes", "relations"} {
			sum := slices.Concat([]scenegraph.Summary{sums.All}, sums.Of[:])[k]
			numbers = append(numbers, sum.Precision, sum.Recall, sum.F1, float64(sum.Captions), sum.Micro.Precision(), sum.Micro.Recall(), sum.Micro.F1())
			for _, name := range []string{"macro.precision", "macro.recall", "macro.f1", "macro.captions", "micro.precision", "micro.recall", "micro.f1"} {
				want = append(want, c.Float(at("aggregate", kind, name[:5], name[6:])...))
			}
		}
		near(t, c, normalisation+": aggregate", append(numbers, sums.Equal), append(want, c.Float(at("aggregate", "set_match")...)))
	}
	read(t, c)
}

// readTuples are a list of lists of names.
func readTuples(c golden.Case, path []string) []scenegraph.Tuple {
	var all []scenegraph.Tuple
	for i := range c.Len(path...) {
		one := append(slices.Clone(path), fmt.Sprint(i))
		var t scenegraph.Tuple
		for k := range c.Len(one...) {
			t = append(t, c.Text(append(slices.Clone(one), fmt.Sprint(k))...))
		}
		all = append(all, t)
	}
	return all
}
