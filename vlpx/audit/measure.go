package audit

import (
	"fmt"
	"slices"

	"vlpx.internal/tables"
)

// Found is how good the first candidates by a score are, as far as that is known.
type Found struct {
	Listed, Known, True int
	// Precision is the share of the known ones that are true, and Recall that of all true pairs that are among them, in per cent.
	Precision, Recall float64
}

// Measure measures the first n candidates by a score; all where there are fewer.
func (r *Report) Measure(by Score, n int) Found { return measure(r.Candidates, by, n, r.Trues) }

// MeasureJudged measures the first n of the judged pairs by a score.
func (r *Report) MeasureJudged(by Score, n int) Found { return measure(r.Judged, by, n, r.Trues) }

func measure(of []Candidate, by Score, n, trues int) Found {
	of = slices.Clone(of)
	rank(of, by)
	f := Found{Listed: min(n, len(of))}
	for _, c := range of[:f.Listed] {
		if c.Known {
			f.Known++
		}
		if c.Known && c.True {
			f.True++
		}
	}
	f.Precision, f.Recall = share(f.True, f.Known), share(f.True, trues)
	return f
}

// share is a part of a whole in per cent; 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// firsts are how many candidates are measured, besides all.
var firsts = []int{100, 1000, 10_000}

// Measures has a row for each score and number of first candidates: how many of them are true, and how many of all true pairs they are. ok
// is false where nothing is known.
func (r *Report) Measures() (t tables.Table, ok bool) {
	if r.Trues+r.Falses == 0 {
		return t, false
	}
	t = tables.Table{
		Title: fmt.Sprintf("How many candidates of %s are true", r.Set.Name()), Heading: "by",
		Columns: []tables.Column{{Name: "known", Format: "%.0f"}, {Name: "true", Format: "%.0f"}, {Name: "precision", Unit: "%"},
			{Name: "recall", Unit: "%"}},
		Note: fmt.Sprintf("Of %d captions with other images %d are known to be true and %d to be false: %.2g %% of what is known is true. "+
			"precision: of the known candidates. recall: of all that are known to be true.", r.All, r.Trues, r.Falses,
			share(r.Trues, r.Trues+r.Falses)),
	}
	add := func(name string, f Found) {
		row := tables.Row{Name: name, Cells: []tables.Cell{{tables.Number(float64(f.Known))}, {tables.Number(float64(f.True))}, nil, nil}}
		if f.Known > 0 {
			row.Cells[2] = tables.Cell{tables.Number(f.Precision)}
		}
		if r.Trues > 0 {
			row.Cells[3] = tables.Cell{tables.Number(f.Recall)}
		}
		t.Rows = append(t.Rows, row)
	}
	for score := range scores {
		for _, n := range firsts {
			if r.Has[score] && n < len(r.Candidates) {
				add(fmt.Sprintf("%s, first %d", score, n), r.Measure(score, n))
			}
		}
	}
	add(fmt.Sprintf("all %d", len(r.Candidates)), r.Measure(Cosine, len(r.Candidates)))
	if len(r.Judged) > 0 && r.Trues > 0 {
		for score := range scores {
			if r.Has[score] {
				add(fmt.Sprintf("%s, first %d of what is known", score, r.Trues), r.MeasureJudged(score, r.Trues))
			}
		}
		t.Note += " The last rows rank what is known alone, and take as many as are true."
	}
	return t, true
}
