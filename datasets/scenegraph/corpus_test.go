package scenegraph

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDevScratch(t *testing.T) {
	path := filepath.Join(os.Getenv("VLPX_DATA"), "scene_graphs", "factual_sg_random_dev.csv.gz")
	f, _ := os.Open(path)
	z, _ := gzip.NewReader(f)
	rows, _ := csv.NewReader(z).ReadAll()
	out, _ := os.Create("/tmp/sg/dev_errors.txt")
	var as, nl []Score
	for _, r := range rows[1:] {
		g := Parse(r[2])
		s := Compare(g.String(), r[3], Lemma)
		as = append(as, Compare(g.String(), r[3], nil))
		nl = append(nl, s)
		if s.All.F1() < 1 {
			var miss, extra []string
			a, b := Tuples(g.String(), Lemma), Tuples(r[3], Lemma)
			for _, x := range a {
				if !has(b, x) {
					extra = append(extra, strings.Join(x, ","))
				}
			}
			for _, x := range b {
				if !has(a, x) {
					miss = append(miss, strings.Join(x, ","))
				}
			}
			fmt.Fprintf(out, "%s\n    ours  %s\n    extra %s\n    miss  %s\n", r[2], g, strings.Join(extra, " | "), strings.Join(miss, " | "))
		}
	}
	for n, x := range map[string]Summaries{"as_is": Summarise(as), "lemma": Summarise(nl)} {
		fmt.Printf("%s all %.4f/%.4f", n, x.All.F1, x.All.Micro.F1())
		for k, o := range x.Of {
			fmt.Printf("  %v %.4f/%.4f (P %.3f R %.3f)", Kind(k), o.F1, o.Micro.F1(), o.Micro.Precision(), o.Micro.Recall())
		}
		fmt.Printf(" equal %.3f\n", x.Equal)
	}
}

func has(all []Tuple, x Tuple) bool {
	for _, a := range all {
		if strings.Join(a, ",") == strings.Join(x, ",") {
			return true
		}
	}
	return false
}
