package lab

import (
	"context"
	"fmt"
	"slices"

	"vlpx.internal/datasets/album"
	"vlpx.internal/datasets/loader"
	"vlpx.internal/vlpx/embedding"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/run"
)

// Embeddings are what a model makes of pictures and texts.
type Embeddings struct {
	embedding.Set
	// Skipped are pictures of folders that cannot be read.
	Skipped []string
}

// Embed embeds pictures and texts by a trained model: a run of the store by the beginning of its identity, a folder that Export wrote, or a
// published CLIP by the path of its weights. Each of what is a folder of pictures, a picture, a .txt with a text a line, or a text. A
// picture of a folder that cannot be read is left out and reported; one that is named by itself is an error. Of the options it reads Home,
// Vocabulary for a published model, and Weights and Regions as [EvaluateExport] does. say hears of what is worth a line; it may be nil.
func Embed(ctx context.Context, model string, what []string, o Options, say func(string)) (e *Embeddings, err error) {
	in, err := readInputs(what)
	if err != nil {
		return nil, err
	}
	if len(in.pictures)+len(in.texts) == 0 {
		return nil, fmt.Errorf("nothing to embed; name pictures, folders of them, or texts")
	}
	err = withTrained(ctx, model, o, say, func(ctx context.Context, t *trained) (err error) {
		e, err = t.embed(ctx, in)
		return err
	})
	return e, err
}

// embed embeds pictures and texts.
func (t *trained) embed(ctx context.Context, in inputs) (*Embeddings, error) {
	if err := t.embeds(len(in.pictures) > 0, len(in.texts) > 0); err != nil {
		return nil, err
	}
	t.tell(in.texts)
	subject, closeSubject, err := t.onPictures(ctx, in.pictures)
	if err != nil {
		return nil, err
	}
	defer closeSubject()
	e := &Embeddings{Set: embedding.Set{Model: t.name, ID: t.id, Vectors: 1}}
	if len(in.pictures) > 0 {
		if err := e.addPictures(ctx, subject, in); err != nil {
			return nil, err
		}
		if n := len(e.Skipped); n > 0 && t.say != nil {
			t.say(fmt.Sprintf("%s cannot be read and %s left out: %s", counted(n, "picture"), map[bool]string{true: "is", false: "are"}[n == 1],
				run.Some(e.Skipped)))
		}
	}
	if len(in.texts) > 0 {
		encoded, _, err := subject.Texts(ctx, in.texts)
		if err != nil {
			return nil, err
		}
		e.Texts, e.OfTexts, e.Dim = in.texts, encoded.Features, len(encoded.Features)/len(in.texts)
	}
	return e, nil
}

// onPictures is the model on picture files.
func (t *trained) onPictures(ctx context.Context, paths []string) (eval.Subject, func(), error) {
	c := album.Of(paths)
	return t.subject(ctx, run.Data{Name: c.Name()}, c, album.Split)
}

// addPictures embeds pictures.
func (e *Embeddings) addPictures(ctx context.Context, subject eval.Subject, in inputs) error {
	var skipped []loader.Skip
	skipping(&subject, in.named, &skipped)
	encoded, err := subject.Images(ctx)
	if err != nil {
		return err
	}
	e.Vectors = subject.Model.Vectors()
	row := len(encoded.Features) / len(in.pictures)
	e.Dim = row / e.Vectors
	for i, path := range in.pictures {
		if slices.ContainsFunc(skipped, func(s loader.Skip) bool { return s.Image == i }) {
			e.Skipped = append(e.Skipped, path)
			continue
		}
		e.Images, e.OfImages = append(e.Images, path), append(e.OfImages, encoded.Features[i*row:(i+1)*row]...)
	}
	if len(e.Images) == 0 {
		return fmt.Errorf("none of %s can be read; one says: %w", counted(len(in.pictures), "picture"), skipped[0].Err)
	}
	return nil
}

// String says what there is.
func (e *Embeddings) String() string {
	what := counted(len(e.Texts), "text")
	switch {
	case len(e.Texts) == 0:
		what = counted(len(e.Images), "picture")
	case len(e.Images) > 0:
		what = counted(len(e.Images), "picture") + " and " + what
	}
	if e.Vectors > 1 {
		return fmt.Sprintf("%s, %d numbers each, %d times a picture", what, e.Dim, e.Vectors)
	}
	return fmt.Sprintf("%s, %d numbers each", what, e.Dim)
}
