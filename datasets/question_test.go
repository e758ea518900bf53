package datasets

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

// examined is a set with questions, out of order, and statements.
type examined struct{ fake }

func (examined) Questions() []Question {
	return []Question{{Image: 2, Text: "c", Answers: []string{"1"}}, {Image: 0, Text: "a"}, {Image: 0, Text: "b"}, {Image: 3, Text: "d"}}
}

func (examined) Statements() []Statement {
	return []Statement{{Left: 2, Right: 0, Text: "x", True: true}, {Left: 0, Right: 3, Text: "y"}, {Left: 1, Right: 2, Text: "z"}}
}

// A pair is a question, in the order that the view tells them in; what is about an image that is not shown is left out.
func TestOfQuestions(t *testing.T) {
	set := examined{fake{{"1"}, {"2"}, {"3"}, {"4"}}}
	view := must.Get(OfQuestions(First(set, 3, 0)))(t)
	questions := view.(Questioned).Questions()
	var texts []string
	for p, pair := range Pairs(view) {
		texts = append(texts, pair.Text(view))
		if q := questions[p]; q.Image != pair.Image || q.Text != pair.Text(view) {
			t.Errorf("pair %d is %+v %q, question %d is %+v", p, pair, pair.Text(view), p, q)
		}
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
	if n := PairsOf(view, 1); n != 0 {
		t.Errorf("an image without questions is in %d pairs", n)
	}
	if _, err := OfQuestions(fake{{"a"}}); err == nil {
		t.Error("a set without questions is no error")
	}
}

func TestOfStatements(t *testing.T) {
	set := examined{fake{{"1"}, {"2"}, {"3"}, {"4"}}}
	view := must.Get(OfStatements(First(set, 3, 0)))(t)
	want := []Statement{{Left: 1, Right: 2, Text: "z"}, {Left: 2, Right: 0, Text: "x", True: true}}
	if got := view.(Stated).Statements(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := Pairs(view), []Pair{{1, 0}, {2, 0}}; !slices.Equal(got, want) {
		t.Errorf("got pairs %v, want %v", got, want)
	}
	if _, err := OfStatements(fake{{"a"}}); err == nil {
		t.Error("a set without statements is no error")
	}
}
