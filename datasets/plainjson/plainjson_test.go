package plainjson

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestUnmarshal(t *testing.T) {
	type entry struct {
		Name  string
		Sizes []uint
		Share *float64
		More  struct{ Open bool }
	}
	for text, want := range map[string]string{
		"{\n \"Name\": 3}":                 `line 2, column 10: "Name" is a number; a text belongs there`,
		`{"Sizes": 3}`:                     `line 1, column 11: "Sizes" is a number; a list belongs there`,
		`{"Sizes": [1, -2]}`:               `is the number -2; a whole number, not negative, belongs there`,
		`{"Share": "all"}`:                 `"Share" is a text; a number belongs there`,
		"{\"More\":\n\n{\"Open\": \"x\"}}": `line 3, column 12: "More.Open" is a text; true or false belongs there`,
		`{"More": []}`:                     `"More" is a list; an object belongs there`,
		`[1]`:                              `line 1, column 1: a list where an object belongs`,
		"{\"Name\": \"a\",\n}":             "line 2, column 1: invalid character '}'",
		`{"Name": `:                        "line 1, column 9: unexpected end of JSON input",
		``:                                 "unexpected end of JSON input",
	} {
		err := Unmarshal([]byte(text), &entry{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: got %q, want %q", text, err, want)
		}
	}
	if err := Unmarshal([]byte(`{"Name": "a", "Sizes": [1], "More": {"Open": true}}`), &entry{}); err != nil {
		t.Errorf("sound JSON: %v", err)
	}
}

// What is told in other words is still the error that it was.
func TestInWordsIs(t *testing.T) {
	err := Unmarshal([]byte(`{"A": 1}`), &struct{ A string }{})
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) || kind.Field != "A" {
		t.Errorf("got %v, which is no UnmarshalTypeError of A any more", err)
	}
	if plain := errors.New("other"); InWords(plain) != plain || InText(nil, plain) != plain || InText(nil, nil) != nil {
		t.Error("another error does not stay as it is")
	}
}

func FuzzUnmarshal(f *testing.F) {
	f.Add(`{"a": [1, "x", {"b": null}]}`)
	f.Add("{\n\"a\": 1e400}")
	f.Fuzz(func(t *testing.T, text string) {
		type tree struct {
			A []int
			B map[string]bool
			C *tree
		}
		var plain tree
		want, got := json.Unmarshal([]byte(text), &plain), Unmarshal([]byte(text), &tree{})
		if (want == nil) != (got == nil) {
			t.Fatalf("%q: json tells %v, Unmarshal %v", text, want, got)
		}
		if got != nil && strings.Contains(got.Error(), "Go ") && !strings.Contains(text, "Go ") {
			t.Errorf("%q: %v", text, got)
		}
	})
}
