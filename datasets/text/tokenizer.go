package text

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/go-huggingface/tokenizers/api"
	"github.com/gomlx/go-huggingface/tokenizers/hftokenizer"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/plainjson"
)

// Tokenizer encodes captions with BERT's WordPiece or with CLIP's or GPT-2's byte-pair encoding. Its methods may be called concurrently.
type Tokenizer struct {
	kind                     kind
	pieces                   *hftokenizer.Tokenizer
	pad, unk, cls, sep, mask int32
	size                     int
	content                  []byte // of the tokenizer.json
	hash                     string
	words                    sync.Map // the ids of words that were met, by the word
}

// kind is where BERT's tokenizers, CLIP's and GPT-2's differ.
type kind struct {
	words int                           // that are kept of a caption of a data set, prepared as ALBEF does; 0 where it is taken as it is
	clean func(string) string           // comes before all else
	split func(string) iter.Seq[string] // no piece spans two of these parts
	join  func(t *Tokenizer, ids []int32) string
}

var (
	bertKind = kind{
		words: MaxWords,
		clean: func(caption string) string { return caption },
		split: func(text string) iter.Seq[string] { return strings.FieldsFuncSeq(text, isSpace) },
		join: func(t *Tokenizer, ids []int32) string {
			var kept []int
			for _, id := range ids {
				if id != t.cls && id != t.sep && id != t.pad {
					kept = append(kept, int(id))
				}
			}
			return t.pieces.Decode(kept)
		},
	}
	clipKind = kind{
		clean: clipClean,
		split: func(text string) iter.Seq[string] {
			return strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' })
		},
		join: func(t *Tokenizer, ids []int32) string {
			var kept []string
			for _, id := range ids {
				if id == t.sep {
					break // what follows is padding, whose id is a piece's, too
				}
				if piece, ok := t.pieces.IDToToken(int(id)); ok && id != t.cls {
					kept = append(kept, piece)
				}
			}
			return clipText(kept)
		},
	}
)

// FromTokenizerJSON reads a tokenizer.json of the Hugging Face Tokenizers library. It must be BERT's kind, a WordPiece model with
// BertPreTokenizer and the tokens [PAD], which has the id 0, [UNK], [CLS], [SEP] and [MASK]; CLIP's, a byte-level BPE model whose words
// end in </w>, with the tokens <|startoftext|> and <|endoftext|>, which has the largest id; or GPT-2's, a byte-level BPE model of all 256
// bytes with the token <|endoftext|>, which stands at both ends of a text.
func FromTokenizerJSON(path string) (*Tokenizer, error) {
	text, err := content.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("text: tokenizer: %w", err)
	}
	t, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("text: %s: %w", path, err)
	}
	return t, nil
}

