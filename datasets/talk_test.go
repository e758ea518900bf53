package datasets

import (
	"slices"
	"testing"
)

// talked is a set of three images with questions.
type talked struct{ fake }

func (talked) Questions() []Question {
	return []Question{
		{Image: 2, Text: "how many ?", Answers: []string{"two"}},
		{Image: 0, Text: "is it red ?", Answers: []string{"no", "yes", "yes", "maybe"}},
		{Image: 0, Text: "what is it ?"}, // the answer is kept back
		{Image: 0, Text: "where ?", Answers: []string{"left", "here"}},
		{Image: 3, Text: "who ?", Answers: []string{"me"}},
	}
}

// Behind an image's captions stand its questions, each with its most frequent answer, of equally frequent ones the first of the alphabet.
func TestOfTalk(t *testing.T) {
	set := talked{fake{{"a disc", "one disc"}, {"a ring"}, {"a square"}, {"a star"}}}
	view := OfTalk(First(set, 3, 0))
	for i, want := range [][]string{
		{"a disc", "one disc", "question : is it red ? answer : yes", "question : where ? answer : here"},
		{"a ring"},
		{"a square", "question : how many ? answer : two"},
	} {
		if got := view.Captions(i); !slices.Equal(got, want) {
			t.Errorf("image %d: got %q, want %q", i, got, want)
		}
	}
	if n := len(Pairs(view)); n != 7 {
		t.Errorf("got %d pairs, want one for each text, 7", n)
	}
	if got := set.Captions(0); len(got) != 2 {
		t.Errorf("the set itself has the captions %q now", got)
	}
	plain := fake{{"a", "b"}, {"c"}}
	if view := OfTalk(plain); !slices.Equal(view.Captions(0), plain[0]) || !slices.Equal(view.Captions(1), plain[1]) {
		t.Errorf("without questions: got %q", view.Captions(0))
	}
	if got, want := Prompt("how many ?"), "question : how many ? answer :"; got != want {
		t.Errorf("got the prompt %q, want %q", got, want)
	}
}
