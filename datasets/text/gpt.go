package text

import (
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
)

// gptEnd stands before a text and behind it.
const gptEnd = "<|endoftext|>"

// gptKind is GPT-2's (Radford et al., 2019): pieces of bytes, of which the first of a word has the space before it.
var gptKind = kind{
	clean: func(caption string) string { return strings.ToValidUTF8(caption, "\uFFFD") },
	split: gptWords,
	join: func(t *Tokenizer, ids []int32) string {
		var text []byte
		for i, id := range ids {
			if id == t.sep && i > 0 {
				break // what follows is padding, whose id is a piece's, too
			}
			if piece, ok := t.pieces.IDToToken(int(id)); ok && id != t.cls {
				text = append(text, unsigned(piece)...)
			}
		}
		return string(text)
	},
}

// gptPattern is GPT-2's but for a run of white space, which leaves its last sign to what follows.
var gptPattern = regexp.MustCompile(`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\t-\r\x{85}\p{Z}\p{L}\p{N}]+|[\t-\r\x{85}\p{Z}]+`)

// gptWords are the parts of a text that pieces do not span, written by the signs of their bytes: contractions, and runs of letters, of
// digits, of other signs and of white space.
func gptWords(text string) iter.Seq[string] {
	signs, _ := byteSigns()
	return func(yield func(string) bool) {
		for text != "" {
			word := text[:gptPattern.FindStringIndex(text)[1]]
			if last, size := utf8.DecodeLastRuneInString(word); unicode.IsSpace(last) && len(word) > size && len(word) < len(text) {
				word = word[:len(word)-size]
			}
			text = text[len(word):]
			spelled := make([]rune, len(word))
			for i := range len(word) {
				spelled[i] = signs[word[i]]
			}
			if !yield(string(spelled)) {
				return
			}
		}
	}
}

// unsplit is a tokenizer.json whose pre-tokenizer takes what it is given for one word.
func unsplit(content []byte) ([]byte, error) {
	var rules map[string]json.RawMessage
	if err := plainjson.Unmarshal(content, &rules); err != nil {
		return nil, err
	}
	rules["pre_tokenizer"] = json.RawMessage(`{"type": "Split", "behavior": "Isolated"}`)
	return json.Marshal(rules)
}

// gptWhole tells why a vocabulary does not spell every text, or has an end that looks like padding.
func gptWhole(vocabulary map[string]int) error {
	if vocabulary[gptEnd] == 0 {
		return fmt.Errorf("%s has the id 0, which models take for padding; give it another, as in GPT-2", gptEnd)
	}
	for _, piece := range bytePieces("") {
		if _, has := vocabulary[piece]; !has {
			return fmt.Errorf("the vocabulary has no piece %q of a single byte; add it", piece)
		}
	}
	return nil
}

// FromVocabAndMerges reads GPT-2's tokenizer from its two older files: vocab.json, the ids of all pieces, and merges.txt, a line that tells
// the version, then two pieces a line.
func FromVocabAndMerges(vocab, merges string) (*Tokenizer, error) {
	ids := map[string]int{}
	text, err := content.ReadFile(vocab)
	if err == nil {
		err = plainjson.Unmarshal(text, &ids)
	}
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", vocab, err)
	}
	file, err := content.Open(merges)
	if err != nil {
		return nil, fmt.Errorf("text: %w", err)
	}
	defer file.Close()
	lines, err := parseMerges(file, bytePieces(""), len(ids))
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", merges, err)
	}
	t, err := fromVocabAndMerges(ids, lines)
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", vocab, err)
	}
	return t, nil
}

func fromVocabAndMerges(ids map[string]int, merges []string) (*Tokenizer, error) {
	end, has := ids[gptEnd]
	if !has {
		return nil, fmt.Errorf("the vocabulary has no %s; add it", gptEnd)
	}
	for _, merge := range merges {
		if _, has := ids[strings.Replace(merge, " ", "", 1)]; !has {
			return nil, fmt.Errorf("no piece is what %q merges to; do the two files belong together?", merge)
		}
	}
	type object = map[string]any
	level := object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}
	content, err := json.Marshal(object{
		"version":        "1.0",
		"added_tokens":   []object{{"id": end, "content": gptEnd, "special": true, "normalized": true}},
		"normalizer":     nil,
		"pre_tokenizer":  level,
		"post_processor": level,
		"decoder":        level,
		"model": object{"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": "", "end_of_word_suffix": "",
			"fuse_unk": false,
			"vocab":    ids, "merges": merges},
	})
	if err != nil {
		return nil, err
	}
	return parse(content)
}
