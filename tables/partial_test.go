package tables_test

import (
	"io"
	"strings"
	"testing"

	"vlpx.internal/tables"
)

// A mean of some of the runs says of how many it is, in every format, and one of all does not.
func TestPartialValues(t *testing.T) {
	table := tables.Table{
		Columns: []tables.Column{{Name: "R@1", Best: tables.Highest}, {Name: "chosen"}},
		Rows: []tables.Row{
			{Name: "ALBEF", Cells: []tables.Cell{{{Mean: 30, Std: 2, N: 3, Of: 3}}, {{Mean: 12.5, Std: 1.5, N: 2, Of: 3}}}},
			{Name: "FALCON", Cells: []tables.Cell{{{Mean: 31.2, N: 1, Of: 3}}, {{Of: 3}}}},
		},
	}
	for _, c := range []struct {
		format string
		write  func(io.Writer) error
		want   []string
	}{
		{"text", func(w io.Writer) error { return table.Text(w, tables.Terminal{}) }, []string{
			"ALBEF   30.0±2.0    12.5±1.5 (n=2)", "FALCON  31.2 (n=1)     –"}},
		{"markdown", table.Markdown, []string{"| ALBEF | 30.0 ±2.0 | 12.5 ±1.5 (n=2) |", "| FALCON | **31.2** (n=1) | – |"}},
		{"html", table.HTML, []string{">±2.0<", ">±1.5 (n=2)<", ">(n=1)<"}},
		{"latex", table.LaTeX, []string{`{\scriptsize $\pm$2.0} &`, `{\scriptsize $\pm$1.5 (n=2)}`,
			`\bfseries 31.2 & {\scriptsize (n=1)}`}},
		{"csv", table.CSV, []string{",12.5,1.5,2,", ",31.2,,1,"}},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil {
			t.Fatalf("%s: %v", c.format, err)
		}
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", c.format, want, b.String())
			}
		}
		if got := strings.Count(b.String(), "(n="); got != 2 && c.format != "csv" {
			t.Errorf("%s: %d values say of how many they are, want 2", c.format, got)
		}
	}
}
