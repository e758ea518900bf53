package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/embedding"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
)

// FoundShown is how many pictures of a search are shown unless the caller says otherwise.
const FoundShown = 12

// Searching says what [Search] looks for.
type Searching struct {
	// In is a folder of pictures, or a .safetensors that [Embeddings] of the same model were written to.
	In, Words string
	// By ranks the pictures: "cosine" or "ITM". If empty it is ITM where the model has learned it, else the cosine.
	By string
}

// Found are pictures by how well words fit them.
type Found struct {
	Model, In, Words string
	// Hits are all pictures, the best first: Ranked ones by image-text matching, and behind them the others by the cosine.
	Hits   []Hit
	Ranked int
	// Skipped are pictures that cannot be read. Those that are embedded already are among the Hits.
	Skipped []string
}

// Hit is a picture that was found.
type Hit struct {
	Path   string
	Cosine float64 // of the two embeddings; NaN where the framework embeds nothing
	// ITM is the score by which the model's retrieval re-ranks: matching's logit, of BLIP-2 with the cosine; of UNITER its score of the pair.
	// NaN where it was not asked.
	ITM float64
}

// Search ranks pictures by how well words fit them, by a trained model, named as for [Embed]: by the cosine of the embeddings, and the
// nearest, as many as in the model's evaluation, again by image-text matching. UNITER, which embeds nothing, matches all of a folder. It
// reads the options that Embed reads.
func Search(ctx context.Context, model string, s Searching, o Options, say func(string)) (f *Found, err error) {
	if strings.TrimSpace(s.Words) == "" {
		return nil, errors.New("no words to search by; write some")
	}
	by := strings.ToLower(s.By)
	if by != "" && by != byCosine && by != byITM {
		return nil, fmt.Errorf("no score %q; pictures are ranked by cosine or ITM", s.By)
	}
	info, err := os.Stat(s.In)
	if err != nil {
		return nil, fmt.Errorf("%w; name a folder of pictures, or a .safetensors that vlpx embed wrote", err)
	}
	var known *embedding.Set
	var pictures []string
	if info.IsDir() {
		below, err := readInputs([]string{s.In})
		if err != nil {
			return nil, err
		}
		pictures = below.pictures
	} else {
		if known, err = embedding.Read(s.In); err != nil {
			return nil, err
		}
		if len(known.Images) == 0 {
			return nil, fmt.Errorf("%s has embeddings of texts alone; embed a folder of pictures", s.In)
		}
	}
	err = withTrained(ctx, model, o, say, func(ctx context.Context, t *trained) (err error) {
		_, scores := t.framework().(framework.Scores)
		if by == byITM && !t.matches() {
			return fmt.Errorf("%s has learned no image-text matching; search by cosine", t.name)
		}
		f = &Found{Model: t.name, In: s.In, Words: s.Words}
		depth := len(pictures)
		if scores && known == nil && by != byCosine {
			t.tell([]string{s.Words})
			for _, path := range pictures {
				f.Hits = append(f.Hits, Hit{path, math.NaN(), math.NaN()})
			}
		} else {
			if err := t.nearest(ctx, f, pictures, known); err != nil {
				return err
			}
			depth = cmp.Or(t.run.Tasks.Reranked(), usualReranked)
		}
		if by == byCosine || !t.matches() {
			return nil
		}
		return t.rerank(ctx, f, min(depth, len(f.Hits)))
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// usualReranked is how many pictures are ranked again by a model whose evaluation is not retrieval: ALBEF's number on COCO.
const usualReranked = 256

// Names of what pictures are ranked by.
const (
	byCosine = "cosine"
	byITM    = "itm"
)

// nearest finds the pictures, or those of a file's embeddings, by the cosine.
func (t *trained) nearest(ctx context.Context, f *Found, pictures []string, known *embedding.Set) error {
	if err := t.comparable(f.In, known); err != nil {
		return err
	}
	e, err := t.embed(ctx, inputs{pictures: pictures, texts: []string{f.Words}})
	if err != nil {
		return err
	}
	if known == nil {
		known = &e.Set
	}
	for _, near := range known.Nearest(e.OfTexts) {
		f.Hits = append(f.Hits, Hit{near.Path, near.Cosine, math.NaN()})
	}
	f.Skipped = e.Skipped
	return nil
}

// rerank ranks the first of the pictures by image-text matching. One of them that cannot be read stays behind those that can, by its
// cosine, or is left out where it has none.
func (t *trained) rerank(ctx context.Context, f *Found, first int) error {
	paths := make([]string, first)
	pairs := make([]eval.ImageText, first)
	for k := range paths {
		paths[k], pairs[k].Image = f.Hits[k].Path, k
	}
	subject, closeSubject, err := t.onPictures(ctx, paths)
	if err != nil {
		return err
	}
	defer closeSubject()
	var skipped []loader.Skip
	skipping(&subject, nil, &skipped)
	scores, err := subject.Reranking(ctx, []string{f.Words}, pairs)
	if err != nil {
		return err
	}
	for k, score := range scores {
		f.Hits[k].ITM = score
	}
	for _, skip := range skipped {
		f.Hits[skip.Image].ITM = math.NaN()
		if !slices.Contains(f.Skipped, paths[skip.Image]) {
			f.Skipped = append(f.Skipped, paths[skip.Image])
		}
	}
	f.Hits = slices.DeleteFunc(f.Hits, func(h Hit) bool { return math.IsNaN(h.ITM) && math.IsNaN(h.Cosine) })
	if len(f.Hits) == 0 {
		return fmt.Errorf("none of %s can be read; one says: %w", counted(first, "picture"), skipped[0].Err)
	}
	slices.SortStableFunc(f.Hits, func(a, b Hit) int { // NaN is less than any number
		return cmp.Or(cmp.Compare(b.ITM, a.ITM), cmp.Compare(b.Cosine, a.Cosine))
	})
	f.Ranked = first - len(skipped)
	return nil
}

// comparable tells why embeddings of a file are none of the model's; nil embeddings are still to be made.
func (t *trained) comparable(file string, known *embedding.Set) error {
	if err := t.embeds(true, true); err != nil || known == nil {
		return err
	}
	if known.ID != t.id {
		return fmt.Errorf("%s has embeddings by another model, %s (%s), with which those of %s (%s) do not compare; embed the pictures again "+
			"by this one", file, known.Model, known.ID, t.name, t.id)
	}
	if dim, vectors := framework.Dim(t.framework()), framework.Vectors(t.framework()); known.Dim != dim || known.Vectors != vectors {
		return fmt.Errorf("%s has %d vectors of %d numbers a picture, and the model makes %d of %d; the file is damaged, embed the pictures "+
			"again", file, known.Vectors, known.Dim, vectors, dim)
	}
	return nil
}

// Table has a row for each of the n first pictures.
func (f *Found) Table(n int) tables.Table {
	t := tables.Table{
		Title: fmt.Sprintf("%q in %s by %s", f.Words, f.In, f.Model), Heading: "picture",
		Note: fmt.Sprintf("%d of %s, ranked by %s.", min(n, len(f.Hits)), counted(len(f.Hits), "picture"), f.ranking()),
	}
	if len(f.Skipped) > 0 {
		t.Note += fmt.Sprintf(" %s cannot be read: %s.", counted(len(f.Skipped), "picture"), run.Some(f.Skipped))
	}
	embedded := !math.IsNaN(f.Hits[0].Cosine)
	if f.Ranked > 0 {
		t.Columns = append(t.Columns, tables.Column{Name: "ITM", Format: "%.3f"})
	}
	if embedded {
		t.Columns = append(t.Columns, tables.Column{Name: "cosine", Format: "%.3f"})
	}
	for _, hit := range f.Hits[:min(n, len(f.Hits))] {
		row := tables.Row{Name: hit.Path}
		if f.Ranked > 0 {
			row.Cells = append(row.Cells, tables.Cell{tables.Number(hit.ITM)})
		}
		if embedded {
			row.Cells = append(row.Cells, tables.Cell{tables.Number(hit.Cosine)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ranking says what the pictures are ranked by.
func (f *Found) ranking() string {
	switch {
	case f.Ranked == 0:
		return "the cosine"
	case f.Ranked == len(f.Hits):
		return "image-text matching"
	}
	return fmt.Sprintf("image-text matching as far as the %d nearest, and by the cosine behind them", f.Ranked)
}

// foundInRow is how many pictures stand side by side.
const foundInRow = 6

// Pictures shows the n first pictures, with the score that ranks each. One that is gone since it was embedded is grey.
func (f *Found) Pictures(ctx context.Context, n int) (plots.Pictures, error) {
	sheet := plots.Pictures{Title: fmt.Sprintf("%q in %s", f.Words, f.In)}
	for row := range slices.Chunk(f.Hits[:min(n, len(f.Hits))], foundInRow) {
		var shown plots.PictureRow
		for _, hit := range row {
			if err := ctx.Err(); err != nil {
				return sheet, err
			}
			score := hit.ITM
			if math.IsNaN(score) {
				score = hit.Cosine
			}
			one := plots.Picture{Caption: fmt.Sprintf("%.3f %s", score, filepath.Base(hit.Path))}
			var err error
			if one.Image, err = content.Picture(hit.Path); err != nil {
				one.Image, one.Caption = image.NewGray(image.Rect(0, 0, 1, 1)), one.Caption+" cannot be read"
			}
			shown.Pictures = append(shown.Pictures, one)
		}
		sheet.Rows = append(sheet.Rows, shown)
	}
	return sheet, nil
}
