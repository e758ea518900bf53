package text

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

func TestClean(t *testing.T) {
	for _, test := range []struct {
		caption  string
		maxWords int
		want     string
	}{
		{"A man's dog, running - fast!", 30, "a mans dog running fast"},
		{"  Black/white\tcat\n\n(sleeping)  ", 30, "black white cat sleeping"},
		{"<PERSON> and <person>s", 30, "person and persons"},
		{`,.'!?"()*#:;~`, 30, ""},
		{"one two three four", 3, "one two three"},
		{"one two three four", 0, "one two three four"},
		{"top-down view", 2, "top down"},
		{"50% & [more] $5 ÉTÉ", 30, "50% & [more] $5 été"},
		{"", 30, ""},
	} {
		if got := Clean(test.caption, test.maxWords); got != test.want {
			t.Errorf("Clean(%q, %d): got %q, want %q", test.caption, test.maxWords, got, test.want)
		}
	}
	long := strings.Repeat("word ", 10_000)
	if got := len(strings.Fields(Clean(long, MaxWords))); got != MaxWords {
		t.Errorf("10,000 words: got %d, want %d", got, MaxWords)
	}
}

// data returns the path of a real tokenizer file, or skips.
func data(t *testing.T, name string) string {
	root := os.Getenv("VLPX_DATA")
	if root == "" {
		t.Skip("VLPX_DATA is not set; it names the folder with tokenizers/" + name)
	}
	return filepath.Join(root, "tokenizers", name)
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	content := must.Get(os.ReadFile(path))(t)
	var r io.Reader = bytes.NewReader(content)
	if strings.HasSuffix(path, ".gz") {
		r = must.Get(gzip.NewReader(r))(t)
	}
	must.Do(t, json.NewDecoder(r).Decode(into))
}

// unpadded is the encoding without [CLS], [SEP] and [PAD].
func unpadded(t *Tokenizer, caption string) []int32 {
	ids := t.Encode(caption, 200)
	return ids[1:slices.Index(ids, t.SEP())]
}

func TestBERTCases(t *testing.T) {
	type tokens struct {
		Text   string
		Tokens []string
		IDs    []int32
	}
	var cases struct {
		ToyVocab     []string `json:"toy_vocab"`
		Full         []tokens
		BasicLower   []tokens `json:"basic_lower"`
		WordpieceToy []tokens `json:"wordpiece_toy"`
	}
	readJSON(t, data(t, "bert_tokenizer_cases.json"), &cases)
	// The cases' vocabulary has no [PAD], which comes first in ours: every id is one more.
	toy := must.Get(fromPieces(append(append([]string{"[PAD]"}, cases.ToyVocab...), "[MASK]")))(t)
	for _, c := range cases.Full {
		var want []int32
		for _, id := range c.IDs {
			want = append(want, id+1)
		}
		if got := unpadded(toy, c.Text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", c.Text, got, want)
		}
	}
	for _, c := range cases.WordpieceToy {
		var want []int32
		for _, token := range c.Tokens {
			want = append(want, int32(1+slices.Index(cases.ToyVocab, token)))
		}
		if got := unpadded(toy, strings.ReplaceAll(c.Text, "X", "x")); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", c.Text, got, want)
		}
	}
	for _, c := range cases.BasicLower {
		if got := slices.Collect(basicTokens(toy.pieces.Normalize(c.Text))); !slices.Equal(got, c.Tokens) {
			t.Errorf("%q: got %q, want %q", c.Text, got, c.Tokens)
		}
	}
}

