package eval

import (
	"context"
	"fmt"
	"maps"
	"strconv"

	"vlpx.internal/datasets"
	"vlpx.internal/vlpx/framework"
)

// Retrieval is zero-shot image-text retrieval (METHODS.md 15.1 and 15.2). A framework that matches encoded pairs re-ranks, as ALBEF reports
// it, and CosinePrefix marks the same without; in one that does not the cosine ranks, and both names tell it. One that scores pairs without
// an embedding of either side, as UNITER, ranks by the scores of all pairs, and has no metrics under CosinePrefix.
type Retrieval struct {
	// Rerank is the number of nearest candidates that image-text matching re-ranks (256 on COCO, 128 on Flickr30k).
	Rerank int
}

func init() {
	Register("retrieval", Retrieval{}, NewFlag("rerank", "", func(r *Retrieval, candidates string) (err error) {
		r.Rerank, err = strconv.Atoi(candidates)
		return err
	}))
}

// UsualTask is the task that a command measures by where none is named: retrieval that re-ranks so many candidates.
func UsualTask(rerank int) Task { return Retrieval{Rerank: rerank} }

// IsUsual reports whether a task is the usual one.
func IsUsual(t Task) bool {
	_, is := t.(Retrieval)
	return is
}

// Reranked is the number of candidates that the tasks re-rank; 0 where none is retrieval.
func (t Tasks) Reranked() int {
	for _, task := range t {
		if retrieval, is := task.(Retrieval); is {
			return retrieval.Rerank
		}
	}
	return 0
}

// CosineMetrics lists the metrics that CosinePrefix may stand before.
func CosineMetrics() []Info { return Retrieval{}.Metrics() }

// CosinePrefix marks the metrics that were measured without re-ranking when both are reported.
const CosinePrefix = "cosine "

// Encodings are a set's images and captions after their encoders.
type Encodings struct {
	images, texts framework.Encoded
	ids           []int32
	dim, vectors  int   // of the embedding, and of them an image
	captionImage  []int // the image of each caption, by its place among the images
}

// Metrics implements Task.
func (Retrieval) Metrics() []Info { return append(rankingMetrics(), judgedMetrics()...) }

// Check implements Task.
func (r Retrieval) Check(f framework.Framework, set datasets.Set) error {
	if r.Rerank < 1 {
		return fmt.Errorf("eval: re-ranking %d candidates; use at least 1", r.Rerank)
	}
	if !framework.Retrieves(f) {
		return fmt.Errorf("eval: retrieval goes by embeddings of images and captions or by scores of pairs, which %s does not make",
			f.Name())
	}
	return captioned("retrieval", set)
}

// captioned tells of the first image without a caption.
func captioned(task string, set datasets.Set) error {
	for i := range set.Len() {
		if len(set.Captions(i)) == 0 {
			advice := "write one, or leave the image out"
			if _, labelled := set.(datasets.Labelled); labelled {
				advice = "classes alone are for a framework that reads no captions, such as -framework simclr with -metrics neighbours"
			}
			return fmt.Errorf("eval: %s needs a caption of each image, and %s of %s has none; %s", task, set.Key(i), set.Name(), advice)
		}
	}
	return nil
}

// Encode runs a set through the encoders.
func (s Subject) Encode(ctx context.Context) (*Encodings, error) {
	e := &Encodings{}
	pairs := datasets.Pairs(s.Set)
	for _, p := range pairs {
		e.captionImage = append(e.captionImage, p.Image)
	}
	return e, s.encode(ctx, e, s.every(), s.captionsOf(pairs))
}

// captionsOf are the captions of pairs of the set.
func (s Subject) captionsOf(pairs []datasets.Pair) []string {
	captions := make([]string, len(pairs))
	for k, p := range pairs {
		captions[k] = p.Text(s.Set)
	}
	return captions
}

// encode runs images of the set and texts through the encoders.
func (s Subject) encode(ctx context.Context, e *Encodings, images []int, texts []string) (err error) {
	if e.images, err = s.images(ctx, images); err != nil {
		return err
	}
	if e.texts, e.ids, err = s.Texts(ctx, texts); err != nil {
		return err
	}
	e.dim, e.vectors = len(e.texts.Features)/len(texts), s.Model.Vectors()
	return nil
}

// Similarities are the cosines of all images with all captions, [images, captions].
func (e *Encodings) Similarities() Scores {
	return Similarities(e.images.Features, e.texts.Features, e.vectors, e.dim)
}

