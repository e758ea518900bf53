package answer

import (
	"regexp"
	"strings"
)

// Normalise is the answer that answers are compared as: cleaned, without punctuation, articles and capitals, digits for words of numbers,
// contractions with their apostrophe ("The two dogs." is "2 dogs").
func Normalise(answer string) string {
	return plain(WithoutPunctuation(Clean(answer)))
}

// Clean is an answer with blanks for line breaks and tabs, and none around it.
func Clean(answer string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\t", " ").Replace(answer))
}

// marks are what counts as punctuation; apostrophes, colons and signs of currency do not.
var marks = []string{";", "/", "[", "]", `"`, "{", "}", "(", ")", "=", "+", `\`, "_", "-", ">", "<", "@", "`", ",", "?", "!"}

var digitCommaDigit = regexp.MustCompile(`[0-9],[0-9]`)

// WithoutPunctuation is a clean answer without punctuation marks, as published: a mark goes where the answer has it beside a blank
// somewhere, or has a comma between digits; else it becomes a blank ("t-shirt"). Of the full stops that no digit follows the first 32 go.
func WithoutPunctuation(clean string) string {
	number := digitCommaDigit.MatchString(clean)
	left := clean
	for _, mark := range marks {
		instead := " "
		if number || strings.Contains(clean, mark+" ") || strings.Contains(clean, " "+mark) {
			instead = ""
		}
		left = strings.ReplaceAll(left, mark, instead)
	}
	const most = 32 // a flag that the published code passes in the place of a count
	var b strings.Builder
	stops := 0
	for i, c := range left {
		decimal := i+1 < len(left) && '0' <= left[i+1] && left[i+1] <= '9'
		if c == '.' && !decimal && stops < most {
			stops++
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// plain is an answer in small letters without articles, its words as the tables have them.
func plain(answer string) string {
	var words []string
	for _, word := range strings.Fields(strings.ToLower(answer)) {
		if digits, is := numbers[word]; is {
			word = digits
		}
		if word == "a" || word == "an" || word == "the" {
			continue
		}
		if contracted, is := contractions[word]; is {
			word = contracted
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