func TestFlickr30kCaptions(t *testing.T) {
	path := data(t, "bert-base-uncased-vocab.txt")
	bert := must.Get(FromVocab(path))(t)
	if got, want := []int32{bert.PAD(), bert.UNK(), bert.CLS(), bert.SEP(), bert.MASK(), int32(bert.Size())},
		[]int32{0, 100, 101, 102, 103, 30522}; !slices.Equal(got, want) {
		t.Errorf("special ids and size: got %v, want %v", got, want)
	}
	vocab := must.Get(os.ReadFile(path))(t)
	pieces := strings.Split(string(vocab), "\n")
	var captions struct {
		Cases []struct {
			Text string
			IDs  []int32
		}
	}
	readJSON(t, data(t, "bert_f30k_first_pieces.json.gz"), &captions)
	ids := map[string]int32{}
	for id, piece := range pieces {
		ids[piece] = int32(id)
	}
	wrong, continued := 0, 0
	for _, c := range captions.Cases {
		got := unpadded(bert, c.Text)
		// The recorded ids are first pieces only. All pieces are those of WordPiece as it is written down.
		first := slices.DeleteFunc(slices.Clone(got), func(id int32) bool { return strings.HasPrefix(pieces[id], "##") })
		continued += len(got) - len(first)
		var whole []int32
		for word := range basicTokens(bert.pieces.Normalize(c.Text)) {
			whole = append(whole, wordPieces(word, ids)...)
		}
		if want := c.IDs[1 : len(c.IDs)-1]; !slices.Equal(first, want) || !slices.Equal(got, whole) {
			if wrong++; wrong <= 3 {
				t.Errorf("%q: got %v, want %v, and of these first pieces %v", c.Text, got, whole, want)
			}
		}
	}
	if wrong > 0 || len(captions.Cases) != 9884 || continued < 1000 {
		t.Errorf("%d of %d captions with %d continuation pieces differ, want 0 of 9884 with more than 1000", wrong,
			len(captions.Cases), continued)
	}
}

// wordPieces splits a word into the longest piece that it begins with, and the rest likewise with "##" before it; a word that
// cannot be split is unknown (Wu et al., 2016, as BERT has it).
func wordPieces(word string, ids map[string]int32) (split []int32) {
	prefix := ""
	for rest := []rune(word); len(rest) > 0; prefix = "##" {
		n := len(rest)
		for n > 0 {
			if _, ok := ids[prefix+string(rest[:n])]; ok {
				break
			}
			n--
		}
		if n == 0 {
			return []int32{ids["[UNK]"]}
		}
		split = append(split, ids[prefix+string(rest[:n])])
		rest = rest[n:]
	}
	return split
}

// small is built of "a" 3x, "dog" and "red" 2x, "cat", "runs" and "." once.
func small(t testing.TB, minCount, maxSize int) *Tokenizer {
	t.Helper()
	tokenizer := must.Get(FromCorpus(slices.Values([]string{"a red dog", "A dog runs.", "a Red cat"}), minCount, maxSize))(t)
	return tokenizer
}

func TestFromCorpus(t *testing.T) {
	all := small(t, 1, 0) // 5 a, 6 dog, 7 red, 8 ".", 9 cat, 10 runs
	if all.Size() != 11 {
		t.Errorf("size: got %d, want 11", all.Size())
	}
	for _, test := range []struct {
		tokenizer *Tokenizer
		caption   string
		maxLen    int
		want      []int32
	}{
		{all, "a red dog runs.", 8, []int32{2, 5, 7, 6, 10, 8, 3, 0}},
		{all, "a red dog runs.", 5, []int32{2, 5, 7, 6, 3}},
		{all, "dogs [MASK] cat", 6, []int32{2, 1, 4, 9, 3, 0}},
		{all, "", 4, []int32{2, 3, 0, 0}},
		{all, "a a a", 2, []int32{2, 3}},
		{small(t, 2, 0), "a cat", 4, []int32{2, 5, 1, 3}},
		{small(t, 1, 7), "red dog", 4, []int32{2, 1, 6, 3}},
	} {
		if got := test.tokenizer.Encode(test.caption, test.maxLen); !slices.Equal(got, test.want) {
			t.Errorf("Encode(%q, %d): got %v, want %v", test.caption, test.maxLen, got, test.want)
		}
	}
	if got, want := all.Decode([]int32{2, 5, 4, 6, 3, 0}), "a [MASK] dog"; got != want {
		t.Errorf("Decode: got %q, want %q", got, want)
	}
	if all.Hash() != small(t, 1, 0).Hash() || all.Hash() == small(t, 2, 0).Hash() || len(all.Hash()) != 16 {
		t.Errorf("hash %q must be 16 digits that follow from the vocabulary", all.Hash())
	}
	if _, err := FromCorpus(slices.Values([]string{"a b"}), 5, 0); err == nil {
		t.Error("no word is frequent enough: got nil, want an error")
	}
}

