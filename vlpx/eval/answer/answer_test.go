package answer

import (
	"math"
	"strings"
	"testing"
)

func TestNormalise(t *testing.T) {
	for answer, want := range map[string]string{
		"The two\tdogs.\n": "2 dogs", "t-shirt": "t shirt", "tennis - ball": "tennis ball", "1,000-foot": "1000foot", "3.5": "3.5",
		"u.s.a.":    "usa",
		"dont know": "don't know", "someoned've": "someone'd've", "somebody'd": "somebodyd", "Twas": "'twas", "10:30": "10:30", "a": "",
		"none":                        "0",
		strings.Repeat(".", 34) + "x": "..x", "CAFÉ": "café",
	} {
		if got := Normalise(answer); got != want {
			t.Errorf("%q: got %q, want %q", answer, got, want)
		}
	}
}

func TestScore(t *testing.T) {
	ten := func(of string, n int, rest string) []string {
		return strings.Split(strings.Repeat(of+"|", n)+strings.Repeat(rest+"|", 10-n), "|")[:10]
	}
	questions := []Question{
		// Three people who said it find two others, seven find three: (3·2/3 + 7) / 10.
		{"2", ten("two", 3, "3"), "how many", "number"},
		// The one who said it finds nobody, nine find one.
		{"a cat", ten("cat", 1, "dog"), "what is", "other"},
		// All said the same, and so "Yes" is not "yes".
		{"yes", ten("Yes", 10, ""), "is the", "yes/no"},
		{"Yes ", ten("Yes", 10, ""), "is the", "yes/no"},
	}
	got, err := Score(questions)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{90, 30, 0, 100} {
		if math.Abs(got.Questions[i]-want) > 1e-9 {
			t.Errorf("question %d: got %v, want %v", i, got.Questions[i], want)
		}
	}
	if got.Overall != 55 || got.Kinds["is the"] != 50 || got.Answers["other"] != got.Questions[1] || len(got.Kinds) != 3 {
		t.Errorf("got %+v, want 55 over all, 50 of \"is the\"", got)
	}
	_, err = Score(append(questions, Question{Predicted: "no"}))
	if err == nil || !strings.Contains(err.Error(), `question 4 ("no" predicted): nobody answered it`) {
		t.Errorf("got %v, want an error that names question 4", err)
	}
}

// Nothing makes an answer longer in words, and what is normalised has no capitals, articles or blanks around it.
func FuzzNormalise(f *testing.F) {
	f.Add("The Red Bus, 1,000!")
	f.Add("ow's'at.. .5\n")
	f.Fuzz(func(t *testing.T, answer string) {
		got := Normalise(answer)
		if got != strings.Join(strings.Fields(got), " ") {
			t.Fatalf("%q: got %q, want single blanks", answer, got)
		}
		for word := range strings.FieldsSeq(got) {
			if word == "a" || word == "an" || word == "the" {
				t.Fatalf("%q: got %q, want no articles", answer, got)
			}
		}
	})
}
