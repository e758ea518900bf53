package plots

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A table too wide for its place has the words of columns that break below each other, and is not folded.
func ExampleColumn_breaks() {
	t := Table{
		Heading: "setting", Columns: []Column{{Name: "value"}, {Name: "what it is", Breaks: true}, {Name: "read by", Breaks: true}},
		Rows: []TableRow{
			{Name: "epochs", Cells: []Cell{{{Text: "5"}}, {{Text: "how often training passes over the pairs"}}, {{Text: "all"}}}},
			{Name: "hard", Cells: []Cell{{{Text: "0.9"}}, {{Text: "hardness of the mini-batches"}}, {{Text: "Hard quantile"}}}},
			{Name: "half", Cells: []Cell{{}, {}, {{Text: "all"}}}},
		},
	}
	if err := t.Text(os.Stdout, Terminal{Width: 50}); err != nil {
		panic(err)
	}
	// Output:
	// setting  value  what it is             read by
	// ───────────────────────────────────────────────
	// epochs       5  how often training     all
	//                 passes over the pairs
	// hard       0.9  hardness of the        Hard
	//                 mini-batches           quantile
	// half         –  –                      all
	// ───────────────────────────────────────────────
}

// Whatever a table says, no line is wider than its place unless a word is, and every word is there once.
func TestBrokenTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := func(label string) string {
			return strings.Join(rapid.SliceOfN(rapid.StringMatching("[a-z]{1,9}"), 0, 12).Draw(t, label), " ")
		}
		table := Table{Columns: []Column{{Name: "a"}, {Name: "b", Breaks: true}, {Name: "c", Breaks: true}}}
		said := 0
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			row := TableRow{Name: "row"}
			for _, text := range []string{"1.5", words("b"), words("c")} {
				row.Cells = append(row.Cells, Cell{{Text: text}})
				said += len(strings.Fields(text))
			}
			table.Rows = append(table.Rows, row)
		}
		width := rapid.IntRange(40, 120).Draw(t, "width")
		var out strings.Builder
		if err := table.Text(&out, Terminal{Width: width}); err != nil {
			t.Fatal(err)
		}
		shown := strings.Fields(strings.ReplaceAll(out.String(), "─", ""))
		if n := len(shown) - strings.Count(out.String(), "–") - 4 - len(table.Rows); n != said {
			t.Errorf("%d words are shown, want %d:\n%s", n, said, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("a line of %d characters in %d:\n%s", n, width, out.String())
			}
		}
	})
}
