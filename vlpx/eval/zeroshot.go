package eval

import (
	"context"
	"fmt"
	"maps"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/datasets/text"
	"vlpx.internal/vlpx/framework"
)

// Retrieval is zero-shot image-text retrieval on a set (METHODS.md 15.1 and 15.2).
type Retrieval struct {
	Set       datasets.Set
	Tokenizer *text.Tokenizer
	Size      int             // pixels a side
	Features  loader.Features // of the set's images, where a locked encoder makes them; nil: the model reads pixels
	MaxLen    int             // tokens a caption
	// Rerank is the number of nearest candidates that image-text matching re-ranks (256 on COCO, 128 on Flickr30k).
	Rerank int
	// Accept, if not nil, is asked of each image that cannot be decoded whether it may take part as the mean colour; its error ends
	// the evaluation. If it is nil, no such image may.
	Accept func(loader.Skip) error
	// Show, if not nil, hears of some captions' first images when Full has ranked them; see [Examples].
	Show func([]Retrieved)
	// Keep, if not nil, hears of what the single queries gave when Full has measured them, with and without re-ranking.
	Keep func(Items)
}

// evalBatch is the number of images, captions or pairs in one forward pass.
const evalBatch = 64

// CosinePrefix marks the metrics that were measured without re-ranking when both are reported.
const CosinePrefix = "cosine "

// Encodings are a set's images and captions after their encoders.
type Encodings struct {
	images, texts framework.Encoded
	ids           []int32
	dim           int
	captionImage  []int // the image of each caption
}

// Encode runs the set through the encoders.
func (r Retrieval) Encode(ctx context.Context, n *framework.Inference) (*Encodings, error) {
	if r.Set.Len() == 0 {
		return nil, fmt.Errorf("eval: %s has no images; retrieval needs at least one", r.Set.Name())
	}
	e := &Encodings{}
	for from := 0; from < r.Set.Len(); from += evalBatch {
		batch := make([]int, evalBatch)
		for i := range batch {
			batch[i] = min(from+i, r.Set.Len()-1) // the last batch repeats its last image: one compiled shape serves all
		}
		pixels, skipped, err := loader.Images(ctx, r.Set, batch, r.Size, r.Features)
		if err != nil {
			return nil, fmt.Errorf("eval: %s: %w", r.Set.Name(), err)
		}
		for _, s := range skipped {
			if err := r.accept(s); err != nil {
				return nil, err
			}
		}
		out, err := n.Images(pixels)
		if err != nil {
			return nil, err
		}
		e.images.Append(out, min(evalBatch, r.Set.Len()-from), evalBatch)
	}
	pairs := datasets.Pairs(r.Set)
	for _, p := range pairs {
		e.captionImage = append(e.captionImage, p.Image)
		e.ids = append(e.ids, r.Tokenizer.EncodeCaption(p.Text(r.Set), r.MaxLen)...)
	}
	for from := 0; from < len(pairs); from += evalBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		count := min(evalBatch, len(pairs)-from)
		batch := make([]int32, evalBatch*r.MaxLen)
		copy(batch, e.ids[from*r.MaxLen:(from+count)*r.MaxLen])
		out, err := n.Texts(batch)
		if err != nil {
			return nil, err
		}
		e.texts.Append(out, count, evalBatch)
	}
	e.dim = len(e.texts.Features) / len(pairs)
	return e, nil
}

// accept asks whether an image may take part that cannot be decoded.
func (r Retrieval) accept(s loader.Skip) error {
	if r.Accept == nil {
		return fmt.Errorf("eval: %w", s.Err)
	}
	return r.Accept(s)
}

// Similarities are the cosines of all images with all captions, [images, captions].
func (e *Encodings) Similarities() Scores {
	images, texts := len(e.images.Features)/e.dim, len(e.texts.Features)/e.dim
	product := blas32.General{Rows: images, Cols: texts, Stride: texts, Data: make([]float32, images*texts)}
	matrix := func(rows int, data []float32) blas32.General {
		return blas32.General{Rows: rows, Cols: e.dim, Stride: e.dim, Data: data}
	}
	blas32.Gemm(blas.NoTrans, blas.Trans, 1, matrix(images, e.images.Features), matrix(texts, e.texts.Features), 0, product)
	s := NewScores(images, texts)
	for i, x := range product.Data {
		s.Data[i] = float64(x)
	}
	return s
}

