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
	step          [2]int // epoch and step
	masked, words []int32
	negative.Drafted
}

// drafts masks the captions of the current step, once.
func (t *trainer) drafts(b miniBatch) drafts {
	if at := [2]int{t.Epoch, t.Step}; t.drafted.step == at && t.drafted.masked != nil {
		return t.drafted
	}
	c, special := t.job.Config, t.special()
	sizes := c.Method.Writing.Sizes()
	r := random.Stream(c.Seed, "drafts", t.Epoch, t.Step)
	d := drafts{step: [2]int{t.Epoch, t.Step}, Drafted: negative.Drafted{Captions: b.IDs}}
	draws := objective.PhraseDraws{
		Uniform: r.Float64,
		Word:    func() int32 { return r.Int32N(int32(t.job.Tokenizer.Size())) },
		Shuffle: r.Shuffle,
	}
	for k, pair := range b.Pairs {
		ids := b.IDs[k*c.MaxLen : (k+1)*c.MaxLen]
		words := ids[1 : length(ids, special.Pad)-1]
		var phrases []scenegraph.Phrase
		if !sizes.ByWord {
			phrases = datasets.TokenPhrases(t.job.Set, t.sentence(pair), t.job.Tokenizer.Places, len(words))
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
	t.drafted = d
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
func (t *trainer) refills() []float32 {
	c := t.job.Config
	of := c.Method.Writing.Sizes()
	r := random.Stream(c.Seed, "refills", t.Epoch, t.Step)
	uniforms := make([]float32, c.BatchSize*of.Masks*of.Refills*c.MaxLen)
	for k := range uniforms {
		uniforms[k] = r.Float32()
	}
	return uniforms
}

// annotated lists the distinct ids in all captions of each image of a mini-batch, [batch, 5 tokens], padded with zeros.
func (t *trainer) annotated(b miniBatch) []int32 {
	c, special := t.job.Config, t.special()
	most := 5 * c.MaxLen
	all := make([]int32, 0, len(b.Pairs)*most)
	for _, pair := range b.Pairs {
		var ids []int32
		for _, caption := range t.job.Set.Captions(t.pairs[pair].Image) {
			encoded := t.job.Tokenizer.EncodeCaption(caption, c.MaxLen)
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
func (t *trainer) sentence(pair int) string {
	return t.job.Tokenizer.Prepare(t.pairs[pair].Text(t.job.Set))
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
