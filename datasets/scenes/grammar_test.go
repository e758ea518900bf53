package scenes

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var spoken = []struct {
	text  string
	graph Graph
}{
	{"an object", Graph{}},
	{"a red object", Graph{Subject: Attributes{Colour: Red}}},
	{"a ring on sand", Graph{Subject: Attributes{Shape: Ring}, Ground: Sand}},
	{"a small striped red square left of a big object on heather", Graph{
		Subject:   Attributes{Square, Red, Small, Striped},
		Direction: LeftOf,
		Object:    Attributes{Size: Big},
		Ground:    Heather,
	}},
	{"an object below a plain disc", Graph{
		Direction: Below,
		Object:    Attributes{Shape: Disc, Texture: Plain},
	}},
}

func TestGrammar(t *testing.T) {
	for _, test := range spoken {
		if got := test.graph.String(); got != test.text {
			t.Errorf("String of %+v: got %q, want %q", test.graph, got, test.text)
		}
		got, err := Parse(test.text)
		if err != nil || got != test.graph {
			t.Errorf("Parse(%q): got %+v, %v, want %+v", test.text, got, err, test.graph)
		}
	}
}

func TestParseReadsRenderedGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := firstWords.anyGraph().Draw(t, "graph")
		got, err := Parse(want.String())
		if err != nil || got != want {
			t.Fatalf("Parse(%q): got %+v, %v, want %+v", want, got, err, want)
		}
	})
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                      `scenes: caption "": word 1 is the end; want "a" or "an object"`,
		"a":                     `scenes: caption "a": word 2 is the end; want size, texture, colour and shape in this order`,
		"a object":              `word 2 is "object"; want size, texture, colour and shape`,
		"a red small disc":      `word 3 is "small"; want size, texture, colour and shape in this order`,
		"a disc left a ring":    `word 3 is "left"; want the end, a direction or a ground`,
		"a disc on fire":        `word 4 is "fire"; want a ground (sand, grass,`,
		"a disc above":          `word 4 is the end; want "a" or "an object"`,
		"a disc on sand please": `word 5 is "please"; want the end`,
	} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): got %+v and error %v, want an error with %q", text, got, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range spoken {
		f.Add(s.text)
	}
	f.Add(" a\tdisc  left of\nan object ")
	f.Add("a disc on on sand")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Parse(text)
		if err != nil {
			if g != (Graph{}) {
				t.Errorf("Parse(%q): got %+v with an error, want the zero graph", text, g)
			}
			return
		}
		if got, want := g.String(), strings.Join(strings.Fields(text), " "); got != want {
			t.Errorf("Parse(%q).String(): got %q, want %q", text, got, want)
		}
	})
}
