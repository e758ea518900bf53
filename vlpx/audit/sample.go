package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/evidence"
	"vlpx.internal/vlpx/random"
)

// Kind is a kind of negatives of a uniform mini-batch.
type Kind int

// Kinds of negatives.
const (
	InBatch Kind = iota // any
	Hardest             // the one that is most similar to its anchor by the cosine
	kinds
)

// String is what people call the negatives.
func (k Kind) String() string { return [...]string{"in a mini-batch", "hardest"}[k] }

// Sampling says how negatives are drawn.
type Sampling struct {
	Batch int // pairs of a mini-batch
	// Anchors are so many, each with a negative of each kind, as far as the split has so many pairs; half of them are images, half captions.
	Anchors int
	// Matches and ConD are as Config has them.
	Matches bool
	ConD    *eval.Subject
}

// Sample are negatives of uniform mini-batches, by which to estimate how many are false. The same split gives the same ones.
type Sample struct {
	Model, ConD string // what people call them
	Split       string
	Set         datasets.Set
	Batch       int
	Negatives   [kinds][]Candidate // one an anchor, in the order in which they are drawn
	Has         [scores]bool
	// Own is the median cosine of a pair's image and caption.
	Own float64
	// Unreadable are the keys of images that cannot be read, which take no part.
	Unreadable []string
}

