package text

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vlpx.internal/datasets/content"
)

// specials are the tokens BERT needs, in the order of a vocabulary built here.
var specials = [...]string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}

// FromVocab reads a vocab.txt of an uncased BERT: one piece a line, its id the line number from 0, [PAD] first.
func FromVocab(path string) (*Tokenizer, error) {
	text, err := content.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("text: vocabulary: %w", err)
	}
	t, err := fromPieces(vocabLines(string(text)))
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", path, err)
	}
	return t, nil
}

// vocabLines are the lines of a vocab.txt, which may end in any number of line feeds.
func vocabLines(content string) []string {
	return strings.Split(strings.TrimRight(strings.ReplaceAll(content, "\r\n", "\n"), "\n"), "\n")
}

// FromCorpus builds a vocabulary of whole words from captions that are prepared as they will be encoded (see Clean): [PAD],
// [UNK], [CLS], [SEP], [MASK], then the words seen at least minCount times, the most frequent first, equals in alphabetical
// order, until there are maxSize ids in all (0: no limit). A word outside it is [UNK]: it has no pieces to be spelled with.
func FromCorpus(captions iter.Seq[string], minCount, maxSize int) (*Tokenizer, error) {
	counts, err := count(captions)
	if err != nil {
		return nil, err
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	pieces := specials[:len(specials):len(specials)]
	for _, word := range words {
		if counts[word] < minCount || maxSize > 0 && len(pieces) >= maxSize {
			break
		}
		pieces = append(pieces, word)
	}
	if len(pieces) == len(specials) {
		return nil, fmt.Errorf("text: corpus: none of %d words is seen %d times within %d ids; lower minCount or raise maxSize",
			len(words), minCount, maxSize)
	}
	t, err := fromPieces(pieces)
	if err != nil {
		return nil, fmt.Errorf("text: corpus: %w", err)
	}
	return t, nil
}

// count tells how often each word is in captions.
func count(captions iter.Seq[string]) (map[string]int, error) {
	// The rules that split a caption into words are those that will encode it: no words are needed to normalise.
	rules, err := fromPieces(specials[:])
	if err != nil {
		return nil, fmt.Errorf("text: corpus: %w", err)
	}
	counts := map[string]int{}
	for caption := range captions {
		for word := range basicTokens(rules.pieces.Normalize(caption)) {
			counts[word]++
		}
	}
	return counts, nil
}

// Grown is a tokenizer with the words of further texts behind its own, which keep their ids: those seen at least minCount times in them, in
// alphabetical order. It must be of BERT's kind; texts are prepared as they will be encoded.
func (t *Tokenizer) Grown(texts iter.Seq[string], minCount int) (*Tokenizer, error) {
	if t.kind.words == 0 {
		return nil, errors.New("text: growing a vocabulary whose pieces are merged, as CLIP's and GPT-2's are; it spells all words already")
	}
	counts, err := count(texts)
	if err != nil {
		return nil, err
	}
	known := t.pieces.GetVocab()
	pieces := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return cmp.Compare(known[a], known[b]) })
	for _, word := range slices.Sorted(maps.Keys(counts)) {
		if _, is := known[word]; !is && counts[word] >= minCount {
			pieces = append(pieces, word)
		}
	}
	if len(known) != t.size {
		return nil, fmt.Errorf("text: growing a vocabulary of %d pieces whose ids go up to %d; its ids must have no gaps",
			len(known), t.size-1)
	}
	grown, err := fromPieces(pieces)
	if err != nil {
		return nil, fmt.Errorf("text: growing a vocabulary: %w", err)
	}
	return grown, nil
}

// fromPieces builds the tokenizer of an uncased BERT whose piece i has the id i.
func fromPieces(pieces []string) (*Tokenizer, error) {
	content, err := tokenizerJSON(pieces)
	if err != nil {
		return nil, err
	}
	return parse(content)
}

// tokenizerJSON is the tokenizer.json of an uncased BERT whose piece i has the id i.
func tokenizerJSON(pieces []string) ([]byte, error) {
	vocabulary := make(map[string]int, len(pieces))
	for id, piece := range pieces {
		if previous, ok := vocabulary[piece]; ok {
			return nil, fmt.Errorf("line %d: %q stands in line %d already; a piece has one id", id+1, piece, previous+1)
		}
		if piece == "" {
			return nil, fmt.Errorf("line %d is empty; remove it, or give it a piece", id+1)
		}
		if !utf8.ValidString(piece) { // JSON would make one piece of many
			return nil, fmt.Errorf("line %d: %q is not UTF-8; save the file as UTF-8", id+1, piece)
		}
		vocabulary[piece] = id
	}
	type addedToken struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
		Special bool   `json:"special"`
	}
	var added []addedToken
	for _, special := range specials {
		id, ok := vocabulary[special]
		if !ok {
			return nil, errors.New("no line " + special + "; a BERT vocabulary has one")
		}
		added = append(added, addedToken{id, special, true})
	}
	return json.Marshal(map[string]any{
		"version":       "1.0",
		"added_tokens":  added,
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"decoder":       map[string]any{"type": "WordPiece", "prefix": "##", "cleanup": true},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
			"max_input_chars_per_word": 100, "vocab": vocabulary},
	})
}

// basicTokens yields the words and the single punctuation signs of a normalised caption, as BertPreTokenizer splits it.
func basicTokens(caption string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for field := range strings.FieldsFuncSeq(caption, isSpace) {
			start := 0
			for i, r := range field {
				if !isPunctuation(r) {
					continue
				}
				end := i + len(string(r))
				if start < i && !yield(field[start:i]) || !yield(field[i:end]) {
					return
				}
				start = end
			}
			if start < len(field) && !yield(field[start:]) {
				return
			}
		}
	}
}

// isSpace follows BERT, where form feeds and the like are not white space but control characters, which are removed: "a\fb" is one word.
func isSpace(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' || unicode.IsSpace(r) && !unicode.IsControl(r)
}

// isPunctuation follows BERT: all ASCII signs, letters and digits apart, and Unicode's punctuation.
func isPunctuation(r rune) bool {
	if r < unicode.MaxASCII {
		return r > ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	return unicode.IsPunct(r)
}
