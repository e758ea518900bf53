package text

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// published is CLIP's tokenizer, or the test is skipped.
func published(t *testing.T) *Tokenizer {
	t.Helper()
	path := data(t, "bpe_simple_vocab_16e6.txt.gz")
	if !IsMerges(path) {
		t.Errorf("%s is not taken for a list of merges", path)
	}
	clip := must.Get(FromMerges(path))(t)
	return clip
}

// cased is a text with the ids of its pieces.
type cased struct {
	Text string
	IDs  []int32
}

// The cases are of OpenAI's own code, start and end apart.
func TestCLIPCases(t *testing.T) {
	clip := published(t)
	var recorded struct{ Cases []cased }
	readJSON(t, data(t, "clip_bpe_cases.json.gz"), &recorded)
	if len(recorded.Cases) != 505 {
		t.Errorf("got %d cases, want 505", len(recorded.Cases))
	}
	if got, want := []int32{clip.CLS(), clip.SEP(), clip.PAD(), clip.MASK(), int32(clip.Size())},
		[]int32{49406, 49407, 0, -1, 49408}; !slices.Equal(got, want) {
		t.Errorf("start, end, padding, mask and size: got %v, want %v", got, want)
	}
	// These were made by OpenAI's rules with Python's module regex, letters composed in the place of ftfy.
	for _, c := range append(recorded.Cases, []cased{
		{"Caf\u00e9 cre\u0300me & Z\u00fcrich", []int32{15304, 1075, 12138, 614, 261, 89, 6522, 4021}},
		{"\u00a35 &amp;amp; 10\u00b0C\u2014\u201cquoted\u201d", []int32{1950, 276, 261, 272, 271, 6858, 322, 6718, 728, 506,
			27706, 728, 507}},
		{"\u72ac\u304c\u8d70\u308b", []int32{163, 232, 105, 4813, 234, 164, 113, 108, 3909, 489}},
		{"\U0001f436\U0001f436 runs", []int32{14466, 10631, 5586}},
		{"\u039f\u0394\u039f\u03a3 \u0130stanbul STRASSE \u00df", []int32{138, 123, 138, 112, 138, 123, 139, 480, 328, 16384, 11231, 1894,
			8938, 127, 509}},
		{"a\u00a0b\u2003c\x1cd", []int32{320, 321, 322, 472, 323}},
		{"x\u00b2 \u0663\u00bd IV\u2167", []int32{343, 41175, 149, 352, 33613, 9315, 158, 227, 371}},
		{"don't DON'T we'LL they're I'm o'clock", []int32{847, 713, 847, 713, 649, 1342, 889, 982, 328, 880, 334, 262, 6716}},
		{"a<|endoftext|>b", []int32{320, 49407, 321}},
		{"!!!!!!!!!!!!", []int32{11281, 2360}},
		{"na\u00efve_snake_case--99.5%", []int32{1097, 35689, 563, 318, 8798, 318, 2068, 2432, 280, 280, 269, 276, 260}},
		{"&lt;person&gt; &nbsp; end", []int32{283, 2533, 285, 806}},
		{"", nil},
		{"\u0301e \u200bzero", []int32{136, 479, 324, 9844, 5848}},
	}...) {
		want := append(append([]int32{49406}, c.IDs...), 49407)
		if got := clip.EncodeCaption(c.Text, len(want)+2); !slices.Equal(got, append(want, 0, 0)) {
			t.Errorf("%q: got %v, want %v and padding", c.Text, got, want)
		}
		if len(c.IDs) > 1 {
			want = append(want[:len(c.IDs):len(c.IDs)], 49407)
			if got := clip.Encode(c.Text, len(want)); !slices.Equal(got, want) {
				t.Errorf("%q cut: got %v, want %v", c.Text, got, want)
			}
		}
	}
	if got, want := clip.Decode(clip.Encode("Hello   World! 2 Caf\u00e9s \U0001f436", 77)),
		"hello world ! 2 caf\u00e9s \U0001f436"; got != want {
		t.Errorf("decoded: got %q, want %q", got, want)
	}
}

