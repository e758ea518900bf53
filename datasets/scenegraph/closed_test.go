package scenegraph

import (
	"strings"
	"testing"
)

// A word of the closed classes has one class: which one must not hang on the order of a map.
func TestClosedClassesAreDistinct(t *testing.T) {
	seen := map[string]class{}
	for c, words := range closedWords {
		for _, word := range strings.Fields(words) {
			if other, ok := seen[word]; ok && other != c {
				t.Errorf("%q is in the classes %d and %d", word, other, c)
			}
			seen[word] = c
		}
	}
}
