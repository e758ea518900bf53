package eval_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/datasets/text"
	"vlpx.internal/internal/test/must"
	"vlpx.internal/vlpx/encoder"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/eval/caption"
	"vlpx.internal/vlpx/framework/albef"
	"vlpx.internal/vlpx/generate"
)

// Captions that are written word for word score fully, of images of every search, and are kept with what they are about.
func TestCaptionsWordForWord(t *testing.T) {
	a := pictures(40)
	on := script(t, a, nil, func(k *text.Tokenizer) (all []line) {
		for i, own := range a.captions {
			all = append(all, line{i, prompt(t, k, ""), ids(t, k, own[i%2], true)})
		}
		return all
	})
	for _, search := range []generate.Search{{Beams: 1, Max: 9}, generate.Captions()} {
		got := must.Get(eval.Captioning{Search: search}.Measure(t.Context(), on))(t)
		for _, m := range []eval.Metric{eval.BLEU4, eval.ROUGEL} {
			if v := got.Metrics[m]; math.Abs(v-100) > 1e-6 {
				t.Errorf("%d beams: %s is %g, want 100", search.Beams, m, v)
			}
		}
		if _, known := got.Metrics[eval.TrueCaptions]; known || got.Metrics[eval.CutCaptions] != 0 ||
			len(eval.WrittenCaptions.Of(got.Examples)) != 40 {
			t.Errorf("%d beams: got %v of %d captions, want none cut, and none known to be true", search.Beams, got.Metrics,
				len(eval.WrittenCaptions.Of(got.Examples)))
		}
		for i, c := range eval.WrittenCaptions.Of(got.Examples) {
			if c.Image != i || c.Caption != a.captions[i][i%2] || c.Own != a.captions[i][0] || c.Cut || c.Known {
				t.Errorf("%d beams, image %d: got %+v", search.Beams, i, c)
			}
		}
	}
}

// flawed are pictures with what is written of them behind a prompt: by turns their own caption, one of another colour, one that names the
// shape alone, and one that does not end.
func flawed(t *testing.T, n, room int) (eval.Subject, album, []string) {
	t.Helper()
	a, written := pictures(n), make([]string, n)
	on := script(t, a, []string{"this is a shape"}, func(k *text.Tokenizer) (all []line) {
		for i := range written {
			own := strings.Fields(coloured(i))
			switch i % 4 {
			case 0:
				written[i] = "a " + coloured(i) + " on the table"
			case 1:
				written[i] = "a " + coloured(i+1) + " on the table"
			case 2:
				written[i] = "a " + own[1]
			default:
				words := append(own, strings.Fields(strings.Repeat("table ", room))...)
				written[i] = strings.Join(words[:room], " ")
			}
			all = append(all, line{i, prompt(t, k, "this is"), ids(t, k, written[i], i%4 != 3)})
		}
		return all
	})
	return on, a, written
}

// What is measured is what the measures of captions say of what is written behind the prompt, and of each domain its images' mean.
func TestCaptionsByMeasures(t *testing.T) {
	on, a, written := flawed(t, 39, 7)
	for _, images := range []int{0, 6} {
		got := must.Get(eval.Captioning{Search: generate.Search{Beams: 1, Max: 7}, Prompt: "This is", Images: images}.Measure(t.Context(),
			on))(t)
		n := len(written)
		if images > 0 {
			n = images
		}
		var items []caption.Item
		cut := 0.
		for i := range n {
			items = append(items, caption.Item{Hypothesis: written[i], References: a.captions[i]})
			if c := eval.WrittenCaptions.Of(got.Examples)[i]; c.Caption != written[i] || c.Cut != (i%4 == 3) {
				t.Errorf("image %d: got %+v, want %q", i, c, written[i])
			}
			if i%4 == 3 {
				cut++
			}
		}
		tokens := must.Get(caption.Tokenise(items))(t)
		spice := must.Get(caption.SPICE(items, scenegraph.Parse))(t)
		cider := caption.CIDErD(tokens)
		want := eval.Result{eval.BLEU4: 100 * caption.BLEU(tokens)[3].Corpus, eval.ROUGEL: 100 * caption.ROUGEL(tokens).Corpus,
			eval.CIDEr: 100 * cider.Corpus,
			eval.SPICE: 100 * spice.Corpus, eval.CutCaptions: 100 * cut / float64(n)}
		for d, name := range datasets.Domains {
			var sum, graphs, of float64
			for i := d; i < n; i += 3 {
				sum, graphs, of = sum+cider.Items[i], graphs+spice.Items[i], of+1
			}
			want[eval.InDomain(eval.CIDEr, name)], want[eval.InDomain(eval.SPICE, name)] = 100*sum/of, 100*graphs/of
		}
		same(t, got.Metrics, want)
		if v := got.Metrics[eval.BLEU4]; len(eval.WrittenCaptions.Of(got.Examples)) != n || v < 10 || v > 90 {
			t.Errorf("%d captions with BLEU@4 %g, want %d, neither right nor wrong", len(eval.WrittenCaptions.Of(got.Examples)), v, n)
		}
	}
}

