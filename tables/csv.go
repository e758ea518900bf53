package tables

import (
	"encoding/csv"
	"io"
	"strconv"
)

// CSV writes the table tidily: a heading, then one line for each row, column and source, at full precision. A missing value
// has an empty mean and no runs, and low and high are the ends of the mean's interval. Last are the table's facts.
func (t Table) CSV(w io.Writer) error {
	if err := t.check(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	out.Write(append([]string{t.heading(), "status", "group", "column", "unit", "source", "mean", "std", "n", "low", "high", "text"},
		t.Facts...))
	for _, r := range t.Rows {
		for c, column := range t.Columns {
			for s := range max(1, len(t.Sources)) {
				v := r.value(c, s)
				source, mean, std, n, low, high := "", "", "", "", "", ""
				if len(t.Sources) > 0 {
					source = t.Sources[s]
				}
				if !v.missing() && v.Text == "" {
					mean, n = exact(v.Mean), strconv.Itoa(v.N)
					if v.N > 1 {
						std = exact(v.Std)
					}
					if v.Interval != nil {
						low, high = exact(v.Interval[0]), exact(v.Interval[1])
					}
				}
				line := []string{r.Name, r.Status, column.Group, column.Name, column.Unit, source, mean, std, n, low, high, v.Text}
				facts := make([]string, len(t.Facts))
				if s < len(r.Facts) {
					copy(facts, r.Facts[s])
				}
				out.Write(append(line, facts...))
			}
		}
	}
	out.Flush()
	return out.Error()
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