// Written as vocab.txt or tokenizer.json and read again a tokenizer is the same; a line for an id without a piece keeps the others' ids.
func TestWrittenTokenizer(t *testing.T) {
	whole, dir := small(t, 1, 0), t.TempDir()
	vocab, settings := filepath.Join(dir, "vocab.txt"), filepath.Join(dir, "tokenizer.json")
	for path, content := range map[string][]byte{vocab: whole.Vocab(), settings: whole.JSON()} {
		must.Do(t, os.WriteFile(path, content, 0o644))
	}
	if got, err := FromVocab(vocab); err != nil || got.Hash() != whole.Hash() {
		t.Errorf("from %q: got another tokenizer, or none (%v)", whole.Vocab(), err)
	}
	if got, err := FromTokenizerJSON(settings); err != nil || got.Hash() != whole.Hash() {
		t.Errorf("from %s: got another tokenizer, or none (%v)", whole.JSON(), err)
	}
	gap := must.Get(parse([]byte(strings.Replace(string(whole.JSON()), `"red":7`, `"red":11`, 1))))(t)
	want := "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\ndog\n[no piece 7]\n.\ncat\nruns\nred\n"
	if got := string(gap.Vocab()); got != want {
		t.Errorf("got the lines %q, want %q", got, want)
	}
}

// Whatever a vocabulary is built of, it can spell.
func TestCorpusIsKnown(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		captions := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Zé.$&' \-]{1,20}[a-z]`), 1, 5).Draw(t, "captions")
		tokenizer, err := FromCorpus(slices.Values(captions), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, caption := range captions {
			if slices.Contains(tokenizer.Encode(caption, 100), tokenizer.UNK()) {
				t.Fatalf("%q has an unknown word", caption)
			}
		}
	})
}

// A token that the vocabulary and the added tokens have with two ids is refused: pieces would get one that no table of embeddings has.
func TestTokenOfTwoIDs(t *testing.T) {
	text := `{"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[PAD]":0,"[UNK]":8,"[CLS]":2,"[SEP]":3,"[MASK]":4}},` +
		`"added_tokens": [{"id": 1, "content": "[UNK]"}], "pre_tokenizer": {"type": "BertPreTokenizer"}}`
	must.Fail(t, must.Err(parse([]byte(text))), `token "[UNK]" has the id 8 in the vocabulary and 1 among the added tokens`)
	must.Get(parse([]byte(strings.Replace(text, `"[UNK]":8`, `"[UNK]":1`, 1))))(t)
}

func TestTokenizerFileErrors(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"empty.json": "", "cut.json": `{"model": {"type": "Word`, "bpe.json": `{"model": {"type": "BPE"}}`,
		"bare.json": `{"model": {"type": "WordPiece", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "BertPreTokenizer"}}`,
		"late.json": `{"model": {"type": "WordPiece", "vocab": {"[UNK]":0,"[PAD]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4}},` +
			`"pre_tokenizer": {"type": "BertPreTokenizer"}}`,
		"huge.json": `{"model": {"type": "WordPiece", "vocab": {"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":3,"[MASK]":4,"a":99999999999}},` +
			`"pre_tokenizer": {"type": "BertPreTokenizer"}}`,
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(content), 0o644))
		must.Fail(t, must.Err(FromTokenizerJSON(path)), name, "%s", name)
	}
	for name, content := range map[string]string{
		"twice.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\na\n", "nomask.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\na", "blank.txt": "[PAD]\n\na",
		"latin1.txt": "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\xe9\n",
		"late.txt":   "[UNK]\n[PAD]\n[CLS]\n[SEP]\n[MASK]\na",
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(content), 0o644))
		must.Fail(t, must.Err(FromVocab(path)), name, "%s", name)
	}
	if _, err := FromVocab(filepath.Join(dir, "absent.txt")); err == nil {
		t.Error("absent file: got nil, want an error")
	}
}

func FuzzClean(f *testing.F) {
	f.Add("A man's dog - <person>!", 3)
	f.Add("<per-son> \xff\u00a0", 0)
	f.Fuzz(func(t *testing.T, caption string, maxWords int) {
		got := Clean(caption, maxWords)
		if words := strings.Fields(got); got != strings.Join(words, " ") || maxWords > 0 && len(words) > maxWords {
			t.Errorf("Clean(%q, %d): got %q", caption, maxWords, got)
		}
		if strings.ContainsAny(got, `,.'!?"()*#:;~-/`) {
			t.Errorf("Clean(%q): %q has a sign that it removes", caption, got)
		}
	})
}

