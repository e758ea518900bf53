package eval

import (
	"context"
	"fmt"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval/caption"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/generate"
)

// Captioning has a model write a caption of each image, and scores it against people's (COCO captions, NoCaps; METHODS.md 15.9). Where the
// language of the captions is known it counts those that are true, and where the images have domains the scores are told of each. It
// measures nothing in brief.
type Captioning struct {
	Search generate.Search
	// Prompt is what captions begin with, such as "a photo of"; it is no part of them.
	Prompt string `json:",omitempty"`
	// Images is the number of images that are captioned, the first ones; 0 for all.
	Images int `json:",omitempty"`
}

func init() { Register("captioning", Captioning{Search: generate.Captions()}) }

// Metrics of Captioning. BLEU, ROUGE-L, CIDEr and SPICE are times 100, as papers print them.
const (
	BLEU4        Metric = "BLEU@4"
	ROUGEL       Metric = "ROUGE-L"
	CIDEr        Metric = "CIDEr"
	SPICE        Metric = "SPICE"
	TrueCaptions Metric = "true captions"
	CutCaptions  Metric = "cut captions"
)

// InDomain is a metric of Captioning of the images of a domain alone.
func InDomain(m Metric, d string) Metric { return Metric(d+"-domain ") + m }

// WrittenCaptions are the examples of [Captioning].
var WrittenCaptions = NewKind[[]WrittenCaption]("Captioned")

// WrittenCaption is a caption that a model wrote.
type WrittenCaption struct {
	Image   int    `json:"image"` // index into the split
	Caption string `json:"caption"`
	Own     string `json:"own"` // the first of the image's own captions
	// True says that the caption is true of the image, and Known that this is known.
	True  bool `json:"true,omitempty"`
	Known bool `json:"known,omitempty"`
	// Cut says that the model did not end it.
	Cut bool `json:"cut,omitempty"`
}

// Metrics implements Task.
func (c Captioning) Metrics() []Info {
	const group = "Captions"
	all := []Info{
		{BLEU4, group, "BLEU@4", "", false, "shares of n-grams up to four words that a reference has, geometric mean, times 100"},
		{ROUGEL, group, "ROUGE-L", "", false, "longest common subsequence with a reference, F-measure, times 100"},
		{CIDEr, group, "CIDEr", "", false, "n-grams in common with the references, weighted by idf (CIDEr-D), times 100"},
		{SPICE, group, "SPICE", "", false, "F1 of the scene graph's tuples against the references', by lemma, times 100"},
		{TrueCaptions, group, "true", "%", false, "captions that are true of their image, of all that were written"},
		{CutCaptions, group, "cut", "%", true, "captions that did not end within the greatest length"},
	}
	for _, d := range datasets.Domains {
		for _, m := range []Metric{CIDEr, SPICE} {
			all = append(all, Info{InDomain(m, d), "Captions, " + d + "-domain", string(m), "", false,
				fmt.Sprintf("%s of the images whose objects are %s-domain", m, d)})
		}
	}
	return all
}

// Check implements Task.
func (c Captioning) Check(f framework.Framework, set datasets.Set) error {
	if _, writes := f.(framework.Generates); !writes {
		return fmt.Errorf("eval: captioning takes a model that writes texts, and %s writes none; take one that does, such as BLIP-2 with "+
			"a language model", f.Name())
	}
	if c.Images < 0 {
		return fmt.Errorf("eval: captioning of %d images; 0 is all of them", c.Images)
	}
	if err := c.Search.Check(); err != nil {
		return err
	}
	return captioned("captioning", set)
}

