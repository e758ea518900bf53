package text

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"vlpx.internal/datasets/content"
)

// CLIP's tokens before and after a caption; its vocabulary ends in them.
const (
	clipStart = "<|startoftext|>"
	clipEnd   = "<|endoftext|>"
)

const (
	// clipMerges are the merges that CLIP takes of a longer list: with 512 bytes and two tokens they make 49,408 ids.
	clipMerges = 48_894
	// endOfWord stands behind a word's last piece.
	endOfWord = "</w>"
	// clipWords are what CLIP's pieces do not span: contractions, runs of letters, single digits, and runs of other signs.
	clipWords = `'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`
)

// FromMerges reads the list of merges of CLIP's byte-pair encoding, bpe_simple_vocab_16e6.txt, compressed if its name ends in .gz: a line
// that tells the version, then two pieces a line, of which the first 48,894 lines count.
func FromMerges(path string) (*Tokenizer, error) {
	t, err := readMerges(path)
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", path, err)
	}
	return t, nil
}

// IsMerges tells by its name whether a file is such a list.
func IsMerges(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "bpe_simple_vocab") && (strings.HasSuffix(name, ".txt") || strings.HasSuffix(name, ".txt.gz"))
}

func readMerges(path string) (*Tokenizer, error) {
	file, err := content.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	merges, err := parseMerges(file, bytePieces("", endOfWord), clipMerges)
	if err != nil {
		return nil, err
	}
	return fromMerges(merges)
}

// mostBlank bounds the empty lines of a list, which stand behind the last merge.
const mostBlank = 1000

// parseMerges are the lines that count, the first ones, of which the first of all merges pieces of those given. Each must merge pieces that
// there are by then into one that there is not: then the order in which equal merges are done in a word does not matter.
func parseMerges(r io.Reader, pieces []string, most int) ([]string, error) {
	known := map[string]bool{}
	for _, piece := range pieces {
		known[piece] = true
	}
	lines := bufio.NewScanner(r)
	if !lines.Scan() || !strings.Contains(lines.Text(), "#version") {
		if err := lines.Err(); err != nil {
			return nil, err
		}
		return nil, errors.New("line 1 does not tell a #version; it is no list of merges")
	}
	var merges []string
	blank := 0
	for number := 2; len(merges) < most && lines.Scan(); number++ {
		merge := strings.TrimSuffix(lines.Text(), "\r")
		left, right, two := strings.Cut(merge, " ")
		switch {
		case merge == "":
			if blank++; blank > mostBlank {
				return nil, fmt.Errorf("line %d: %d lines are empty; it is no list of merges", number, blank)
			}
			continue // behind the last one
		case !two || !known[left] || !known[right] || strings.HasSuffix(left, endOfWord):
			return nil, fmt.Errorf("line %d: %q does not merge two pieces of the lines before", number, merge)
		case known[left+right]:
			return nil, fmt.Errorf("line %d: %q makes a piece that is there already", number, merge)
		}
		known[left+right] = true
		merges = append(merges, merge)
	}
	return merges, lines.Err()
}

// fromMerges builds CLIP's tokenizer: the bytes, the bytes at the end of a word, one piece a merge, start and end.
func fromMerges(merges []string) (*Tokenizer, error) {
	vocabulary := map[string]int{}
	for _, piece := range bytePieces("", endOfWord) {
		vocabulary[piece] = len(vocabulary)
	}
	for _, merge := range merges {
		vocabulary[strings.Replace(merge, " ", "", 1)] = len(vocabulary)
	}
	start, end := len(vocabulary), len(vocabulary)+1
	vocabulary[clipStart], vocabulary[clipEnd] = start, end
	type object = map[string]any
	special := func(content string, id int) object {
		return object{"id": id, "content": content, "special": true, "normalized": false}
	}
	content, err := json.Marshal(object{
		"version":      "1.0",
		"added_tokens": []object{special(clipStart, start), special(clipEnd, end)},
		"normalizer": object{"type": "Sequence", "normalizers": []object{
			{"type": "NFC"}, {"type": "Replace", "pattern": object{"Regex": `\s+`}, "content": " "}, {"type": "Lowercase"},
		}},
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []object{
			{"type": "Split", "pattern": object{"Regex": clipWords}, "behavior": "Removed", "invert": true},
			{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true},
		}},
		"post_processor": object{"type": "RobertaProcessing", "sep": []any{clipEnd, end}, "cls": []any{clipStart, start},
			"trim_offsets": false, "add_prefix_space": false},
		"decoder": object{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
		"model": object{"type": "BPE", "dropout": nil, "unk_token": clipEnd, "continuing_subword_prefix": "",
			"end_of_word_suffix": endOfWord,
			"fuse_unk":           false, "vocab": vocabulary, "merges": merges},
	})
	if err != nil {
		return nil, err
	}
	return parse(content)
}

// byteSigns are the letters by which byte-level pieces write bytes, and the order in which CLIP numbers these: those that are printed stand
// for themselves, the others for letters from U+0100 on.
func byteSigns() (signs [256]rune, order []byte) {
	printed := func(b int) bool { return b >= '!' && b <= '~' || b >= 0xa1 && b != 0xad }
	var others []byte
	for b := range 256 {
		if printed(b) {
			signs[b], order = rune(b), append(order, byte(b))
		} else {
			signs[b], others = rune(0x100+len(others)), append(others, byte(b))
		}
	}
	return signs, append(order, others...)
}

// bytePieces are the pieces of single bytes with each of some endings: of CLIP's, within a word and at its end.
func bytePieces(suffixes ...string) []string {
	signs, order := byteSigns()
	var pieces []string
	for _, suffix := range suffixes {
		for _, b := range order {
			pieces = append(pieces, string(signs[b])+suffix)
		}
	}
	return pieces
}

// clipClean prepares a caption as CLIP does: HTML's entities resolved, twice; letters composed; runs of white space into one space, none at
// the ends; lower case. Bytes that are no UTF-8 become U+FFFD. CLIP also repairs text in a wrong encoding (ftfy), which is not done here,
// as Hugging Face does not.
func clipClean(caption string) string {
	caption = strings.ToValidUTF8(caption, "\uFFFD")
	caption = norm.NFC.String(html.UnescapeString(html.UnescapeString(caption)))
	caption = strings.Join(strings.Fields(caption), " ")
	return cases.Lower(language.Und).String(caption)
}

// clipText joins CLIP's pieces, of which those at the end of a word have a space behind them.
func clipText(pieces []string) string {
	var text []byte
	for _, piece := range pieces {
		whole, end := strings.CutSuffix(piece, endOfWord)
		text = append(text, unsigned(whole)...)
		if end {
			text = append(text, ' ')
		}
	}
	return strings.TrimSuffix(string(text), " ")
}

// unsigned are the bytes that a piece writes by their signs.
func unsigned(piece string) []byte {
	var bytes []byte
	for _, sign := range piece {
		if b, is := signBytes()[sign]; is {
			bytes = append(bytes, b)
		}
	}
	return bytes
}

// signBytes are the bytes by their signs.
var signBytes = sync.OnceValue(func() map[rune]byte {
	signs, _ := byteSigns()
	bytes := map[rune]byte{}
	for b, sign := range signs {
		bytes[sign] = byte(b)
	}
	return bytes
})
