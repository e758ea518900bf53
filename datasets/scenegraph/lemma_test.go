package scenegraph

import "testing"

func TestLemma(t *testing.T) {
	for noun, want := range map[string]string{
		"dogs": "dog", "dog": "dog", "boxes": "box", "benches": "bench", "dishes": "dish", "glasses": "glasses", "grass": "grass",
		"buses": "bus", "bus": "bus",
		"houses": "house", "vases": "vase", "babies": "baby", "cookies": "cookie", "shoes": "shoe", "tomatoes": "tomato", "men": "man",
		"women":    "woman",
		"children": "child", "feet": "foot", "knives": "knife", "shelves": "shelf", "scarves": "scarf", "policemen": "policeman",
		"people": "people",
		"jeans":  "jeans", "tennis": "tennis", "gas": "gas", "skies": "sky", "skis": "ski", "keys": "key", "fishermen": "fisherman", "": "",
	} {
		if got := Lemma(noun); got != want {
			t.Errorf("Lemma(%q): got %q, want %q", noun, got, want)
		}
	}
}
