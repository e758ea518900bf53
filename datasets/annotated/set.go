package annotated

import (
	"context"
	"fmt"
	"image"
	"path/filepath"

	"vlpx.internal/datasets"
	"vlpx.internal/datasets/content"
)

// pictures are those of a split.
type pictures struct {
	collection *Collection
	split      string
	file       string         // that speaks of them
	files      []string       // below the collection's folder, slash-separated
	place      map[string]int // of a picture by its name in the file; -1 where it is missing
	captions   [][]string     // nil where the file has none
}

var _ datasets.Set = (*pictures)(nil)

func (c *Collection) pictures(s source) *pictures {
	return &pictures{collection: c, split: s.split, file: s.file, place: map[string]int{}}
}

// add is the index of a picture, which is made at its first mention; false where it is missing.
func (p *pictures) add(folder, picture string) (index int, ok bool) {
	index, known := p.place[picture]
	if !known {
		index = -1
		if file := p.collection.find(p.file, folder, picture); file != "" {
			index = len(p.files)
			p.files = append(p.files, file)
		}
		p.place[picture] = index
	}
	return index, index >= 0
}

// Name is the collection's name and the split's, such as "vqav2/val".
func (p *pictures) Name() string { return p.collection.Called + "/" + p.split }

// Len is the number of pictures.
func (p *pictures) Len() int { return len(p.files) }

// Key is the file of picture i below the collection's folder.
func (p *pictures) Key(i int) string { return p.files[i] }

// Captions are those of picture i in the file; none where it has none.
func (p *pictures) Captions(i int) []string {
	if p.captions == nil {
		return nil
	}
	return p.captions[i]
}

// Image decodes picture i.
func (p *pictures) Image(ctx context.Context, i int) (image.Image, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	img, err := content.Picture(filepath.Join(p.collection.dir, filepath.FromSlash(p.files[i])))
	if err != nil {
		return nil, fmt.Errorf("%s: image %d (%q): %w", p.Name(), i, p.files[i], err)
	}
	return img, nil
}

// questioned are pictures with questions.
type questioned struct {
	*pictures
	questions []datasets.Question
}

// Questions implements datasets.Questioned.
func (q questioned) Questions() []datasets.Question { return q.questions }

// stated are pictures with statements about two of them.
type stated struct {
	*pictures
	statements []datasets.Statement
}

// Statements implements datasets.Stated.
func (s stated) Statements() []datasets.Statement { return s.statements }

// domained are pictures with domains.
type domained struct {
	*pictures
	domains []string
}

// Domain implements datasets.Domained.
func (d domained) Domain(i int) string { return d.domains[i] }
