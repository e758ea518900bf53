package audit

import (
	"fmt"
	"io"

	"vlpx.internal/tables"
)

// Table has a row for each way to tell which negatives are false, with the share of both kinds.
func (r *Sample) Table() tables.Table {
	t := tables.Table{
		Title:   fmt.Sprintf("False negatives of %s by %s, estimated", r.Set.Name(), r.Model),
		Heading: "told by",
		Note: fmt.Sprintf("Of %d anchors of uniform mini-batches of %d pairs, half of them images and half captions: one negative at random, and "+
			"the hardest, which is nearest by the cosine. In brackets the exact 95 %% interval of so many; it knows nothing of a model's errors. "+
			"Take for true what people say of them.", len(r.Negatives[InBatch]), r.Batch),
	}
	if r.Has[ConD] {
		t.Note += " Con-D: " + r.ConD + "."
	}
	if len(r.Unreadable) > 0 {
		t.Note += fmt.Sprintf(" Images that cannot be read and are left out: %d, such as %s.", len(r.Unreadable), r.Unreadable[0])
	}
	for kind := range kinds {
		t.Columns = append(t.Columns, tables.Column{Group: "False, " + kind.String(), Name: "%", Format: "%.2f"},
			tables.Column{Group: "False, " + kind.String(), Name: "interval"}, tables.Column{Group: "False, " + kind.String(), Name: "of"})
	}
	for by := range ways {
		row, some := tables.Row{Name: by.String()}, false
		for kind := range kinds {
			e, ok := r.Estimate(kind, by)
			if some = some || ok; !ok {
				row.Cells = append(row.Cells, nil, nil, nil)
				continue
			}
			row.Cells = append(row.Cells, tables.Cell{tables.Number(e.Share)}, tables.Cell{{Text: fmt.Sprintf("[%.2f, %.2f]", e.Low, e.High)}},
				tables.Cell{{Text: fmt.Sprint(e.Of)}})
		}
		if some {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// WriteCSV writes the negatives for a person to judge, as package judgements reads them, in the order in which they were drawn: who judges
// from the first on judges a sample. A negative of both kinds is there once, and a caption of the image's own not at all. The column true
// says what is known.
func (r *Sample) WriteCSV(w io.Writer) error {
	var all []Candidate
	var of []string
	places := map[[2]int]int{}
	for k := range r.Negatives[InBatch] {
		for kind := range kinds {
			c := r.Negatives[kind][k]
			if c.own {
				continue
			}
			pair := [2]int{c.Image, c.text}
			place, known := places[pair]
			switch {
			case !known:
				places[pair] = len(all)
				all, of = append(all, c), append(of, kind.String())
			case of[place] != kind.String():
				of[place] = "both"
			}
		}
	}
	return writeCSV(w, "negative", all, func(k int) string { return of[k] }, r.Split, r.Set)
}
