// Package listtest is for tests of lists of names, such as artifacts, rows, runs and settings: it tells a difference instead of two lists.
package listtest

import (
	"fmt"
	"slices"
	"testing"
)

// Equal fails the test unless two lists are the same, and tells which names are missing, which are extra, and which stand elsewhere.
func Equal(t testing.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	missing, extra, moved := Difference(got, want)
	t.Errorf("%s: missing %q, extra %q, moved %q", what, missing, extra, moved)
}

// Difference tells which names a list lacks, which it has too often, in their order, and which of the others stand elsewhere, each with its
// places from 1: as few as have to move.
func Difference(got, want []string) (missing, extra, moved []string) {
	common, extra := split(got, want)
	wanted, missing := split(want, got)
	for _, at := range outOfOrder(common, wanted) {
		name := common[at]
		moved = append(moved, fmt.Sprintf("%s (is %d, want %d)", name, at+1, slices.Index(wanted, name)+1))
	}
	return missing, extra, moved
}

// split parts a list into what another one has as often, and the rest.
func split(list, other []string) (common, rest []string) {
	left := map[string]int{}
	for _, name := range other {
		left[name]++
	}
	for _, name := range list {
		if left[name]--; left[name] >= 0 {
			common = append(common, name)
		} else {
			rest = append(rest, name)
		}
	}
	return common, rest
}

// outOfOrder are the places in a list of what is not in its longest common subsequence with another.
func outOfOrder(list, other []string) []int {
	longest := make([][]int, len(list)+1) // of the parts from i and from j on
	for i := range longest {
		longest[i] = make([]int, len(other)+1)
	}
	for i := len(list) - 1; i >= 0; i-- {
		for j := len(other) - 1; j >= 0; j-- {
			if list[i] == other[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out []int
	for i, j := 0, 0; i < len(list); {
		switch {
		case j < len(other) && list[i] == other[j]:
			i, j = i+1, j+1
		case j < len(other) && longest[i][j+1] >= longest[i+1][j]:
			j++
		default:
			out = append(out, i)
			i++
		}
	}
	return out
}
