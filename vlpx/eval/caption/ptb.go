package caption

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// PTB splits captions into tokens in lower case, with one blank between them, as COCO's evaluation does: by the rules of the Penn Treebank
// as Stanford's PTBTokenizer 3.4.1 reads them (contractions, abbreviations, numbers, hyphenated words; rules.go), without the tokens that
// it lists as punctuation. Brackets stay, as "-lrb-" and the like: the published list has them in capitals, and is asked in lower case.
//
// The captions are one text of a line each, as there: what an abbreviation at the end of a line becomes may depend on the line after it. A
// line break within a caption is a blank. A blank inside a token ("1 1/2") is a non-breaking one.
func PTB(captions []string) []string {
	lines := make([]string, len(captions))
	for i, caption := range captions {
		lines[i] = breaks.Replace(strings.ToValidUTF8(caption, ""))
	}
	tokens := make([]string, len(lines))
	for i, line := range lines {
		after := ""
		if i+1 < len(lines) {
			after = "\n" + lines[i+1]
		}
		var kept []string
		for _, token := range split(line, start(after)) {
			if token = strings.ToLower(token); !slices.Contains(punctuation, token) {
				kept = append(kept, token)
			}
		}
		tokens[i] = strings.Join(kept, " ")
	}
	return tokens
}

var breaks = strings.NewReplacer("\n", " ", "\r", " ", "\v", " ", "\f", " ", "\u0085", " ", "\u2028", " ", "\u2029", " ")

// punctuation is what the published list has in small letters; "." and the quotes are how the rules write what they stand for.
var punctuation = []string{"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"}

// start is as much of the next line as a rule looks at.
func start(after string) string {
	const most = 24
	if len(after) <= most {
		return after
	}
	end := most
	for !utf8.RuneStart(after[end]) {
		end--
	}
	return after[:end]
}

// split is a line's tokens; after is what follows it.
func split(line, after string) []string {
	var tokens []string
	text := line + after
	for at := 0; at < len(line); {
		if n := plain(text[at:]); n > 0 {
			tokens = append(tokens, text[at:at+n])
			at += n
			continue
		}
		n, written := match(text[at:])
		tokens = append(tokens, written...)
		at += n
	}
	return tokens
}

// plain is the length of a word of letters alone with nothing but a blank after it, most words of a caption, 0 if there is none. The rules
// would take their time for the same.
func plain(text string) int {
	n := 0
	for n < len(text) && ('a' <= text[n]|0x20 && text[n]|0x20 <= 'z') {
		n++
	}
	if n < len(text) && text[n] != ' ' && text[n] != '\n' || parts[strings.ToLower(text[:n])] != nil {
		return 0
	}
	return n
}

// match is the longest token that some rule finds at the start of a text, the first rule's of equally long ones, counting what the rule
// wants to see after the token. It returns how much to go on by, and the token as it is written: in parts, or none for blanks and what no
// rule knows.
func match(text string) (n int, written []string) {
	var best *rule
	longest := 0
	for i := range rules {
		r := &rules[i]
		if !r.startsWith(text[0]) {
			continue
		}
		if found := r.pattern.FindStringSubmatchIndex(text); found != nil && found[1] > longest {
			best, longest, n = r, found[1], found[3]
		}
	}
	if best == nil {
		_, n = utf8.DecodeRuneInString(text)
		return n, nil
	}
	return n, best.write(text[:n])
}
