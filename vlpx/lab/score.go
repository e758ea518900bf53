package lab

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"vlpx.internal/datasets/content"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/framework"
)

// Scores are what a model says of a picture with texts.
type Scores struct {
	Model, Image string
	Of           []Scored
}

// Scored is what a model says of a picture with a text.
type Scored struct {
	Text string
	// Cosine is that of the two embeddings, of a picture with several the largest; NaN where the framework embeds nothing.
	Cosine float64
	// ITM is image-text matching's probability that the text is true of the picture; NaN where the model has learned no matching.
	ITM float64
}

// Score asks a trained model, named as for [Embed], how well texts fit a picture's file. It reads the options that Embed reads.
func Score(ctx context.Context, model, image string, texts []string, o Options, say func(string)) (s *Scores, err error) {
	if len(texts) == 0 {
		return nil, errors.New("no text to score; write one or more")
	}
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			return nil, errors.New("an empty text; leave it out")
		}
	}
	if _, err := content.Picture(image); err != nil { // before a model is read
		return nil, fmt.Errorf("%s: %w", image, err)
	}
	err = withTrained(ctx, model, o, say, func(ctx context.Context, t *trained) (err error) {
		s, err = t.score(ctx, image, texts)
		return err
	})
	return s, err
}

// score scores texts by a picture.
func (t *trained) score(ctx context.Context, image string, texts []string) (*Scores, error) {
	_, scores := t.framework().(framework.Scores)
	if !scores {
		if err := t.embeds(true, true); err != nil {
			return nil, err
		}
	}
	s := &Scores{Model: t.name, Image: image}
	for _, text := range texts {
		s.Of = append(s.Of, Scored{text, math.NaN(), math.NaN()})
	}
	if !scores {
		e, err := t.embed(ctx, inputs{pictures: []string{image}, named: map[string]bool{image: true}, texts: texts})
		if err != nil {
			return nil, err
		}
		for k, cosine := range eval.Similarities(e.OfImages, e.OfTexts, e.Vectors, e.Dim).Row(0) {
			s.Of[k].Cosine = cosine
		}
	} else {
		t.tell(texts)
	}
	if !t.matches() {
		return s, nil
	}
	subject, closeSubject, err := t.onPictures(ctx, []string{image})
	if err != nil {
		return nil, err
	}
	defer closeSubject()
	pairs := make([]eval.ImageText, len(texts))
	for k := range pairs {
		pairs[k].Text = k
	}
	matched, err := subject.Matching(ctx, texts, pairs)
	if err != nil {
		return nil, err
	}
	for k, p := range matched {
		s.Of[k].ITM = p
	}
	return s, nil
}

// Table has a row for each text, in their order.
func (s *Scores) Table() tables.Table {
	t := tables.Table{
		Title: fmt.Sprintf("%s by %s", s.Image, s.Model), Heading: "text",
		Columns: []tables.Column{{Name: "cosine", Format: "%.3f"}},
		Note:    "cosine: of the two embeddings.",
	}
	matches := !math.IsNaN(s.Of[0].ITM)
	if matches {
		t.Columns = append(t.Columns, tables.Column{Name: "ITM", Unit: "%"})
		t.Note += " ITM: the probability that the text is true of the picture."
	}
	for _, of := range s.Of {
		cells := []tables.Cell{{tables.Number(of.Cosine)}}
		if matches {
			cells = append(cells, tables.Cell{tables.Number(100 * of.ITM)})
		}
		t.Rows = append(t.Rows, tables.Row{Name: of.Text, Cells: cells})
	}
	return t
}
