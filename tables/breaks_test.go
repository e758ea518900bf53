package tables

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"vlpx.internal/internal/test/must"
)

// A table too wide for its place has the words of columns that break below each other, and is not folded.
func ExampleColumn_breaks() {
	t := Table{
		Heading: "setting", Columns: []Column{{Name: "value"}, {Name: "what it is", Breaks: true}, {Name: "read by", Breaks: true}},
		Rows: []Row{
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
			row := Row{Name: "row"}
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

// Names of rows that take more than half of a terminal are broken between words, so that the columns stay together; numbers stay what they
// are.
func TestLongNamesBreak(t *testing.T) {
	long := "GRIT-VLP, groupqueue=80, temperature=.1, contrast.weight=.3 below GRIT-VLP, groupqueue=80 in false negatives"
	table := Table{
		Columns: []Column{{Name: "rank", Best: Lowest}, {Name: "verdict"}},
		Rows: []Row{
			{Name: long, Status: "of other code", Cells: []Cell{{Number(7)}, {{Text: "supported"}}}},
			{Name: "ALBEF", Cells: []Cell{{Number(8)}, {}}},
		},
	}
	text := func(width int, style bool) string {
		var b strings.Builder
		must.Do(t, table.Text(&b, Terminal{Width: width, Style: style}))
		return b.String()
	}
	narrow := text(80, false)
	for l := range strings.Lines(narrow) {
		if n := utf8.RuneCountInString(strings.TrimRight(l, "\n")); n > 80 {
			t.Errorf("a line of %d characters: %s", n, l)
		}
	}
	if strings.Count(narrow, "rank") != 1 || strings.Count(narrow, "7.0") != 1 || strings.Count(narrow, "–") != 1 ||
		!strings.Contains(strings.Join(strings.Fields(strings.NewReplacer("7.0", "", "supported", "").Replace(narrow)), " "),
			long+" (of other code)") {
		t.Errorf("got\n%s\nwant the name in several lines of one block", narrow)
	}
	if !strings.Contains(text(80, true), "\x1b[1m 7.0\x1b[0m") {
		t.Errorf("the lowest is not bold in\n%s", text(80, true))
	}
	if wide := text(300, false); !strings.Contains(wide, long+" (of other code)") {
		t.Errorf("got\n%s\nwant the name whole", wide)
	}
}
