package scenegraph

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTuples(t *testing.T) {
	got := Tuples("(Man,sit on,Bench),( bench , is , green ),( man ) , ( a , b )", nil)
	want := []Tuple{{"bench"}, {"man"}, {"bench", "green"}, {"man", "sit on", "bench"}} // two names are nothing
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q, want %q", got, want)
	}
	for k, kind := range []Kind{KindObject, KindObject, KindAttribute, KindRelation} {
		if want[k].Kind() != kind {
			t.Errorf("%q is of kind %v, want %v", want[k], want[k].Kind(), kind)
		}
	}
}

func TestCompare(t *testing.T) {
	parsed, reference := "( dogs , on , grass ) , ( dogs , is , brown )", "( dog , on , grass ) , ( dog , is , small )"
	// As written grass alone is in both. In the singular so are dog and the relation, and the attribute is not.
	if got, want := Compare(parsed, reference, nil),
		(Score{All: Counts{1, 4, 4}, Of: [3]Counts{{1, 2, 2}, {0, 1, 1}, {0, 1, 1}}}); got != want {
		t.Errorf("as written: got %+v, want %+v", got, want)
	}
	s := Compare(parsed, reference, Lemma)
	if want := (Score{All: Counts{3, 4, 4}, Of: [3]Counts{{2, 2, 2}, {0, 1, 1}, {1, 1, 1}}}); s != want {
		t.Errorf("in the singular: got %+v, want %+v", s, want)
	}
	if got := s.All.F1(); math.Abs(got-.75) > 1e-15 {
		t.Errorf("F1: got %v, want .75", got)
	}
	if got := Compare("", "", nil); !got.Equals || got.All.F1() != 0 {
		t.Errorf("two empty graphs: got %+v, F1 %v, want equal ones with 0", got, got.All.F1())
	}
	// Of two captions the one without a relation does not count for relations' mean, and does for all tuples'.
	sums := Summarise([]Score{s, Compare("( cat )", "( dog )", nil)})
	relations := sums.Of[KindRelation]
	if sums.All.Captions != 2 || relations.Captions != 1 || relations.F1 != 1 || math.Abs(sums.All.F1-.375) > 1e-15 || sums.Equal != 0 {
		t.Errorf("got %+v", sums)
	}
	if got, want := sums.All.Micro, (Counts{3, 5, 5}); got != want {
		t.Errorf("summed counts: got %+v, want %+v", got, want)
	}
}

// A graph is equal to itself in any order of its segments, and exchanging the two graphs exchanges precision and recall.
func TestCompareProperties(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "c", "d e"})
	text := func(t *rapid.T, label string) string {
		g := Graph{Objects: []Object{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d e"}}}
		for range rapid.IntRange(0, 4).Draw(t, label) {
			s, o := rapid.IntRange(0, 3).Draw(t, "s"), rapid.IntRange(0, 3).Draw(t, "o")
			g.Relations = append(g.Relations, Relation{s, o, names.Draw(t, "name"), nil})
			g.Attributes = append(g.Attributes, Attribute{o, names.Draw(t, "name"), nil})
		}
		return g.String()
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := text(t, "a"), text(t, "b")
		segments := strings.Split(a, " , (")
		for i, s := range segments {
			segments[i] = "( " + strings.TrimPrefix(s, "(")
		}
		slices.Reverse(segments)
		if s := Compare(a, strings.Join(segments, ","), nil); !s.Equals || s.All.F1() != 1 {
			t.Fatalf("%s with itself in another order: %+v", a, s)
		}
		there, back := Compare(a, b, nil), Compare(b, a, nil)
		if there.All.Precision() != back.All.Recall() || there.All.F1() != back.All.F1() || there.Equals != back.Equals {
			t.Fatalf("%s and %s: %+v one way, %+v the other", a, b, there, back)
		}
	})
}