// judging is an album whose language is known: that of sentences with a table, which are true where the colour is the image's.
type judging struct{ album }

func (j judging) Understand(sentence string) (scenegraph.Graph, bool) {
	return scenegraph.Parse(sentence), strings.Contains(sentence, "on the table")
}

func (j judging) Judge(i int, sentence string) (holds, known bool) {
	known = strings.Contains(sentence, "on the table")
	return known && strings.Contains(sentence, strings.Fields(coloured(i))[0]), known
}

func (judging) Fill(int, []string) []string { panic("nobody asks") }

// Of captions in a known language those that are true are counted, of all: what is not of the language is not true.
func TestTrueCaptions(t *testing.T) {
	on, a, _ := flawed(t, 40, 7)
	on.Set = judging{a}
	got := must.Get(eval.Captioning{Search: generate.Search{Beams: 1, Max: 7}, Prompt: "this is"}.Measure(t.Context(), on))(t)
	if v := got.Metrics[eval.TrueCaptions]; math.Abs(v-25) > 1e-9 {
		t.Errorf("%g %% are true, want the quarter that is the images' own", v)
	}
	for i, c := range eval.WrittenCaptions.Of(got.Examples) {
		if c.True != (i%4 == 0) || c.Known != (i%4 < 2) {
			t.Errorf("image %d, %q: true %v, known %v", i, c.Caption, c.True, c.Known)
		}
	}
}

func TestCaptioningNeeds(t *testing.T) {
	on, a, _ := flawed(t, 5, 7)
	f := on.Model.Framework()
	short := generate.Search{Beams: 1, Max: 7}
	measured := func(c eval.Captioning, change func(*eval.Subject)) error {
		s := on
		change(&s)
		_, err := c.Measure(t.Context(), s)
		return err
	}
	same := func(*eval.Subject) {}
	silent := a
	silent.captions = append([][]string{nil}, a.captions[1:]...)
	fails(t, eval.Captioning{Search: short}.Check(albef.Model{Vision: encoder.ViT{}}, a), "ALBEF writes none")
	fails(t, eval.Captioning{Search: short, Images: -1}.Check(f, a), "captioning of -1 images")
	fails(t, eval.Captioning{}.Check(f, a), "0 beams")
	fails(t, eval.Captioning{Search: short}.Check(f, silent), "captioning needs a caption of each image, and point-0 of pictures has none")
	fails(t, measured(eval.Captioning{Search: short, Prompt: "this is a zebra"}, same),
		`the prompt "this is a zebra" has a word that the model's vocabulary lacks`)
	fails(t, measured(eval.Captioning{Search: short, Prompt: "this is a shape on the table"}, func(s *eval.Subject) { s.MaxLen = 4 }),
		"has more than 4 tokens")
	fails(t, measured(eval.Captioning{Search: short}, func(s *eval.Subject) { s.Tokenizer = nil }), "has no vocabulary to write with")
	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("enough"))
	if _, err := (eval.Captioning{Search: short}).Measure(stopped, on); err == nil {
		t.Error("it goes on after it was stopped")
	}
	on.Brief = true
	if got, err := (eval.Captioning{Search: short}).Measure(t.Context(), on); err != nil || len(got.Metrics) != 0 {
		t.Errorf("in brief: got %v (%v), want nothing", got.Metrics, err)
	}
}
