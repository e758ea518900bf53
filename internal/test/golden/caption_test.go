package golden_test

import (
	"strconv"
	"testing"

	"vlpx.internal/internal/test/golden"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/eval/caption"
)

// checkCaptions compares tokens and scores of captions with those of COCO's evaluation (caption_metrics). Scores are taken of the expected
// tokens, so that a wrong token is one failure.
func checkCaptions(t *testing.T, c golden.Case) {
	sets := c.Keys("inputs")
	if len(sets) == 0 {
		t.Error("the case has no captions")
	}
	for _, set := range sets {
		raw := items(c, "inputs", set, "items")
		expected := items(c, "expected", "tokens", set)
		read(t, c)
		tokens := must.Get(caption.Tokenise(raw))(t)
		wanted := make([]caption.Tokens, len(expected))
		for i, want := range expected {
			wanted[i] = caption.Tokens(want)
			sentences, others := append([]string{tokens[i].Hypothesis}, tokens[i].References...),
				append([]string{want.Hypothesis}, want.References...)
			if len(sentences) != len(others) {
				t.Fatalf("%s: item %d: got %d references, want %d", set, i, len(sentences)-1, len(others)-1)
			}
			for k, got := range sentences {
				if got != others[k] {
					t.Errorf("%s: item %d, sentence %d: got the tokens %q, want %q", set, i, k, got, others[k])
				}
			}
		}

		bleu := caption.BLEU(wanted)
		var each, corpus []float64
		for i := range wanted {
			for _, s := range bleu {
				each = append(each, s.Items[i])
			}
		}
		for _, s := range bleu {
			corpus = append(corpus, s.Corpus)
		}
		near(t, c, set+": BLEU", each, c.Tensor("expected", set, "bleu").Float)
		near(t, c, set+": BLEU of the corpus", corpus, c.Tensor("expected", set, "bleu_corpus").Float)
		for name, got := range map[string]caption.Scores{
			"rouge_l": caption.ROUGEL(wanted), "cider_d": caption.CIDErD(wanted),
		} {
			near(t, c, set+": "+name, got.Items, c.Tensor("expected", set, name).Float)
			near(t, c, set+": "+name+" of the corpus", []float64{got.Corpus}, []float64{c.Float("expected", set, name+"_corpus")})
		}
	}
	read(t, c)
}

// items are the hypotheses and references of a list.
func items(c golden.Case, path ...string) []caption.Item {
	at := func(more ...string) []string { return append(path[:len(path):len(path)], more...) }
	var all []caption.Item
	for i := range c.Len(path...) {
		row := strconv.Itoa(i)
		item := caption.Item{Hypothesis: c.Text(at(row, "hypothesis")...)}
		for k := range c.Len(at(row, "references")...) {
			item.References = append(item.References, c.Text(at(row, "references", strconv.Itoa(k))...))
		}
		all = append(all, item)
	}
	return all
}
