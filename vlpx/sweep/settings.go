package sweep

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Setting is what a launcher can be told by "key=value".
type Setting struct {
	Key, What string
	number    bool // a whole number from 1
}

// assignment is a setting that was made.
type assignment struct{ key, value string }

// parseSettings reads settings of known keys. Where free is not nil other keys are taken, too, unless free says why one is not. A key
// without a value has an empty one.
func parseSettings(known []Setting, set []string, free func(key string) error) ([]assignment, error) {
	var all []assignment
	for _, text := range set {
		key, value, valued := strings.Cut(text, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		i := slices.IndexFunc(known, func(s Setting) bool { return s.Key == key })
		switch {
		case key == "" || strings.ContainsAny(text, "\n\r\x00"):
			return nil, fmt.Errorf("setting %q: write it as key=value, in one line", text)
		case i < 0 && free == nil:
			var keys []string
			for _, s := range known {
				keys = append(keys, s.Key)
			}
			return nil, fmt.Errorf("no setting %q; there are %s", key, strings.Join(keys, ", "))
		case i < 0:
			if err := free(key); err != nil {
				return nil, err
			}
		case !valued || value == "":
			return nil, fmt.Errorf("setting %s needs a value: %s", key, known[i].What)
		case known[i].number:
			if n, err := strconv.Atoi(value); err != nil || n < 1 {
				return nil, fmt.Errorf("setting %s=%s: %q is no whole number from 1: %s", key, value, value, known[i].What)
			}
		}
		all = append(all, assignment{key, value})
	}
	return all, nil
}

// shellQuoted is a word for a POSIX shell.
func shellQuoted(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