// Measure implements Task.
func (c Captioning) Measure(ctx context.Context, on Subject) (Measured, error) {
	if err := c.Check(on.Model.Framework(), on.Set); on.Brief || err != nil {
		return Measured{}, err
	}
	if on.Tokenizer != nil && slices.Contains(on.Tokenizer.Encode(on.Tokenizer.Prepare(c.Prompt), on.MaxLen), on.Tokenizer.UNK()) {
		return Measured{}, fmt.Errorf("eval: captioning: the prompt %q has a word that the model's vocabulary lacks; take another one",
			c.Prompt)
	}
	on.Set = datasets.First(on.Set, c.Images, 0)
	images, prompts := make([]int, on.Set.Len()), make([]string, on.Set.Len())
	for i := range images {
		images[i], prompts[i] = i, c.Prompt
	}
	written, err := on.write(ctx, c.Search, images, prompts)
	if err != nil {
		return Measured{}, err
	}
	language, known := datasets.Language(on.Set), 0
	items, all := make([]caption.Item, len(written)), make([]WrittenCaption, len(written))
	result := Result{TrueCaptions: 0, CutCaptions: 0}
	for i, w := range written {
		own := on.Set.Captions(i)
		items[i] = caption.Item{Hypothesis: w.text, References: own}
		all[i] = WrittenCaption{Image: i, Caption: w.text, Own: own[0], Cut: w.cut}
		if language != nil {
			all[i].True, all[i].Known = language.Judge(i, w.text)
			known++
		}
		if all[i].True {
			result[TrueCaptions] += 100 / float64(len(written))
		}
		if w.cut {
			result[CutCaptions] += 100 / float64(len(written))
		}
	}
	if known == 0 {
		delete(result, TrueCaptions)
	}
	if err := c.score(result, items, on.Set); err != nil {
		return Measured{}, fmt.Errorf("eval: %s: %w", on.Set.Name(), err)
	}
	return WrittenCaptions.With(Measured{Metrics: result}, all), nil
}

// score adds the metrics of captions against their references.
func (c Captioning) score(result Result, items []caption.Item, set datasets.Set) error {
	tokens, err := caption.Tokenise(items)
	if err != nil {
		return err
	}
	cider := caption.CIDErD(tokens)
	spice, err := caption.SPICE(items, func(sentence string) scenegraph.Graph { return datasets.GraphOf(set, sentence) })
	if err != nil {
		return err
	}
	result[BLEU4], result[ROUGEL] = 100*caption.BLEU(tokens)[3].Corpus, 100*caption.ROUGEL(tokens).Corpus
	result[CIDEr], result[SPICE] = 100*cider.Corpus, 100*spice.Corpus
	domained := datasets.WithDomains(set)
	if domained == nil {
		return nil
	}
	count := map[string]float64{}
	for i := range items {
		count[domained.Domain(i)]++
	}
	for i := range items {
		d := domained.Domain(i)
		result[InDomain(CIDEr, d)] += 100 * cider.Items[i] / count[d]
		result[InDomain(SPICE, d)] += 100 * spice.Items[i] / count[d]
	}
	return nil
}

// written is a text that a model wrote of an image.
type written struct {
	text string
	cut  bool // it did not end
}

// writtenAtOnce is the number of texts in one search: each goes on as many prefixes as it has beams.
const writtenAtOnce = 32

// write has the model write texts of images of the set, each behind a prompt.
func (s Subject) write(ctx context.Context, search generate.Search, images []int, prompts []string) (all []written, err error) {
	if s.Tokenizer == nil {
		return nil, fmt.Errorf("eval: %s has no vocabulary to write with", s.Model.Framework().Name())
	}
	var ids [][]int32
	longest := 1
	for _, prompt := range prompts {
		of, err := prompted(s.Tokenizer, prompt, s.MaxLen)
		if err != nil {
			return nil, err
		}
		ids, longest = append(ids, of), max(longest, len(of))
	}
	for from := 0; from < len(images); from += writtenAtOnce {
		count := min(writtenAtOnce, len(images)-from)
		some := make([]int, writtenAtOnce)
		r := generate.Request{Tokens: longest, End: s.Tokenizer.SEP()}
		for k := range some {
			at := from + min(k, count-1) // the last search repeats its last image: one compiled shape serves all
			some[k] = images[at]
			r.Prompts = append(r.Prompts, ids[at])
		}
		pixels, skipped, err := loader.Images(ctx, s.Set, some, s.Size, s.Features)
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", s.Set.Name(), err)
		}
		for _, skip := range skipped {
			if err := s.accept(skip); err != nil {
				return nil, err
			}
		}
		r.Images = pixels
		texts, err := generate.Texts(ctx, s.Model, search, r)
		if err != nil {
			return nil, err
		}
		for _, t := range texts[:count] {
			all = append(all, written{s.Tokenizer.Decode(t.IDs), !t.Ended})
		}
	}
	return all, nil
}

// prompted are the ids that a text begins with, without its end. More than so many tokens are an error.
func prompted(k *text.Tokenizer, prompt string, tokens int) ([]int32, error) {
	ids := k.Encode(k.Prepare(prompt), tokens+2)
	if end := 1 + slices.Index(ids[1:], k.SEP()); end <= tokens {
		return ids[:end], nil
	}
	return nil, fmt.Errorf("eval: the prompt %q has more than %d tokens; take a shorter one, or more with maxlen", prompt, tokens)
}
