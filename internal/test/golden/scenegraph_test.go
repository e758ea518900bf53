package golden_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
)

// checkSceneGraphs scores a rule parser's graphs against people's.
func checkSceneGraphs(t *testing.T, c golden.Case) {
	for normalisation, lemma := range normalisations(c) {
		at := func(path ...string) []string { return append([]string{"expected", normalisation}, path...) }
		var scores []scenegraph.Score
		var numbers, precision, recall, f1, counts, equal []float64
		for i := range c.Len("inputs", "captions") {
			row := strconv.Itoa(i)
			parser, human := c.Text("inputs", "captions", row, "parser"), c.Text("inputs", "captions", row, "human")
			for whose, graph := range map[string]string{"parser": parser, "human": human} {
				if got, want := scenegraph.Tuples(graph, lemma), readTuples(c, at("tuples", row, whose)); !slices.EqualFunc(got, want,
					slices.Equal) {
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
		for name, got := range map[string][]float64{"counts": counts, "precision": precision, "recall": recall, "f1": f1,
			"set_match": equal} {
			near(t, c, normalisation+": "+name, got, c.Tensor(at(name)...).Float)
		}
		sums, want := scenegraph.Summarise(scores), []float64{}
		for k, kind := range []string{"all", "objects", "attributes", "relations"} {
			sum := slices.Concat([]scenegraph.Summary{sums.All}, sums.Of[:])[k]
			numbers = append(numbers, sum.Precision, sum.Recall, sum.F1, float64(sum.Captions), sum.Micro.Precision(), sum.Micro.Recall(),
				sum.Micro.F1())
			for _, name := range []string{"macro.precision", "macro.recall", "macro.f1", "macro.captions", "micro.precision",
				"micro.recall", "micro.f1"} {
				want = append(want, c.Float(at("aggregate", kind, name[:5], name[6:])...))
			}
		}
		near(t, c, normalisation+": aggregate", append(numbers, sums.Equal), append(want, c.Float(at("aggregate", "set_match")...)))
	}
	read(t, c)
}

// normalisations are what a case replaces words by: nothing, and nouns by WordNet's lemmas.
func normalisations(c golden.Case) map[string]func(string) string {
	table := map[string]string{}
	for _, word := range c.Keys("params", "noun_lemmas") {
		table[word] = c.Text("params", "noun_lemmas", word)
	}
	return map[string]func(string) string{"as_is": nil, "noun_lemma": func(word string) string {
		if lemma, ok := table[word]; ok {
			return lemma
		}
		return word
	}}
}

// Our rules read the captions of FACTUAL's random test set better than SPICE's parser, whose scores on all of it the case has.
func TestParseAgainstSPICE(t *testing.T) {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA is not set; it names the folder with scene_graphs/factual_sg_random_test.csv.gz")
	}
	people := must.Get(scenegraph.ReadFile(filepath.Join(root, "scene_graphs", "factual_sg_random_test.csv.gz")))(t)
	rules := must.Get(scenegraph.ReadFile(filepath.Join(root, "scene_graphs", "SPICE_parsing_outputs.txt")))(t)
	spice := map[string]string{}
	for _, c := range rules {
		spice[c.Caption] = c.Text
	}
	content := must.Get(os.ReadFile("testdata/scene_graph_f1.json"))(t)
	c := must.Get(golden.Parse("scene_graph_f1.json", bytes.NewReader(content)))(t)
	for normalisation, lemma := range normalisations(c) {
		var ours, theirs []scenegraph.Score
		for _, row := range people {
			ours = append(ours, scenegraph.Compare(scenegraph.Parse(row.Caption).String(), row.Text, lemma))
			theirs = append(theirs, scenegraph.Compare(spice[row.Caption], row.Text, lemma))
		}
		got, bar := scenegraph.Summarise(ours), scenegraph.Summarise(theirs)
		t.Logf("%s: F1 %.1f %%, SPICE's %.1f; same graphs %.1f %%, %.1f", normalisation, 100*got.All.F1, 100*bar.All.F1, 100*got.Equal,
			100*bar.Equal)
		stored := func(kind, score string) float64 {
			return c.Float("expected", "corpus_1508", normalisation, kind, "macro", score)
		}
		near(t, c, normalisation+": SPICE's F1", []float64{bar.All.F1}, []float64{stored("all", "f1")})
		if got.All.F1 < bar.All.F1 {
			t.Errorf("%s: F1 %v, SPICE has %v", normalisation, got.All.F1, bar.All.F1)
		}
		for kind, of := range got.Of {
			t.Logf("%s: %ss: F1 %.1f %%, SPICE's %.1f; of all tuples %.1f, %.1f", normalisation, scenegraph.Kind(kind), 100*of.F1,
				100*bar.Of[kind].F1,
				100*of.Micro.F1(), 100*bar.Of[kind].Micro.F1())
			near(t, c, normalisation+": SPICE's F1", []float64{bar.Of[kind].F1},
				[]float64{stored(scenegraph.Kind(kind).String()+"s", "f1")})
		}
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