// Draw draws negatives by a model that embeds images and captions.
func Draw(ctx context.Context, s eval.Subject, c Sampling) (*Sample, error) {
	t := textsOf(s.Set)
	if c.Batch < 2 || c.Anchors < 1 {
		return nil, fmt.Errorf("audit: %d anchors in mini-batches of %d pairs; take one or more, and two pairs or more", c.Anchors, c.Batch)
	}
	if len(t.captions) == 0 {
		return nil, fmt.Errorf("audit: %s has no captions", s.Set.Name())
	}
	r := &Sample{Set: s.Set, Batch: c.Batch, Has: [scores]bool{Cosine: true, ITM: c.Matches, ConD: c.ConD != nil}}
	unreadable := map[int]bool{}
	s.Accept = func(skip loader.Skip) error {
		if !unreadable[skip.Image] {
			unreadable[skip.Image], r.Unreadable = true, append(r.Unreadable, skip.Key)
		}
		return nil
	}
	images, ofTexts, err := s.Embeddings(ctx, t.captions)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(slices.Concat(images, ofTexts), func(x float32) bool { return x != x }) {
		return nil, errors.New("audit: an embedding is NaN; the model that gave it has diverged")
	}
	if err := r.draw(t, images, ofTexts, s.Model.Vectors(), len(ofTexts)/len(t.captions), c, unreadable); err != nil {
		return nil, err
	}
	for score, on := range map[Score]*eval.Subject{ITM: &s, ConD: c.ConD} {
		if !r.Has[score] {
			continue
		}
		by := *on
		by.Accept = s.Accept
		for k := range r.Negatives {
			if err := matchAny(ctx, by, t, r.Negatives[k], score); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// draw draws the mini-batches and their negatives.
//
//   - images: [images, vectors, dim]; texts: [texts, dim].
func (r *Sample) draw(t *texts, images, texts []float32, vectors, dim int, c Sampling, unreadable map[int]bool) error {
	pairs := t.members(unreadable)
	if len(pairs) < c.Batch {
		return fmt.Errorf("audit: %s has %d pairs, which are no mini-batch of %d; take a smaller one", r.Set.Name(), len(pairs), c.Batch)
	}
	var own []float64
	stream := random.Stream(1, "audit", "mini-batches")
	order := stream.Perm(len(pairs))
	for from := 0; from+c.Batch <= len(order) && len(r.Negatives[InBatch]) < c.Anchors; from += c.Batch {
		var batch []near
		var ofImages, ofTexts []float32
		for _, k := range order[from : from+c.Batch] {
			p := pairs[k]
			batch = append(batch, p)
			ofImages = append(ofImages, images[p.image*vectors*dim:(p.image+1)*vectors*dim]...)
			ofTexts = append(ofTexts, texts[p.text*dim:(p.text+1)*dim]...)
		}
		sims := eval.Similarities(ofImages, ofTexts, vectors, dim)
		for a := range batch {
			own = append(own, sims.Row(a)[a])
			if len(r.Negatives[InBatch]) == c.Anchors {
				continue
			}
			negative := func(other int) Candidate {
				if a%2 == 0 {
					return t.negative(near{batch[a].image, batch[other].text, sims.Row(a)[other]})
				}
				return t.negative(near{batch[other].image, batch[a].text, sims.Row(other)[a]})
			}
			r.Negatives[InBatch] = append(r.Negatives[InBatch], negative((a+1+stream.IntN(c.Batch-1))%c.Batch))
			hardest := negative((a + 1) % c.Batch)
			for other := range batch {
				if n := negative(other); other != a && n.Scores[Cosine] > hardest.Scores[Cosine] {
					hardest = n
				}
			}
			r.Negatives[Hardest] = append(r.Negatives[Hardest], hardest)
		}
	}
	slices.Sort(own)
	r.Own = stat.Quantile(.5, stat.Empirical, own, nil)
	return nil
}

// members are the pairs of the set whose image can be read.
func (t *texts) members(unreadable map[int]bool) (all []near) {
	places := map[string]int{}
	for place, caption := range t.captions {
		places[text.Clean(caption, 0)] = place
	}
	for _, pair := range datasets.Pairs(t.set) {
		if pair.Caption != datasets.NoCaption && !unreadable[pair.Image] {
			all = append(all, near{image: pair.Image, text: places[text.Clean(pair.Text(t.set), 0)]})
		}
	}
	return all
}

// negative is a candidate that is known to be true where its caption is also one of the image's own.
func (t *texts) negative(n near) Candidate {
	c := t.candidate(n)
	if t.own[n.image][n.text] {
		c.True, c.Known, c.own = true, true, true
	}
	return c
}

// matchAny is match of candidates in any order.
func matchAny(ctx context.Context, s eval.Subject, t *texts, of []Candidate, score Score) error {
	sorted, places := slices.Clone(of), make([]int, len(of))
	for k := range places {
		places[k] = k
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(of[a].Image, of[b].Image) })
	for k, place := range places {
		sorted[k] = of[place]
	}
	if err := match(ctx, s, t, sorted, score); err != nil {
		return err
	}
	for k, place := range places {
		of[place].Scores[score] = sorted[k].Scores[score]
	}
	return nil
}

// Estimate is how many of a kind of negatives are false, in per cent, with the exact 95 % interval of so many negatives.
type Estimate struct {
	Of               int // negatives that it is of
	Share, Low, High float64
}

// By is a way to tell which negatives are false.
type By int

// Ways to tell, from the surest on.
const (
	Told     By = iota // by what is known of the data: by people, by the relation of scenes, by equal captions
	ByConD             // those to which Con-D gives MAFA's threshold, .8, at least
	ByITM              // those to which image-text matching gives one half at least
	ByCosine           // twice those whose cosine is at least the median of own pairs: of true pairs half are
	ways
)

// String is what people call it.
func (b By) String() string {
	return [...]string{"what is known", "Con-D, from .8 on", "ITM, from .5 on", "cosine, twice those above half of the own pairs"}[b]
}

// Estimate is that of a kind of negatives; ok is false where there is nothing to tell by: no such score, or less than half is known.
func (r *Sample) Estimate(kind Kind, by By) (e Estimate, ok bool) {
	score := map[By]Score{ByConD: ConD, ByITM: ITM, ByCosine: Cosine}[by]
	least := map[By]float64{ByConD: .8, ByITM: .5, ByCosine: r.Own}[by]
	times, found := 1., 0
	if by == ByCosine {
		times = 2
	}
	for _, c := range r.Negatives[kind] {
		switch {
		case by == Told && !c.Known:
			continue
		case by == Told && c.True, by != Told && c.Scores[score] >= least:
			found++
		}
		e.Of++
	}
	if e.Of == 0 || by == Told && 2*e.Of < len(r.Negatives[kind]) || by != Told && !r.Has[score] {
		return e, false
	}
	low, high := evidence.Proportion(found, e.Of)
	e.Share, e.Low, e.High = min(times*share(found, e.Of), 100), min(times*100*low, 100), min(times*100*high, 100)
	return e, true
}

// Best is the surest way to tell by that there is.
func (r *Sample) Best() By {
	for by := range ByCosine {
		if _, ok := r.Estimate(InBatch, by); ok {
			return by
		}
	}
	return ByCosine
}
