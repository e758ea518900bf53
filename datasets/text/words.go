package text

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Words are the basic tokens of a caption as BERT's tokenizers split it before they look for pieces: lower case, without accents, every
// sign of punctuation a word of its own. Unlike [Tokenizer.EncodeCaption] it removes nothing: "a man's T-shirt." has the words
// a, man, ', s, t, -, shirt and a full stop.
func Words(caption string) []string {
	if strings.ContainsFunc(caption, func(r rune) bool { return r < ' ' && !isSpace(r) || r >= unicode.MaxASCII }) {
		caption = rules().pieces.Normalize(caption)
	} else {
		caption = strings.ToLower(caption)
	}
	return slices.Collect(basicTokens(caption))
}

// rules is a tokenizer without words, for the way in which one splits.
var rules = sync.OnceValue(func() *Tokenizer {
	t, err := fromPieces(specials[:])
	if err != nil {
		panic(err) // it depends on nothing
	}
	return t
})
