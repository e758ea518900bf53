package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/eval"
)

// Score is what candidates are ranked by.
type Score int

// Scores of a candidate.
const (
	Cosine Score = iota // of the two embeddings
	ITM                 // the probability by the model's image-text matching
	ConD                // the probability by the matching of a second model, MAFA's discriminator of connections
	scores
)

// String is what people call the score.
func (s Score) String() string { return [...]string{"cosine", "ITM", "Con-D"}[s] }

// Candidate is a caption that may be true of an image that it was not written for.
type Candidate struct {
	Image   int    // an index into the set
	Caption string // as it stands in the data
	Of      int    // the image that it was written for, of several the first
	// Scores by [Score]; NaN where the model has none.
	Scores [scores]float64
	// True tells whether the caption is true of the image, if that is Known.
	True, Known bool

	text int
	own  bool // the caption is also one of the image's own
}

// Config says what is looked for.
type Config struct {
	// Nearest is how many captions of each image, and how many images of each caption, become candidates: the nearest by the cosine.
	Nearest int
	// Matches says whether the model has learned image-text matching.
	Matches bool
	// ConD is a second model on the same split, whose matching is asked, too; nil for none.
	ConD *eval.Subject
}

// Report are the candidates of a split.
type Report struct {
	Model, ConD string // what people call them
	Split       string
	Set         datasets.Set
	By          Score       // what they are ranked by
	Candidates  []Candidate // hardest first
	// Unreadable are the keys of images that cannot be read, which are no candidates.
	Unreadable []string
	// Has says which scores there are.
	Has [scores]bool
	// Trues and Falses count what is known of all captions and images that do not belong together, equal captions as one.
	Trues, Falses int
	// All is how many such pairs there are.
	All int
	// Judged are those that are known, with their scores; nil where they are many or all, or nothing is known.
	Judged []Candidate
}

// mostJudged is how many known pairs are all scored at most, beside the candidates.
const mostJudged = 100_000

// Find finds candidates by a model that embeds images and captions. An image that cannot be read is left out.
func Find(ctx context.Context, s eval.Subject, c Config) (*Report, error) {
	t := textsOf(s.Set)
	switch {
	case c.Nearest < 1:
		return nil, fmt.Errorf("audit: the %d nearest; take one or more", c.Nearest)
	case s.Set.Len() < 2:
		return nil, fmt.Errorf("audit: %s has %d images; it takes two, so that a caption may be true of another one", s.Set.Name(),
			s.Set.Len())
	case len(t.captions) == 0:
		return nil, fmt.Errorf("audit: %s has no captions", s.Set.Name())
	}
	r := &Report{Set: s.Set, Has: [scores]bool{Cosine: true, ITM: c.Matches, ConD: c.ConD != nil}}
	unreadable := map[int]bool{}
	accept := func(skip loader.Skip) error {
		if !unreadable[skip.Image] {
			unreadable[skip.Image], r.Unreadable = true, append(r.Unreadable, skip.Key)
		}
		return nil
	}
	s.Accept = accept
	images, ofTexts, err := s.Embeddings(ctx, t.captions)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(slices.Concat(images, ofTexts), func(x float32) bool { return x != x }) {
		return nil, errors.New("audit: an embedding is NaN; the model that gave it has diverged")
	}
	vectors, dim := s.Model.Vectors(), len(ofTexts)/len(t.captions)
	leave := func(image, text int) bool { return t.own[image][text] || unreadable[image] }
	for _, n := range nearest(images, ofTexts, vectors, dim, c.Nearest, inBlock, leave) {
		r.Candidates = append(r.Candidates, t.candidate(n))
	}
	r.count(t, unreadable)
	for k := range r.Judged {
		one := &r.Judged[k]
		image := images[one.Image*vectors*dim : (one.Image+1)*vectors*dim]
		one.Scores[Cosine] = eval.Similarities(image, ofTexts[one.text*dim:(one.text+1)*dim], vectors, dim).Row(0)[0]
	}
	for score, on := range map[Score]*eval.Subject{ITM: &s, ConD: c.ConD} {
		if !r.Has[score] {
			continue
		}
		by := *on
		by.Accept = accept
		for _, of := range [][]Candidate{r.Candidates, r.Judged} {
			if err := match(ctx, by, t, of, score); err != nil {
				return nil, err
			}
		}
	}
	if c.Matches {
		r.By = ITM
	}
	r.Rank(r.By)
	return r, nil
}

// candidate is that of a pair.
func (t *texts) candidate(n near) Candidate {
	c := Candidate{Image: n.image, Caption: t.captions[n.text], Of: t.first[n.text], text: n.text}
	c.Scores = [scores]float64{n.cosine, math.NaN(), math.NaN()}
	c.True, c.Known = t.holds(n.image, n.text)
	return c
}

// count counts what is known, and lists it where it is little.
func (r *Report) count(t *texts, unreadable map[int]bool) {
	for i := range t.set.Len() {
		if unreadable[i] {
			continue
		}
		for text := range t.captions {
			if t.own[i][text] {
				continue
			}
			r.All++
			holds, known := t.holds(i, text)
			switch {
			case !known:
				continue
			case holds:
				r.Trues++
			default:
				r.Falses++
			}
			if r.Trues+r.Falses <= mostJudged {
				r.Judged = append(r.Judged, t.candidate(near{i, text, math.NaN()}))
			}
		}
	}
	if known := r.Trues + r.Falses; known > mostJudged || known == r.All {
		r.Judged = nil
	}
}

// match fills in a probability of matching. The candidates come by ascending image.
func match(ctx context.Context, s eval.Subject, t *texts, of []Candidate, score Score) error {
	pairs := make([]eval.ImageText, len(of))
	for k, c := range of {
		pairs[k] = eval.ImageText{Image: c.Image, Text: c.text}
	}
	all, err := s.Matching(ctx, t.captions, pairs)
	if err != nil {
		return err
	}
	for k, p := range all {
		of[k].Scores[score] = p
	}
	return nil
}

// Rank orders the candidates by a score that there is, hardest first; of equal ones the nearer comes first.
func (r *Report) Rank(by Score) {
	r.By = by
	rank(r.Candidates, by)
}

func rank(of []Candidate, by Score) {
	slices.SortStableFunc(of, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Scores[by], a.Scores[by]), cmp.Compare(b.Scores[Cosine], a.Scores[Cosine]),
			cmp.Compare(a.Image, b.Image), cmp.Compare(a.text, b.text))
	})
}
