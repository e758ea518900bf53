package tables

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Word is a word of a sentence in a cell.
type Word struct {
	Text    string
	Changed bool    // differs from another sentence's: underlined, or in asterisks where nothing can be
	Shade   float64 // from 0 to 1, as a colour behind it from none to yellow; only HTML shows it
}

// Words is a value of a sentence with its words marked.
func Words(words ...Word) Value {
	var plain []string
	for _, w := range words {
		if w.Changed {
			plain = append(plain, "*"+w.Text+"*")
		} else {
			plain = append(plain, w.Text)
		}
	}
	return Value{Text: strings.Join(plain, " "), words: &words}
}

// nothing stands where words of another sentence are left out.
const nothing = "∅"

// Compared are the words of a sentence, those changed that another one of as many words has not in the same place; where the other one is
// longer or shorter, those without a place in the longest sequence of words that both have. Where words of the other one are left out, ∅
// stands as changed.
func Compared(sentence, with string) []Word {
	var words []Word
	for _, word := range strings.Fields(sentence) {
		words = append(words, Word{Text: word})
	}
	other := strings.Fields(with)
	if len(words) == len(other) {
		for k := range words {
			words[k].Changed = words[k].Text != other[k]
		}
		return words
	}
	length := common(words, other)
	var all []Word
	for k, l := 0, 0; k < len(words) || l < len(other); {
		fromWords, fromOther := k, l // up to the next word that both have
		for k < len(words) && l < len(other) && words[k].Text != other[l] || (k < len(words)) != (l < len(other)) {
			if l < len(other) && (k == len(words) || length[k][l+1] >= length[k+1][l]) {
				l++
			} else {
				k++
			}
		}
		for _, word := range words[fromWords:k] {
			all = append(all, Word{Text: word.Text, Changed: true})
		}
		if fromWords == k && fromOther < l {
			all = append(all, Word{Text: nothing, Changed: true})
		}
		if k < len(words) {
			all, k, l = append(all, words[k]), k+1, l+1
		}
	}
	return all
}

// common is the length of the longest sequence of words that the rest of one sentence from a place on has with that of another, by both
// places.
func common(words []Word, other []string) [][]int {
	length := make([][]int, len(words)+1)
	for k := len(words); k >= 0; k-- {
		length[k] = make([]int, len(other)+1)
		for l := len(other) - 1; l >= 0 && k < len(words); l-- {
			length[k][l] = max(length[k+1][l], length[k][l+1])
			if words[k].Text == other[l] {
				length[k][l] = 1 + length[k+1][l+1]
			}
		}
	}
	return length
}

// Shaded are words with a colour each by as many numbers from 0 to 1; without, if these are not as many.
func Shaded(words []Word, by []float64) []Word {
	if len(words) != len(by) {
		return words
	}
	shaded := slices.Clone(words)
	for k := range shaded {
		shaded[k].Shade = by[k]
	}
	return shaded
}

// htmlMarked are the words as HTML.
func htmlMarked(words []Word) string {
	var all []string
	for _, w := range words {
		text := html.EscapeString(w.Text)
		if w.Changed {
			text = "<u>" + text + "</u>"
		}
		if w.Shade > 0 {
			text = fmt.Sprintf(`<span style="background:rgba(255,200,0,%.2f)">%s</span>`, 0.8*min(w.Shade, 1), text)
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// markdownMarked are the words in GitHub's dialect.
func markdownMarked(words []Word) string {
	var all []string
	for _, w := range words {
		text := markdownText(w.Text)
		if w.Changed {
			text = "**" + text + "**"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}