// A tokenizer that is kept as tokenizer.json is the same one.
func TestCLIPTokenizerIsKept(t *testing.T) {
	clip := tinyMerges(t, "l o\nlo w</w>\n")
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	must.Do(t, os.WriteFile(path, clip.JSON(), 0o644))
	got := must.Get(FromTokenizerJSON(path))(t)
	if got.Hash() != clip.Hash() || got.Size() != clip.Size() || !slices.Equal(got.Encode("low", 5), clip.Encode("low", 5)) {
		t.Error("got another tokenizer")
	}
	var content map[string]any
	must.Do(t, json.Unmarshal(clip.JSON(), &content))
	added := content["added_tokens"].([]any)
	for i := range added {
		added[i].(map[string]any)["id"] = float64(3 * i) // the end is no longer the largest id
	}
	delete(content["model"].(map[string]any)["vocab"].(map[string]any), clipEnd)
	changed := must.Get(json.Marshal(content))(t)
	must.Fail(t, must.Err(parse(changed)), "put it last", "an end in the middle")
}

const version = "#version: 0.2\n"

func tinyMerges(t testing.TB, lines string) *Tokenizer {
	t.Helper()
	merges := must.Get(parseMerges(strings.NewReader(version+lines), bytePieces("", endOfWord), clipMerges))(t)
	clip := must.Get(fromMerges(merges))(t)
	return clip
}

// The bytes are numbered from 0 within words and from 256 on at their ends: the letters from a on 64 ids behind those of the bytes from
// "!" on, and merges follow from 512 on.
func TestMergesByHand(t *testing.T) {
	clip := tinyMerges(t, "l o\nlo w</w>\nlo w\r\nn e\n\n")
	letter := func(r rune) int32 { return r - '!' }
	for text, want := range map[string][]int32{
		"low":        {516, 513, 517, 0, 0, 0},
		"LOWne lo":   {516, 514, letter('n'), letter('e') + 256, letter('l'), 517},
		"lolo":       {516, 512, letter('l'), letter('o') + 256, 517, 0},
		"newer":      {516, 515, letter('w'), letter('e'), letter('r') + 256, 517},
		"a much too": {516, letter('a') + 256, letter('m'), letter('u'), letter('c'), 517},
	} {
		if got := clip.Encode(text, 6); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestMergesAreCompressedOrNot(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	must.Get(w.Write([]byte(version + "a b\n")))(t)
	must.Do(t, w.Close())
	dir := t.TempDir()
	hashes := map[string]bool{}
	for name, content := range map[string]string{"bpe_simple_vocab.txt": version + "a b\n",
		"bpe_simple_vocab_16e6.txt.gz": packed.String()} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(content), 0o644))
		clip, err := FromMerges(path)
		if err != nil || !IsMerges(path) {
			t.Fatalf("%s: taken for merges: %v; %v", name, IsMerges(path), err)
		}
		hashes[clip.Hash()] = true
	}
	if len(hashes) != 1 {
		t.Errorf("compressed the same merges are another tokenizer: %v", hashes)
	}
	for name, c := range map[string]struct{ content, want string }{
		"cut.txt.gz":   {packed.String()[:20], "unexpected EOF"},
		"none.txt.gz":  {version, "gzip"},
		"empty.txt":    {"", "line 1 does not tell a #version"},
		"bare.txt":     {"a b\n", "line 1 does not tell a #version"},
		"one.txt":      {version + "ab\n", `line 2: "ab" does not merge two pieces`},
		"unmade.txt":   {version + "a b\nc de\n", `line 3: "c de" does not merge two pieces`},
		"behind.txt":   {version + "a</w> b\n", "line 2:"},
		"twice.txt":    {version + "a b\nb c\nab c\na bc\n", `line 5: "a bc" makes a piece that is there already`},
		"long.txt":     {version + strings.Repeat("a", 1<<17), "too long"},
		"latin1.txt":   {version + "a \xe9\n", "line 2:"},
		"three.txt":    {version + "a b c\n", "line 2:"},
		"longline.txt": {strings.Repeat("#version", 1<<14), "too long"},
	} {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(c.content), 0o644))
		if _, err := FromMerges(path); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one that says %q", name, err, c.want)
		}
	}
}