// Measure implements Task. It measures retrieval with re-ranking by image-text matching and under CosinePrefix without, and where pairs
// of an image with another's caption are judged how well ITM and the cosine tell them apart (see [Judged]). In brief it is retrieval by
// the cosine, or by the scores of all pairs of the first images.
func (r Retrieval) Measure(ctx context.Context, on Subject) (Measured, error) {
	if on.Model.Scores() {
		return r.byScores(ctx, on)
	}
	e, err := on.Encode(ctx)
	if err != nil {
		return Measured{}, err
	}
	sims, inverse := e.tables(wholeLimit)
	cosine, unranked, err := on.measure(sims, inverse, e.captionImage)
	if err != nil || on.Brief {
		return Measured{Metrics: cosine}, err
	}
	result, ranked, t2i := maps.Clone(cosine), unranked, inverse
	if on.Model.Matches() {
		ofImages, ofCaptions, err := Rerank(sims, inverse, r.Rerank, on.rerank(ctx, e, sims))
		if err != nil {
			return Measured{}, err
		}
		t2i = ofCaptions
		if result, ranked, err = on.measure(ofImages, ofCaptions, e.captionImage); err != nil {
			return Measured{}, err
		}
	}
	matching, judged, err := on.judge(ctx, e, sims)
	if err != nil {
		return Measured{}, err
	}
	maps.Copy(result, matching)
	maps.Copy(cosine, judged)
	for metric, value := range cosine {
		result[CosinePrefix+metric] = value
	}
	items := ranked.with(CosinePrefix, unranked)
	return retrieved(result, FirstImages(inverse, t2i, e.captionImage), items), nil
}

// rerank is the score for [Rerank] of what is encoded, with its similarities [images, captions].
func (s Subject) rerank(ctx context.Context, e *Encodings, sims Rows) func(pairs []ImageText) ([]float64, error) {
	score := func(pairs []ImageText) ([]float64, error) { return s.match(ctx, s.Model.Match, e, pairs) }
	if s.Model.Adds() {
		return Adding(sims, score)
	}
	return score
}

// retrieved is what retrieval gives.
func retrieved(result Result, first []Retrieved, items Items) Measured {
	return QueryItems.With(RetrievedImages.With(Measured{Metrics: result}, first), &items)
}

// measure is retrieval by own captions, by the relation and by benchmarks, as far as the set knows them; captionImage is as for [Recall].
func (s Subject) measure(i2t, t2i Rows, captionImage []int) (Result, Items, error) {
	result, own, err := recall(i2t, t2i, captionImage)
	if err != nil {
		return nil, Items{}, err
	}
	related, ok := s.Set.(datasets.Related)
	if !ok {
		return result, own, nil
	}
	relation := related.Relation()
	trueResult, known, err := trueRecall(i2t, t2i, captionImage, relation)
	if err != nil {
		return nil, Items{}, err
	}
	maps.Copy(result, trueResult)
	if b, ok := relation.(datasets.Benchmarked); ok {
		answered, err := BenchmarkRecall(i2t, t2i, captionImage, b.Answers())
		if err != nil {
			return nil, Items{}, err
		}
		maps.Copy(result, answered)
	}
	return result, own.with("", known), nil
}

// judge measures how ITM and how the cosine tell judged pairs apart; nothing where no pairs are judged.
func (s Subject) judge(ctx context.Context, e *Encodings, sims Rows) (matching, cosine Result, err error) {
	related, ok := s.Set.(datasets.Related)
	if !ok {
		return nil, nil, nil
	}
	j := SampleJudged(s.Set.Len(), e.captionImage, related.Relation(), judgedEach)
	if s.Model.Matches() {
		matching, err = j.Matching(func(pairs []ImageText) ([]float64, error) { return s.match(ctx, s.Model.Probabilities, e, pairs) })
	}
	return matching, j.Cosine(sims), err
}

// matcher scores pairs by image-text matching: [framework.Inference.Match] or [framework.Inference.Probabilities].
type matcher func(states []float32, ids []int32, images []float32) ([]float32, error)

// match returns the scores of pairs.
func (s Subject) match(ctx context.Context, score matcher, e *Encodings, pairs []ImageText) ([]float64, error) {
	imageSize := len(e.images.States) / (len(e.images.Features) / (e.vectors * e.dim))
	textSize := len(e.texts.States) / (len(e.texts.Features) / e.dim)
	scores := make([]float64, 0, len(pairs))
	states, images := make([]float32, evalBatch*textSize), make([]float32, evalBatch*imageSize)
	ids := make([]int32, evalBatch*s.MaxLen)
	for from := 0; from < len(pairs); from += evalBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch := pairs[from:min(from+evalBatch, len(pairs))]
		for i, p := range batch {
			copy(states[i*textSize:(i+1)*textSize], e.texts.States[p.Text*textSize:])
			copy(images[i*imageSize:(i+1)*imageSize], e.images.States[p.Image*imageSize:])
			copy(ids[i*s.MaxLen:(i+1)*s.MaxLen], e.ids[p.Text*s.MaxLen:])
		}
		out, err := score(states, ids, images)
		if err != nil {
			return nil, err
		}
		for i := range batch {
			scores = append(scores, float64(out[i]))
		}
	}
	return scores, nil
}
