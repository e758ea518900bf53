package lab

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/embedding"
	"vlpx.internal/vlpx/framework"
	"vlpx.internal/vlpx/run"
)

// FoundShown is how many pictures of a search are shown unless the caller says otherwise.
const FoundShown = 12

// Found are pictures by how near they are to words.
type Found struct {
	Model, In, Words string
	Hits             []embedding.Hit // all pictures, the nearest first
	// Skipped are pictures that cannot be read.
	Skipped []string
}

// Search ranks pictures by the cosine of their embeddings with that of words, by a trained model, named as for [Embed]. They are those of a
// folder, or those of a .safetensors that [Embeddings] of the same model were written to. It reads the options that Embed reads.
func Search(ctx context.Context, model, in, words string, o Options, say func(string)) (f *Found, err error) {
	if strings.TrimSpace(words) == "" {
		return nil, errors.New("no words to search by; write some")
	}
	info, err := os.Stat(in)
	if err != nil {
		return nil, fmt.Errorf("%w; name a folder of pictures, or a .safetensors that vlpx embed wrote", err)
	}
	var known *embedding.Set
	if !info.IsDir() {
		if known, err = embedding.Read(in); err != nil {
			return nil, err
		}
		if len(known.Images) == 0 {
			return nil, fmt.Errorf("%s has embeddings of texts alone; embed a folder of pictures", in)
		}
	}
	what := inputs{texts: []string{words}}
	if known == nil {
		if what, err = readInputs([]string{in}); err != nil {
			return nil, err
		}
		what.texts = []string{words}
	}
	err = withTrained(model, o, say, func(t *trained) error {
		if err := t.comparable(in, known); err != nil {
			return err
		}
		e, err := t.embed(ctx, what)
		if err != nil {
			return err
		}
		text := e.OfTexts
		if known == nil {
			known = &e.Set
		}
		f = &Found{Model: t.name, In: in, Words: words, Hits: known.Nearest(text), Skipped: e.Skipped}
		return nil
	})
	return f, err
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

// Table has a row for each of the n nearest pictures.
func (f *Found) Table(n int) tables.Table {
	t := tables.Table{
		Title: fmt.Sprintf("%q in %s by %s", f.Words, f.In, f.Model), Heading: "picture",
		Columns: []tables.Column{{Name: "cosine", Format: "%.3f"}},
		Note:    fmt.Sprintf("%d of %s.", min(n, len(f.Hits)), counted(len(f.Hits), "picture")),
	}
	if len(f.Skipped) > 0 {
		t.Note += fmt.Sprintf(" %s cannot be read: %s.", counted(len(f.Skipped), "picture"), run.Some(f.Skipped))
	}
	for _, hit := range f.Hits[:min(n, len(f.Hits))] {
		t.Rows = append(t.Rows, tables.Row{Name: hit.Path, Cells: []tables.Cell{{tables.Number(hit.Cosine)}}})
	}
	return t
}

// foundInRow is how many pictures stand side by side.
const foundInRow = 6

// Pictures shows the n nearest pictures. One that is gone since it was embedded is grey.
func (f *Found) Pictures(ctx context.Context, n int) (plots.Pictures, error) {
	sheet := plots.Pictures{Title: fmt.Sprintf("%q in %s", f.Words, f.In)}
	for row := range slices.Chunk(f.Hits[:min(n, len(f.Hits))], foundInRow) {
		var shown plots.PictureRow
		for _, hit := range row {
			if err := ctx.Err(); err != nil {
				return sheet, err
			}
			one := plots.Picture{Caption: fmt.Sprintf("%.3f %s", hit.Cosine, filepath.Base(hit.Path))}
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
