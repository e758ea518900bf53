package catalogue

import (
	"fmt"
	"strings"
	"testing"

	"vlpx.internal/internal/test/listtest"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/internal/test/papertest"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
	"vlpx.internal/vlpx/scale"
)

// ids are the tables and figures of the five papers, paper by paper, and the project's own.
const ids = `
falcon/table1 falcon/table2 falcon/table3 falcon/table4 falcon/table5 falcon/table6 falcon/figure2 falcon/figure4 falcon/figure5
falcon/figure6 falcon/D.1 falcon/D.2 falcon/D.3
mafa/table1 mafa/table2 mafa/table3 mafa/table4 mafa/table5 mafa/table6 mafa/table7 mafa/table8 mafa/table9 mafa/table10
mafa/table11 mafa/table12 mafa/table13 mafa/table14 mafa/table15 mafa/table16 mafa/table17 mafa/table18 mafa/table19 mafa/table20
mafa/figure2 mafa/figure5 mafa/figure6 mafa/figure7 mafa/figure8
glofnd/table1 glofnd/table2 glofnd/table3 glofnd/table4 glofnd/table5 glofnd/table6 glofnd/table7 glofnd/table8 glofnd/figure1
glofnd/figure5 glofnd/figure6 glofnd/tsne glofnd/lambda glofnd/predfn glofnd/warmup glofnd/batchwise glofnd/stats
srcl/table1 srcl/table2 srcl/table3 srcl/table4 srcl/table5 srcl/figure3 srcl/figure4 srcl/figure5 srcl/figure6 srcl/figure7
srcl/figure8
tags/table1 tags/table2 tags/table3 tags/table4 tags/table5 tags/figure1 tags/figure3 tags/figure4
vlpx/reward vlpx/scheduler vlpx/policy vlpx/quantile vlpx/density vlpx/clip vlpx/human vlpx/agreement vlpx/con-d vlpx/ceilings
vlpx/ceilings-images vlpx/leftout vlpx/map vlpx/written vlpx/tagged vlpx/ceilings-written vlpx/blip2 vlpx/captions vlpx/questions`

func TestCatalogueIDs(t *testing.T) {
	var got []string
	for _, a := range List() {
		got = append(got, a.ID)
	}
	want := strings.Fields(ids)
	if len(want) != 74+19 {
		t.Fatalf("the test lists %d artifacts, want 93", len(want))
	}
	listtest.Equal(t, "the catalogue", got, want)
}

// Every row has a name of its own and as many numbers as the paper's own columns, which come first; every claim is about rows
// and a column that are there, and what a paper's table is said to show is what its numbers say.
func TestCatalogueHoldsTogether(t *testing.T) {
	for _, a := range List() {
		t.Run(a.ID, func(t *testing.T) {
			if a.Title == "" || a.Status() != paper.NotYet && a.Look == "" || Title(a.Paper()) == "" {
				t.Error("no title, nothing to look for, or its paper has no title")
			}
			rows, keys := map[string]plan.Row{}, map[string]int{}
			for i, c := range a.Columns {
				if _, twice := keys[c.Key()]; twice {
					t.Errorf("column %q is there twice", c.Key())
				}
				keys[c.Key()] = i
			}
			for _, row := range a.Rows {
				if _, twice := rows[row.Name]; twice || row.Name == "" || strings.Contains(row.Name, ",") {
					t.Errorf("row %q is there twice, or has no name that -methods could list", row.Name)
				}
				rows[row.Name] = row
				if a.Paper() == "vlpx" && len(row.Paper) > 0 && a.ID != "vlpx/written" { // of which TAGS-DC's text has a number
					t.Errorf("row %q of an artifact of our own has numbers of a paper", row.Name)
				}
				for _, name := range scale.ScaleNames() {
					s := must.Get(scale.Preset(name, false))(t)
					if row.Method != nil && row.Measure == nil && row.Method(s).Name != row.Name {
						t.Errorf("row %q has the method %q", row.Name, row.Method(s).Name)
					}
				}
			}
			for _, claim := range a.Claims {
				better, has := rows[claim.Better]
				than, also := rows[claim.Than]
				also = also || claim.Than == paper.BestOfSweep && len(a.Sweep) > 0
				at, known := keys[claim.In.Key()]
				if !has || !also || !known {
					t.Errorf("%s: a row or the column is not there", claim)
					continue
				}
				for _, name := range claim.Rows() {
					if _, has := rows[name]; !has && name != paper.BestOfSweep {
						t.Errorf("%s: no row %q", claim, name)
					}
				}
				if a.Columns[at].Lower != claim.In.Lower {
					t.Errorf("%s: the column has the other direction", claim)
				}
				if claim.Source == "" || at >= min(len(better.Paper), len(than.Paper)) {
					continue
				}
				first, second := better.Paper[at], than.Paper[at]
				if claim.Over != [2]string{} {
					first, second = first-papertest.RowNamed(a.Rows, claim.Over[0]).Paper[at],
						second-papertest.RowNamed(a.Rows, claim.Over[1]).Paper[at]
				}
				if (first > second) == claim.In.Lower {
					t.Errorf("%s, by %s: got %v and %v, which say otherwise", claim, claim.Source, first, second)
				}
			}
		})
	}
}

// A row has the paper's number of every column that the paper prints, or of none.
func TestPaperNumbersFillThePapersColumns(t *testing.T) {
	for _, c := range []struct {
		id      string
		columns int
	}{{"falcon/table1", 10}, {"falcon/D.2", 0}} {
		a := must.Get(Find(c.id))(t)
		for _, row := range a.Rows {
			if n := len(row.Paper); n != c.columns && row.Name != "InfoNCE" && row.Name != plan.UniformRow().Name {
				t.Errorf("%s, %s: got %d numbers, want %d", c.id, row.Name, n, c.columns)
			}
		}
	}
}

// Every row and every column of all artifacts is there.
func TestEveryArtifactIsReady(t *testing.T) {
	for _, a := range List() {
		if got := a.Status(); got != paper.Ready {
			t.Errorf("%s: got %q, want %q", a.ID, got, paper.Ready)
		}
	}
}

func ExampleFind() {
	a, err := Find("falcon/table1")
	fmt.Println(a.Title, err)
	_, err = Find("falcon/tabel2")
	fmt.Println(err)
	_, err = Find("table6")
	fmt.Println(err)
	// Output:
	// FALCON against heuristic negative mining <nil>
	// no artifact "falcon/tabel2"; did you mean "falcon/table2"? See them all with: vlpx list, or vlpx.Show("") in a notebook
	// no artifact "table6"; did you mean falcon/table6 or mafa/table6 or glofnd/table6?
}
