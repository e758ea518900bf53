package scale

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// slowEdits is the Levenshtein distance by its definition.
func slowEdits(a, b string) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slowEdits(a[1:], b[1:])
	}
	return 1 + min(slowEdits(a[1:], b), slowEdits(a, b[1:]), slowEdits(a[1:], b[1:]))
}

func TestEditsAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching("[abc]{0,6}").Draw(t, "a"), rapid.StringMatching("[abc]{0,6}").Draw(t, "b")
		if got, want := edits(a, b), slowEdits(a, b); got != want {
			t.Errorf("%q to %q: got %d, want %d", a, b, got, want)
		}
	})
}

// Of candidates as near, the first in the alphabet is taken; without candidates there is none.
func ExampleNearest() {
	fmt.Println(Nearest("GRIT", []string{"ALBEF", "GRIT-VLP", "FALCON"}))
	fmt.Println(Nearest("tinny", []string{"mini", "tiny", "tinnx"}))
	fmt.Printf("%q\n", Nearest("mini", nil))
	// Output:
	// GRIT-VLP
	// tinnx
	// ""
}
