package train

import (
	"slices"
	"strings"

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

// trueFillings lists the true sentences that each draft of a mini-batch can become, see field.TrueFillings. Of a caption that is cut there
// are none.
func (i *input) trueFillings(b *miniBatch) []int32 {
	maxLen, masks := i.job.Config.MaxLen, i.job.Config.Method.Writing.Sizes().Masks
	all := make([]int32, 0, len(b.Pairs)*masks*negative.MostTrue*maxLen)
	d := i.drafts(b)
	for k, pair := range b.Pairs {
		ids := b.IDs[k*maxLen : (k+1)*maxLen]
		for draft := k * masks; draft < (k+1)*masks; draft++ {
			fillings := i.fillings(pair, ids, d.words[draft*maxLen:(draft+1)*maxLen])
			fit := fillings[:min(len(fillings), negative.MostTrue)]
			var filled int32
			if len(fillings) > len(fit) {
				fit, filled = nil, -1
			}
			all = append(all, slices.Concat(fit...)...)
			all = append(all, slices.Repeat([]int32{filled}, (negative.MostTrue-len(fit))*maxLen)...)
		}
	}
	return all
}

// fillings are the true sentences of the image of a pair, as ids, that differ from its caption only where words of a draft are not
// objective.Ignored.
func (i *input) fillings(pair int, caption, draft []int32) (fillings [][]int32) {
	sentence, maxLen := i.sentence(pair), len(caption)
	if i.job.Tokenizer.Cut(sentence, maxLen) {
		return nil
	}
	words := strings.Fields(sentence)
	for k, place := range i.job.Tokenizer.Places(words) {
		if slices.ContainsFunc(draft[1+place[0]:1+place[1]], func(id int32) bool { return id != objective.Ignored }) {
			words[k] = ""
		}
	}
	for _, said := range i.language.Fill(i.pairs[pair].Image, words) {
		ids := i.job.Tokenizer.EncodeCaption(said, maxLen)
		if !i.job.Tokenizer.Cut(said, maxLen) && agree(ids, caption, draft) {
			fillings = append(fillings, ids)
		}
	}
	return fillings
}

// agree reports whether a sentence is the caption but for the words of a draft that are not objective.Ignored; all are ids, [tokens].
func agree(ids, caption, draft []int32) bool {
	for at, id := range draft {
		if id == objective.Ignored && ids[at] != caption[at] {
			return false
		}
	}
	return true
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
