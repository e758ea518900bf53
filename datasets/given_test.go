package datasets

import (
	"slices"
	"testing"

	"vlpx.internal/internal/test/must"
)

func TestGiven(t *testing.T) {
	q := Question{Answers: []string{"red", "dark red", "red", "blue", "dark red", "red", "blue", "red", "no", "blue"}}
	want := []Given{{"red", .4}, {"blue", .3}, {"dark red", .2}, {"no", .1}}
	if got := q.Given(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := (Question{}).Given(); got != nil {
		t.Errorf("got %v of a question whose answers are kept back", got)
	}
}

func TestDistinctAnswers(t *testing.T) {
	view := must.Get(OfQuestions(answered{fake{{"1"}, {"2"}}}))(t)
	if got := DistinctAnswers(view.(Questioned)); !slices.Equal(got, []string{"2", "no", "yes"}) {
		t.Errorf("got %q", got)
	}
}

// answered is a set with questions that several people answered.
type answered struct{ fake }

func (answered) Questions() []Question {
	return []Question{{Image: 0, Answers: []string{"yes", "no", "yes"}}, {Image: 1, Answers: []string{"2", "no"}}, {Image: 1},
		{Image: 7, Answers: []string{"not shown"}}}
}
