package eval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/negative"
)

// Mining says how new positive pairs of a set are mined before training, by a frozen model that is its own Con-D (MAFA, section 4.1 and
// appendix G.8): in each mini-batch of an epoch of GRIT sampling the hardest other text of each image and the hardest other image of each
// text are scored by ITM, and those above the threshold are new positives.
type Mining struct {
	Sampling  negative.Grouped
	BatchSize int
	Threshold float64 // of ITM's probability of "matched"
	Seed      uint64  // of the sampling
}

// Mined are new positive pairs of a set.
type Mined struct {
	Further [][]int // of each image the pairs whose captions are true of it, too, as ITM says, each text once
	Scored  int     // candidates
}

// Check reports why a model cannot mine pairs of a set.
func (m Mining) Check(f framework.Framework, set datasets.Set) error {
	if !(m.Threshold >= 0 && m.Threshold <= 1) {
		return fmt.Errorf("eval: mining pairs above a probability of %g; use one from 0 to 1", m.Threshold)
	}
	if _, ok := f.(framework.Matches); !ok {
		return fmt.Errorf("eval: new pairs are mined by image-text matching, which %s does not make; take a run of one such as ALBEF, or "+
			"of BLIP-2's first stage",
			f.Name())
	}
	return captioned("mining", set)
}

// Mine mines new positive pairs of the set. A text that an image has already, its own or a mined one, is no candidate for it: on data with
// few distinct texts it would be the hardest of most. Mini-batches are encoded one at a time, in each of two epochs: GRIT groups the second
// by what the model saw in the first. So memory does not grow with what Match reads of all images.
func (s Subject) Mine(ctx context.Context, m Mining) (Mined, error) {
	if err := m.Check(s.Model.Framework(), s.Set); err != nil {
		return Mined{}, err
	}
	pairs := datasets.Pairs(s.Set)
	sampler, err := m.Sampling.Start(negative.Start{
		Pairs: len(pairs), BatchSize: m.BatchSize, Dim: framework.Dim(s.Model.Framework()), Epochs: 2, Seed: m.Seed,
	})
	if err != nil {
		return Mined{}, err
	}
	mine := miner{s, m.Threshold, pairs, Mined{Further: make([][]int, s.Set.Len())}}
	for epoch := range 2 {
		steps, err := sampler.Epoch(epoch)
		if err != nil {
			return Mined{}, err
		}
		for range steps {
			batch, err := sampler.Next()
			if err != nil {
				return Mined{}, err
			}
			met, err := mine.meet(ctx, batch)
			if err != nil {
				return Mined{}, err
			}
			if epoch == 1 {
				if err := mine.connect(ctx, met); err != nil {
					return Mined{}, err
				}
			} else if err := sampler.Observe(met.seen()); err != nil {
				return Mined{}, err
			}
		}
	}
	return mine.mined, nil
}

// miner is a mining under way.
type miner struct {
	Subject
	threshold float64
	pairs     []datasets.Pair
	mined     Mined
}

// met is an encoded mini-batch.
type met struct {
	*Encodings
	batch  []int    // pairs
	shown  []int    // distinct images
	worded []string // the pairs' texts, as they are told apart
}

// meet encodes a mini-batch of pairs, an image that several have once.
func (m *miner) meet(ctx context.Context, batch []int) (met, error) {
	b := met{Encodings: &Encodings{}, batch: batch}
	var pairs []datasets.Pair
	rows := map[int]int{}
	for _, p := range batch {
		pair := m.pairs[p]
		row, is := rows[pair.Image]
		if !is {
			row = len(b.shown)
			rows[pair.Image], b.shown = row, append(b.shown, pair.Image)
		}
		b.captionImage, pairs = append(b.captionImage, row), append(pairs, pair)
		b.worded = append(b.worded, worded(pair.Text(m.Set)))
	}
	return b, m.encode(ctx, b.Encodings, b.shown, m.captionsOf(pairs))
}

// worded is a text as far as texts are told apart.
func worded(of string) string { return text.Clean(of, text.MaxWords) }

// seen is what the sampler sees of the mini-batch: of an image with several vectors the one nearest to the pair's text.
func (b met) seen() negative.Observation {
	o := negative.Observation{Pairs: b.batch, Text: b.texts.Features, Temperature: 1}
	for t, row := range b.captionImage {
		vectors := b.images.Features[row*b.vectors*b.dim : (row+1)*b.vectors*b.dim]
		cosines, nearest := Cosines(vectors, o.Text[t*b.dim:(t+1)*b.dim], b.dim).Data, 0
		for v, cosine := range cosines {
			if cosine > cosines[nearest] {
				nearest = v
			}
		}
		o.Image = append(o.Image, vectors[nearest*b.dim:(nearest+1)*b.dim]...)
	}
	return o
}

// connect adds the new positives of a mini-batch.
func (m *miner) connect(ctx context.Context, b met) error {
	has := make([]map[string]bool, len(b.shown)) // the texts of each image
	for row, i := range b.shown {
		has[row] = map[string]bool{}
		for _, caption := range m.Set.Captions(i) {
			has[row][worded(caption)] = true
		}
		for _, p := range m.mined.Further[i] {
			has[row][worded(m.pairs[p].Text(m.Set))] = true
		}
	}
	candidates := hardest(b.Similarities(), b.worded, has)
	probabilities, err := m.match(ctx, m.Model.Probabilities, b.Encodings, candidates)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(probabilities, math.IsNaN) {
		return errors.New("eval: mining: a probability is NaN; the model that gave it has diverged")
	}
	m.mined.Scored += len(candidates)
	for k, c := range candidates {
		if probabilities[k] > m.threshold {
			i := b.shown[c.Image]
			m.mined.Further[i] = append(m.mined.Further[i], b.batch[c.Text])
		}
	}
	return nil
}

// hardest are the most similar text of each image, then the most similar image of each text, without the pairs that there are already and
// each once; among equals the first.
//
//   - sims: [images, texts].
//   - has: the texts of each image.
func hardest(sims Scores, texts []string, has []map[string]bool) []ImageText {
	var picked []ImageText
	type pair struct {
		image int
		text  string
	}
	once := map[pair]bool{}
	pick := func(anchors, others int, at func(anchor, other int) ImageText) {
		for a := range anchors {
			best, found := ImageText{}, false
			for o := range others {
				c := at(a, o)
				if !has[c.Image][texts[c.Text]] && (!found || sims.Row(c.Image)[c.Text] > sims.Row(best.Image)[best.Text]) {
					best, found = c, true
				}
			}
			if key := (pair{best.Image, texts[best.Text]}); found && !once[key] {
				once[key], picked = true, append(picked, best)
			}
		}
	}
	pick(sims.Rows, sims.Cols, func(image, text int) ImageText { return ImageText{image, text} })
	pick(sims.Cols, sims.Rows, func(text, image int) ImageText { return ImageText{image, text} })
	return picked
}
