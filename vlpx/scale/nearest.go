package scale

import (
	"fmt"
	"strings"
)

// Unknown says that a name is none of what there is, with the nearest and all that there are.
func Unknown(what, name string, names []string) error {
	return fmt.Errorf("no %s %q%s There are %s", what, name, Suggest(name, names), strings.Join(names, ", "))
}

// Suggest ends a sentence about a name that is not known: it asks for the nearest candidate, if one is near.
func Suggest(name string, candidates []string) string {
	nearest := Nearest(name, candidates)
	lower := strings.ToLower(name)
	if !strings.HasPrefix(strings.ToLower(nearest), lower) && edits(lower, strings.ToLower(nearest)) > max(2, len(name)/3) {
		return "."
	}
	return fmt.Sprintf("; did you mean %q?", nearest)
}

// Nearest is the candidate that a name is the beginning of, else the one with the fewest single-letter edits from it.
func Nearest(name string, candidates []string) string {
	for _, c := range candidates {
		if name != "" && strings.HasPrefix(strings.ToLower(c), strings.ToLower(name)) {
			return c
		}
	}
	best, least := "", -1
	for _, c := range candidates {
		d := edits(strings.ToLower(name), strings.ToLower(c))
		if least < 0 || d < least || d == least && c < best {
			best, least = c, d
		}
	}
	return best
}

// edits is the Levenshtein distance.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
