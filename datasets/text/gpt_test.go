package text

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vlpx.internal/internal/test/must"
)

// gptMerges make pieces from 256 on, behind the bytes in GPT-2's order; the end is 284.
const gptMerges = "Ġ a\no g\nd og\nĠ dog\nĠ r\ne d\nĠr ed\nĠ Ġ\nĠĠ ĠĠ\n' s\ni n\nin g\nn ing\n1 2\nĊ Ċ\nÃ ©\nu n\nr un\nrun ning\n" +
	"Ġ running\nh e\nt he\nĠ the\n! !\nc a\nĠ ca\nt s\nĠca ts\n"

// gptFiles writes vocab.json and merges.txt.
func gptFiles(t *testing.T, change func(vocabulary map[string]int), merges string) (vocab, list string) {
	t.Helper()
	vocabulary := map[string]int{}
	for _, piece := range bytePieces("") {
		vocabulary[piece] = len(vocabulary)
	}
	for line := range strings.Lines(gptMerges) {
		vocabulary[strings.NewReplacer(" ", "", "\n", "").Replace(line)] = len(vocabulary)
	}
	vocabulary[gptEnd] = len(vocabulary)
	change(vocabulary)
	content := must.Get(json.Marshal(vocabulary))(t)
	dir := t.TempDir()
	vocab, list = filepath.Join(dir, "vocab.json"), filepath.Join(dir, "merges.txt")
	must.Do(t, os.WriteFile(vocab, content, 0o644))
	must.Do(t, os.WriteFile(list, []byte(merges), 0o644))
	return vocab, list
}

func tinyGPT(t *testing.T) *Tokenizer {
	t.Helper()
	gpt := must.Get(FromVocabAndMerges(gptFiles(t, func(map[string]int) {}, version+gptMerges)))(t)
	return gpt
}

// The ids were made by OpenAI's procedure (encoder.py) with its own pattern, which looks ahead of white space.
func TestGPTByHand(t *testing.T) {
	gpt := tinyGPT(t)
	const end = 284
	want := []int32{end, end, end, 0, -1, end + 1}
	if got := []int32{gpt.CLS(), gpt.SEP(), gpt.UNK(), gpt.PAD(), gpt.MASK(), int32(gpt.Size())}; !slices.Equal(got, want) {
		t.Errorf("start, end, unknown, padding, mask and size: got %v, want %v", got, want)
	}
	for text, ids := range map[string][]int32{
		"dog":                               {258},
		"A dog's running  the    cats":      {32, 259, 265, 260, 272, 268, 220, 278, 263, 220, 283},
		"12 123 dogs!!!":                    {269, 220, 269, 18, 259, 82, 279, 0},
		" leading and trailing  ":           {220, 75, 68, 64, 67, 267, 256, 77, 67, 220, 83, 81, 64, 72, 75, 267, 263},
		"caf\u00e9\n\n\n x":                 {280, 69, 271, 270, 198, 220, 87},
		"don't DON'T we'll":                 {67, 78, 77, 6, 83, 220, 35, 46, 45, 6, 51, 220, 86, 68, 6, 75, 75},
		"a\u00a0b\u2003c\t d":               {64, 126, 254, 65, 158, 222, 225, 66, 197, 220, 67},
		"x\u00b2 \u0663\u00bd \u2167":       {87, 126, 110, 220, 149, 96, 126, 121, 220, 158, 227, 100},
		"\u72ac\u304c \U0001f436\U0001f436": {163, 232, 105, 159, 223, 234, 220, 172, 253, 238, 114, 172, 253, 238, 114},
		"":                                  nil,
		"\n":                                {198},
		"  \n dog":                          {263, 198, 259},
		"a  'sdog ' s":                      {64, 220, 220, 6, 82, 258, 220, 6, 220, 82},
		"tab\tdog\t\tdog":                   {83, 64, 65, 197, 258, 197, 197, 258},
	} {
		want := append(append([]int32{end}, ids...), end)
		got := gpt.EncodeCaption(text, len(want)+2)
		if !slices.Equal(got, append(want, 0, 0)) {
			t.Errorf("%q: got %v, want %v and padding", text, got, want)
		}
		if back := gpt.Decode(got); back != text {
			t.Errorf("%q: decoded %q", text, back)
		}
	}
	if got, want := gpt.Encode("dog dog", 3), []int32{end, 258, end}; !slices.Equal(got, want) {
		t.Errorf("cut: got %v, want %v", got, want)
	}
	if got, want := gpt.Decode(gpt.Encode("a\xffb", 9)), "a\uFFFDb"; got != want {
		t.Errorf("a byte that is no UTF-8: got %q, want %q", got, want)
	}
}

// A tokenizer that is kept as tokenizer.json is the same one.
func TestGPTTokenizerIsKept(t *testing.T) {
	gpt := tinyGPT(t)
	path := filepath.Join(t.TempDir(), "tokenizer.json")
	must.Do(t, os.WriteFile(path, gpt.JSON(), 0o644))
	got := must.Get(FromTokenizerJSON(path))(t)
	if text := "A dog's  cats"; got.Hash() != gpt.Hash() || !slices.Equal(got.Encode(text, 9), gpt.Encode(text, 9)) {
		t.Error("got another tokenizer")
	}
	for says, change := range map[string][2]string{
		"only BERT's":                          {`"add_prefix_space":false`, `"add_prefix_space":true`},
		"CLIP's BPE and GPT-2's are supported": {`"normalizer":null`, `"normalizer":{"type":"NFC"}`},
	} {
		changed := strings.ReplaceAll(string(gpt.JSON()), change[0], change[1])
		must.Fail(t, must.Err(parse([]byte(changed))), says, "%s", change[1])
	}
}

func TestGPTRefuses(t *testing.T) {
	for says, c := range map[string]struct {
		change func(map[string]int)
		merges string
	}{
		"no piece \"Ġ\" of a single byte": {func(v map[string]int) { delete(v, "Ġ") }, version},
		"has no <|endoftext|>":            {func(v map[string]int) { delete(v, gptEnd) }, version},
		"has the id 0":                    {func(v map[string]int) { v[gptEnd], v["!"] = 0, 300 }, version},
		"have the same id 5":              {func(v map[string]int) { v["!"] = 5 }, version},
		`what "x y" merges to`:            {func(map[string]int) {}, version + "x y\n"},
		"does not tell a #version":        {func(map[string]int) {}, "a b\n"},
		"does not merge two pieces":       {func(map[string]int) {}, version + "ab c\n"},
	} {
		vocab, merges := gptFiles(t, c.change, c.merges)
		must.Fail(t, must.Err(FromVocabAndMerges(vocab, merges)), says)
	}
	vocab, merges := gptFiles(t, func(map[string]int) {}, version)
	for _, missing := range [][2]string{{vocab + "x", merges}, {vocab, merges + "x"}, {merges, merges}} {
		if _, err := FromVocabAndMerges(missing[0], missing[1]); err == nil {
			t.Errorf("%v: no error", missing)
		}
	}
}