func FuzzEncode(f *testing.F) {
	tokenizer := small(f, 1, 0)
	f.Add("a red dog", 5)
	f.Add("[MASK][SEP]\x00é\xff博", 25)
	f.Fuzz(func(t *testing.T, caption string, maxLen int) {
		maxLen = 2 + (maxLen&0xff)%64
		ids := tokenizer.Encode(caption, maxLen)
		if len(ids) != maxLen || ids[0] != tokenizer.CLS() || !slices.Contains(ids, tokenizer.SEP()) {
			t.Fatalf("Encode(%q, %d): got %v", caption, maxLen, ids)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= tokenizer.Size() {
				t.Fatalf("Encode(%q, %d): id %d outside the vocabulary", caption, maxLen, id)
			}
		}
		tokenizer.Decode(ids)
	})
}

// Whatever a vocabulary, it is refused, or a caption has the pieces that WordPiece as it is written down gives.
func FuzzVocab(f *testing.F) {
	const head = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
	f.Add(head+"dog\n##s\n##gy\nd\n.", "dogs doggy dig d.")
	f.Add(head+"##a\na\n##\n\u00e9\r\n", "aaa\tb \u00e9")
	f.Add("[PAD]\n\n", "")
	f.Add("a\n"+head, "a")
	f.Add(head+"a\n", "a\fa a\u0085a a\u2028a a\u00a0a") // control characters are removed, separators separate
	f.Fuzz(func(t *testing.T, vocab, caption string) {
		pieces := vocabLines(vocab)
		tokenizer, err := fromPieces(pieces)
		if err != nil {
			return
		}
		if tokenizer.Size() != len(pieces) || tokenizer.PAD() != 0 || pieces[0] != "[PAD]" || pieces[tokenizer.MASK()] != "[MASK]" {
			t.Fatalf("%q: got size %d, [PAD] %d, [MASK] %d", vocab, tokenizer.Size(), tokenizer.PAD(), tokenizer.MASK())
		}
		if strings.Contains(caption, "[") {
			return // special tokens may be written in captions
		}
		ids := map[string]int32{}
		for id, piece := range pieces {
			ids[piece] = int32(id)
		}
		var want []int32
		for word := range basicTokens(tokenizer.pieces.Normalize(caption)) {
			split := wordPieces(word, ids)
			if utf8.RuneCountInString(word) > 100 {
				split = []int32{tokenizer.UNK()}
			}
			want = append(want, split...)
		}
		got := tokenizer.Encode(caption, len(want)+3)
		if want = append(append([]int32{tokenizer.CLS()}, want...), tokenizer.SEP(), tokenizer.PAD()); !slices.Equal(got, want) {
			t.Fatalf("%q with %q: got %v, want %v", caption, pieces, got, want)
		}
	})
}

// Whatever a tokenizer.json, it is refused, or encodes into ids that an embedding table of its size has.
func FuzzTokenizerJSON(f *testing.F) {
	for _, pieces := range [][]string{{"a", "##b", "\u00e9"}, {"b"}} {
		content := must.Get(tokenizerJSON(append(slices.Clone(specials[:]), pieces...)))(f)
		f.Add(content, "ab b a")
	}
	f.Add([]byte(`{"model": {"type": "WordPiece", "vocab": {"a": 0}}, "pre_tokenizer": {"type": "BertPreTokenizer"}}`), "a")
	f.Add(
		[]byte(
			`{"pre_tokenizer":{"type":"BertPreTokenizer"},"model":{"type":"WordPiece","vocab":{"[PAD]":0,"[UNK]":1,"[CLS]":2,"[SEP]":2,"[MASK]":-1}}}`), "")
	f.Fuzz(func(t *testing.T, content []byte, caption string) {
		tokenizer, err := parse(content)
		if (tokenizer == nil) == (err == nil) {
			t.Fatalf("got %v and %v, want one of them", tokenizer, err)
		}
		if err != nil {
			return
		}
		special := []int32{tokenizer.PAD(), tokenizer.UNK(), tokenizer.CLS(), tokenizer.SEP(), tokenizer.MASK()}
		ids := tokenizer.Encode(caption, 16)
		for _, id := range append(special, ids...) {
			if id < 0 || int(id) >= tokenizer.Size() {
				t.Fatalf("%s: id %d of %d", content, id, tokenizer.Size())
			}
		}
		slices.Sort(special)
		if len(slices.Compact(special)) != len(specials) || special[0] != 0 {
			t.Fatalf("%s: the special tokens are %v", content, special)
		}
		if len(ids) != 16 || ids[0] != tokenizer.CLS() || !slices.Contains(ids, tokenizer.SEP()) {
			t.Fatalf("%s: %q became %v", content, caption, ids)
		}
		tokenizer.Decode(ids)
	})
}

