package text

import "strings"

// MaxWords is the number of words that ALBEF keeps of a caption.
const MaxWords = 30

// Clean prepares a caption as ALBEF does (METHODS.md 1.1): lower case, the signs ,.'!?"()*#:;~ removed, "-" and "/" turned
// into spaces, "<person>" into "person", runs of white space into one space, none at the ends, at most maxWords words
// (0: all). A caption of nothing but signs becomes empty.
func Clean(caption string, maxWords int) string {
	caption = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`,.'!?"()*#:;~`, r):
			return -1
		case r == '-' || r == '/':
			return ' '
		}
		return r
	}, strings.ToLower(caption))
	words := strings.Fields(strings.ReplaceAll(caption, "<person>", "person"))
	if maxWords > 0 && len(words) > maxWords {
		words = words[:maxWords]
	}
	return strings.Join(words, " ")
}
