package text

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gomlx/go-huggingface/tokenizers/api"
	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"
)

// Tokenizer encodes captions with BERT's WordPiece. Its methods may be called concurrently.
type Tokenizer struct {
	pieces                   *hftokenizer.Tokenizer
	pad, unk, cls, sep, mask int32
	size                     int
	content                  []byte // of the tokenizer.json
	hash                     string
}

// FromTokenizerJSON reads a tokenizer.json of the Hugging Face Tokenizers library. It must be BERT's kind: a WordPiece model
// with BertPreTokenizer and the tokens [PAD], which has the id 0, [UNK], [CLS], [SEP] and [MASK].
func FromTokenizerJSON(path string) (*Tokenizer, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("text: tokenizer: %w", err)
	}
	t, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", path, err)
	}
	return t, nil
}

// parse builds a tokenizer from the content of a tokenizer.json.
func parse(content []byte) (*Tokenizer, error) {
	var kind struct {
		PreTokenizer struct{ Type string } `json:"pre_tokenizer"`
		Model        struct{ Type string }
		AddedTokens  []struct{ Content string } `json:"added_tokens"`
	}
	if err := json.Unmarshal(content, &kind); err != nil {
		return nil, fmt.Errorf("no tokenizer.json: %w", err)
	}
	if kind.Model.Type != "WordPiece" || kind.PreTokenizer.Type != "BertPreTokenizer" {
		return nil, fmt.Errorf("model %q with pre_tokenizer %q; only BERT's WordPiece with BertPreTokenizer is supported",
			kind.Model.Type, kind.PreTokenizer.Type)
	}
	for i, added := range kind.AddedTokens {
		if added.Content == "" { // which would be found in a caption without end
			return nil, fmt.Errorf("added token %d is empty; remove it, or give it its content", i)
		}
	}
	pieces, err := hftokenizer.NewFromContent(nil, content)
	if err != nil {
		return nil, err
	}
	// [CLS] and [SEP] are added by Encode, which has to keep [SEP] when it truncates.
	if err := pieces.With(api.EncodeOptions{AddSpecialTokens: false}); err != nil {
		return nil, err
	}
	t := &Tokenizer{pieces: pieces, content: content}
	vocabulary := pieces.GetVocab()
	for _, special := range []struct {
		name string
		id   *int32
	}{{"[PAD]", &t.pad}, {"[UNK]", &t.unk}, {"[CLS]", &t.cls}, {"[SEP]", &t.sep}, {"[MASK]", &t.mask}} {
		id, ok := vocabulary[special.name]
		if !ok {
			return nil, fmt.Errorf("the vocabulary has no %s; add it", special.name)
		}
		*special.id = int32(id)
	}
	if t.pad != 0 {
		return nil, fmt.Errorf("[PAD] has the id %d; models take 0 for padding, as in BERT: put [PAD] first", t.pad)
	}
	for token, id := range vocabulary {
		if id < 0 || id >= 1<<24 {
			return nil, fmt.Errorf("token %q has the id %d; ids must be from 0 to 2^24-1", token, id)
		}
		t.size = max(t.size, id+1)
	}
	sum := sha256.Sum256(content)
	t.hash = hex.EncodeToString(sum[:8])
	return t, nil
}

// Encode returns [CLS], the caption's pieces, [SEP] and as many [PAD] as make maxLen ids; pieces that do not fit are dropped.
// maxLen must be at least 2. The caption is lower-cased, stripped of accents and split at punctuation as in BERT; call Clean
// first for what ALBEF does.
func (t *Tokenizer) Encode(caption string, maxLen int) []int32 {
	ids := append(make([]int32, 0, maxLen), t.cls)
	// Pieces never span white space, and word by word a caption of any length costs no more than what is kept of it.
	for word := range strings.FieldsFuncSeq(caption, isSpace) {
		if len(ids) >= maxLen-1 {
			break
		}
		for _, id := range t.pieces.Encode(word) {
			if len(ids) < maxLen-1 {
				ids = append(ids, int32(id))
			}
		}
	}
	ids = append(ids, t.sep)
	for len(ids) < maxLen {
		ids = append(ids, t.pad)
	}
	return ids
}

// Decode joins pieces to text; [CLS], [SEP] and [PAD] are left out.
func (t *Tokenizer) Decode(ids []int32) string {
	var kept []int
	for _, id := range ids {
		if id != t.cls && id != t.sep && id != t.pad {
			kept = append(kept, int(id))
		}
	}
	return t.pieces.Decode(kept)
}

// Size is the number of rows that an embedding table needs: the largest id plus one.
func (t *Tokenizer) Size() int { return t.size }

// Hash identifies vocabulary and rules: 16 hexadecimal digits of the tokenizer.json's SHA-256.
func (t *Tokenizer) Hash() string { return t.hash }

// JSON is the tokenizer.json.
func (t *Tokenizer) JSON() []byte { return slices.Clone(t.content) }

// Vocab is the vocab.txt: one piece a line, its id the line number from 0. Where ids leave one out its line names it: "[no piece 7]".
func (t *Tokenizer) Vocab() []byte {
	lines := make([]string, t.size)
	for id := range lines {
		lines[id] = fmt.Sprintf("[no piece %d]", id)
	}
	for piece, id := range t.pieces.GetVocab() {
		lines[id] = piece
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// PAD is the id that fills the end of a short caption, 0.
func (t *Tokenizer) PAD() int32 { return t.pad }

// UNK is the id of a word that the vocabulary cannot spell.
func (t *Tokenizer) UNK() int32 { return t.unk }

// CLS is the id every caption starts with.
func (t *Tokenizer) CLS() int32 { return t.cls }

// SEP is the id after a caption's last piece.
func (t *Tokenizer) SEP() int32 { return t.sep }

// MASK is the id that hides a piece in masked language modelling.
func (t *Tokenizer) MASK() int32 { return t.mask }