// ALBEF's captions lose their signs, CLIP's do not.
func TestEncodeCaption(t *testing.T) {
	bert, clip := small(t, 1, 0), tinyMerges(t, "")
	if got, want := bert.EncodeCaption("A red: dog!", 6), bert.Encode("a red dog", 6); !slices.Equal(got, want) {
		t.Errorf("BERT's: got %v, want %v", got, want)
	}
	if got, want := clip.EncodeCaption("A!", 5), []int32{512, 'a' - '!' + 256, 256, 513, 0}; !slices.Equal(got, want) {
		t.Errorf("CLIP's: got %v, want %v", got, want)
	}
}

// mergedPlainly are a word's pieces by OpenAI's procedure: while there is a pair that merges, all of the first one's occurrences merge.
func mergedPlainly(word string, merges []string) []string {
	signs, _ := byteSigns()
	var pieces []string
	for _, b := range []byte(word) {
		pieces = append(pieces, string(signs[b]))
	}
	pieces[len(pieces)-1] += endOfWord
	for {
		first := len(merges)
		for i := range len(pieces) - 1 {
			if rank := slices.Index(merges, pieces[i]+" "+pieces[i+1]); rank >= 0 {
				first = min(first, rank)
			}
		}
		if first == len(merges) {
			return pieces
		}
		left, right, _ := strings.Cut(merges[first], " ")
		var merged []string
		for i := 0; i < len(pieces); i++ {
			if i+1 < len(pieces) && pieces[i] == left && pieces[i+1] == right {
				merged = append(merged, left+right)
				i++
			} else {
				merged = append(merged, pieces[i])
			}
		}
		pieces = merged
	}
}

// A list that goes on with empty lines, as a bomb does, is refused by them.
func TestMergesOfBlanks(t *testing.T) {
	must.Fail(t, must.Err(parseMerges(strings.NewReader(version+strings.Repeat("\n", 2000)), bytePieces(""), 10)), "1001 lines are empty")
}

// Whatever a list of merges, it is refused, or words have the pieces that OpenAI's procedure gives, and come back.
func FuzzMerges(f *testing.F) {
	f.Add(version+"a b\nab a\nab ab</w>\n", "ababab aba")
	f.Add(version+"a a\naa a\naa a</w>\n", "aaaaa aaaa")
	f.Add(version+"\u0120 a\n\u00c3 \u00a9</w>\n", "\u00e9\u00e9 A1b2")
	f.Add("", "")
	f.Add(version+"a b\na b\n", "ab")
	f.Fuzz(func(t *testing.T, content, caption string) {
		merges, err := parseMerges(strings.NewReader(content), bytePieces("", endOfWord), clipMerges)
		if err != nil {
			return
		}
		clip, err := fromMerges(merges)
		if err != nil {
			t.Fatalf("%q: %v", merges, err)
		}
		if clip.Size() != 512+len(merges)+2 {
			t.Fatalf("%d merges: got size %d", len(merges), clip.Size())
		}
		if strings.Contains(caption, "<|") || len(caption) > 200 {
			return // start and end may be written in captions
		}
		vocabulary := strings.Split(string(clip.Vocab()), "\n")
		ids := clip.Encode(caption, 2+4*len(caption)+16)
		if ids[0] != clip.CLS() || !slices.Contains(ids, clip.SEP()) {
			t.Fatalf("%q: got %v", caption, ids)
		}
		var got []string
		for _, id := range ids[1:slices.Index(ids, clip.SEP())] {
			got = append(got, vocabulary[id])
		}
		var want []string
		for _, word := range plainWords(clipClean(caption)) {
			want = append(want, mergedPlainly(word, merges)...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q with %q: got %q, want %q", caption, merges, got, want)
		}
		if text, want := clip.Decode(ids), strings.Join(plainWords(clipClean(caption)), " "); text != want {
			t.Fatalf("%q: decoded %q, want %q", caption, text, want)
		}
	})
}

// plainWords are what CLIP's rules split a cleaned caption into.
func plainWords(caption string) []string { return clipPattern.FindAllString(caption, -1) }

var clipPattern = regexp.MustCompile(clipWords)
