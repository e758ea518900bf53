package plots

import (
	"fmt"
	"html"
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

// Compared are the words of a sentence, those changed that are not in the same place of another one.
func Compared(sentence, with string) []Word {
	other := strings.Fields(with)
	var words []Word
	for k, word := range strings.Fields(sentence) {
		words = append(words, Word{Text: word, Changed: k >= len(other) || other[k] != word})
	}
	return words
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