func BenchmarkEncode(b *testing.B) {
	tokenizer := small(b, 1, 0)
	for b.Loop() {
		tokenizer.Encode(Clean("A red dog runs after another dog, and a cat looks at them.", MaxWords), 25)
	}
}

// Words alone are whole; a token of another kind among them, or words behind the end, is not.
func TestWhole(t *testing.T) {
	k := must.Get(FromCorpus(slices.Values([]string{"a red disc", "a blue disc"}), 1, 100))(t)
	ids := k.Encode("a red disc", 8)
	with := func(at int, id int32) []int32 {
		other := slices.Clone(ids)
		other[at] = id
		return other
	}
	for name, c := range map[string]struct {
		ids  []int32
		want bool
	}{
		"a sentence": {ids, true}, "without padding": {k.Encode("a red disc", 5), true}, "an unknown word": {with(2, k.UNK()), true},
		"padding inside": {with(2, k.PAD()), false}, "a mask": {with(1, k.MASK()), false}, "a second start": {with(3, k.CLS()), false},
		"an end inside": {with(2, k.SEP()), false}, "a word behind the end": {with(6, ids[1]), false}, "no end": {ids[:4], false},
		"nothing": {nil, false},
	} {
		if got := k.Whole(c.ids); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// A cased vocabulary keeps what its tokenizer.json says, case and accents; captions of a data set are in lower case all the same.
func TestCased(t *testing.T) {
	dir := t.TempDir()
	vocab := filepath.Join(dir, "vocab.txt")
	must.Do(t, os.WriteFile(vocab, []byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nA\nman\nMan\ncafe\ncafé\n"), 0o644))
	lower := must.Get(FromVocab(vocab))(t)
	path := filepath.Join(dir, "tokenizer.json")
	must.Do(t, os.WriteFile(path, bytes.Replace(lower.JSON(), []byte(`"lowercase":true`), []byte(`"lowercase":false`), 1),
		0o644))
	cased := must.Get(FromTokenizerJSON(path))(t)
	for _, c := range []struct {
		name      string
		got, want []int32
	}{
		{"cased", cased.Encode("A Man café", 5), []int32{2, 6, 8, 10, 3}},
		{"in lower case", lower.Encode("A Man café", 5), []int32{2, 5, 7, 9, 3}},
		{"cased, of a caption", cased.EncodeCaption("A Man café.", 5), []int32{2, 5, 7, 10, 3}},
		{"in lower case, of a caption", lower.EncodeCaption("A Man café.", 5), []int32{2, 5, 7, 9, 3}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if cased.Hash() == lower.Hash() {
		t.Error("the two have the same identity")
	}
}

// A caption is cut where its end is left out: by words, of which thirty are kept, or by pieces.
func TestCut(t *testing.T) {
	k := must.Get(FromCorpus(slices.Values([]string{"a red disc"}), 1, 100))(t)
	for _, c := range []struct {
		caption string
		maxLen  int
		want    bool
	}{
		{"a red disc", 5, false}, {"a red disc", 4, true}, {"A red, red disc!", 6, false}, {"", 2, false},
		{strings.Repeat("red ", MaxWords), 100, false}, {strings.Repeat("red ", MaxWords+1), 100, true},
	} {
		if got := k.Cut(c.caption, c.maxLen); got != c.want {
			t.Errorf("%q in %d: got %v, want %v", c.caption, c.maxLen, got, c.want)
		}
	}
}

func TestStrange(t *testing.T) {
	k := must.Get(FromCorpus(slices.Values([]string{"a red disc"}), 1, 100))(t)
	for caption, want := range map[string]bool{"a red disc": false, "blue disc": false, "Blue squares!": true, "?": true} {
		if got := k.Strange(caption); got != want {
			t.Errorf("%q: got %v, want %v", caption, got, want)
		}
	}
}