// Cosine measures retrieval by the cosine of the embeddings, without re-ranking.
func (r Retrieval) Cosine(ctx context.Context, n *framework.Inference) (Result, error) {
	e, err := r.Encode(ctx, n)
	if err != nil {
		return nil, err
	}
	sims := e.Similarities()
	result, _, err := r.measure(sims, sims.Transpose(), e)
	return result, err
}

// Full measures retrieval with re-ranking by image-text matching, as ALBEF reports it, and under CosinePrefix without. Where
// pairs of an image with another's caption are judged, it measures how well ITM and the cosine tell them apart (see [Judged]).
func (r Retrieval) Full(ctx context.Context, n *framework.Inference) (Result, error) {
	e, err := r.Encode(ctx, n)
	if err != nil {
		return nil, err
	}
	sims := e.Similarities()
	cosine, unranked, err := r.measure(sims, sims.Transpose(), e)
	if err != nil {
		return nil, err
	}
	i2t, t2i, err := Rerank(sims, r.Rerank, func(pairs []ImageText) ([]float64, error) { return r.match(ctx, n.Match, e, pairs) })
	if err != nil {
		return nil, err
	}
	result, ranked, err := r.measure(i2t, t2i, e)
	if err != nil {
		return nil, err
	}
	if r.Keep != nil {
		r.Keep(ranked.with(CosinePrefix, unranked))
	}
	if r.Show != nil {
		r.Show(Examples(sims.Transpose(), t2i, e.captionImage))
	}
	matching, judged, err := r.judge(ctx, n, e, sims)
	if err != nil {
		return nil, err
	}
	maps.Copy(result, matching)
	maps.Copy(cosine, judged)
	for metric, value := range cosine {
		result[CosinePrefix+metric] = value
	}
	return result, nil
}

func (r Retrieval) measure(i2t, t2i Scores, e *Encodings) (Result, Items, error) {
	result, own, err := recall(i2t, t2i, e.captionImage)
	if err != nil {
		return nil, Items{}, err
	}
	related, ok := r.Set.(datasets.Related)
	if !ok {
		return result, own, nil
	}
	relation := related.Relation()
	trueResult, known, err := trueRecall(i2t, t2i, e.captionImage, relation)
	if err != nil {
		return nil, Items{}, err
	}
	maps.Copy(result, trueResult)
	if b, ok := relation.(datasets.Benchmarked); ok {
		answered, err := BenchmarkRecall(i2t, t2i, e.captionImage, b.Answers())
		if err != nil {
			return nil, Items{}, err
		}
		maps.Copy(result, answered)
	}
	return result, own.with("", known), nil
}

// judge measures how ITM and how the cosine tell judged pairs apart; nothing where no pairs are judged.
func (r Retrieval) judge(ctx context.Context, n *framework.Inference, e *Encodings, sims Scores) (matching, cosine Result, err error) {
	related, ok := r.Set.(datasets.Related)
	if !ok {
		return nil, nil, nil
	}
	j := SampleJudged(r.Set.Len(), e.captionImage, related.Relation(), judgedEach)
	matching, err = j.Matching(func(pairs []ImageText) ([]float64, error) { return r.match(ctx, n.Probabilities, e, pairs) })
	return matching, j.Cosine(sims), err
}

// matcher scores pairs by image-text matching: [framework.Inference.Match] or [framework.Inference.Probabilities].
type matcher func(states []float32, ids []int32, images []float32) ([]float32, error)

// match returns the scores of pairs.
func (r Retrieval) match(ctx context.Context, score matcher, e *Encodings, pairs []ImageText) ([]float64, error) {
	imageSize := len(e.images.States) / (len(e.images.Features) / e.dim)
	textSize := len(e.texts.States) / (len(e.texts.Features) / e.dim)
	scores := make([]float64, 0, len(pairs))
	states, images := make([]float32, evalBatch*textSize), make([]float32, evalBatch*imageSize)
	ids := make([]int32, evalBatch*r.MaxLen)
	for from := 0; from < len(pairs); from += evalBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		batch := pairs[from:min(from+evalBatch, len(pairs))]
		for i, p := range batch {
			copy(states[i*textSize:(i+1)*textSize], e.texts.States[p.Text*textSize:])
			copy(images[i*imageSize:(i+1)*imageSize], e.images.States[p.Image*imageSize:])
			copy(ids[i*r.MaxLen:(i+1)*r.MaxLen], e.ids[p.Text*r.MaxLen:])
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
