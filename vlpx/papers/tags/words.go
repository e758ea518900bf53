package tags

import (
	"fmt"
	"math"
	"strings"

	"vlpx.internal/tables"
	"vlpx.internal/vlpx/eval"
	"vlpx.internal/vlpx/paper"
	"vlpx.internal/vlpx/plan"
)

// figure4 shows what word discrimination and correction make of written sentences (TAGS-DC, section 4.4 and Figure 4).
var figure4 = paper.Artifact{
	ID:      "tags/figure4",
	Title:   "Word discrimination and correction, examples",
	Gallery: true,
	Look: "Whether the words that were replaced are the ones that light up, and whether the originals come back. The colour is " +
		"the probability that word discrimination gives a word.",
	Note: "The paper prints an accuracy of 66.5 % of word discrimination and of 87.3 % of word correction, and does not say over which " +
		"words; ours are over all words of the written sentences and over the masked ones. A word's colour is the probability that it " +
		"was replaced; words of the written and of the corrected sentence that differ from the caption are marked. A word is corrected " +
		"where that probability is at least .5.",
	Rows:    []plan.Row{second(tagsDC, 66.5, math.NaN(), 87.3)},
	Columns: []paper.Column{paper.ColumnOf(eval.WoDAccuracy), paper.ColumnOf(eval.WoDRecall), paper.ColumnOf(eval.WoCAccuracy)},
	Table:   examplesTable,
}

// examplesShown is how many captions the table shows: the first ones of which a sentence was written.
const examplesShown = 6

// examplesTable has the caption, the written and the corrected sentence, with the model's scores, beneath the accuracies.
func examplesTable(r *paper.Report) (tables.Table, error) {
	t := r.NewTable("Examples are the first captions of the test split of which a sentence was written, of the first seed.")
	t.Heading = "sentence"
	t.Columns = []tables.Column{{Name: "words"}, {Name: "score", Unit: "%"}, {Name: "of the scene"}}
	for _, row := range r.Rows {
		t.Rows = append(t.Rows, row.Unfinished()...)
		if len(row.Results) == 0 {
			continue
		}
		for _, c := range r.Shown() {
			m := row.Metrics[c.Metric]
			text := "–"
			if m.Mean != nil {
				text = fmt.Sprintf("%.1f %%", *m.Mean)
			}
			if m.Paper != nil {
				text += fmt.Sprintf(" (paper: %.1f %%)", *m.Paper)
			}
			t.Rows = append(t.Rows, tables.Row{Name: c.Name, Cells: []tables.Cell{{{Text: c.Heading() + ": " + text}}}})
		}
		shown := 0
		for _, s := range eval.Sentences.Of(row.Results[0].Examples) {
			if s.Written == "" || shown == examplesShown {
				continue
			}
			shown++
			t.Rows = append(t.Rows, exampleRows(s)...)
		}
	}
	return t, nil
}

// exampleRows are the lines of one caption.
func exampleRows(s eval.Sentence) []tables.Row {
	line := func(name string, words tables.Value, score float64, verdict string) tables.Row {
		cells := []tables.Cell{{words}, nil, {{Text: verdict}}}
		if score > 0 {
			cells[1] = tables.Cell{tables.Number(100 * score)}
		}
		return tables.Row{Name: name, Cells: cells}
	}
	written := tables.Shaded(tables.Compared(s.Written, s.Caption), s.Replaced)
	verdict := "false"
	switch {
	case !s.Known:
		verdict = "not known"
	case s.True:
		verdict = "true"
	}
	return []tables.Row{
		line("Positive", tables.Value{Text: s.Caption}, s.CaptionScore, "true"),
		line("Synthetic", tables.Words(written...), s.WrittenScore, verdict),
		line("Corrected", tables.Words(tables.Compared(s.Corrected, s.Caption)...), 0, corrected(s)),
	}
}

// corrected tells whether the caption came back.
func corrected(s eval.Sentence) string {
	if strings.Join(strings.Fields(s.Corrected), " ") == strings.Join(strings.Fields(s.Caption), " ") {
		return "the caption again"
	}
	return ""
}
