package explore

import (
	"cmp"
	"fmt"
	"strings"

	"vlpx.internal/plots"
	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
)

// Pictures shows the image with the caption.
func (s Sheet) Pictures() plots.Pictures {
	return plots.Pictures{Title: s.title(), Rows: []plots.PictureRow{{Pictures: []plots.Picture{{Image: s.Image, Caption: s.Caption}}}}}
}

// Table has a row for the caption and one for each of the n hardest sentences that were written from it, and of each other one that passed
// the filter and is true. Words that differ from the caption's are marked. Where the model has learned to tell replaced words, their
// probability is the words' colour, and the corrected sentence stands in a column.
func (s Sheet) Table(n int) tables.Table {
	t := tables.Table{
		Title:   s.title(),
		Heading: "rank",
		Columns: []tables.Column{{Name: "sentence"}, {Name: "of the image"}, {Name: "score", Unit: "%"}, {Name: "above", Unit: "%"},
			{Name: "filter"},
			{Name: "masked"}, {Name: "times", Format: "%.0f"}},
		Rows: []tables.Row{{Name: "caption", Cells: []tables.Cell{
			{{Text: s.Caption}}, {{Text: verdict(s.True, s.Known)}}, {tables.Number(100 * s.Score)}, nil, nil, nil, nil,
		}}},
	}
	if s.Corrects {
		t.Columns = append(t.Columns, tables.Column{Name: "corrected"})
	}
	for k, one := range s.Written {
		if k < n || one.Refused == eval.Passed && one.True {
			t.Rows = append(t.Rows, s.row(fmt.Sprint(k+1), one))
		}
	}
	t.Note = s.note(n)
	return t
}

func (s Sheet) row(name string, one eval.WrittenSentence) tables.Row {
	words := tables.Compared(one.Text, s.Caption)
	if s.Corrects {
		words = tables.Shaded(words, one.Replaced)
	}
	row := tables.Row{Name: name, Cells: []tables.Cell{
		{tables.Words(words...)}, {{Text: verdict(one.True, one.Known)}}, {tables.Number(100 * one.Score)},
		{tables.Number(100 * (one.Score - s.Score))},
		{{Text: cmp.Or(string(one.Refused), "passed")}}, {{Text: strings.Join(one.Masked, ", ")}}, {tables.Number(float64(one.Times))},
	}}
	switch {
	case !s.Corrects:
	case one.Corrected == s.Caption:
		row.Cells = append(row.Cells, tables.Cell{{Text: "the caption again"}})
	default:
		row.Cells = append(row.Cells, tables.Cell{tables.Words(tables.Compared(one.Corrected, s.Caption)...)})
	}
	return row
}

// verdict reports whether a sentence is true of the image.
func verdict(holds, known bool) string {
	switch {
	case !known:
		return "not known"
	case holds:
		return "true"
	}
	return "false"
}

func (s Sheet) title() string {
	return fmt.Sprintf("Sentences written from the caption %q of image %s; %s, %s", s.Caption, s.Key, s.Run, s.Set)
}

// note says what the numbers are, where n sentences are shown, and others that are true.
func (s Sheet) note(n int) string {
	written := 0
	for _, one := range s.Written {
		written += one.Times
	}
	note := fmt.Sprintf("Of %d sentences at a temperature of %s %d differ", written, strings.Trim(fmt.Sprint(s.Temperatures), "[]"),
		len(s.Written))
	if n < len(s.Written) {
		note += fmt.Sprintf(", of which those of the %d highest scores are shown, and what passed and is true", n)
	}
	note += ". above: the score less the caption's. masked: what the scene graph names that was masked. filter: a sentence whose new " +
		"words all occur in captions of the image is annotated, and like the caption itself no negative."
	if s.Judged {
		k := passed(s.Sheet)
		note += fmt.Sprintf(" Of those that passed %d are true, and so false negatives, and %d false; of others that is not known.",
			k.trues, k.falses)
	} else {
		note += " Whether a sentence is true is known of generated scenes alone."
	}
	if s.Corrects {
		note += " A word's colour is the probability that it was replaced; one of at least .5 is corrected."
	}
	return note
}
