package train

import (
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/scenegraph"
	"vlpx.internal/vlpx/negative"
	"vlpx.internal/vlpx/objective"
	"vlpx.internal/vlpx/random"
)

// drafts are the maskings of a mini-batch's captions, [batch, K, tokens], with what they mask.
type drafts struct {
	masked, words []int32
	negative.Drafted
}

// drafts masks the captions of a mini-batch, once.
func (i *input) drafts(b *miniBatch) drafts {
	if b.drafts == nil {
		b.drafts = i.draft(b)
	}
	return *b.drafts
}

func (i *input) draft(b *miniBatch) *drafts {
	c, special := i.job.Config, i.special()
	sizes := c.Method.Writing.Sizes()
	r := random.Stream(c.Seed, "drafts", b.at.epoch, b.at.step)
	d := &drafts{Drafted: negative.Drafted{Captions: b.IDs}}
	draws := objective.PhraseDraws{
		Uniform: r.Float64,
		Word:    func() int32 { return r.Int32N(int32(i.job.Tokenizer.Size())) },
		Shuffle: r.Shuffle,
	}
	for k, pair := range b.Pairs {
		ids := b.IDs[k*c.MaxLen : (k+1)*c.MaxLen]
		words := ids[1 : length(ids, special.Pad)-1]
		var phrases []scenegraph.Phrase
		if !sizes.ByWord {
			phrases = datasets.TokenPhrases(i.job.Set, i.sentence(pair), i.job.Tokenizer.Places, len(words))
		}
		d.Graphless = append(d.Graphless, !sizes.ByWord && phrases == nil)
		var places [][]int
		for _, p := range phrases {
			places = append(places, p.At)
		}
		for _, m := range objective.MaskPhrases(words, places, sizes.Masks, sizes.Rate, special.Mask, draws) {
			d.masked = append(d.masked, ids...)
			copy(d.masked[len(d.masked)-c.MaxLen+1:], m.IDs)
			labels := slices.Repeat([]int32{objective.Ignored}, c.MaxLen)
			copy(labels[1:], m.Labels)
			d.words = append(d.words, labels...)
			of := ""
			if phrases != nil {
				of = element(phrases, m.Drawn)
			}
			d.Elements = append(d.Elements, of)
		}
	}
	return d
}

// length is the number of ids before the padding.
func length(ids []int32, pad int32) int {
	if n := slices.Index(ids, pad); n >= 0 {
		return n
	}
	return len(ids)
}

// refills draws the uniform numbers by which masked words are refilled.
func (i *input) refills(b *miniBatch) []float32 {
	c := i.job.Config
	of := c.Method.Writing.Sizes()
	r := random.Stream(c.Seed, "refills", b.at.epoch, b.at.step)
	uniforms := make([]float32, c.BatchSize*of.Masks*of.Refills*c.MaxLen)
	for k := range uniforms {
		uniforms[k] = r.Float32()
	}
	return uniforms
}

// annotated lists the distinct ids in all captions of each image of a mini-batch, [batch, 5 tokens], padded with zeros.
func (i *input) annotated(b *miniBatch) []int32 {
	c, special := i.job.Config, i.special()
	most := 5 * c.MaxLen
	all := make([]int32, 0, len(b.Pairs)*most)
	for _, pair := range b.Pairs {
		var ids []int32
		for _, caption := range i.job.Set.Captions(i.pairs[pair].Image) {
			encoded := i.job.Tokenizer.EncodeCaption(caption, c.MaxLen)
			for _, id := range encoded[1 : length(encoded, special.Pad)-1] {
				if !slices.Contains(ids, id) && len(ids) < most {
					ids = append(ids, id)
				}
			}
		}
		all = append(append(all, ids...), make([]int32, most-len(ids))...)
	}
	return all
}

// sentence is the caption of a pair as the tokenizer sees it.
func (i *input) sentence(pair int) string {
	return i.job.Tokenizer.Prepare(i.pairs[pair].Text(i.job.Set))
}

// element names what phrases of a graph are when all are of one kind; "" where they are not.
func element(phrases []scenegraph.Phrase, drawn []int) string {
	var kinds []string
	for _, p := range drawn {
		kinds = append(kinds, phrases[p].Kind.String())
	}
	if kinds = slices.Compact(kinds); len(kinds) == 1 {
		return kinds[0]
	}
	return ""
}