// parse builds a tokenizer from the content of a tokenizer.json.
func parse(content []byte) (*Tokenizer, error) {
	var about struct {
		Normalizer   any
		PreTokenizer struct {
			Type           string
			PreTokenizers  []struct{ Type string }
			AddPrefixSpace bool `json:"add_prefix_space"`
		} `json:"pre_tokenizer"`
		Model struct {
			Type            string
			EndOfWordSuffix string `json:"end_of_word_suffix"`
			Vocab           json.RawMessage
		}
		AddedTokens []addedToken `json:"added_tokens"`
	}
	if err := plainjson.Unmarshal(content, &about); err != nil {
		return nil, fmt.Errorf("no tokenizer.json: %w", err)
	}
	t := &Tokenizer{content: content}
	type special struct {
		name string
		id   *int32
	}
	var specials []special
	var err error
	rules := content // that a word's pieces go by
	split := about.PreTokenizer.PreTokenizers
	switch {
	case about.Model.Type == "WordPiece" && about.PreTokenizer.Type == "BertPreTokenizer":
		t.kind = bertKind
		specials = []special{{"[PAD]", &t.pad}, {"[UNK]", &t.unk}, {"[CLS]", &t.cls}, {"[SEP]", &t.sep}, {"[MASK]", &t.mask}}
	case about.Model.Type == "BPE" && about.Model.EndOfWordSuffix == endOfWord && len(split) == 2 && split[0].Type == "Split" &&
		split[1].Type == "ByteLevel":
		t.kind, t.mask = clipKind, -1
		specials = []special{{clipStart, &t.cls}, {clipEnd, &t.sep}, {clipEnd, &t.unk}}
	case about.Model.Type == "BPE" && about.Model.EndOfWordSuffix == "" && about.PreTokenizer.Type == "ByteLevel" &&
		!about.PreTokenizer.AddPrefixSpace &&
		about.Normalizer == nil:
		t.kind, t.mask = gptKind, -1
		specials = []special{{gptEnd, &t.cls}, {gptEnd, &t.sep}, {gptEnd, &t.unk}}
		if rules, err = unsplit(content); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("model %q with pre_tokenizer %q; only BERT's WordPiece with BertPreTokenizer, CLIP's BPE and GPT-2's are "+
			"supported",
			about.Model.Type, about.PreTokenizer.Type)
	}
	for i, added := range about.AddedTokens {
		if added.Content == "" { // which would be found in a caption without end
			return nil, fmt.Errorf("added token %d is empty; remove it, or give it its content", i)
		}
	}
	pieces, err := hftokenizer.NewFromContent(nil, rules)
	if err != nil {
		return nil, err
	}
	t.pieces = pieces
	// The tokens around a caption are added by Encode, which has to keep the last one when it truncates.
	if err := pieces.With(api.EncodeOptions{AddSpecialTokens: false}); err != nil {
		return nil, err
	}
	vocabulary := pieces.GetVocab()
	for _, special := range specials {
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
	if specials[0].name == clipStart && int(t.sep) != t.size-1 {
		return nil, fmt.Errorf("%s has the id %d of %d; models find it by the largest id, as in CLIP: put it last", clipEnd, t.sep, t.size)
	}
	if specials[0].name == gptEnd {
		if err := gptWhole(vocabulary); err != nil {
			return nil, err
		}
	}
	of := map[int]string{}
	for _, token := range slices.Sorted(maps.Keys(vocabulary)) {
		id := vocabulary[token]
		if other, taken := of[id]; taken {
			return nil, fmt.Errorf("tokens %q and %q have the same id %d; give each its own", other, token, id)
		}
		of[id] = token
	}
	if err := sameIDs(about.Model.Vocab, about.AddedTokens); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	t.hash = hex.EncodeToString(sum[:8])
	return t, nil
}

// addedToken is a token that a tokenizer.json has beside its vocabulary, or of it.
type addedToken struct {
	ID      int
	Content string
}

// sameIDs says which added token the vocabulary has with another id: a word's pieces would get the one, and all else be sized by the other.
func sameIDs(vocabulary json.RawMessage, added []addedToken) error {
	var ids map[string]int
	if err := plainjson.Unmarshal(vocabulary, &ids); err != nil {
		return fmt.Errorf("its vocabulary: %w", err)
	}
	for _, token := range added {
		if id, has := ids[token.Content]; has && id != token.ID {
			return fmt.Errorf("token %q has the id %d in the vocabulary and %d among the added tokens; give it one", token.Content, id, token.ID)
		}
	}
	return nil
}

// Encode returns [CLS], the text's pieces, [SEP] and as many [PAD] as make maxLen ids; pieces that do not fit are dropped. Of CLIP's these
// are its start, its end, and 0; of GPT-2's its end, its end again, and 0. maxLen must be at least 2. For BERT the text is lower-cased
// and stripped of accents, unless its tokenizer.json says otherwise, and split at punctuation; for CLIP it is lower-cased and split into
// words, digits and runs of signs; for GPT-2 it is split into words, numbers and runs of signs, each with the space before it.
func (t *Tokenizer) Encode(text string, maxLen int) []int32 {
	ids := append(make([]int32, 0, maxLen), t.cls)
	// Word by word a text of any length costs no more than what is kept of it.
	for word := range t.kind.split(t.kind.clean(text)) {
		if len(ids) >= maxLen-1 {
			break
		}
		of := t.word(word)
		ids = append(ids, of[:min(len(of), maxLen-1-len(ids))]...)
	}
	ids = append(ids, t.sep)
	for len(ids) < maxLen {
		ids = append(ids, t.pad)
	}
	return ids
}

// EncodeCaption is Encode for a caption of a data set, which it prepares as the tokenizer's models see them: for BERT's kind as ALBEF does
// (see Clean), for the others as it is.
func (t *Tokenizer) EncodeCaption(caption string, maxLen int) []int32 {
	return t.Encode(t.Prepare(caption), maxLen)
}

// Prepare is a caption as EncodeCaption encodes it.
func (t *Tokenizer) Prepare(caption string) string {
	if t.kind.words > 0 {
		return Clean(caption, t.kind.words)
	}
	return caption
}

// Cut reports whether EncodeCaption leaves out the end of a caption: words beyond MaxWords, or pieces that maxLen has no room for.
func (t *Tokenizer) Cut(caption string, maxLen int) bool {
	if t.kind.words > 0 && t.Prepare(caption) != Clean(caption, 0) {
		return true
	}
	ids := 2 // those around it
	for word := range t.kind.split(t.kind.clean(t.Prepare(caption))) {
		if ids += len(t.word(word)); ids > maxLen {
			return true
		}
	}
	return false
}

// Strange reports whether the vocabulary has none of a caption's words; CLIP's and GPT-2's spell every word.
func (t *Tokenizer) Strange(caption string) bool {
	if t.kind.words == 0 {
		return false
	}
	for word := range t.kind.split(t.kind.clean(t.Prepare(caption))) {
		if slices.ContainsFunc(t.word(word), func(id int32) bool { return id != t.unk }) {
			return false
		}
	}
	return true
}

// MaxWords is the number of words of a caption that EncodeCaption keeps; 0 where it takes a caption as it is, as for CLIP's vocabulary and
// GPT-2's.
func (t *Tokenizer) MaxWords() int { return t.kind.words }

// Places are where words lie among the ids of a text made of them, as Encode gives these behind [CLS], each from the first id to behind the
// last.
func (t *Tokenizer) Places(words []string) [][2]int {
	places, at := make([][2]int, len(words)), 0
	for k, word := range words {
		n := len(t.word(word))
		places[k], at = [2]int{at, at + n}, at+n
	}
	return places
}

// word are the ids of what stands between white space. Captions repeat their words.
func (t *Tokenizer) word(word string) []int32 {
	if met, ok := t.words.Load(word); ok {
		return met.([]int32)
	}
	var ids []int32
	for _, id := range t.pieces.Encode(word) {
		ids = append(ids, int32(id))
	}
	t.words.Store(word, ids)
	return ids
}

// Whole tells whether ids are words alone between [CLS] and [SEP]: none of the vocabulary's other tokens stands among them, which Decode
// would leave out.
func (t *Tokenizer) Whole(ids []int32) bool {
	end := slices.Index(ids, t.sep)
	return end > 0 && ids[0] == t.cls && !slices.ContainsFunc(ids[1:end], func(id int32) bool {
		return id == t.pad || id == t.cls ||
			id == t.mask
	}) &&
		!slices.ContainsFunc(ids[end+1:], func(id int32) bool { return id != t.pad })
}

// Decode joins pieces to text, without those before and after it and without padding.
func (t *Tokenizer) Decode(ids []int32) string { return t.kind.join(t, ids) }

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

// Piece is the piece of an id; empty where it has none.
func (t *Tokenizer) Piece(id int32) string {
	piece, _ := t.pieces.IDToToken(int(id))
	return piece
}

// PAD is the id that fills the end of a short caption, 0. Of CLIP's vocabulary and of GPT-2's a piece has it, too.
func (t *Tokenizer) PAD() int32 { return t.pad }

// UNK is the id of a word that the vocabulary cannot spell. CLIP's and GPT-2's spell every word.
func (t *Tokenizer) UNK() int32 { return t.unk }

// CLS is the id every caption starts with, CLIP's start, GPT-2's end.
func (t *Tokenizer) CLS() int32 { return t.cls }

// SEP is the id after a caption's last piece, CLIP's and GPT-2's end.
func (t *Tokenizer) SEP() int32 { return t.sep }

// MASK is the id that hides a piece in masked language modelling; -1 where there is none, as in CLIP's vocabulary
// and GPT-2's.
func (t *Tokenizer) MASK() int32 { return t.mask }
