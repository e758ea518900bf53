package place

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// mostNames bounds what braces may stand for.
const mostNames = 100_000

// Expand is what a shell makes of braces: of a{0..2}b a0b, a1b and a2b, with as many digits as its bounds have; of {x,y} x and y. There may
// be several, but none within another.
func Expand(pattern string) ([]string, error) {
	names := []string{""}
	for rest := pattern; rest != ""; {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			open = len(rest)
		}
		if strings.ContainsRune(rest[:open], '}') {
			return nil, fmt.Errorf("%s: a brace is closed that was not opened", pattern)
		}
		parts := []string{""}
		head, inner := rest[:open], ""
		if rest = rest[open:]; rest != "" {
			end := strings.IndexByte(rest, '}')
			if end < 0 || strings.ContainsRune(rest[1:end], '{') {
				return nil, fmt.Errorf("%s: a brace is not closed before the next one", pattern)
			}
			inner, rest = rest[1:end], rest[end+1:]
			var err error
			if parts, err = alternatives(inner); err != nil {
				return nil, fmt.Errorf("%s: {%s}: %w", pattern, inner, err)
			}
		}
		if len(names)*len(parts) > mostNames {
			return nil, fmt.Errorf("%s: more than %d files", pattern, mostNames)
		}
		var longer []string
		for _, name := range names {
			for _, part := range parts {
				longer = append(longer, name+head+part)
			}
		}
		names = longer
	}
	return names, nil
}

// alternatives are what the inner of a pair of braces stands for.
func alternatives(inner string) ([]string, error) {
	low, high, isRange := strings.Cut(inner, "..")
	if !isRange {
		if !strings.Contains(inner, ",") {
			return nil, errors.New("write a range such as {00..31}, or words such as {a,b}")
		}
		return strings.Split(inner, ","), nil
	}
	first, err := strconv.ParseUint(low, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%q is no number", low)
	}
	last, err := strconv.ParseUint(high, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("%q is no number", high)
	}
	if last < first || last-first >= mostNames {
		return nil, fmt.Errorf("want a first number, a greater last one, and at most %d between", mostNames)
	}
	var all []string
	for n := first; n <= last; n++ {
		all = append(all, fmt.Sprintf("%0*d", digits(low), n))
	}
	return all, nil
}

// digits are those that each number of a range has: as many as its first, where that begins with a zero.
func digits(first string) int {
	if len(first) > 1 && first[0] == '0' {
		return len(first)
	}
	return 1
}
